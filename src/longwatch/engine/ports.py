"""What the engine needs of the world, as protocols and the values that cross them.

The store has a module of its own: ``storing``.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from longwatch.dialects import ToolSpec
from longwatch.session.events import Finish, ToolCall, Usage
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
