"""From the store to the screen: what changed since the last look, and nothing else."""

from collections.abc import Sequence

import msgspec

from longwatch.engine.opening import restored, state_of
from longwatch.engine.storing import Draft, PostedIntent, Readable, Summary
from longwatch.session import AnyEvent, SessionState, advance, decode

TAIL = 80
"""Events of a session that are read when it is opened; older ones come when they are wanted."""
PAGE = 60
MOST_AT_ONCE = 400


class Opened(msgspec.Struct, frozen=True):
    """A session as it is opened: its state and the tail of its events."""

    session: str
    state: SessionState
    events: Sequence[AnyEvent]
    draft: Draft | None
    queued: Sequence[PostedIntent]


class News(msgspec.Struct, frozen=True):
    """What one look at the store brought."""

    summaries: Sequence[Summary] | None = None
    state: SessionState | None = None
    events: Sequence[AnyEvent] = ()
    draft: Draft | None = None
    queued: Sequence[PostedIntent] = ()


class Feed:
    """Watches the store for one dashboard. It never waits and never writes."""

    def __init__(self, store: Readable) -> None:
        self._store = store
        self._version = -1
        self._session = ""
        self._state = SessionState()
        self._behind = False

    @property
    def state(self) -> SessionState:
        """Of the session that is shown."""
        return self._state

    def open(self, session: str | None) -> Opened:
        """Show another session, by reading its tail; None shows none."""
        store = self._store
        if session is None:
            self._session, self._state, self._behind = "", SessionState(), False
            return Opened("", self._state, (), None, ())
        # Going back in its own past is part of folding a session.
        self._session = session
        state = restored(store.checkpoint(session))
        tail = [decode(r.body) for r in store.records_before(session, 2**62, TAIL)]
        if tail and tail[0].seq > state.seq + 1:
            missing = store.records(session, state.seq, tail[0].seq - state.seq - 1)
            for record in missing:
                state = advance(state, decode(record.body), self._recall)
        for event in tail:
            if event.seq > state.seq:
                state = advance(state, event, self._recall)
        self._state, self._behind = state, False
        return Opened(session, state, tail, store.draft(session), store.unanswered(session))

    def before(self, seq: int, limit: int = PAGE) -> Sequence[AnyEvent]:
        """Older events of the shown session, in order."""
        return [decode(r.body) for r in self._store.records_before(self._session, seq, limit)]

    def look(self) -> News | None:
        """What is new; None if nothing is. Cheap enough for thirty times a second."""
        version = self._store.version()
        if version == self._version and not self._behind:
            return None
        self._version = version
        summaries = self._store.summaries()
        if not self._session:
            return News(summaries=summaries)
        records = list(self._store.records(self._session, self._state.seq, MOST_AT_ONCE))
        events = [decode(record.body) for record in records]
        for event in events:
            self._state = advance(self._state, event, self._recall)
        self._behind = len(records) == MOST_AT_ONCE
        return News(
            summaries=summaries,
            state=self._state,
            events=events,
            draft=self._store.draft(self._session),
            queued=self._store.unanswered(self._session),
        )

    def _recall(self, seq: int) -> SessionState:
        return state_of(self._store, self._session, seq)
