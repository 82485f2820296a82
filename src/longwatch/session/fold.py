"""From events to state, one event at a time. Crash recovery, replay and live view are this."""

from collections.abc import Callable, Iterable
from typing import assert_never

import msgspec
from msgspec.structs import replace

from longwatch.checklist import Checklist, catch_up, record
from longwatch.session import family, turns
from longwatch.session.events import (
    AgentChanged,
    AnyEvent,
    ApprovalGiven,
    ApprovalRequested,
    Archived,
    AssistantMessage,
    AutoContinuing,
    ChecklistChanged,
    ChecklistRefused,
    ChildFinished,
    ChildStarted,
    Compacted,
    Failure,
    Injected,
    MessageSent,
    ModelStarted,
    Progress,
    ProviderFault,
    Renamed,
    Retrying,
    Rewound,
    RoleChanged,
    SessionStarted,
    SettingsChanged,
    StateChanged,
    ToolFinished,
    ToolStarted,
    UnknownEvent,
    UserMessage,
)
from longwatch.session.state import (
    RESTING,
    Activation,
    Guard,
    Phase,
    Profile,
    SessionState,
    Turn,
)

VERSION = 2
"""Of the fold: a checkpoint made by another version is rebuilt."""

EMPTY = SessionState()

Recall = Callable[[int], SessionState]
"""The state as it was after the event of a number."""


class NoHistory(LookupError):
    """A session was rewound and its earlier states cannot be had from here."""


def _no_recall(seq: int) -> SessionState:
    raise NoHistory(f"the state at event {seq} is needed to rewind to it")


def fold(events: Iterable[AnyEvent], state: SessionState = EMPTY) -> SessionState:
    """The state after all of the events; those that are rewound to must be among them."""
    events = list(events)
    targets = {event.to for event in events if isinstance(event, Rewound)}
    first = state.seq
    earlier = {first: state}

    def recall(seq: int) -> SessionState:
        return earlier.get(seq, state) if seq >= first else _no_recall(seq)

    for event in events:
        state = advance(state, event, recall)
        if event.seq in targets:
            earlier[event.seq] = state
    return state


def advance(state: SessionState, event: AnyEvent, recall: Recall = _no_recall) -> SessionState:
    """The state after one more event; ``recall`` is asked only when it rewinds."""
    state = _advanced(state, event, recall)
    origin = state.profile.forked_from
    if origin is not None and event.seq == origin.seq:
        state = _on_its_own(state)
    return replace(state, seq=event.seq, at=event.at)


def _on_its_own(state: SessionState) -> SessionState:
    """Where a fork's own life begins: children, questions and replies are the other session's."""
    return replace(state, children={}, owed={}, awaited=(), question="")


def _advanced(state: SessionState, event: AnyEvent, recall: Recall) -> SessionState:  # noqa: C901, PLR0912
    match event:
        case ToolStarted():
            return turns.tool_started(state, event)
        case ToolFinished():
            return turns.tool_finished(state, event)
        case ModelStarted():
            return _model_started(state, event)
        case AssistantMessage():
            return turns.replied(state, event)
        case ChecklistChanged():
            return _checklist_changed(state, event)
        case ChecklistRefused():
            return turns.todo_refused(state)
        case Injected():
            return _injected(state, event)
        case AutoContinuing():
            return _auto_continuing(state, event)
        case StateChanged():
            return _state_changed(state, event)
        case UserMessage():
            return _user_message(state, event)
        case ApprovalRequested() | ApprovalGiven():
            return replace(state, approvals=turns.approvals_after(state, event))
        case SessionStarted():
            return _session_started(event)
        case SettingsChanged() | AgentChanged() | RoleChanged() | Renamed() | Archived():
            return _set_up(state, event)
        case Rewound():
            return _rewound(state, recall(event.to))
        case Compacted():
            return turns.compacted(state, event)
        case ProviderFault():
            return turns.faulted(state, event)
        case Retrying() | Failure() | UnknownEvent():
            return state
        case ChildStarted():
            return family.child_started(state, event)
        case ChildFinished():
            return family.child_finished(state, event)
        case MessageSent():
            return family.message_sent(state, event)
        case _:
            assert_never(event)


