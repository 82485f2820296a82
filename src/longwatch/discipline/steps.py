"""What can happen next. The engine performs a step; most are only events to record."""

from typing import Literal

import msgspec

from longwatch.session.events import (
    AutoContinuing,
    Injected,
    State,
    StateChanged,
    ToolCall,
    ToolFinished,
)


class CallModel(msgspec.Struct, frozen=True):
    """Make a request. With ``tool_choice`` none the tools stay listed and must not be used."""

    tool_choice: Literal["auto", "none"] = "auto"
    raise_output_limit: bool = False
    clip_outputs: bool = False
    """Long tool outputs are cut for this request, because it did not fit whole."""


class CompactHistory(msgspec.Struct, frozen=True):
    """Have older turns summed up. With ``fully`` none of them stays as it is."""

    fully: bool = False


class RunTool(msgspec.Struct, frozen=True):
    """Run one call of a tool, once it is allowed."""

    call: ToolCall


class AnswerTodo(msgspec.Struct, frozen=True):
    """Answer one todo call with ``discipline.answer_todo``, given this many ids of the store."""

    call: ToolCall
    store_ids: int


class Reject(msgspec.Struct, frozen=True):
    """Answer one call with an error, without running anything."""

    call: ToolCall
    message: str

    @property
    def events(self) -> tuple[ToolFinished, ...]:
        return (ToolFinished(call=self.call.id, ok=False, output=self.message),)


class Inject(msgspec.Struct, frozen=True):
    """Write to the model on the program's own account."""

    events: tuple[AutoContinuing | Injected, ...]


class Enter(msgspec.Struct, frozen=True):
    """Move to a state, resting or not, for a reason in plain words."""

    state: State
    reason: str = ""

    @property
    def events(self) -> tuple[StateChanged, ...]:
        return (StateChanged(state=self.state, reason=self.reason),)


class Stay(msgspec.Struct, frozen=True):
    """Nothing, until an input arrives."""


Step = CallModel | CompactHistory | RunTool | AnswerTodo | Reject | Inject | Enter | Stay
