"""Every fact that a session can hold, as tagged structs: the type is the codec is the check."""

from typing import Any, Literal

import msgspec

from longwatch.checklist import Author, Entry, Kept, Rule

State = Literal[
    "running",
    "waiting",
    "awaiting_approval",
    "awaiting_human",
    "awaiting_peer",
    "paused",
    "idle",
    "dormant",
    "failed",
]
MessageSource = Literal["human", "peer", "cron", "answer"]
InjectedSource = Literal[
    "continuation",
    "plan_nudge",
    "nag",
    "stale",
    "finalization",
    "guard_blocked",
    "human_edit",
    "repeat_warning",
    "reply_nudge",
    "subagent",
    "resume",
    "interrupted",
    "length",
    "reformulate",
]
Finish = Literal["stop", "tool_calls", "length", "refusal", "cancelled"]
ToolKind = Literal["tool", "todo", "todo_read"]
Arguments = dict[str, Any] | str
"""A call's JSON object, or the text that came where one should have been."""


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """A numbered fact. ``intent`` names what it answers, where a person or script asked for it."""

    seq: int = 0
    at: str = ""
    session: str = ""
    intent: str | msgspec.UnsetType = msgspec.UNSET


class Origin(msgspec.Struct, frozen=True):
    """Where a fork was taken."""

    session: str
    seq: int


class SessionStarted(Event, frozen=True, tag="session_started"):
    title: str = ""
    cwd: str = ""
    model: str = ""
    dialect: str = "longwatch"
    agent: str | None = None
    role: str | None = None
    parent: str | None = None
    attended: bool = False
    forked_from: Origin | None = None


class SettingsChanged(Event, frozen=True, tag="settings_changed"):
    key: str
    value: Any
    by: Author = "human"


class AgentChanged(Event, frozen=True, tag="agent_changed"):
    name: str | None


class RoleChanged(Event, frozen=True, tag="role_changed"):
    name: str | None


class UserMessage(Event, frozen=True, tag="user_message", rename={"sender": "from"}):
    """What was said to the session. A peer's message has its sender's ``name``, and says whether
    it expects a reply."""

    text: str
    source: MessageSource
    sender: str | None = None
    name: str | msgspec.UnsetType = msgspec.UNSET
    expects_reply: bool | msgspec.UnsetType = msgspec.UNSET


class Injected(Event, frozen=True, tag="injected"):
    """A message that the program wrote to the model."""

    source: InjectedSource
    text: str


class ModelStarted(Event, frozen=True, tag="model_started"):
    """A request goes out. One for a ``summary`` is no turn, and its reply no message."""

    model: str
    attempt: int
    purpose: Literal["summary"] | msgspec.UnsetType = msgspec.UNSET


class ToolCall(msgspec.Struct, frozen=True):
    id: str
    name: str
    arguments: Arguments


class Usage(msgspec.Struct, frozen=True):
    """What one reply took. A cost of None is unknown, which is not zero."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float | None = None
    estimated: bool = False


class AssistantMessage(Event, frozen=True, tag="assistant_message"):
    """A reply. A partial one was cut off: by a person (``cancelled``) or by a fault."""

    text: str
    finish: Finish
    tool_calls: tuple[ToolCall, ...]
    reasoning: str = ""
    usage: Usage | None = None
    partial: bool = False
    provider_data: Any = None


class ToolStarted(Event, frozen=True, tag="tool_started"):
    call: str
    name: str
    arguments: Arguments
    todo: str | None = None
    kind: ToolKind = "tool"
    question: str | msgspec.UnsetType = msgspec.UNSET
    """What the call asks the person; the session waits for the answer."""


class ToolFinished(Event, frozen=True, tag="tool_finished"):
    """A call's one answer. ``files`` are the paths that it changed."""

    call: str
    ok: bool
    output: str
    truncated: bool = False
    seconds: float = 0.0
    files: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    kept: tuple[Kept, ...] | msgspec.UnsetType = msgspec.UNSET
    resets_wakes: bool | msgspec.UnsetType = msgspec.UNSET


