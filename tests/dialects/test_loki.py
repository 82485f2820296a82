"""Loki's dialect: every rule of its tools, its texts and its defaults."""

from typing import Any

import msgspec
import pytest
from dialect_desk import Seat, assert_refused, default_prompt, failure, signature

from longwatch.dialects import DIALECTS
from longwatch.discipline import Rules
from longwatch.session.events import AutoContinuing, Progress, StateChanged
from longwatch.session.intents import (
    AddTodo,
    BlockTodo,
    ClearTodos,
    CompleteTodo,
    DeleteTodo,
    EditTodo,
    ReopenTodo,
    SetGoal,
    StartTodo,
)

LOKI = DIALECTS["loki"]


def listed(*tasks: str, goal: str = "", **loop: Any) -> Seat:
    made = Seat(LOKI, **{"auto_continue": True, **loop})
    made.call("todo__init", goal=goal)
    for task in tasks:
        assert made.call("todo__add", task=task).ok
    return made


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("todo__init", {"goal": "string"}),
        ("todo__add", {"task": "string"}),
        ("todo__done", {"id": "integer"}),
        ("todo__list", {}),
        ("todo__clear", {}),
    ],
)
def test_each_tool_takes_its_arguments(tool: str, arguments: dict[str, str]) -> None:
    specs = {spec.name: spec for spec in LOKI.tools(LOKI.defaults)}
    assert list(specs) == ["todo__init", "todo__add", "todo__done", "todo__list", "todo__clear"]
    assert signature(specs[tool]) == arguments
    assert specs[tool].description
    assert LOKI.reading_tools == {"todo__list"}


# Successes


def test_init_answers_ok_clears_the_list_and_restarts_numbering_at_1() -> None:
    at = listed("a", "b", goal="Old")
    answer = at.call("todo__init", goal=" New ")
    assert answer.output == '{"status":"ok","message":"Initialized new todo list"}'
    assert (at.checklist.goal, at.shown) == ("New", [])
    assert at.call("todo__add", task="c").output == '{"status":"ok","id":1}'
    assert at.shown == [(1, "c", "pending")]


def test_init_does_not_reuse_the_uid_of_an_item_that_had_the_same_number() -> None:
    at = listed("a")
    uid = at.uid("a")
    at.call("todo__init", goal="")
    at.call("todo__add", task="a")
    assert at.uid("a") != uid


def test_add_answers_with_the_highest_id_plus_one() -> None:
    at = listed("a", "b", "c")
    at.edit(DeleteTodo(uid=at.uid("b")))
    assert at.call("todo__add", task=" d ").output == '{"status":"ok","id":4}'
    at.edit(DeleteTodo(uid=at.uid("d")))
    assert at.call("todo__add", task="e").output == '{"status":"ok","id":4}'
    assert at.shown == [(1, "a", "pending"), (3, "c", "pending"), (4, "e", "pending")]


def test_duplicates_are_allowed_and_there_is_no_maximum() -> None:
    at = listed(*["same"] * 30)
    assert at.shown[-1] == (30, "same", "pending")


@pytest.mark.parametrize("given", [2, "2"], ids=["a number", "a text"])
def test_done_marks_the_todo_of_that_number(given: int | str) -> None:
    at = listed("a", "b")
    answer = at.call("todo__done", id=given)
    assert answer.output == '{"status":"ok","message":"Marked todo 2 as done"}'
    assert at.shown == [(1, "a", "pending"), (2, "b", "completed")]


def test_done_on_a_done_item_is_the_same_success() -> None:
    at = listed("a")
    first = at.call("todo__done", id=1)
    before = at.checklist
    second = at.call("todo__done", id=1)
    assert first.output == second.output == '{"status":"ok","message":"Marked todo 1 as done"}'
    assert (second.change, at.checklist) == (None, before)


def test_list_is_the_goal_and_the_todos() -> None:
    at = listed("a", "Größe", goal="Ship")
    at.call("todo__done", id=1)
    before = at.checklist
    assert at.call("todo__list").output == (
        '{"goal":"Ship","todos":'
        '[{"id":1,"desc":"a","done":true},{"id":2,"desc":"Größe","done":false}]}'
    )
    assert at.checklist == before


def test_list_of_nothing() -> None:
    assert listed().call("todo__list").output == '{"goal":"","todos":[]}'


