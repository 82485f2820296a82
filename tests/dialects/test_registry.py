"""The registry, and a sixth dialect that works without any other change."""

from collections.abc import Iterator, Mapping

import pytest
from events_made import Log

from longwatch.checklist import Checklist, Conventions, Item, Refusal, edits
from longwatch.dialects import (
    DIALECTS,
    Desk,
    LoopSettings,
    Outcome,
    Registry,
    TodoCall,
    ToolSpec,
    Written,
)
from longwatch.discipline import (
    AnswerTodo,
    CallModel,
    Enter,
    Inject,
    Rules,
    Stay,
    answer_todo,
    edit_list,
    next_step,
)
from longwatch.session import fold
from longwatch.session.events import (
    Arguments,
    AssistantMessage,
    ChecklistRefused,
    Injected,
    ModelStarted,
    SessionStarted,
    ToolCall,
    ToolFinished,
    UserMessage,
)
from longwatch.session.intents import AddTodo

HOW = Conventions(cursor="none", numbering="session")


class Tick:
    """One tool: a text adds an item, a number ticks one off."""

    name = "tick"
    conventions = HOW
    reading_tools: frozenset[str] = frozenset()
    needs_auto_continue = False
    same_list_to_be_identical = False
    defaults = LoopSettings(auto_continue=True)

    def tools(self, settings: LoopSettings) -> tuple[ToolSpec, ...]:
        del settings
        return (ToolSpec("tick", "Add or tick off.", {"type": "object", "properties": {}}),)

    def store_ids_wanted(self, call: TodoCall) -> int:
        del call
        return 0

    def apply(self, call: TodoCall, desk: Desk) -> Outcome:
        given = call.arguments.get("it") if isinstance(call.arguments, Mapping) else None
        if isinstance(given, str):
            (uid,), (number,) = edits.mint(desk.now, 1), edits.new_ids(desk.now, HOW, 1)
            return Written(edits.insert(desk.seen, [Item(uid, number, given)]))
        item = desk.seen.by_id(given) if isinstance(given, int) else None
        if item is None:
            return Refusal("unknown_id", "Nothing to tick.")
        return Written(edits.set_status(desk.seen, item.uid, "completed"))

    def result(self, checklist: Checklist) -> str:
        return " ".join(f"{item.id}:{item.status}" for item in checklist)

    def with_kept(self, result: str, line: str) -> str:
        return f"{result} {line}"

    def label(self, item: Item) -> str:
        return f"{item.id}"

    def continuation(self, checklist: Checklist, settings: LoopSettings, stalled: int) -> str:
        del settings, stalled
        return f"Tick on: {self.result(checklist)}"

    def instructions(self, settings: LoopSettings) -> str:
        del settings
        return "Tick."


def test_the_five_dialects_in_order() -> None:
    assert list(DIALECTS) == ["longwatch", "parley", "loki", "todowrite", "cubepi"]
    assert [dialect.name for dialect in DIALECTS.values()] == list(DIALECTS)
    assert len(DIALECTS) == 5


def test_an_unknown_dialect_is_not_there() -> None:
    with pytest.raises(KeyError):
        DIALECTS["none"]


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_names_its_tools_once_and_reads_only_with_tools_of_its_own(name: str) -> None:
    dialect = DIALECTS[name]
    names = [tool.name for tool in dialect.tools(dialect.defaults)]
    assert len(set(names)) == len(names)
    assert dialect.reading_tools <= set(names)


def ticks(*given: object) -> AssistantMessage:
    calls = tuple(ToolCall(f"c-{one}", "tick", {"it": one}) for one in given)
    return AssistantMessage(text="", finish="tool_calls", tool_calls=calls)


def says(text: str) -> AssistantMessage:
    return AssistantMessage(text=text, finish="stop", tool_calls=())


def carry_on(log: Log, rules: Rules, replies: Iterator[AssistantMessage]) -> None:
    """What an engine does, until the session rests or the model has no more to say."""
    while True:
        step = next_step(log.state, rules)
        match step:
            case CallModel():
                reply = next(replies, None)
                if reply is None:
                    return
                log.add(ModelStarted(model="m", attempt=1), reply)
            case AnswerTodo(call=call):
                log.add(*answer_todo(log.state, rules, call))
            case Inject() | Enter():
                log.add(*step.events)
            case Stay():
                return
            case _:
                pytest.fail(f"not expected: {step}")


def begun(rules: Rules) -> Log:
    log = Log()
    log.add(SessionStarted(dialect=rules.dialect.name), UserMessage(text="Go", source="human"))
    return log


@pytest.fixture
def sixth() -> Rules:
    dialect = Registry((*DIALECTS.values(), Tick()))["tick"]
    return Rules(dialect, dialect.defaults, prompt="Hi.")


def test_a_sixth_dialect_comes_after_the_five_and_leaves_them_as_they_are() -> None:
    registry = Registry((*DIALECTS.values(), Tick()))
    assert list(registry) == [*DIALECTS, "tick"]
    assert all(registry[name] is DIALECTS[name] for name in DIALECTS)
    assert "tick" not in DIALECTS


def test_a_sixth_dialect_works_through_a_whole_activation(sixth: Rules) -> None:
    log = begun(sixth)
    replies = [ticks("a", "b"), says("Thinking."), ticks(1), ticks(2), says("All ticked.")]
    carry_on(log, sixth, iter(replies))
    state = log.state
    assert (state.state, state.reason) == ("dormant", "done")
    assert [item.status for item in state.checklist] == ["completed", "completed"]
    assert state.activation.wakes == 1
    injected = [event for event in log.events if isinstance(event, Injected)]
    assert [(event.source, event.text) for event in injected] == [
        ("continuation", "Tick on: 1:pending 2:pending")
    ]
    assert sixth.system_prompt == "Hi.\n\nTick."
    assert fold(log.events) == state


def test_a_sixth_dialect_has_a_person_at_its_list(sixth: Rules) -> None:
    log = begun(sixth)
    carry_on(log, sixth, iter([ticks("a")]))
    log.add(*edit_list(log.state, sixth, AddTodo(text="mine")))
    carry_on(log, sixth, iter([ticks(1, 2), says("Done.")]))
    assert [item.status for item in log.state.checklist] == ["completed", "completed"]
    assert log.state.state == "dormant"
    log.add(*edit_list(log.state, sixth, AddTodo(text="more")))
    assert (log.state.state, log.state.reason) == ("idle", "1 open: resume to go on")


@pytest.mark.parametrize("arguments", [{"it": 7}, {}], ids=str)
def test_a_sixth_dialect_refuses_in_its_own_words(sixth: Rules, arguments: Arguments) -> None:
    log = begun(sixth)
    call = ToolCall("c1", "tick", arguments)
    reply = AssistantMessage(text="", finish="tool_calls", tool_calls=(call,))
    carry_on(log, sixth, iter([reply]))
    assert any(isinstance(event, ChecklistRefused) for event in log.events)
    (finished,) = [event for event in log.events if isinstance(event, ToolFinished)]
    assert finished.output == "Nothing to tick."
    assert log.state.checklist.items == ()
