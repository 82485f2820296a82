"""The default dialect: every rule of its tools."""

from typing import Any

import pytest
from dialect_desk import Seat, assert_refused, signature

from longwatch.dialects import DIALECTS
from longwatch.session.intents import ClearTodos, DeleteTodo

LONGWATCH = DIALECTS["longwatch"]
STEPS = ["Read", "Analyze", "Write"]


def seat(**loop: Any) -> Seat:
    return Seat(LONGWATCH, **loop)


def planned(*items: str, goal: str = "", **loop: Any) -> Seat:
    made = seat(**loop)
    assert made.call("todo_plan", goal=goal, items=list(items or STEPS)).ok
    return made


def plan(items: Any) -> dict[str, Any]:
    """The arguments of a new plan in place of the old one."""
    return {"goal": "", "items": items, "replace": True}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("todo_plan", {"goal": "string", "items": "string[]", "replace?": "boolean"}),
        ("todo_add", {"items": "string[]", "after?": "integer"}),
        ("todo_start", {"id": "integer"}),
        ("todo_done", {"id": "integer", "note?": "string"}),
        ("todo_block", {"id": "integer", "reason": "string"}),
        ("todo_list", {}),
    ],
)
def test_each_tool_takes_its_arguments(tool: str, arguments: dict[str, str]) -> None:
    specs = {spec.name: spec for spec in LONGWATCH.tools(LONGWATCH.defaults)}
    assert signature(specs[tool]) == arguments
    assert specs[tool].description


def test_there_are_six_tools_and_one_of_them_only_reads() -> None:
    assert [spec.name for spec in LONGWATCH.tools(LONGWATCH.defaults)] == [
        "todo_plan",
        "todo_add",
        "todo_start",
        "todo_done",
        "todo_block",
        "todo_list",
    ]
    assert LONGWATCH.reading_tools == {"todo_list"}


# todo_plan


def test_a_plan_starts_its_first_item() -> None:
    at = planned("Read", "Write", goal=" Know ")
    assert at.checklist.goal == "Know"
    assert at.shown == [(1, "Read", "in_progress"), (2, "Write", "pending")]


def test_texts_are_trimmed() -> None:
    at = planned("  Read ", "\tWrite\n")
    at.call("todo_add", items=[" Check "])
    assert [text for _, text, _ in at.shown] == ["Read", "Write", "Check"]


@pytest.mark.parametrize(
    "left", [["Read", "Write"], ["Read"]], ids=["pending and in progress", "only in progress"]
)
def test_a_plan_is_refused_while_unfinished_items_exist(left: list[str]) -> None:
    at = planned(*left)
    message = assert_refused(at, "todo_plan", {"goal": "", "items": ["New"]}, "plan_unfinished")
    assert message.startswith("Error: ")
    assert "todo_add" in message
    assert "replace" in message


@pytest.mark.parametrize("said", [False, None, "yes", 1], ids=repr)
def test_only_a_true_replace_replaces(said: object) -> None:
    new = {"goal": "", "items": ["New"], "replace": said}
    assert_refused(planned(), "todo_plan", new, "plan_unfinished")


def test_replace_drops_the_unfinished_items_and_numbers_on() -> None:
    at = planned("Read", "Write", goal="Old")
    assert at.call("todo_plan", goal="New", items=["Plan", "Build"], replace=True).ok
    assert at.checklist.goal == "New"
    assert at.shown == [(3, "Plan", "in_progress"), (4, "Build", "pending")]


def test_a_plan_needs_no_replace_when_nothing_is_unfinished() -> None:
    at = planned("Read", "Write")
    at.call("todo_done", id=1)
    at.call("todo_block", id=2, reason="later")
    assert at.call("todo_plan", goal="", items=["New"]).ok
    assert at.shown == [(3, "New", "in_progress")]


def test_completed_items_in_the_new_plan_stay_completed_with_their_id() -> None:
    at = planned("Read", "Write")
    at.call("todo_done", id=1)
    uid = at.uid("Read")
    at.call("todo_plan", goal="", items=["Prepare", " Read ", "Check"], replace=True)
    assert at.shown == [
        (3, "Prepare", "in_progress"),
        (1, "Read", "completed"),
        (4, "Check", "pending"),
    ]
    assert at.uid("Read") == uid


