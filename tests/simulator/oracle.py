"""What must hold after every event, judged from the events alone wherever that is possible."""

from msgspec.structs import replace

from longwatch.checklist import Checklist
from longwatch.discipline import Rules
from longwatch.session import KnownEvent, SessionState
from longwatch.session.events import (
    AutoContinuing,
    ChecklistChanged,
    Compacted,
    Injected,
    ModelStarted,
    StateChanged,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from longwatch.session.state import Memory, Spent

RIDING = {"nag", "stale", "repeat_warning", "human_edit", "interrupted"}


class Oracle:
    """Watches one session's events and complains at the first that should not be there."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.injected = 0
        self.resting = True
        self.paused = False
        self.told_by_person = False
        self.started: set[str] = set()
        self.answered: set[str] = set()
        self.unseen: dict[str, tuple[str, str] | None] = {}
        self.untouched: dict[str, tuple[str, str] | None] = {}
        self.unseen_goal: str | None = None

    def watch(self, event: KnownEvent, before: SessionState, after: SessionState) -> None:
        check_list(after.checklist, self.rules)
        match event:
            case UserMessage(source=source):
                self.told_by_person |= source in ("human", "answer")
                if source != "peer" and not (self.paused and source == "cron"):
                    self.injected = 0
            case StateChanged():
                self._state(event)
            case Injected(source=source):
                assert not self.paused, "a paused session was written to"
                if source not in RIDING:
                    self.injected += 1
                    assert self.injected <= self.rules.loop.hard_cap, "past the hard cap"
            case AutoContinuing():
                after_one = " after compression" if before.memory.past == "compacted" else ""
                expected = (
                    f"Auto-continuing{after_one} ({event.n}/{event.max}): "
                    f"{after.checklist.open_count} incomplete todo(s) remain"
                )
                assert event.text == expected
                assert event.n <= event.max
            case ModelStarted():
                assert not self.paused, "a paused session took a step"
                self.unseen, self.untouched, self.unseen_goal = {}, {}, None
            case ToolStarted():
                assert not self.paused, "a paused session took a step"
                assert event.call not in self.started, "a tool was run twice"
                self.started.add(event.call)
            case ToolFinished():
                assert event.call not in self.answered, "a call was answered twice"
                self.answered.add(event.call)
            case ChecklistChanged():
                self._list(event, before.checklist, after.checklist)
            case Compacted():
                assert not before.turn.pending, "a call was parted from its result"
                assert all_but_size(before) == all_but_size(after), "a compaction changed more"
            case _:
                pass

    def _state(self, event: StateChanged) -> None:
        resting = event.state in ("idle", "dormant", "paused", "failed")
        if event.state == "running" and self.resting and not self.told_by_person:
            self.injected = 0 if event.reason == "resumed" else self.injected
        if event.state == "running":
            self.told_by_person = False
        assert event.reason or not resting, "it rests without a reason"
        self.resting, self.paused = resting, event.state == "paused"

    def _list(self, event: ChecklistChanged, before: Checklist, after: Checklist) -> None:
        assert not before.says_the_same(after), "a change was recorded that changed nothing"
        assert (event.done, event.total) == (after.done_count, len(after.items))
        if event.by == "human":
            self._remember(before, after)
            return
        for uid, wanted in self.unseen.items():
            item = after.by_uid(uid)
            if wanted is None:
                assert item is None, "an item that the person deleted came back"
                continue
            assert item is not None, "an item that the person touched was dropped"
            (text, status), was = wanted, self.untouched[uid]
            if was is None or was[0] != text:
                assert item.text == text, "the person's text was undone"
            if (was is None or was[1] != status) and status in ("completed", "blocked"):
                assert item.status == status, "the person's status was undone"
        assert self.unseen_goal in (None, after.goal), "the person's goal was undone"
        for item in before:
            if item.held_by_person:
                held = after.by_uid(item.uid)
                assert held is not None, "what the person holds was dropped"
                assert held.status == "blocked", "what the person holds was let go"

    def _remember(self, before: Checklist, after: Checklist) -> None:
        old = {item.uid: (item.text, item.status) for item in before}
        new = {item.uid: (item.text, item.status) for item in after}
        for uid in old.keys() | new.keys():
            was, now = old.get(uid), new.get(uid)
            if _the_same(was, now):
                continue
            first = self.untouched.setdefault(uid, was)
            if _the_same(first, now):
                # The person took the edit back, so there is nothing left to keep.
                self.unseen.pop(uid, None)
            else:
                self.unseen[uid] = now
        if before.goal != after.goal:
            self.unseen_goal = after.goal


def all_but_size(state: SessionState) -> SessionState:
    """The state without how much the model reads and what that took."""
    activation = replace(state.activation, tokens=0, cost=0.0)
    return replace(state, seq=0, at="", activation=activation, spent=Spent(), memory=Memory())


def _the_same(old: tuple[str, str] | None, new: tuple[str, str] | None) -> bool:
    """Equal, or different only in which item is the current one."""
    if old is None or new is None:
        return old is new
    opened = {"pending", "in_progress"}
    return old == new or (old[0] == new[0] and {old[1], new[1]} <= opened)


def check_list(checklist: Checklist, rules: Rules) -> None:
    """The invariants that no one may break."""
    cursor = rules.dialect.conventions.cursor
    current = [item for item in checklist if item.status == "in_progress"]
    assert len(current) <= (0 if cursor == "none" else 1)
    if cursor == "kept" and any(item.status == "pending" for item in checklist):
        assert len(current) == 1
    for item in checklist:
        assert item.text.strip()
        assert bool(item.reason) == (item.status == "blocked")
    uids = [item.uid for item in checklist]
    assert len(uids) == len(set(uids))
