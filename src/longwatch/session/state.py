"""What a session's events fold to: all that deciding the next step needs, and no more."""

from typing import Any, Literal

import msgspec

from longwatch.checklist import Checklist
from longwatch.session.events import Finish, Origin, Progress, State, ToolCall, ToolKind

Phase = Literal["rest", "resumed", "call", "tools", "results", "reply"]
"""What is owed next: nothing, a decision how to go on, a request, tool runs, what follows the
results, or a judgement of the reply."""

RESTING: frozenset[State] = frozenset({"paused", "idle", "dormant", "failed"})
PARKED: frozenset[State] = frozenset({"awaiting_human", "awaiting_peer"})


class Profile(msgspec.Struct, frozen=True):
    """What a session is: set when it starts, changed by a person."""

    title: str = ""
    cwd: str = ""
    model: str = ""
    dialect: str = "longwatch"
    agent: str | None = None
    role: str | None = None
    parent: str | None = None
    attended: bool = False
    forked_from: Origin | None = None
    archived: bool = False
    settings: dict[str, Any] = {}


class StartedCall(msgspec.Struct, frozen=True):
    """A tool that began and has not been answered."""

    call: str
    kind: ToolKind
    refused: bool = False


class Turn(msgspec.Struct, frozen=True):
    """The last whole reply, and how far its calls are worked off."""

    text: str = ""
    finish: Finish = "stop"
    pending: tuple[ToolCall, ...] = ()
    names: tuple[str, ...] = ()
    forced: bool = False
    started: StartedCall | None = None
    used_todo: bool = False
    valid_todo: bool = False
    refused_todo: bool = False
    told: frozenset[str] = frozenset()


class Activation(msgspec.Struct, frozen=True):
    """Counters from an input until the session rests."""

    began: str = ""
    attended: bool = False
    wakes: int = 0
    injected: int = 0
    turns: int = 0
    tokens: int = 0
    cost: float = 0.0
    used_tool: bool = False
    plan_nudged: bool = False
    answered: str = ""
    """What the model had said when it was asked whether that was all."""
    reformulated: bool = False
    lengthened: bool = False
    limit_raised: bool = False
    continued_on: str | None = None
    """The text of the reply that caused the previous continuation."""
    continued_at: int = 0
    """The list's revision then."""
    moved: bool = False
    """Whether anything happened since the previous continuation."""
    stalled: int = 0
    """How many continuations in a row, before the previous one, brought nothing."""
    progress: Progress = Progress()
    files: frozenset[str] = frozenset()
    turns_without_todo: int = 0
    corrections: int = 0
    repeat: str = ""
    repeated: int = 0
    repeat_warned: bool = False
    repeating: str = ""
    refusals: int = 0


class Guard(msgspec.Struct, frozen=True):
    """What of the finalization guard and the stale reminder outlives an activation."""

    blocked: str | None = None
    suppressed: bool = False
    correcting: bool = False
    stale: int = 0
    stale_told: int | None = None


class Approvals(msgspec.Struct, frozen=True):
    """Questions that wait, answers that were not used yet, and calls allowed for the session."""

    asked: dict[str, str] = {}
    """The fingerprint of what was shown, by call; it stays until the call is answered."""
    waiting: tuple[str, ...] = ()
    allowed: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()


class Child(msgspec.Struct, frozen=True):
    """A session that this one has started, as far as it was told of it."""

    title: str = ""
    ended: bool = False
    outcome: str = ""
    text: str = ""
    """What it said last; kept until the model has read it."""
    told: bool = True
    """Whether the model knows how it ended."""
    tokens: int = 0
    cost: float = 0.0
    """What of its spending is counted already."""


class Spent(msgspec.Struct, frozen=True):
    """What a session has used in all. ``unpriced`` counts replies whose cost is unknown."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float = 0.0
    unpriced: int = 0
    estimated: bool = False
    context: int = 0


class Memory(msgspec.Struct, frozen=True):
    """How much the model has to read, and what was done about it."""

    past: Literal["none", "grown", "compacted"] = "none"
    """Before the first reply; after one; after a compaction that no reply has followed."""
    unsent: int = 0
    """Characters that the model will read and that the last reply's usage does not count."""
    compacted_to: int = 0
    """Tokens that the last compaction left."""
    too_long: tuple[str, ...] = ()
    """What was said of each request since the last reply or compaction that did not fit."""
    summarizing: bool = False
    """The request under way is for a summary."""


class SessionState(msgspec.Struct, frozen=True):
    """The fold of a session's events."""

    session: str = ""
    seq: int = 0
    at: str = ""
    profile: Profile = Profile()
    state: State = "dormant"
    reason: str = ""
    since: str = ""
    phase: Phase = "rest"
    knocking: bool = False
    """A peer's message waits to be let in; it resets no budget and costs a wake."""
    owes_reply: bool = False
    """What the model was sent last has not been answered."""
    cut_off: bool = False
    """The last thing that the model will read is a reply of its own that a person cut off."""
    forced: bool = False
    """The next request must be answered in text."""
    continuing: bool = False
    """A wake is charged and its message not injected yet."""
    checklist: Checklist = Checklist()
    seen: Checklist = Checklist()
    """The list of the last request, with the model's own writes since."""
    turn: Turn = Turn()
    activation: Activation = Activation()
    guard: Guard = Guard()
    approvals: Approvals = Approvals()
    spent: Spent = Spent()
    question: str = ""
    """What the model asked the person and nobody has answered."""
    children: dict[str, Child] = {}
    owed: dict[str, bool] = {}
    """Sessions that expect a reply from this one; true once the model was reminded of it."""
    awaited: tuple[str, ...] = ()
    """Sessions that this one expects a reply from."""
    scheduled: str = ""
    """Since when a schedule counts: it was set, or it has kicked."""
    memory: Memory = Memory()