def test_one_completed_item_answers_for_one_item_of_the_plan() -> None:
    at = planned("Read")
    at.call("todo_done", id=1)
    at.call("todo_plan", goal="", items=["Read", "Read"])
    assert at.shown == [(1, "Read", "completed"), (2, "Read", "in_progress")]


def test_open_and_blocked_items_in_the_new_plan_are_new_all_the_same() -> None:
    at = planned("Read", "Write")
    at.call("todo_block", id=2, reason="later")
    at.call("todo_plan", goal="", items=["Read", "Write"], replace=True)
    assert at.shown == [(3, "Read", "in_progress"), (4, "Write", "pending")]


# todo_add, todo_start, todo_done, todo_block


def test_add_appends_at_the_end() -> None:
    at = planned("Read")
    at.call("todo_add", items=["Write", "Check"])
    assert at.shown == [
        (1, "Read", "in_progress"),
        (2, "Write", "pending"),
        (3, "Check", "pending"),
    ]


def test_add_after_an_item_keeps_the_order_of_what_it_adds() -> None:
    at = planned("Read", "Write")
    at.call("todo_add", items=["Think", "Draft"], after=1)
    assert [(number, text) for number, text, _ in at.shown] == [
        (1, "Read"),
        (3, "Think"),
        (4, "Draft"),
        (2, "Write"),
    ]


def test_add_to_an_empty_list_starts_the_first() -> None:
    at = seat()
    assert at.call("todo_add", items=["Read", "Write"]).output.endswith("Now: #1 Read")


@pytest.mark.parametrize("blocked", [False, True], ids=["pending", "blocked by the model"])
def test_start_makes_the_item_current_and_pauses_the_one_before(blocked: bool) -> None:
    at = planned()
    if blocked:
        at.call("todo_block", id=3, reason="later")
    at.call("todo_start", id=3)
    assert at.shown == [
        (1, "Read", "pending"),
        (2, "Analyze", "pending"),
        (3, "Write", "in_progress"),
    ]
    assert at.item("Write").reason == ""


@pytest.mark.parametrize(
    ("number", "blocked", "then"),
    [
        (1, False, ["completed", "in_progress", "pending"]),
        (2, False, ["in_progress", "completed", "pending"]),
        (3, True, ["in_progress", "pending", "completed"]),
    ],
    ids=["in progress", "pending", "blocked by the model"],
)
def test_done_completes_an_item_that_is(number: int, blocked: bool, then: list[str]) -> None:
    at = planned()
    if blocked:
        at.call("todo_block", id=number, reason="later")
    assert at.call("todo_done", id=number).ok
    assert [status for _, _, status in at.shown] == then
    assert all(not item.reason for item in at.checklist)


def test_done_on_a_completed_item_is_a_success_that_changes_nothing() -> None:
    at = planned("Read", "Write")
    at.call("todo_done", id=1)
    before = at.checklist
    answer = at.call("todo_done", id=1)
    assert answer.ok
    assert answer.change is None
    assert answer.output == "[x] #1: Read\n[>] #2: Write\n\n(1/2 completed)\nNow: #2 Write"
    assert at.checklist == before


def test_done_records_its_note() -> None:
    answer = planned().call("todo_done", id=1, note=" two files ")
    assert answer.change is not None
    assert (answer.change.action, answer.change.note) == ("todo_done", "two files")


def test_the_first_pending_item_in_list_order_starts_in_the_same_change() -> None:
    at = planned("Read", "Write", "Check")
    at.call("todo_start", id=3)
    answer = at.call("todo_done", id=3)
    assert answer.change is not None
    assert [entry.status for entry in answer.change.items] == [
        "in_progress",
        "pending",
        "completed",
    ]


@pytest.mark.parametrize("number", [1, 2], ids=["in progress", "pending"])
def test_block_holds_an_item_and_the_cursor_stays_on_something(number: int) -> None:
    at = planned("Read", "Write")
    at.call("todo_block", id=number, reason=" no disk ")
    held, other = at.checklist.items[number - 1], at.checklist.items[2 - number]
    assert (held.status, held.reason) == ("blocked", "no disk")
    assert other.status == "in_progress"


def test_block_on_an_item_that_the_model_blocked_gives_it_the_new_reason() -> None:
    at = planned()
    at.call("todo_block", id=2, reason="no disk")
    assert at.call("todo_block", id=2, reason="no network").ok
    assert at.item("Analyze").reason == "no network"


# Numbers and the maximum


