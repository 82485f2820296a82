"""A model and a person at one list: what the dialects' tests share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from events_made import Log
from msgspec.structs import replace

from longwatch.checklist import Checklist, Item, Kept
from longwatch.dialects import Dialect, ToolSpec
from longwatch.discipline import Rules, answer_todo, edit_list, store_ids_wanted
from longwatch.discipline.todos import todo_call
from longwatch.session import KnownEvent, TodoIntent
from longwatch.session.events import (
    Arguments,
    AssistantMessage,
    ChecklistChanged,
    ChecklistRefused,
    Failure,
    ModelStarted,
    SessionStarted,
    StateChanged,
    ToolCall,
    ToolFinished,
    UserMessage,
)

Shown = tuple[int | str, str, str]
"""An item as most tests read it: its id, its text, its status."""

_PROMPT = """\
[SYSTEM REMINDER - TODO CONTINUATION]
You have incomplete tasks. Rules:
1. BEFORE marking a todo done: verify the work compiles/works. No premature completion.
2. If a todo is broad (e.g. "implement X and implement Y"): break it into specific subtasks FIRST using TOOL, then work on those.
3. Each todo should be atomic and be "single responsibility" - completable in one focused action.
4. Continue with the next pending item now. Call tools immediately."""  # noqa: E501


def default_prompt(tool: str) -> str:
    """The documented continuation prompt with a dialect's own tool in rule 2."""
    return _PROMPT.replace("TOOL", tool)


def signature(tool: ToolSpec) -> dict[str, str]:
    """A tool's arguments in the notation of the spec: ``{"items": "string[]", "after?": …}``."""
    schema = tool.parameters
    assert schema["type"] == "object"
    required = schema["required"]
    assert set(required) <= set(schema["properties"])
    return {
        name if name in required else f"{name}?": _type(inner)
        for name, inner in schema["properties"].items()
    }


def _type(schema: Mapping[str, Any]) -> str:
    if schema["type"] == "array":
        return f"{_type(schema['items'])}[]"
    if "enum" in schema:
        return "|".join(schema["enum"])
    return str(schema["type"])


def person_lines(output: str) -> list[str]:
    """The lines of a result that speak of the person."""
    return [line for line in output.split("\n") if "person" in line]


@dataclass(frozen=True)
class Answer:
    """What one todo call came to."""

    output: str
    ok: bool
    rule: str | None
    change: ChecklistChanged | None
    kept: tuple[Kept, ...]


class Seat:
    """One session in one dialect; each reply answers a request, and a person edits in between."""

    def __init__(self, dialect: Dialect, tools: tuple[ToolSpec, ...] = (), **loop: Any) -> None:
        self.rules = Rules(dialect, replace(dialect.defaults, **loop), tools)
        self.log = Log()
        self.next_store_id = 1
        self.requested = False
        self._calls = 0
        self.log.add(
            SessionStarted(dialect=dialect.name),
            UserMessage(text="Go", source="human"),
            StateChanged(state="running"),
        )

    @property
    def checklist(self) -> Checklist:
        return self.log.state.checklist

    @property
    def shown(self) -> list[Shown]:
        return [(item.id, item.text, item.status) for item in self.checklist]

    def item(self, text: str) -> Item:
        (found,) = [item for item in self.checklist if item.text == text]
        return found

    def uid(self, text: str) -> str:
        return self.item(text).uid

    @property
    def result(self) -> str:
        """What a call that returns the list returns now."""
        return self.rules.dialect.result(self.checklist)

    def continuation(self, stalled: int = 0) -> str:
        return self.rules.dialect.continuation(self.checklist, self.rules.loop, stalled)

    def request(self) -> None:
        """The model is asked, and sees the list as it is now."""
        self.log.add(ModelStarted(model="m", attempt=1))
        self.requested = True

    def speak(self, *calls: tuple[str, Arguments]) -> None:
        """One reply with these calls, to a new request unless one is out."""
        if not self.requested:
            self.request()
        made = [ToolCall(f"c{self._calls + k}", *call) for k, call in enumerate(calls)]
        self._calls += len(made)
        self.log.add(AssistantMessage(text="", finish="tool_calls", tool_calls=tuple(made)))
        self.requested = False

    def answer(self) -> Answer:
        """The events of the first call that is not answered yet."""
        state = self.log.state
        call = state.turn.pending[0]
        first = self.next_store_id
        self.next_store_id += self.rules.dialect.store_ids_wanted(
            todo_call(state, self.rules, call)
        )
        events = answer_todo(state, self.rules, call, first)
        self.log.add(*events)
        return _answer(events)

    def reply(self, *calls: tuple[str, Arguments]) -> list[Answer]:
        self.speak(*calls)
        return [self.answer() for _ in calls]

    def send(self, name: str, arguments: Arguments) -> Answer:
        """One reply with one call, its arguments as they are."""
        (answer,) = self.reply((name, arguments))
        return answer

    def call(self, tool: str, **arguments: Any) -> Answer:
        return self.send(tool, arguments)

    def edit(self, intent: TodoIntent) -> tuple[KnownEvent, ...]:
        """A person's edit. Without a request under way the model sees it before it replies."""
        store_id = self.next_store_id
        self.next_store_id += store_ids_wanted(self.rules, intent)
        events = edit_list(self.log.state, self.rules, intent, store_id)
        self.log.add(*events)
        return events

    def meanwhile(self, *intents: TodoIntent) -> None:
        """A person's edits that the model has not seen when it replies."""
        if not self.requested:
            self.request()
        for intent in intents:
            events = self.edit(intent)
            assert not any(isinstance(event, Failure) for event in events), events


def _answer(events: tuple[KnownEvent, ...]) -> Answer:
    finished = events[-1]
    assert isinstance(finished, ToolFinished)
    refused = next((event for event in events if isinstance(event, ChecklistRefused)), None)
    change = next((event for event in events if isinstance(event, ChecklistChanged)), None)
    kept = finished.kept if isinstance(finished.kept, tuple) else ()
    if refused is not None:
        assert change is None
        assert refused.message == finished.output
        assert not finished.ok
    return Answer(
        output=finished.output,
        ok=finished.ok,
        rule=refused.rule if refused else None,
        change=change,
        kept=change.kept if change else kept,
    )


def assert_refused(seat: Seat, tool: str, arguments: Arguments, rule: str) -> str:
    """The call is refused for that rule and the list is exactly as before; gives the message."""
    before = seat.checklist
    answer = seat.send(tool, arguments)
    assert (answer.ok, answer.rule) == (False, rule), answer
    assert seat.checklist == before
    return answer.output


def failure(events: tuple[KnownEvent, ...]) -> str:
    """The kind of the one failure that answers an edit."""
    (event,) = events
    assert isinstance(event, Failure)
    return event.kind
