"""cubepi's dialect: every rule of its tool, its texts and its defaults."""

from typing import Any

import msgspec
import pytest
from dialect_desk import Seat, assert_refused, default_prompt, signature

from longwatch.dialects import DIALECTS, ToolSpec
from longwatch.discipline import Inject, Rules, RunTool, next_step
from longwatch.session.events import AssistantMessage, StateChanged
from longwatch.session.intents import (
    AddTodo,
    BlockTodo,
    CompleteTodo,
    DeleteTodo,
    EditTodo,
    MoveTodo,
    ReopenTodo,
    StartTodo,
)

CUBEPI = DIALECTS["cubepi"]
READ_FILE = ToolSpec(
    "read_file", "Read a file.", {"type": "object", "properties": {}, "required": []}
)


def todo(content: Any, status: Any = "pending") -> dict[str, Any]:
    return {"content": content, "status": status}


def listed(*todos: dict[str, Any], **loop: Any) -> Seat:
    made = Seat(CUBEPI, **loop)
    assert made.call("write_todos", todos=list(todos)).ok
    return made


def test_the_one_tool_takes_a_list_of_todos() -> None:
    (spec,) = CUBEPI.tools(CUBEPI.defaults)
    assert spec.name == "write_todos"
    assert spec.description
    assert signature(spec) == {"todos": "object[]"}
    inner = spec.parameters["properties"]["todos"]["items"]
    assert inner["required"] == ["content", "status"]
    assert inner["properties"]["content"]["type"] == "string"
    assert inner["properties"]["status"] == {
        "type": "string",
        "enum": ["pending", "in_progress", "completed"],
    }
    assert CUBEPI.reading_tools == frozenset()


# Successes


def test_it_returns_compact_json_with_non_ascii_kept() -> None:
    answer = Seat(CUBEPI).call(
        "write_todos", todos=[todo("Größe prüfen", "in_progress"), todo('Say "日本"')]
    )
    assert answer.output == (
        '{"todos":[{"content":"Größe prüfen","status":"in_progress"},'
        '{"content":"Say \\"日本\\"","status":"pending"}]}'
    )


def test_with_three_or_more_items_all_completed_it_reminds_to_check_once_more() -> None:
    answer = Seat(CUBEPI).call("write_todos", todos=[todo(text, "completed") for text in "abc"])
    result = msgspec.json.decode(answer.output)
    assert list(result) == ["todos", "reminder"]
    assert "once more" in result["reminder"]


@pytest.mark.parametrize(
    "todos",
    [
        [todo("a", "completed"), todo("b", "completed")],
        [todo("a", "completed"), todo("b", "completed"), todo("c", "in_progress")],
    ],
    ids=["two completed", "one of three unfinished"],
)
def test_otherwise_there_is_no_reminder(todos: list[dict[str, Any]]) -> None:
    answer = Seat(CUBEPI).call("write_todos", todos=todos)
    assert msgspec.json.decode(answer.output) == {"todos": todos}


def test_a_call_replaces_the_whole_list_and_items_are_named_by_position() -> None:
    at = listed(todo("a", "in_progress"), todo("b"))
    at.call("write_todos", todos=[todo("c"), todo("b", "in_progress")])
    assert at.shown == [(1, "c", "pending"), (2, "b", "in_progress")]


def test_an_empty_list_is_accepted_when_nothing_is_unfinished() -> None:
    at = Seat(CUBEPI)
    assert at.call("write_todos", todos=[]).output == '{"todos":[]}'
    at.call("write_todos", todos=[todo("a", "completed")])
    assert at.call("write_todos", todos=[]).output == '{"todos":[]}'
    assert at.shown == []


def test_there_is_no_maximum() -> None:
    at = listed(todo("first", "in_progress"), *(todo(f"Step {k}") for k in range(40)))
    assert len(at.checklist.items) == 41


