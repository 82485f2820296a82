"""What the engine needs of the world, as protocols and the values that cross them."""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from longwatch.dialects import ToolSpec
from longwatch.session.events import Finish, State, ToolCall, Usage
from longwatch.session.transcript import Message

# --- time and names -------------------------------------------------------------------------


class Clock(Protocol):
    """Time, passed in so that tests can hold it."""

    def now(self) -> str:
        """The present as an event's time: UTC, milliseconds, Z."""
        ...

    def wall(self) -> float:
        """The present in seconds since the epoch; it may jump."""
        ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class Ids(Protocol):
    """Names that nobody has given before."""

    def new(self) -> str: ...


# --- models ---------------------------------------------------------------------------------


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request, the same for every provider. What is None is not sent."""

    model: str
    system: str
    tools: tuple[ToolSpec, ...]
    messages: Sequence[Message]
    tool_choice: Literal["auto", "none"] = "auto"
    stream: bool = True
    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    reasoning_effort: str | None = None


class TextDelta(msgspec.Struct, frozen=True):
    text: str


class ReasoningDelta(msgspec.Struct, frozen=True):
    text: str


class ModelReply(msgspec.Struct, frozen=True, kw_only=True):
    """A whole reply; it is the last thing that a stream yields, and the only proof of its end."""

    text: str
    finish: Finish
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    provider_data: Any = None


FaultKind = Literal[
    "auth",
    "quota",
    "tls",
    "unknown_model",
    "bad_request",
    "redirect",
    "insecure",
    "rate_limited",
    "timeout",
    "conflict",
    "server",
    "unreachable",
    "broken",
    "stalled",
    "malformed",
    "context",
]


class ModelFault(Exception):
    """A request that brought no whole reply: what happened, and when to try again if told."""

    def __init__(
        self,
        kind: FaultKind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: FaultKind = kind
        self.message = message
        self.status = status
        self.retry_after = retry_after
        self.usage = usage


class Model(Protocol):
    """One provider's model. It makes one attempt; retrying is the engine's."""

    @property
    def provider(self) -> str:
        """Sessions on one provider share a limiter by this name."""
        ...

    @property
    def context(self) -> int | None:
        """How many tokens it can read, if that is known."""
        ...

    def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[TextDelta | ReasoningDelta | ModelReply, None]:
        """Deltas as they come and the whole reply last; raises ModelFault."""
        ...

    def preview(self, request: ModelRequest) -> Mapping[str, Any]:
        """The JSON body that would be sent."""
        ...


# --- tools ----------------------------------------------------------------------------------

Effect = Literal["read", "read_secret", "write", "execute"]


class Place(msgspec.Struct, frozen=True):
    """Where a session's tools act. ``sandbox`` wraps what executes, where there is one."""

    root: Path
    session: str = ""
    sandbox: Literal["none", "bubblewrap"] = "none"
    sandbox_network: bool = False
    protected: tuple[Path, ...] = ()


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A call checked against the world and not run yet.

    ``question`` shows every character of what will run; ``fingerprint`` changes when what would
    happen changes, so that an approval covers exactly what was shown.
    """

    effect: Effect
    question: str
    fingerprint: str
    plan: Any = None


class ToolRefused(Exception):
    """The call cannot be made; the message tells the model why and what to do instead."""


class ToolOutput(msgspec.Struct, frozen=True, kw_only=True):
    ok: bool
    output: str
    truncated: bool = False
    files: tuple[str, ...] = ()


class Tool(Protocol):
    @property
    def spec(self) -> ToolSpec: ...

    def prepare(self, arguments: Mapping[str, Any], place: Place) -> Prepared:
        """Look at what the call would do; raises ToolRefused. Changes nothing."""
        ...

    async def run(self, prepared: Prepared, place: Place) -> ToolOutput:
        """Do it. Cancelling it ends everything that it started before it returns."""
        ...


# --- the store ------------------------------------------------------------------------------


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


class Store(Protocol):
    """Where sessions are kept, and the bus between those who work and those who watch.

    Every method is synchronous and may be called from any thread. Times are the caller's:
    ``now`` is in seconds since the epoch.
    """

    # Working on a session.
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

    # Asking something of a session.
    def post(self, intent: PostedIntent) -> None: ...
    def withdraw(self, intent: str) -> bool:
        """Take back what nobody has answered yet."""
        ...

    def unanswered(self, session: str | None = None) -> Sequence[PostedIntent]:
        """In the order they were posted."""
        ...

    # Watching.
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
    def search(self, text: str, limit: int = 50) -> Sequence[Hit]: ...
    def search_each(self, text: str, most: int = 3) -> Mapping[str, Sequence[Hit]]:
        """Every session that has the text, the newest first, with its last hits."""
        ...

    def search_in(self, session: str, text: str, limit: int = 1000) -> Sequence[int]:
        """The events of one session that have the text, by seq, in order: the last ones."""
        ...

    # Housekeeping.
    def delete(self, session: str) -> None: ...
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
    def problems(self) -> Sequence[str]:
        """What an integrity check of the store itself finds."""
        ...

    def close(self) -> None: ...