def test_ids_are_never_reused() -> None:
    at = planned("Read", "Write")
    at.edit(DeleteTodo(uid=at.uid("Write")))
    at.call("todo_add", items=["Check"])
    at.edit(ClearTodos())
    at.call("todo_plan", goal="", items=["New"])
    assert at.shown == [(4, "New", "in_progress")]


def test_twenty_unfinished_items_are_allowed_and_one_more_is_not() -> None:
    at = planned(*(f"Step {k}" for k in range(20)))
    assert_refused(at, "todo_add", {"items": ["One more"]}, "too_many")
    more = plan([f"Step {k}" for k in range(21)])
    message = assert_refused(at, "todo_plan", more, "too_many")
    assert message.startswith("Error: ")
    assert "20" in message


def test_completed_items_do_not_count_toward_the_maximum_and_blocked_ones_do() -> None:
    at = planned("Read", "Write", max_todos=2)
    at.call("todo_block", id=2, reason="later")
    assert_refused(at, "todo_add", {"items": ["Check"]}, "too_many")
    at.call("todo_done", id=1)
    assert at.call("todo_add", items=["Check"]).ok


def test_a_maximum_of_zero_is_none() -> None:
    at = planned(*(f"Step {k}" for k in range(30)), max_todos=0)
    assert len(at.checklist.items) == 30


# Refusals

A = ["A"]
REFUSALS: dict[str, tuple[str, dict[str, Any] | str, str, str]] = {
    "plan: no items": ("todo_plan", plan([]), "empty_list", "items"),
    "plan: a blank item": ("todo_plan", plan(["A", " "]), "blank_text", "text"),
    "plan: items is a text": ("todo_plan", plan("A"), "not_a_list", "list"),
    "plan: an item is no text": ("todo_plan", plan(["A", 2]), "not_a_list", "list"),
    "plan: items is missing": ("todo_plan", {"goal": ""}, "not_a_list", "list"),
    "plan: goal is no text": ("todo_plan", {"goal": 7, "items": A}, "bad_arguments", "goal"),
    "add: no items": ("todo_add", {"items": []}, "empty_list", "items"),
    "add: a blank item": ("todo_add", {"items": ["A", ""]}, "blank_text", "text"),
    "add: items is an object": ("todo_add", {"items": {"A": 1}}, "not_a_list", "list"),
    "add: after an unknown id": ("todo_add", {"items": A, "after": 9}, "unknown_id", "#9"),
    "add: after no number": ("todo_add", {"items": A, "after": "x"}, "bad_arguments", "after"),
    "start: no id": ("todo_start", {}, "bad_arguments", "id"),
    "start: id is no number": ("todo_start", {"id": "first"}, "bad_arguments", "id"),
    "start: id is a boolean": ("todo_start", {"id": True}, "bad_arguments", "id"),
    "start: an unknown id": ("todo_start", {"id": 9}, "unknown_id", "#9"),
    "start: a completed item": ("todo_start", {"id": 1}, "bad_status", "#1"),
    "done: id is null": ("todo_done", {"id": None}, "bad_arguments", "id"),
    "done: an unknown id": ("todo_done", {"id": 0}, "unknown_id", "#0"),
    "done: note is no text": ("todo_done", {"id": 2, "note": ["x"]}, "bad_arguments", "note"),
    "block: an unknown id": ("todo_block", {"id": 9, "reason": "x"}, "unknown_id", "#9"),
    "block: a completed item": ("todo_block", {"id": 1, "reason": "x"}, "bad_status", "#1"),
    "block: no reason": ("todo_block", {"id": 2}, "missing_reason", "reason"),
    "block: a blank reason": ("todo_block", {"id": 2, "reason": " "}, "missing_reason", "reason"),
    "block: reason is no text": ("todo_block", {"id": 2, "reason": 5}, "missing_reason", "reason"),
    "arguments are no object": ("todo_done", "not json", "bad_arguments", "object"),
}


@pytest.mark.parametrize(
    ("tool", "arguments", "rule", "says"), REFUSALS.values(), ids=REFUSALS.keys()
)
def test_a_refusal_names_its_rule_in_one_line_and_changes_nothing(
    tool: str, arguments: dict[str, Any] | str, rule: str, says: str
) -> None:
    at = planned()
    at.call("todo_done", id=1)
    message = assert_refused(at, tool, arguments, rule)
    assert message.startswith("Error: ")
    assert says in message
    assert "\n" not in message
