"""Sessions of any length in a real store, written as a worker writes them."""

from collections.abc import Sequence
from pathlib import Path

from events_made import at
from msgspec.structs import replace

from longwatch.adapters.store.process import this_process
from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.opening import checkpoint_due, checkpoint_of, state_of
from longwatch.engine.storing import Batch, Record, Store
from longwatch.engine.summary import summarize
from longwatch.session import EMPTY, KnownEvent, SessionState, advance, encode
from longwatch.session.events import SessionStarted, StateChanged

GROUP = 50
LEASE_SECONDS = 600.0


def opened(data: Path) -> Store:
    """The store in a folder, as `longwatch` would find it there."""
    data.mkdir(parents=True, exist_ok=True)
    return SqliteStore.open(data / "longwatch.db", lease_seconds=LEASE_SECONDS)


class Writer:
    """The only writer of one session."""

    def __init__(self, store: Store, session: str) -> None:
        self._store = store
        self._lease = store.acquire(session, this_process(), 0.0)
        self._state: SessionState = state_of(store, session) if store.summary(session) else EMPTY

    def begin(self, cwd: str, title: str) -> None:
        self.write(
            SessionStarted(title=title, cwd=cwd, dialect="longwatch", model="test:m", attended=True)
        )

    def batch(self, *events: KnownEvent) -> Batch:
        """The next events of it, folded in."""
        before, records = self._state, []
        for event in events:
            seq = self._state.seq + 1
            made = replace(event, seq=seq, at=at(seq / 100), session=self._lease.session)
            records.append(Record(seq, str(made.__struct_config__.tag), encode(made)))
            self._state = advance(self._state, made)
        due = checkpoint_due(before.seq, self._state.seq)
        return Batch(
            lease=self._lease,
            records=records,
            summary=summarize(self._state, at(0)),
            checkpoint=checkpoint_of(self._state) if due else None,
        )

    def write(self, *events: KnownEvent) -> None:
        for first in range(0, len(events), GROUP):
            raise_any(self._store.append([self.batch(*events[first : first + GROUP])]))

    def rest(self) -> None:
        self.write(StateChanged(state="idle", reason="done"))
        self._store.release(self._lease)


def raise_any(errors: Sequence[Exception | None]) -> None:
    for error in errors:
        if error is not None:
            raise error
