"""What the engine needs of a store: what is kept, what can go wrong, and who may ask for what."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from longwatch.session.events import State

# --- what is kept ---------------------------------------------------------------------------


class Record(msgspec.Struct, frozen=True):
    """An event as it is kept: its JSON bytes, and what of it is looked up by."""

    seq: int
    type: str
    body: bytes


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """One row per session for lists and sidebars, derived from its events."""

    session: str
    title: str = ""
    cwd: str = ""
    model: str = ""
    dialect: str = ""
    agent: str | None = None
    parent: str | None = None
    attended: bool = False
    temporary: bool = False
    archived: bool = False
    created: str = ""
    updated: str = ""
    state: State = "dormant"
    reason: str = ""
    since: str = ""
    current: str = ""
    done: int = 0
    total: int = 0
    blocked: int = 0
    input: int = 0
    output: int = 0
    cost: float = 0.0
    unpriced: int = 0
    last_seq: int = 0
    schedule: str = ""
    """When it is kicked, in cron's words."""
    next_kick: str = ""
    """The next time of its schedule, while it rests and may be kicked."""


class Owner(msgspec.Struct, frozen=True):
    """A process that can be told from every other, also after its pid was given again."""

    pid: int
    started: str
    boot: str
    host: str = ""


class Lease(msgspec.Struct, frozen=True):
    """The right to append to a session. A later epoch makes it void."""

    session: str
    epoch: int
    owner: Owner


class Checkpoint(msgspec.Struct, frozen=True):
    """A folded state, encoded, with the version of the fold that made it."""

    seq: int
    version: int
    body: bytes


class PostedIntent(msgspec.Struct, frozen=True):
    id: str
    session: str
    posted: str
    body: bytes


class Birth(msgspec.Struct, frozen=True):
    """A session that begins together with what another one records of it."""

    records: Sequence[Record]
    summary: Summary


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """What one append brings: all of it is kept, or none.

    ``posted`` is asked of other sessions because of it, of those that are still there.
    """

    lease: Lease
    records: Sequence[Record]
    summary: Summary
    answered: Sequence[str] = ()
    checkpoint: Checkpoint | None = None
    closes_draft: bool = False
    posted: Sequence[PostedIntent] = ()
    births: Sequence[Birth] = ()


class Draft(msgspec.Struct, frozen=True):
    """The reply that is streaming in, so far."""

    text: str
    reasoning: str
    updated: str


class Hit(msgspec.Struct, frozen=True):
    """One place where a search found something; matches stand between \\x02 and \\x03."""

    session: str
    seq: int
    snippet: str
    at: str = ""


class WorkerInfo(msgspec.Struct, frozen=True):
    """The background worker of a store, as it registered itself."""

    owner: Owner
    version: str
    fingerprint: str
    started: str
    heartbeat: float = 0.0
    stopping: bool = False


# --- what can go wrong ----------------------------------------------------------------------


class StoreError(Exception):
    """
    StoreError
    ├── LeaseLost        another process has the session now
    ├── LeaseHeld        another process has the session, and is alive
    ├── OutOfOrder       the events do not follow on the ones that are kept
    ├── NoSuchSession
    ├── StoreUnwritable  no space, read-only, no permission: nothing was changed
    └── StoreUnusable    corrupt, or made by a newer version: it is left alone
    """


class LeaseLost(StoreError):
    pass


class LeaseHeld(StoreError):
    def __init__(self, message: str, owner: Owner) -> None:
        super().__init__(message)
        self.owner = owner


class OutOfOrder(StoreError):
    pass


class NoSuchSession(StoreError):
    pass


class StoreUnwritable(StoreError):
    pass


class StoreUnusable(StoreError):
    pass


# --- who may ask for what -------------------------------------------------------------------