def test_an_item_keeps_its_uid_and_history_by_equal_text_in_order() -> None:
    at = listed(todo("a", "in_progress"), todo("b"), todo("a"))
    first, b, second = at.checklist.items
    at.call("write_todos", todos=[todo("b", "in_progress"), todo("a"), todo("A"), todo("a")])
    now = at.checklist.items
    assert [now[0].uid, now[1].uid, now[3].uid] == [b.uid, first.uid, second.uid]
    assert now[2].uid not in (b.uid, first.uid, second.uid)
    assert now[1].history.created == first.history.created
    assert now[1].history.started == first.history.started


# Refusals: in this order

REFUSALS: dict[str, tuple[Any, str]] = {
    "todos is missing": ({}, "not_a_list"),
    "todos is a text": ({"todos": "a"}, "not_a_list"),
    "todos is an object": ({"todos": todo("a")}, "not_a_list"),
    "an item is no object": ({"todos": ["a"]}, "bad_arguments"),
    "an item has no content": ({"todos": [{"status": "pending"}]}, "bad_arguments"),
    "an item has no status": ({"todos": [{"content": "a"}]}, "bad_arguments"),
    "content is no text": ({"todos": [todo(5)]}, "bad_arguments"),
    "status is no text": ({"todos": [todo("a", None)]}, "bad_arguments"),
    "another status": ({"todos": [todo("a", "done")]}, "bad_status"),
    "the case of a status matters": ({"todos": [todo("a", "In_Progress")]}, "bad_status"),
    "a later status comes before an earlier blank content": (
        {"todos": [todo(" ", "in_progress"), todo("a", "done")]},
        "bad_status",
    ),
    "empty while unfinished items exist": ({"todos": []}, "empty_list"),
    "blank content": ({"todos": [todo("a", "in_progress"), todo(" ")]}, "blank_text"),
    "blank content comes before the count in progress": (
        {"todos": [todo("a"), todo(" ")]},
        "blank_text",
    ),
    "none in progress": ({"todos": [todo("a"), todo("b", "completed")]}, "not_one_in_progress"),
    "two in progress": (
        {"todos": [todo("a", "in_progress"), todo("b", "in_progress")]},
        "not_one_in_progress",
    ),
    "arguments are no object": ("junk", "bad_arguments"),
}


