"""From the store to a session that can be worked on or shown: fold what is kept."""

from collections.abc import Iterator

import msgspec

from longwatch.engine.storing import Checkpoint, NoSuchSession, Readable
from longwatch.session import EMPTY, VERSION, AnyEvent, SessionState, decode, fold
from longwatch.session.events import AssistantMessage, Rewound
from longwatch.session.transcript import Transcript, transcribe

CHECKPOINT_EVERY = 500


class Opened(msgspec.Struct, frozen=True):
    """A session's state and transcript, when it began, and the ids of all its calls."""

    state: SessionState
    transcript: Transcript
    created: str
    calls: frozenset[str] = frozenset()


def events_of(store: Readable, session: str, after: int = 0) -> Iterator[AnyEvent]:
    return (decode(record.body) for record in store.records(session, after))


def open_session(store: Readable, session: str) -> Opened:
    """All of it: for the one who works on it."""
    events = list(events_of(store, session))
    if not events:
        raise NoSuchSession(f"There is no session {session}.")
    calls = frozenset(
        call.id for e in events if isinstance(e, AssistantMessage) for call in e.tool_calls
    )
    return Opened(fold(events), transcribe(events), events[0].at, calls)


def state_of(store: Readable, session: str, upto: int | None = None) -> SessionState:
    """Only the state, from the nearest checkpoint before all that is gone back to."""
    start = restored(store.checkpoint(session, upto))
    while True:
        wanted = None if upto is None else max(0, upto - start.seq)
        records = store.records(session, start.seq, wanted)
        events = [decode(record.body) for record in records]
        first = min((e.to for e in events if isinstance(e, Rewound)), default=start.seq)
        if first >= start.seq or start.seq == 0:
            return fold(events, start)
        start = restored(store.checkpoint(session, first))


def restored(checkpoint: Checkpoint | None) -> SessionState:
    """A checkpoint's state; one of another fold is not used."""
    if checkpoint is None or checkpoint.version != VERSION:
        return EMPTY
    return msgspec.json.decode(checkpoint.body, type=SessionState)


def checkpoint_of(state: SessionState) -> Checkpoint:
    return Checkpoint(state.seq, VERSION, msgspec.json.encode(state))


def checkpoint_due(before: int, after: int) -> bool:
    return before // CHECKPOINT_EVERY != after // CHECKPOINT_EVERY