class Writable(Protocol):
    """For whoever works on sessions: leases, and what is written under them."""

    def acquire(self, session: str, owner: Owner, now: float) -> Lease:
        """Take a session, also a new one. Raises LeaseHeld while a living process has it."""
        ...

    def renew(self, leases: Sequence[Lease], now: float) -> Sequence[bool]:
        """Heartbeats. False for each lease that another epoch has made void."""
        ...

    def release(self, lease: Lease) -> None: ...
    def holder(self, session: str, now: float) -> Owner | None:
        """Who works on the session, if a living process does."""
        ...

    def last_owner(self, session: str) -> Owner | None:
        """Who worked on the session last, dead or alive."""
        ...

    def append(self, batches: Sequence[Batch]) -> Sequence[StoreError | None]:
        """Keep batches of several sessions in one durable commit; each succeeds or fails alone."""
        ...

    def put_draft(self, lease: Lease, draft: Draft) -> None: ...
    def take_ids(self, count: int) -> int:
        """The first of that many numbers of the store's own counter, never given again."""
        ...


class Postbox(Protocol):
    """For whoever asks something of a session."""

    def post(self, intent: PostedIntent) -> None: ...
    def withdraw(self, intent: str) -> bool:
        """Take back what nobody has answered yet."""
        ...


class Readable(Protocol):
    """For whoever watches, at work or not: what is kept, and what is asked for."""

    def version(self) -> int:
        """Changes whenever another connection has written; cheap enough to ask all the time."""
        ...

    def summaries(self) -> Sequence[Summary]:
        """All sessions, oldest first."""
        ...

    def summary(self, session: str) -> Summary | None: ...
    def find(self, name: str) -> Sequence[str]:
        """Sessions of this id, else of this title, else whose id begins with it."""
        ...

    def records(
        self, session: str, after: int = 0, limit: int | None = None
    ) -> Iterator[Record]: ...
    def records_before(self, session: str, before: int, limit: int) -> Sequence[Record]:
        """The last ``limit`` records whose seq is below ``before``, in order."""
        ...

    def checkpoint(self, session: str, upto: int | None = None) -> Checkpoint | None:
        """The newest one, or the newest at or before a seq."""
        ...

    def draft(self, session: str) -> Draft | None: ...
    def unanswered(self, session: str | None = None) -> Sequence[PostedIntent]:
        """In the order they were posted."""
        ...


class Searchable(Protocol):
    """For whoever looks for words."""

    def search(self, text: str, limit: int = 50) -> Sequence[Hit]: ...
    def search_each(self, text: str, most: int = 3) -> Mapping[str, Sequence[Hit]]:
        """Every session that has the text, the newest first, with its last hits."""
        ...

    def search_in(self, session: str, text: str, limit: int = 1000) -> Sequence[int]:
        """The events of one session that have the text, by seq, in order: the last ones."""
        ...


class Roster(Protocol):
    """The store's background worker, and those for whose sake it stays."""

    def register_worker(self, info: WorkerInfo) -> bool:
        """Become the store's background worker; False while another one is alive."""
        ...

    def worker(self) -> WorkerInfo | None: ...
    def stop_worker(self) -> None:
        """Ask the registered worker to end at the next step boundary."""
        ...

    def unregister_worker(self, owner: Owner) -> None: ...
    def seen(self, watcher: str, now: float) -> None:
        """Somebody looks at the store; the background worker stays while anyone does."""
        ...

    def last_seen(self) -> float: ...


class Upkeep(Protocol):
    """For whoever keeps house."""

    def delete(self, session: str) -> None: ...
    def problems(self) -> Sequence[str]:
        """What an integrity check of the store itself finds."""
        ...

    def close(self) -> None: ...


class Store(Writable, Postbox, Readable, Searchable, Roster, Upkeep, Protocol):
    """Where sessions are kept, and the bus between those who work and those who watch.

    Every method is synchronous and may be called from any thread. Times are the caller's:
    ``now`` is in seconds since the epoch.
    """
