"""What one dashboard knows of the shown session and of all others, kept up by looking."""

from collections.abc import Sequence

import msgspec

from longwatch.checklist import Conventions
from longwatch.dialects import DIALECTS
from longwatch.engine.storing import Draft, PostedIntent, Summary
from longwatch.session import AnyEvent, SessionState, decode_intent
from longwatch.session.events import ApprovalRequested, ChecklistChanged, ToolFinished, ToolStarted
from longwatch.session.intents import Say
from longwatch.ui.activity import Activity, follow, with_draft
from longwatch.ui.widgets.approval import Waiting

PLAIN = Conventions(cursor="at_most_one", numbering="position")
NEEDS_A_PERSON = ("awaiting_approval", "awaiting_human", "failed")


class Watched:
    """The shown session: its state, what goes on in it, and what it asks."""

    def __init__(self) -> None:
        self.session: str | None = None
        self.state = SessionState()
        self.activity = Activity()
        self.draft: Draft | None = None
        self.queued: list[tuple[str, str]] = []
        self.disputed: frozenset[str] = frozenset()
        self.worked_on: dict[str, int] = {}
        """The event of the last tool that was started for an item."""
        self._questions: dict[str, str] = {}

    def open(self, session: str | None, state: SessionState, events: Sequence[AnyEvent]) -> None:
        self.session, self.state = session, state
        self.activity = Activity()
        self.disputed, self._questions, self.worked_on = frozenset(), {}, {}
        self.take(state, events)

    def take(self, state: SessionState, events: Sequence[AnyEvent]) -> None:
        """New events of it, folded in already."""
        self.state = state
        for event in events:
            self.activity = follow(self.activity, event)
            match event:
                case ApprovalRequested():
                    self._questions[event.call] = event.question
                case ToolStarted(todo=str(uid)):
                    self.worked_on[uid] = event.seq
                case ChecklistChanged(by="human"):
                    self.disputed = frozenset()
                case ChecklistChanged() | ToolFinished() if event.kept:
                    self.disputed |= {one.uid for one in event.kept}
                case _:
                    pass

    def stream(self, draft: Draft | None, queued: Sequence[PostedIntent]) -> None:
        self.draft = draft
        self.activity = with_draft(self.activity, draft)
        self.queued = [(posted.id, text) for posted in queued if (text := _said(posted))]

    @property
    def conventions(self) -> Conventions:
        dialect = DIALECTS.get(self.state.profile.dialect)
        return dialect.conventions if dialect is not None else PLAIN

    @property
    def waiting(self) -> list[Waiting]:
        """The questions that wait for a person, oldest first."""
        names = {call.id: call.name for call in self.state.turn.pending}
        return [
            Waiting(
                call=call,
                question=self._questions.get(call, ""),
                name=names.get(call, ""),
                folder=self.state.profile.cwd,
            )
            for call in self.state.approvals.waiting
        ]


def _said(posted: PostedIntent) -> str:
    try:
        intent = decode_intent(posted.body)
    except msgspec.DecodeError:
        return ""
    return intent.text if isinstance(intent, Say) else ""


class Unread:
    """Which sessions have come to rest or to a question since a person last looked at them."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, str]] = {}
        self.sessions: frozenset[str] = frozenset()

    def take(self, summaries: Sequence[Summary], shown: str | None) -> list[Summary]:
        """Those that have just changed state, the shown one too."""
        changed = []
        for summary in summaries:
            now = (summary.state, summary.since)
            before = self._known.get(summary.session)
            if before is not None and before != now:
                changed.append(summary)
            self._known[summary.session] = now
        fresh = {s.session for s in changed if s.state not in ("running", "waiting")}
        self.sessions = (self.sessions | fresh) - {shown or ""}
        return changed