def test_clear_empties_the_list_the_goal_and_the_continuation_count() -> None:
    at = listed("a", goal="Ship")
    at.log.add(AutoContinuing(n=3, max=10, remaining=1, text="", progress=Progress()))
    assert at.log.state.activation.wakes == 3
    answer = at.call("todo__clear")
    assert answer.output == '{"status":"ok","message":"Todo list cleared"}'
    assert (at.checklist.goal, at.shown) == ("", [])
    assert at.log.state.activation.wakes == 0


def test_init_does_not_return_the_continuation_count_to_zero() -> None:
    at = listed("a", goal="Ship")
    at.log.add(AutoContinuing(n=3, max=10, remaining=1, text="", progress=Progress()))
    at.call("todo__init", goal="New")
    assert at.log.state.activation.wakes == 3


def test_nothing_is_ever_in_progress() -> None:
    at = listed("a", "b")
    at.call("todo__done", id=1)
    assert at.checklist.current is None


# Refusals

REQUIRED = "task description is required"
NUMBER = "id is required and must be a number"
REFUSALS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "no task": ("todo__add", {}, "blank_text", REQUIRED),
    "an empty task": ("todo__add", {"task": ""}, "blank_text", REQUIRED),
    "a blank task": ("todo__add", {"task": "  "}, "blank_text", REQUIRED),
    "a task that is no text": ("todo__add", {"task": 3}, "blank_text", REQUIRED),
    "an unknown id": ("todo__done", {"id": 9}, "unknown_id", "Todo 9 not found"),
    "an unknown id as text": ("todo__done", {"id": "9"}, "unknown_id", "Todo 9 not found"),
    "no id": ("todo__done", {}, "bad_arguments", NUMBER),
    "an id of null": ("todo__done", {"id": None}, "bad_arguments", NUMBER),
    "an id that is no number": ("todo__done", {"id": "first"}, "bad_arguments", NUMBER),
    "an id that is a boolean": ("todo__done", {"id": True}, "bad_arguments", NUMBER),
    "an id that is a list": ("todo__done", {"id": [1]}, "bad_arguments", NUMBER),
}


@pytest.mark.parametrize(
    ("tool", "arguments", "rule", "says"), REFUSALS.values(), ids=REFUSALS.keys()
)
def test_an_error_is_a_json_object_and_changes_nothing(
    tool: str, arguments: dict[str, Any], rule: str, says: str
) -> None:
    message = assert_refused(listed("a", "b", goal="Ship"), tool, arguments, rule)
    assert message == f'{{"error":"{says}"}}'


def test_arguments_that_are_no_object_are_refused() -> None:
    message = assert_refused(listed("a"), "todo__add", "junk", "bad_arguments")
    assert msgspec.json.decode(message).keys() == {"error"}


# Continuation, instructions, defaults


def test_the_continuation_is_the_prompt_a_blank_line_and_the_list() -> None:
    at = listed(
        "Extract password validation into separate function",
        "Add unit tests for password validation",
        "Update login handler to use new validation",
        "Update registration handler to use new validation",
        goal="Refactor the authentication module",
    )
    at.call("todo__done", id=1)
    at.call("todo__done", id=2)
    text = default_prompt("todo__add") + (
        "\n\n"
        "Goal: Refactor the authentication module\n"
        "Progress: 2/4 completed\n"
        "  ✓ 1. Extract password validation into separate function\n"
        "  ✓ 2. Add unit tests for password validation\n"
        "  ○ 3. Update login handler to use new validation\n"
        "  ○ 4. Update registration handler to use new validation"
    )
    assert [at.continuation(stalled) for stalled in (0, 1, 2)] == [text, text, text]


def test_a_continuation_prompt_of_ones_own_replaces_the_prompt() -> None:
    at = listed("a", goal="Ship", continuation_prompt="Go on.")
    assert at.continuation() == "Go on.\n\nGoal: Ship\nProgress: 0/1 completed\n  ○ 1. a"


def test_the_instructions_are_appended_once_after_a_blank_line() -> None:
    rules = Rules(LOKI, msgspec.structs.replace(LOKI.defaults, auto_continue=True), prompt="Hi.")
    instructions = LOKI.instructions(LOKI.defaults)
    assert rules.system_prompt == f"Hi.\n\n{instructions}"
    for said in ("todo__init", "todo__add", "todo__done", "todo__clear", "one item at a time"):
        assert said in instructions


def test_without_auto_continue_there_are_no_tools_and_no_instructions() -> None:
    rules = Rules(LOKI, LOKI.defaults, prompt="Hi.")
    assert not rules.todo_on
    assert rules.offered == ()
    assert rules.system_prompt == "Hi."


