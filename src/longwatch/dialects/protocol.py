"""What a dialect is: the todo tools one model sees, the rules on the list, and the texts."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from longwatch.checklist import Checklist, Conventions, Item, Refusal
from longwatch.dialects.loop import LoopSettings


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool as a model is told of it; the parameters are a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class TodoCall(msgspec.Struct, frozen=True):
    """One call of a todo tool. Arguments that are no JSON object arrive as the text they were."""

    name: str
    arguments: Mapping[str, Any] | str
    in_reply: int = 1
    """How many todo calls the same reply holds."""
    problem: str = ""
    """Where arguments that are no JSON object go wrong."""


class Desk(msgspec.Struct, frozen=True):
    """What a call is judged against.

    ``seen`` is the list of the request that the model answers, with its own writes since;
    ``now`` also has what the person changed meanwhile, and is used to number new items only.
    """

    seen: Checklist
    now: Checklist
    max_todos: int = 0
    first_store_id: int = 1


class Written(msgspec.Struct, frozen=True):
    """The list that the call asks for. Without a reply of its own it is answered by the list."""

    checklist: Checklist
    reply: str | None = None
    note: str = ""
    resets_wakes: bool = False


class Looked(msgspec.Struct, frozen=True):
    """The call changes nothing: it is answered by the list."""


Outcome = Written | Looked | Refusal


class Dialect(Protocol):
    """One way for a model to speak of the list. Implementations hold no state."""

    @property
    def name(self) -> str: ...
    @property
    def conventions(self) -> Conventions: ...
    @property
    def defaults(self) -> LoopSettings: ...
    @property
    def reading_tools(self) -> frozenset[str]:
        """The tools that only read the list."""
        ...

    @property
    def needs_auto_continue(self) -> bool:
        """Whether the todo system is there only while auto_continue is on."""
        ...

    @property
    def same_list_to_be_identical(self) -> bool:
        """Whether a repeated reply stops the loop only if the list has not changed either."""
        ...

    def tools(self, settings: LoopSettings) -> tuple[ToolSpec, ...]: ...

    def store_ids_wanted(self, call: TodoCall) -> int:
        """How many ids of the store's counter the call may use."""
        ...

    def apply(self, call: TodoCall, desk: Desk) -> Outcome: ...

    def result(self, checklist: Checklist) -> str:
        """What a call that returns the list returns."""
        ...

    def with_kept(self, result: str, line: str) -> str:
        """A result that also says, in one line, what was kept as the person set it."""
        ...

    def label(self, item: Item) -> str:
        """How the model knows an item."""
        ...

    def continuation(self, checklist: Checklist, settings: LoopSettings, stalled: int) -> str:
        """The injected text; ``stalled`` counts the ones just before it that brought nothing."""
        ...

    def instructions(self, settings: LoopSettings) -> str: ...