class ChecklistChanged(Event, frozen=True, tag="checklist_changed"):
    """The list as it is from now on. ``resets_wakes`` returns the wake count to 0."""

    by: Author
    action: str
    goal: str
    items: tuple[Entry, ...]
    done: int
    total: int
    note: str = ""
    kept: tuple[Kept, ...] = ()
    resets_wakes: bool | msgspec.UnsetType = msgspec.UNSET


class ChecklistRefused(Event, frozen=True, tag="checklist_refused"):
    rule: Rule
    message: str
    call: str


class Progress(msgspec.Struct, frozen=True):
    """What came since the previous continuation: items closed, tools run, files changed."""

    items: int = 0
    tools: int = 0
    files: int = 0


class AutoContinuing(Event, frozen=True, tag="auto_continuing"):
    n: int
    max: int
    remaining: int
    text: str
    progress: Progress


class StateChanged(Event, frozen=True, tag="state_changed"):
    state: State
    reason: str = ""


class ApprovalRequested(Event, frozen=True, tag="approval_requested"):
    call: str
    question: str
    fingerprint: str = ""


class ApprovalGiven(Event, frozen=True, tag="approval_given"):
    call: str
    answer: Literal["allow", "deny"]
    by: Author
    scope: Literal["once", "session", "rule"]


class Retrying(Event, frozen=True, tag="retrying"):
    attempt: int
    max: int
    seconds: float
    reason: str


class ProviderFault(Event, frozen=True, tag="provider_fault"):
    kind: str
    message: str
    attempt: int
    status: int | None = None


class ChildStarted(Event, frozen=True, tag="child_started"):
    child: str
    title: str


class ChildFinished(Event, frozen=True, tag="child_finished"):
    """A child came to rest. ``text`` is what it said last; ``tokens`` and ``cost`` are all that it
    and its own children have ever used."""

    child: str
    title: str
    outcome: str
    text: str | msgspec.UnsetType = msgspec.UNSET
    tokens: int | msgspec.UnsetType = msgspec.UNSET
    cost: float | msgspec.UnsetType = msgspec.UNSET


class MessageSent(Event, frozen=True, tag="message_sent"):
    to: str
    text: str
    expects_reply: bool


class Compacted(Event, frozen=True, tag="compacted"):
    """The model now reads ``summary`` in place of what came before the last ``keeps`` messages.

    Sizes are in tokens; ``usage`` is what making the summary took.
    """

    before: int
    after: int
    summary: str
    keeps: int | msgspec.UnsetType = msgspec.UNSET
    usage: Usage | msgspec.UnsetType = msgspec.UNSET


class Renamed(Event, frozen=True, tag="renamed"):
    title: str


class Archived(Event, frozen=True, tag="archived"):
    pass


class Rewound(Event, frozen=True, tag="rewound"):
    """What lies between the event numbered ``to`` and this one is as if it had not happened.

    ``files`` are the paths that tools changed in between: they stay as they are.
    """

    to: int
    files: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class Failure(Event, frozen=True, tag="error"):
    kind: str
    message: str


class UnknownEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a type or shape that this version does not know: kept, shown, not folded."""

    seq: int
    at: str
    session: str
    type: str
    raw: msgspec.Raw


KnownEvent = (
    SessionStarted
    | SettingsChanged
    | AgentChanged
    | RoleChanged
    | UserMessage
    | Injected
    | ModelStarted
    | AssistantMessage
    | ToolStarted
    | ToolFinished
    | ChecklistChanged
    | ChecklistRefused
    | AutoContinuing
    | StateChanged
    | ApprovalRequested
    | ApprovalGiven
    | Retrying
    | ProviderFault
    | ChildStarted
    | ChildFinished
    | MessageSent
    | Compacted
    | Renamed
    | Archived
    | Rewound
    | Failure
)
AnyEvent = KnownEvent | UnknownEvent
