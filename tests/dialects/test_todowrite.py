"""The TodoWrite lesson's dialect: every rule of its tool, its texts and its defaults."""

from typing import Any

import pytest
from dialect_desk import Seat, assert_refused, default_prompt, person_lines, signature

from longwatch.dialects import DIALECTS
from longwatch.discipline import Rules
from longwatch.session.events import StateChanged
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

TODOWRITE = DIALECTS["todowrite"]


def item(label: Any, text: Any, status: Any = "pending") -> dict[str, Any]:
    return {"id": label, "text": text, "status": status}


def listed(*items: dict[str, Any], **loop: Any) -> Seat:
    made = Seat(TODOWRITE, **loop)
    assert made.call("todo", items=list(items)).ok
    return made


THREE = (
    item("1", "Read the project structure", "completed"),
    item("2", "Analyze the dependencies", "in_progress"),
    item("3", "Write the summary report"),
)


def test_the_one_tool_takes_a_list_of_items() -> None:
    (spec,) = TODOWRITE.tools(TODOWRITE.defaults)
    assert spec.name == "todo"
    assert spec.description
    assert signature(spec) == {"items": "object[]"}
    assert spec.parameters["properties"]["items"]["items"] == {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "text": {"type": "string"},
            "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
        },
        "required": ["id", "text", "status"],
    }
    assert TODOWRITE.reading_tools == frozenset()


# Successes


def test_it_returns_the_list() -> None:
    answer = Seat(TODOWRITE).call("todo", items=list(THREE))
    assert answer.output == (
        "[x] #1: Read the project structure\n"
        "[>] #2: Analyze the dependencies\n"
        "[ ] #3: Write the summary report\n"
        "\n"
        "(1/3 completed)"
    )


def test_an_empty_list_is_always_fine() -> None:
    at = listed(*THREE)
    assert at.call("todo", items=[]).output == "No todos."
    assert at.shown == []
    assert at.call("todo", items=[]).output == "No todos."


def test_a_call_replaces_the_whole_list() -> None:
    at = listed(*THREE)
    at.call("todo", items=[item("7", "Other")])
    assert at.shown == [("7", "Other", "pending")]


def test_zero_in_progress_is_fine() -> None:
    assert listed(item("1", "a"), item("2", "b", "completed")).checklist.current is None


def test_a_missing_id_becomes_the_position_from_1() -> None:
    at = listed({"text": "a", "status": "pending"}, item("x", "b"), item(None, "c"))
    assert [label for label, _, _ in at.shown] == ["1", "x", "3"]


def test_an_id_is_shown_as_text() -> None:
    assert listed(item(7, "a")).shown == [("7", "a", "pending")]


def test_a_missing_status_is_pending() -> None:
    assert listed({"id": "1", "text": "a"}).shown == [("1", "a", "pending")]


def test_text_is_trimmed() -> None:
    assert listed(item("1", "  a \n")).shown == [("1", "a", "pending")]


@pytest.mark.parametrize("said", ["COMPLETED", "Completed", "completed"])
def test_the_case_of_a_status_does_not_matter(said: str) -> None:
    assert listed(item("1", "a", said)).shown == [("1", "a", "completed")]


def test_twenty_items_are_allowed() -> None:
    assert len(listed(*(item(str(k), "a") for k in range(20))).checklist.items) == 20


def test_a_maximum_of_zero_is_none() -> None:
    at = listed(*(item(str(k), "a") for k in range(30)), max_todos=0)
    assert len(at.checklist.items) == 30


def test_an_item_keeps_its_uid_and_history_by_its_id() -> None:
    at = listed(item("1", "a"), item("2", "b"))
    was = at.item("a")
    at.call("todo", items=[item("3", "c"), item("1", "A", "in_progress")])
    now = at.item("A")
    assert now.uid == was.uid
    assert now.history.created == was.history.created
    assert now.history.started is not None
    assert at.uid("c") not in (was.uid, now.uid)


def test_an_item_that_comes_back_after_it_was_dropped_is_new() -> None:
    at = listed(item("1", "a"))
    uid = at.uid("a")
    at.call("todo", items=[])
    at.call("todo", items=[item("1", "a")])
    assert at.uid("a") != uid


def test_items_of_one_id_keep_their_uids_in_order() -> None:
    at = listed(item("1", "a"), item("1", "b"))
    uids = [one.uid for one in at.checklist]
    at.call("todo", items=[item("1", "a", "completed"), item("1", "b")])
    assert [one.uid for one in at.checklist] == uids


# Refusals: first error wins

