"""From the store to a session that can be worked on or shown: fold what is kept."""

from collections.abc import Iterator

import msgspec

from longwatch.engine.ports import Checkpoint, NoSuchSession, Store
from longwatch.session import EMPTY, VERSION, AnyEvent, SessionState, advance, decode, fold
from longwatch.session.transcript import Transcript, transcribe

CHECKPOINT_EVERY = 500


class Opened(msgspec.Struct, frozen=True):
    """A session's state and transcript, and when it began."""

    state: SessionState
    transcript: Transcript
    created: str


def events_of(store: Store, session: str, after: int = 0) -> Iterator[AnyEvent]:
    return (decode(record.body) for record in store.records(session, after))


def open_session(store: Store, session: str) -> Opened:
    """All of it: for the one who works on it."""
    events = list(events_of(store, session))
    if not events:
        raise NoSuchSession(f"There is no session {session}.")
    return Opened(fold(events), transcribe(events), events[0].at)


def state_of(store: Store, session: str, upto: int | None = None) -> SessionState:
    """Only the state, from the nearest checkpoint on."""
    start = restored(store.checkpoint(session, upto))
    state = start
    for event in events_of(store, session, start.seq):
        if upto is not None and event.seq > upto:
            break
        state = advance(state, event, lambda seq: state_of(store, session, seq))
    return state


def restored(checkpoint: Checkpoint | None) -> SessionState:
    """A checkpoint's state; one of another fold is not used."""
    if checkpoint is None or checkpoint.version != VERSION:
        return EMPTY
    return msgspec.json.decode(checkpoint.body, type=SessionState)


def checkpoint_of(state: SessionState) -> Checkpoint:
    return Checkpoint(state.seq, VERSION, msgspec.json.encode(state))


def checkpoint_due(before: int, after: int) -> bool:
    return before // CHECKPOINT_EVERY != after // CHECKPOINT_EVERY