def _session_started(event: SessionStarted) -> SessionState:
    profile = Profile(
        title=event.title,
        cwd=event.cwd,
        model=event.model,
        dialect=event.dialect,
        agent=event.agent,
        role=event.role,
        parent=event.parent,
        attended=event.attended,
        forked_from=event.forked_from,
    )
    return SessionState(session=event.session, profile=profile, since=event.at, scheduled=event.at)


def _set_up(
    state: SessionState, event: SettingsChanged | AgentChanged | RoleChanged | Renamed | Archived
) -> SessionState:
    """A schedule that is new says nothing of the time before it."""
    state = replace(state, profile=_profile(state.profile, event))
    if isinstance(event, AgentChanged) or getattr(event, "key", "") == "schedule":
        return replace(state, scheduled=event.at)
    return state


def _profile(
    profile: Profile,
    event: SettingsChanged | AgentChanged | RoleChanged | Renamed | Archived,
) -> Profile:
    match event:
        case SettingsChanged(key="model", value=str(model)):
            return replace(profile, model=model)
        case SettingsChanged(key="dialect", value=str(dialect)):
            return replace(profile, dialect=dialect)
        case SettingsChanged(key=key, value=None):
            settings = {k: v for k, v in profile.settings.items() if k != key}
            return replace(profile, settings=settings)
        case SettingsChanged(key=key, value=value):
            return replace(profile, settings={**profile.settings, key: value})
        case AgentChanged(name=name):
            return replace(profile, agent=name)
        case RoleChanged(name=name):
            return replace(profile, role=name)
        case Renamed(title=title):
            return replace(profile, title=title)
        case Archived():
            return replace(profile, archived=True)
        case _:
            assert_never(event)


def _model_started(state: SessionState, event: ModelStarted) -> SessionState:
    """A request shows the model the list as it is; one for a summary asks for nothing else."""
    if event.purpose == "summary":
        return replace(state, memory=replace(state.memory, summarizing=True))
    if state.memory.summarizing:
        state = replace(state, memory=replace(state.memory, summarizing=False))
    return replace(state, seen=state.checklist)


def _user_message(state: SessionState, event: UserMessage) -> SessionState:
    """Fresh input resets the budgets and is let in; a peer's knocks; nothing ends a pause or
    answers a question but the person."""
    by_person = event.source in ("human", "answer")
    memory = turns.with_unsent(state.memory, event.text)
    woken = replace(state, owes_reply=True, cut_off=False, memory=memory)
    if event.source == "peer":
        woken = family.peer_heard(woken, event)
    elif event.source == "cron":
        woken = replace(woken, scheduled=event.at)
    if state.state in ("paused", "awaiting_human") and not by_person:
        return woken
    if event.source == "peer":
        return _knocked(woken, event.at)
    attended = state.profile.attended and event.source != "cron"
    return replace(
        woken,
        phase=_owed_next(state),
        activation=Activation(began=event.at, attended=attended),
        knocking=False,
        forced=False,
        continuing=False,
        question="" if by_person else state.question,
    )


def _owed_next(state: SessionState) -> Phase:
    return "tools" if state.turn.pending else "call"


def _knocked(state: SessionState, at: str) -> SessionState:
    """A peer's message is read with a request that is due anyway, or it knocks for one."""
    state = replace(state, activation=replace(state.activation, began=state.activation.began or at))
    if state.state in RESTING or state.state == "awaiting_peer":
        return replace(state, phase=_owed_next(state), knocking=True)
    return replace(state, knocking=state.knocking or state.phase == "reply")


def _state_changed(state: SessionState, event: StateChanged) -> SessionState:
    moved = replace(state, state=event.state, reason=event.reason, since=event.at)
    if event.state == "running":
        resumed = Activation(began=event.at, attended=state.profile.attended)
        if state.knocking and event.intent is not msgspec.UNSET:
            return replace(moved, activation=resumed, knocking=False)
        if state.knocking:
            activation = replace(state.activation, wakes=state.activation.wakes + 1)
            phase = _owed_next(state)
            return replace(moved, phase=phase, activation=activation, knocking=False)
        if state.phase == "rest":
            resumed_in: Phase = "tools" if state.turn.pending else "resumed"
            return replace(moved, phase=resumed_in, activation=resumed, forced=False)
        return moved
    if event.state in ("waiting", "awaiting_approval"):
        return moved
    memory = replace(state.memory, too_long=()) if state.memory.too_long else state.memory
    return replace(
        moved, phase="rest", knocking=False, continuing=False, forced=False, memory=memory
    )


