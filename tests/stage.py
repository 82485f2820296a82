"""A stage for the wake loop: a test speaks the model's lines, the stage performs all else."""

from collections.abc import Callable
from typing import Any, assert_never

from events_made import Log
from msgspec.structs import replace

from longwatch.dialects import DIALECTS, Dialect, ToolSpec
from longwatch.discipline import (
    AnswerTodo,
    CallModel,
    CompactHistory,
    Enter,
    Inject,
    Reject,
    Rules,
    RunTool,
    Stay,
    answer_todo,
    edit_list,
    next_step,
    pause,
)
from longwatch.session import TodoIntent
from longwatch.session.events import (
    AssistantMessage,
    AutoContinuing,
    Compacted,
    Finish,
    Injected,
    KnownEvent,
    MessageSource,
    ModelStarted,
    SessionStarted,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
    UserMessage,
)

SHELL = ToolSpec(
    "shell",
    "Run a command.",
    {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
        "additionalProperties": False,
    },
)

Call = tuple[str, dict[str, Any] | str]


class Stage:
    """One session whose model is the test."""

    def __init__(
        self, dialect: str | Dialect = "longwatch", *, attended: bool = True, **settings: Any
    ) -> None:
        speech = DIALECTS[dialect] if isinstance(dialect, str) else dialect
        self.rules = Rules(speech, replace(speech.defaults, **settings), (SHELL,), "Be useful.")
        self.log = Log()
        self.calls = 0
        self.store_ids = 0
        self.compacts_to = 10
        """Tokens that a compaction leaves."""
        self.run_tool: Callable[[ToolCall], ToolFinished] = self.tool_output
        started = SessionStarted(title="t", dialect=speech.name, model="m", attended=attended)
        self.log.add(started)

    def set(self, **settings: Any) -> None:
        """Change what governs the loop, as a person does."""
        loop = replace(self.rules.loop, **settings)
        self.rules = Rules(self.rules.dialect, loop, self.rules.tools, self.rules.prompt)

    def tool_output(self, call: ToolCall) -> ToolFinished:
        self.calls += 1
        return ToolFinished(call=call.id, ok=True, output=f"output {self.calls}", seconds=0.1)

    def say(self, text: str = "Do it.", source: MessageSource = "human") -> CallModel | Stay:
        self.log.add(UserMessage(text=text, source=source))
        return self.perform()

    def resume(self) -> CallModel | Stay:
        self.log.add(StateChanged(state="running", reason="resumed"))
        return self.perform()

    def pause(self) -> CallModel | Stay:
        self.log.add(*pause(self.log.state, "i1"))
        return self.perform()

    def edit(self, intent: TodoIntent) -> tuple[KnownEvent, ...]:
        self.store_ids += 1
        events = edit_list(self.log.state, self.rules, replace(intent, id="i1"), self.store_ids)
        self.log.add(*events)
        return events

    def ask(self) -> None:
        """The request that the last step called for goes out."""
        self.log.add(ModelStarted(model="m", attempt=1))

    def answer(
        self, text: str = "", *calls: Call, finish: Finish = "stop", usage: Usage | None = None
    ) -> None:
        """The model's reply comes in, and nothing else happens yet."""
        numbered = tuple(
            ToolCall(f"c{len(self.log.events)}.{k}", *call) for k, call in enumerate(calls)
        )
        self.log.add(
            AssistantMessage(
                text=text,
                finish="tool_calls" if calls and finish == "stop" else finish,
                tool_calls=numbered,
                usage=usage,
            )
        )

    def reply(
        self, text: str = "", *calls: Call, finish: Finish = "stop", usage: Usage | None = None
    ) -> CallModel | Stay:
        """One whole turn; returns what the loop wants next."""
        assert isinstance(self.perform(), CallModel), self.rest
        self.ask()
        self.answer(text, *calls, finish=finish, usage=usage)
        return self.perform()

    def plan(self, *texts: str) -> CallModel | Stay:
        """The model makes a list of these items, in this dialect's way."""
        match self.rules.dialect.name:
            case "longwatch":
                return self.reply("", ("todo_plan", {"goal": "Ship", "items": list(texts)}))
            case "parley":
                self.store_ids += len(texts)
                return self.reply("", ("todo_write", {"items": list(texts)}))
            case "loki":
                return self.reply("", *[("todo__add", {"task": text}) for text in texts])
            case "todowrite":
                items = [{"text": text, "status": "pending"} for text in texts]
                return self.reply("", ("todo", {"items": items}))
            case _:
                return self.write_todos(
                    [(t, "pending" if k else "in_progress") for k, t in enumerate(texts)]
                )

    def write_todos(self, todos: list[tuple[str, str]]) -> CallModel | Stay:
        items = [{"content": text, "status": status} for text, status in todos]
        return self.reply("", ("write_todos", {"todos": items}))

    def work(self, command: str = "ls") -> CallModel | Stay:
        return self.reply("", ("shell", {"command": command}))

    def perform(self) -> CallModel | Stay:
        """Do what the loop says until it wants the model or rests."""
        while True:
            step = next_step(self.log.state, self.rules)
            match step:
                case CallModel() | Stay():
                    return step
                case Enter() | Inject() | Reject():
                    self.log.add(*step.events)
                case AnswerTodo(call=call, store_ids=count):
                    first = self.store_ids + 1
                    self.store_ids += count
                    self.log.add(*answer_todo(self.log.state, self.rules, call, first))
                case RunTool(call=call):
                    started = ToolStarted(call=call.id, name=call.name, arguments=call.arguments)
                    self.log.add(started, self.run_tool(call))
                case CompactHistory():
                    self.log.add(Compacted(before=99, after=self.compacts_to, summary="So far"))
                case _:
                    assert_never(step)

    @property
    def rest(self) -> tuple[str, str]:
        """The state it is in and why."""
        return self.log.state.state, self.log.state.reason

    def injected(self, source: str | None = None) -> list[str]:
        return [
            event.text
            for event in self.log.events
            if isinstance(event, Injected) and source in (None, event.source)
        ]

    def sources(self) -> list[str]:
        return [event.source for event in self.log.events if isinstance(event, Injected)]

    def continuations(self) -> list[str]:
        return [event.text for event in self.log.events if isinstance(event, AutoContinuing)]

    def types(self) -> list[str]:
        return [str(event.__struct_config__.tag) for event in self.log.events]

    def last_output(self) -> str:
        finished = [event for event in self.log.events if isinstance(event, ToolFinished)]
        return finished[-1].output