MANY = [item(str(k), "a") for k in range(21)]
NO_LIST = "Error: items must be a list"
REFUSALS: dict[str, tuple[Any, str, str]] = {
    "more than twenty": ({"items": MANY}, "too_many", "Error: Max 20 todos allowed"),
    "more than twenty comes before a blank text": (
        {"items": [item("x", ""), *MANY]},
        "too_many",
        "Error: Max 20 todos allowed",
    ),
    "a blank text": (
        {"items": [item("a", "x"), item("b", "  ")]},
        "blank_text",
        "Error: Item b: text required",
    ),
    "no text": ({"items": [{"id": "b"}]}, "blank_text", "Error: Item b: text required"),
    "no text and no id": (
        {"items": [item("a", "x"), {}]},
        "blank_text",
        "Error: Item 2: text required",
    ),
    "an item that is no object": ({"items": ["x"]}, "blank_text", "Error: Item 1: text required"),
    "another status": (
        {"items": [item("a", "x", "done")]},
        "bad_status",
        "Error: Item a: invalid status 'done'",
    ),
    "another status in capitals is told as it was read": (
        {"items": [item("a", "x", "DONE")]},
        "bad_status",
        "Error: Item a: invalid status 'done'",
    ),
    "blocked is no status": (
        {"items": [item("a", "x", "blocked")]},
        "bad_status",
        "Error: Item a: invalid status 'blocked'",
    ),
    "a blank text comes before the same item's status": (
        {"items": [item("a", "", "done")]},
        "blank_text",
        "Error: Item a: text required",
    ),
    "an earlier item's status comes before a later one's blank text": (
        {"items": [item("a", "x", "done"), item("b", "")]},
        "bad_status",
        "Error: Item a: invalid status 'done'",
    ),
    "a blank text comes before two in progress": (
        {"items": [item("a", "x", "in_progress"), item("b", "y", "in_progress"), item("c", "")]},
        "blank_text",
        "Error: Item c: text required",
    ),
    "two in progress": (
        {"items": [item("a", "x", "in_progress"), item("b", "y", "In_Progress")]},
        "two_in_progress",
        "Error: Only one task can be in_progress at a time",
    ),
    "items is a text": ({"items": "x"}, "not_a_list", NO_LIST),
    "items is an object": ({"items": {"1": "x"}}, "not_a_list", NO_LIST),
    "items is missing": ({}, "not_a_list", NO_LIST),
    "arguments are no object": ("[1, 2]", "not_a_list", NO_LIST),
    "arguments are no json": ("{oops", "not_a_list", NO_LIST),
}