def test_the_defaults_of_the_loop() -> None:
    loop = LOKI.defaults
    assert (loop.auto_continue, loop.max_auto_continues) == (False, 10)
    assert (loop.stop_on_identical_reply, loop.max_idle_continues) == (True, 0)
    assert (loop.plan_nudge, loop.nag_after, loop.stale_after) == (False, 0, 0)
    assert (loop.finalization_corrections, loop.max_todos) == (0, 0)
    assert LOKI.conventions.cursor == "none"


# A person at the same list


def kept(output: str) -> str:
    """The one line that says what stays as the person set it."""
    line = msgspec.json.decode(output)["kept"]
    assert isinstance(line, str)
    assert "\n" not in line
    return line


def test_a_persons_block_shows_in_the_json_and_in_the_continuation() -> None:
    at = listed("a", "b")
    at.edit(BlockTodo(uid=at.uid("a"), reason="wait"))
    assert at.call("todo__list").output == (
        '{"goal":"","todos":[{"id":1,"desc":"a","done":false,"blocked":"wait"},'
        '{"id":2,"desc":"b","done":false}]}'
    )
    assert at.continuation().endswith(
        "\n\nProgress: 0/2 completed\n  ○ 1. a (blocked: wait)\n  ○ 2. b"
    )


def test_what_a_person_blocked_is_done_only_after_the_person_unblocks_it() -> None:
    at = listed("a")
    at.edit(BlockTodo(uid=at.uid("a"), reason="wait"))
    message = assert_refused(at, "todo__done", {"id": 1}, "blocked_by_person")
    assert "wait" in msgspec.json.decode(message)["error"]
    at.edit(ReopenTodo(uid=at.uid("a")))
    assert at.call("todo__done", id=1).ok


def test_an_unseen_block_is_kept_and_said() -> None:
    at = listed("a")
    at.meanwhile(BlockTodo(uid=at.uid("a"), reason="wait"))
    answer = at.call("todo__done", id=1)
    assert at.shown == [(1, "a", "blocked")]
    assert "todo 1 stays blocked (wait)" in kept(answer.output)


def test_an_unseen_deletion_stays_deleted() -> None:
    at = listed("a", "b")
    at.meanwhile(DeleteTodo(uid=at.uid("a")))
    answer = at.call("todo__done", id=1)
    assert at.shown == [(2, "b", "pending")]
    assert "todo 1" in kept(answer.output)


def test_an_unseen_item_of_the_persons_stays_and_keeps_its_number() -> None:
    at = listed("a")
    at.meanwhile(AddTodo(text="mine"))
    assert at.call("todo__add", task="b").output == '{"status":"ok","id":3}'
    assert sorted(at.shown) == [(1, "a", "pending"), (2, "mine", "pending"), (3, "b", "pending")]


@pytest.mark.parametrize("tool", ["todo__init", "todo__clear"])
def test_an_unseen_edit_brings_an_item_back_that_the_model_drops(tool: str) -> None:
    at = listed("a", "b")
    at.meanwhile(EditTodo(uid=at.uid("a"), text="A"))
    answer = at.call(tool, goal="")
    assert at.shown == [(1, "A", "pending")]
    assert "todo 1" in kept(answer.output)


def test_an_unseen_goal_of_the_persons_is_kept() -> None:
    at = listed("a", goal="Ship")
    at.meanwhile(SetGoal(goal="Ship it"))
    answer = at.call("todo__init", goal="Other")
    assert (at.checklist.goal, at.shown) == ("Ship it", [])
    assert "goal" in kept(answer.output)


def test_a_person_may_not_start_an_item_for_there_is_no_current_one() -> None:
    at = listed("a")
    before = at.checklist
    assert failure(at.edit(StartTodo(uid=at.uid("a")))) == "bad_status"
    assert at.checklist == before


def test_a_person_who_clears_the_list_also_resets_the_continuation_count() -> None:
    at = listed("a", goal="Ship")
    at.log.add(AutoContinuing(n=3, max=10, remaining=1, text="", progress=Progress()))
    at.edit(ClearTodos())
    assert (at.checklist.goal, at.shown) == ("", [])
    assert at.log.state.activation.wakes == 0


def test_an_edit_that_leaves_open_items_makes_a_dormant_session_idle() -> None:
    at = listed("a")
    at.edit(CompleteTodo(uid=at.uid("a")))
    at.log.add(StateChanged(state="dormant", reason="done"))
    at.edit(ReopenTodo(uid=at.uid("a")))
    assert (at.log.state.state, at.log.state.reason) == ("idle", "1 open: resume to go on")