def _checklist_changed(state: SessionState, event: ChecklistChanged) -> SessionState:
    before = state.checklist
    after = record(before, event.goal, event.items, at=event.at, by=event.by)
    closed = _closed(before, after)
    activation = state.activation
    progress = activation.progress
    activation = replace(
        activation,
        moved=True,
        wakes=0 if event.resets_wakes is True else activation.wakes,
        progress=replace(progress, items=progress.items + closed),
    )
    seen = catch_up(state.seen, before, after) if event.by == "model" else state.seen
    return replace(state, checklist=after, seen=seen, activation=activation)


def _closed(before: Checklist, after: Checklist) -> int:
    done = {item.uid for item in before if item.status == "completed"}
    return sum(item.status == "completed" and item.uid not in done for item in after)


def _auto_continuing(state: SessionState, event: AutoContinuing) -> SessionState:
    activation = state.activation
    stalled = activation.continued_on is not None and not activation.moved
    return replace(
        state,
        continuing=True,
        activation=replace(
            activation,
            wakes=event.n,
            stalled=activation.stalled + 1 if stalled else 0,
            continued_on=state.turn.text,
            continued_at=state.checklist.revision,
            moved=False,
            progress=Progress(),
            files=frozenset(),
        ),
    )


def _injected(state: SessionState, event: Injected) -> SessionState:  # noqa: C901 - one case each
    activation, guard, turn = state.activation, state.guard, state.turn
    memory = turns.with_unsent(state.memory, event.text)
    state = replace(state, owes_reply=True, cut_off=False, memory=memory)
    match event.source:
        case "nag" | "interrupted":
            return replace(state, turn=_told(turn, event))
        case "stale":
            guard = replace(guard, stale_told=guard.stale)
            return replace(state, turn=_told(turn, event), guard=guard)
        case "repeat_warning":
            activation = replace(activation, repeat_warned=True)
            return replace(state, turn=_told(turn, event), activation=activation)
        case "human_edit":
            return replace(state, seen=state.checklist)
        case "plan_nudge":
            activation = replace(activation, plan_nudged=True, answered=turn.text)
        case "finalization":
            activation = replace(activation, corrections=activation.corrections + 1)
            guard = replace(guard, correcting=True)
        case "guard_blocked":
            guard = Guard(
                blocked=event.text, suppressed=True, stale=guard.stale, stale_told=guard.stale_told
            )
            state = replace(state, forced=True)
        case "length":
            activation = replace(activation, lengthened=True)
        case "reformulate":
            activation = replace(activation, reformulated=True)
        case "subagent" if state.phase == "call" and not activation.turns:
            # It rides on the request that fresh input has called for already.
            return family.children_told(state)
        case "subagent":
            state = family.children_told(state)
            activation = replace(activation, wakes=activation.wakes + 1)
        case "reply_nudge":
            state = family.reminded_of_replies(state)
            activation = replace(activation, wakes=activation.wakes + 1)
        case "continuation" | "resume":
            pass
        case _:
            assert_never(event.source)
    return replace(
        state,
        phase="rest" if state.state == "paused" else "call",
        continuing=False,
        guard=guard,
        activation=replace(activation, injected=activation.injected + 1),
    )


def _told(turn: Turn, event: Injected) -> Turn:
    return replace(turn, told=turn.told | {event.source})


def _rewound(state: SessionState, earlier: SessionState) -> SessionState:
    """As it was, but money spent stays spent and no id or uid is given twice."""
    checklist = replace(
        earlier.checklist,
        revision=state.checklist.revision + 1,
        last_id=max(earlier.checklist.last_id, state.checklist.last_id),
    )
    return replace(
        earlier,
        profile=state.profile,
        checklist=checklist,
        seen=replace(earlier.seen, revision=checklist.revision, last_id=checklist.last_id),
        spent=replace(state.spent, context=earlier.spent.context),
        children=state.children,
        owed=state.owed,
        awaited=state.awaited,
    )