@pytest.mark.parametrize(("arguments", "rule", "message"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_refusal_is_told_exactly_and_the_old_list_stays(
    arguments: Any, rule: str, message: str
) -> None:
    assert assert_refused(listed(*THREE), "todo", arguments, rule) == message


def test_the_maximum_in_the_message_is_the_one_that_is_set() -> None:
    at = listed(item("1", "a"), max_todos=1)
    message = assert_refused(at, "todo", {"items": list(THREE)}, "too_many")
    assert message == "Error: Max 1 todos allowed"


# Continuation, instructions, defaults


def test_the_continuation_is_the_prompt_a_blank_line_and_the_list() -> None:
    at = listed(*THREE)
    text = default_prompt("todo") + (
        "\n\n"
        "[x] #1: Read the project structure\n"
        "[>] #2: Analyze the dependencies\n"
        "[ ] #3: Write the summary report\n"
        "\n"
        "(1/3 completed)"
    )
    assert [at.continuation(stalled) for stalled in (0, 1, 2)] == [text, text, text]


def test_a_continuation_prompt_of_ones_own_replaces_the_prompt() -> None:
    at = listed(item("1", "a"), continuation_prompt="Go on.")
    assert at.continuation() == "Go on.\n\n[ ] #1: a\n\n(0/1 completed)"


def test_the_instructions_are_appended_once_after_a_blank_line() -> None:
    rules = Rules(TODOWRITE, TODOWRITE.defaults, prompt="Be brief.")
    instructions = TODOWRITE.instructions(TODOWRITE.defaults)
    assert rules.system_prompt == f"Be brief.\n\n{instructions}"
    for said in ("call todo", "one item at a time", "in_progress", "Never batch", "automatically"):
        assert said in instructions


def test_the_defaults_of_the_loop() -> None:
    loop = TODOWRITE.defaults
    assert (loop.auto_continue, loop.max_auto_continues) == (False, 10)
    assert (loop.stop_on_identical_reply, loop.max_idle_continues) == (False, 0)
    assert (loop.plan_nudge, loop.stale_after) == (False, 0)
    assert (loop.nag_after, loop.nag_without_list) == (3, True)
    assert (loop.finalization_corrections, loop.max_todos) == (0, 20)
    assert TODOWRITE.conventions.cursor == "at_most_one"


def test_the_tools_stay_though_auto_continue_is_off() -> None:
    assert Seat(TODOWRITE).rules.todo_on
    assert not Seat(TODOWRITE, function_calling_support=False).rules.todo_on


# A person at the same list


def test_a_persons_block_shows_with_its_mark_and_reason() -> None:
    at = listed(item("1", "a"), item("2", "b", "in_progress"))
    at.edit(BlockTodo(uid=at.uid("a"), reason="wait"))
    answer = at.call("todo", items=[item("1", "a"), item("2", "b", "completed")])
    assert answer.output == "[!] #1: a (blocked: wait)\n[x] #2: b\n\n(1/2 completed)"
    assert answer.kept == ()


@pytest.mark.parametrize("status", ["in_progress", "completed"])
def test_what_a_person_blocked_waits_until_the_person_unblocks_it(status: str) -> None:
    at = listed(item("1", "a"))
    at.edit(BlockTodo(uid=at.uid("a"), reason="wait"))
    answer = at.call("todo", items=[item("1", "a", status)])
    assert at.shown == [("1", "a", "blocked")]
    (line,) = person_lines(answer.output)
    assert "#1 stays blocked (wait)" in line
    at.edit(ReopenTodo(uid=at.uid("a")))
    at.call("todo", items=[item("1", "a", status)])
    assert at.shown == [("1", "a", status)]


def test_a_seen_item_of_the_persons_is_not_dropped_by_a_replacement() -> None:
    at = listed(item("1", "a"))
    at.edit(AddTodo(text="mine"))
    assert at.shown == [("1", "a", "pending"), ("2", "mine", "pending")]
    answer = at.call("todo", items=[item("1", "a", "completed")])
    assert at.shown == [("1", "a", "completed"), ("2", "mine", "pending")]
    (line,) = person_lines(answer.output)
    assert "#2" in line


def test_a_persons_item_does_not_count_toward_the_maximum() -> None:
    at = listed(item("1", "a"), item("2", "b"), max_todos=2)
    at.edit(AddTodo(text="mine"))
    three = [item("1", "a"), item("2", "b"), item("3", "mine")]
    assert at.call("todo", items=three).ok
    assert_refused(at, "todo", {"items": [*three, item("3", "more")]}, "too_many")


def test_an_unseen_item_gives_its_label_to_the_models_new_one() -> None:
    at = listed(item("1", "a"))
    at.meanwhile(AddTodo(text="mine"))
    at.call("todo", items=[item("1", "a"), item("2", "b")])
    assert sorted(at.shown) == [
        ("1", "a", "pending"),
        ("2", "b", "pending"),
        ("3", "mine", "pending"),
    ]


def test_an_unseen_status_is_kept_and_said_in_one_line() -> None:
    at = listed(item("1", "a"), item("2", "b"))
    at.meanwhile(CompleteTodo(uid=at.uid("a")))
    answer = at.call("todo", items=[item("1", "a", "in_progress"), item("2", "b")])
    assert at.shown == [("1", "a", "completed"), ("2", "b", "pending")]
    (line,) = person_lines(answer.output)
    assert "#1 stays completed" in line


def test_an_unseen_text_is_kept_while_the_model_completes_the_item() -> None:
    at = listed(item("1", "a"))
    at.meanwhile(EditTodo(uid=at.uid("a"), text="A"))
    answer = at.call("todo", items=[item("1", "Another", "completed")])
    assert at.shown == [("1", "A", "completed")]
    assert len(person_lines(answer.output)) == 1


def test_a_second_call_of_the_same_reply_does_not_undo_an_edit_either() -> None:
    at = listed(item("1", "a"), item("2", "b"))
    at.meanwhile(EditTodo(uid=at.uid("a"), text="A"))
    at.reply(
        ("todo", {"items": [item("1", "a"), item("2", "b", "completed")]}),
        ("todo", {"items": [item("2", "b")]}),
    )
    assert sorted(at.shown) == [("1", "A", "pending"), ("2", "b", "pending")]


def test_an_unseen_deletion_stays_deleted() -> None:
    at = listed(item("1", "a"), item("2", "b"))
    at.meanwhile(DeleteTodo(uid=at.uid("a")))
    at.call("todo", items=[item("1", "a", "completed"), item("2", "b")])
    assert at.shown == [("2", "b", "pending")]


def test_an_unseen_edit_brings_a_dropped_item_back() -> None:
    at = listed(item("1", "a"), item("2", "b"))
    at.meanwhile(EditTodo(uid=at.uid("a"), text="A"))
    at.call("todo", items=[item("2", "b")])
    assert sorted(at.shown) == [("1", "A", "pending"), ("2", "b", "pending")]


def test_an_unseen_order_is_kept() -> None:
    at = listed(item("1", "a"), item("2", "b"))
    at.meanwhile(MoveTodo(uid=at.uid("b"), by=-1))
    at.call("todo", items=[item("1", "a", "completed"), item("2", "b")])
    assert at.shown == [("2", "b", "pending"), ("1", "a", "completed")]


def test_a_person_who_starts_an_item_pauses_the_other() -> None:
    at = listed(item("1", "a", "in_progress"), item("2", "b"))
    at.meanwhile(StartTodo(uid=at.uid("b")))
    assert at.shown == [("1", "a", "pending"), ("2", "b", "in_progress")]
    at.call("todo", items=[item("1", "a", "in_progress"), item("2", "b")])
    assert at.shown == [("1", "a", "pending"), ("2", "b", "in_progress")]


def test_an_edit_that_leaves_open_items_makes_a_dormant_session_idle() -> None:
    at = listed(item("1", "a", "completed"))
    at.log.add(StateChanged(state="dormant", reason="done"))
    at.edit(ReopenTodo(uid=at.uid("a")))
    assert (at.log.state.state, at.log.state.reason) == ("idle", "1 open: resume to go on")