@pytest.mark.parametrize(("arguments", "rule"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_refusal_begins_with_error_and_the_list_is_untouched(arguments: Any, rule: str) -> None:
    at = listed(todo("a", "in_progress"), todo("b"))
    message = assert_refused(at, "write_todos", arguments, rule)
    assert message.startswith("Error: ")


def test_two_calls_in_one_reply_are_both_refused() -> None:
    at = listed(todo("a", "in_progress"), todo("b"))
    before = at.checklist
    good = ("write_todos", {"todos": [todo("a", "completed"), todo("b", "in_progress")]})
    answers = at.reply(good, good)
    assert [answer.rule for answer in answers] == ["parallel_calls", "parallel_calls"]
    assert all(answer.output.startswith("Error: ") for answer in answers)
    assert at.checklist == before
    assert at.send(*good).ok


def test_the_other_tools_of_such_a_reply_run() -> None:
    at = Seat(CUBEPI, (READ_FILE,))
    good = ("write_todos", {"todos": [todo("a", "in_progress")]})
    at.speak(good, good, ("read_file", {}))
    assert [at.answer().rule for _ in range(2)] == ["parallel_calls", "parallel_calls"]
    step = next_step(at.log.state, at.rules)
    assert isinstance(step, RunTool)
    assert step.call.name == "read_file"


def test_one_call_beside_other_tools_is_fine() -> None:
    at = Seat(CUBEPI, (READ_FILE,))
    at.speak(("write_todos", {"todos": [todo("a", "in_progress")]}), ("read_file", {}))
    assert at.answer().ok
    assert at.shown == [(1, "a", "in_progress")]


# Continuation, instructions, defaults


def test_the_continuation_is_the_prompt_a_blank_line_and_the_list() -> None:
    at = listed(todo("a", "completed"), todo("b", "in_progress"))
    text = default_prompt("write_todos") + (
        '\n\n{"todos":[{"content":"a","status":"completed"},'
        '{"content":"b","status":"in_progress"}]}'
    )
    assert [at.continuation(stalled) for stalled in (0, 1, 2)] == [text, text, text]


def test_a_continuation_prompt_of_ones_own_replaces_the_prompt() -> None:
    at = listed(todo("a", "in_progress"), continuation_prompt="Go on.")
    assert at.continuation() == ('Go on.\n\n{"todos":[{"content":"a","status":"in_progress"}]}')


def test_the_instructions_are_appended_once_after_a_blank_line() -> None:
    rules = Rules(CUBEPI, CUBEPI.defaults, prompt="Be brief.")
    instructions = CUBEPI.instructions(CUBEPI.defaults)
    assert rules.system_prompt == f"Be brief.\n\n{instructions}"
    for said in ("write_todos", "exactly one", "Never batch", "automatically"):
        assert said in instructions


def test_settings_replace_the_tools_description_and_the_instructions() -> None:
    loop = msgspec.structs.replace(
        CUBEPI.defaults, tool_description="Keep a list.", todo_system_prompt="## Tracking"
    )
    assert CUBEPI.tools(loop)[0].description == "Keep a list."
    assert Rules(CUBEPI, loop, prompt="Hi.").system_prompt == "Hi.\n\n## Tracking"


def test_the_defaults_of_the_loop() -> None:
    loop = CUBEPI.defaults
    assert (loop.auto_continue, loop.max_auto_continues) == (False, 10)
    assert (loop.stop_on_identical_reply, loop.max_idle_continues) == (False, 0)
    assert (loop.plan_nudge, loop.nag_after) == (False, 0)
    assert (loop.stale_after, loop.stale_interval) == (5, 5)
    assert (loop.finalization_corrections, loop.on_guard_exhausted) == (1, "proceed")
    assert loop.max_todos == 0
    assert CUBEPI.conventions.cursor == "at_most_one"


def test_the_tools_stay_though_auto_continue_is_off() -> None:
    assert Seat(CUBEPI).rules.todo_on
    assert not Seat(CUBEPI, function_calling_support=False).rules.todo_on


# A person at the same list


def kept(output: str) -> str:
    """The one line that says what stays as the person set it."""
    line = msgspec.json.decode(output)["kept"]
    assert isinstance(line, str)
    assert "\n" not in line
    return line


def test_a_persons_block_shows_in_the_json() -> None:
    at = listed(todo("a"), todo("b", "in_progress"))
    at.edit(BlockTodo(uid=at.uid("a"), reason="wait"))
    answer = at.call("write_todos", todos=[todo("a"), todo("b", "in_progress"), todo("c")])
    first, *_ = msgspec.json.decode(answer.output)["todos"]
    assert (first["content"], first["blocked"]) == ("a", "wait")
    assert '"blocked":"wait"' in at.continuation()


@pytest.mark.parametrize("status", ["in_progress", "completed"])
def test_what_a_person_blocked_waits_until_the_person_unblocks_it(status: str) -> None:
    at = listed(todo("a", "in_progress"))
    at.edit(BlockTodo(uid=at.uid("a"), reason="wait"))
    answer = at.call("write_todos", todos=[todo("a", status)])
    assert at.shown == [(1, "a", "blocked")]
    assert "wait" in kept(answer.output)
    at.edit(ReopenTodo(uid=at.uid("a")))
    assert at.call("write_todos", todos=[todo("a", status)]).ok
    assert at.shown == [(1, "a", status)]


def test_what_a_person_blocked_does_not_count_as_unfinished() -> None:
    at = listed(todo("a", "in_progress"))
    at.edit(BlockTodo(uid=at.uid("a"), reason="wait"))
    assert at.call("write_todos", todos=[todo("a")]).ok
    assert at.call("write_todos", todos=[todo("a"), todo("b", "in_progress")]).ok
    both = [todo("a", "in_progress"), todo("b", "in_progress")]
    assert at.call("write_todos", todos=both).ok
    assert at.shown == [(1, "a", "blocked"), (2, "b", "in_progress")]
    assert_refused(at, "write_todos", {"todos": [todo("a"), todo("b")]}, "not_one_in_progress")
    at.call("write_todos", todos=[todo("a"), todo("b", "completed")])
    assert at.call("write_todos", todos=[]).ok
    assert at.shown == [(1, "a", "blocked")]


@pytest.mark.parametrize("blocked", [False, True], ids=["unfinished", "blocked by the person"])
def test_the_guard_minds_unfinished_items_and_no_blocked_ones(blocked: bool) -> None:
    at = listed(todo("a", "in_progress"))
    if blocked:
        at.edit(BlockTodo(uid=at.uid("a"), reason="wait"))
    at.request()
    at.log.add(AssistantMessage(text="Done.", finish="stop", tool_calls=()))
    step = next_step(at.log.state, at.rules)
    assert isinstance(step, Inject) is not blocked


def test_a_seen_item_of_the_persons_is_not_dropped_by_a_replacement() -> None:
    at = listed(todo("a", "in_progress"))
    at.edit(AddTodo(text="mine"))
    assert at.shown == [(1, "a", "in_progress"), (2, "mine", "pending")]
    answer = at.call("write_todos", todos=[todo("b", "in_progress")])
    assert sorted(text for _, text, _ in at.shown) == ["b", "mine"]
    assert "mine" in kept(answer.output)


def test_an_unseen_status_is_kept_and_said_in_one_line() -> None:
    at = listed(todo("a", "in_progress"), todo("b"))
    at.meanwhile(CompleteTodo(uid=at.uid("b")))
    answer = at.call("write_todos", todos=[todo("a", "completed"), todo("b", "in_progress")])
    assert at.shown == [(1, "a", "completed"), (2, "b", "completed")]
    assert '"b" stays completed' in kept(answer.output)


def test_an_unseen_text_is_kept_while_the_model_completes_the_item() -> None:
    at = listed(todo("a", "in_progress"))
    at.meanwhile(EditTodo(uid=at.uid("a"), text="A"))
    at.call("write_todos", todos=[todo("a", "completed")])
    assert at.shown == [(1, "A", "completed")]


def test_an_unseen_deletion_stays_deleted_and_positions_close_up() -> None:
    at = listed(todo("a", "in_progress"), todo("b"))
    at.meanwhile(DeleteTodo(uid=at.uid("a")))
    at.call("write_todos", todos=[todo("a", "completed"), todo("b", "in_progress")])
    assert at.shown == [(1, "b", "in_progress")]


def test_an_unseen_order_is_kept() -> None:
    at = listed(todo("a", "in_progress"), todo("b"))
    at.meanwhile(MoveTodo(uid=at.uid("b"), by=-1))
    at.call("write_todos", todos=[todo("a", "completed"), todo("b", "in_progress")])
    assert at.shown == [(1, "b", "in_progress"), (2, "a", "completed")]


def test_a_person_who_starts_an_item_pauses_the_other() -> None:
    at = listed(todo("a", "in_progress"), todo("b"))
    at.meanwhile(StartTodo(uid=at.uid("b")))
    at.call("write_todos", todos=[todo("a", "in_progress"), todo("b")])
    assert at.shown == [(1, "a", "pending"), (2, "b", "in_progress")]


def test_an_edit_that_leaves_open_items_makes_a_dormant_session_idle() -> None:
    at = listed(todo("a", "completed"))
    at.log.add(StateChanged(state="dormant", reason="done"))
    at.edit(AddTodo(text="b"))
    assert (at.log.state.state, at.log.state.reason) == ("idle", "1 open: resume to go on")
