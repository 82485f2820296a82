"""AgentParley's dialect: every rule of its tools, its texts and its defaults."""

from typing import Any

import pytest
from dialect_desk import Seat, assert_refused, failure, person_lines, signature

from longwatch.dialects import DIALECTS
from longwatch.discipline import AnswerTodo, Rules, next_step
from longwatch.session.events import StateChanged
from longwatch.session.intents import (
    AddTodo,
    BlockTodo,
    CompleteTodo,
    DeleteTodo,
    EditTodo,
    ReopenTodo,
    StartTodo,
    TodoIntent,
)

PARLEY = DIALECTS["parley"]


def written(*items: str, first: int = 1, **loop: Any) -> Seat:
    made = Seat(PARLEY, **loop)
    made.next_store_id = first
    assert made.call("todo_write", items=list(items)).ok
    return made


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("todo_write", {"items": "string[]"}),
        ("todo_list", {}),
        ("todo_update", {"id": "integer", "status": "done|blocked", "reason?": "string"}),
    ],
)
def test_each_tool_takes_its_arguments(tool: str, arguments: dict[str, str]) -> None:
    specs = {spec.name: spec for spec in PARLEY.tools(PARLEY.defaults)}
    assert list(specs) == ["todo_write", "todo_list", "todo_update"]
    assert signature(specs[tool]) == arguments
    assert specs[tool].description
    assert PARLEY.reading_tools == {"todo_list"}


# todo_write


def test_write_returns_each_new_items_id_one_line_each() -> None:
    at = Seat(PARLEY)
    at.next_store_id = 1842
    answer = at.call("todo_write", items=["Roll back", " Confirm "])
    assert answer.output == "[1842] Roll back\n[1843] Confirm"
    assert at.shown == [(1842, "Roll back", "pending"), (1843, "Confirm", "pending")]


def test_write_adds_and_never_replaces() -> None:
    at = written("a", "b")
    assert at.call("todo_write", items=["a"]).output == "[3] a"
    assert at.shown == [(1, "a", "pending"), (2, "b", "pending"), (3, "a", "pending")]


def test_ids_come_from_the_stores_counter_and_gaps_are_fine() -> None:
    at = written("a")
    at.next_store_id = 90
    assert at.call("todo_write", items=["b"]).output == "[90] b"


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("todo_write", {"items": ["a", "b"]}, 2),
        ("todo_write", {"items": "a"}, 0),
        ("todo_write", "junk", 0),
        ("todo_update", {"id": 1, "status": "done"}, 0),
    ],
    ids=["two items", "no list", "no object", "no new item"],
)
def test_the_engine_is_told_how_many_ids_a_call_needs(
    name: str, arguments: dict[str, Any] | str, wanted: int
) -> None:
    at = Seat(PARLEY)
    at.speak((name, arguments))
    step = next_step(at.log.state, at.rules)
    assert isinstance(step, AnswerTodo)
    assert step.store_ids == wanted


# todo_list and todo_update


def test_list_shows_open_done_and_blocked_one_line_each() -> None:
    at = written("Roll back", "Confirm", "Write note", first=1842)
    at.call("todo_update", id=1843, status="done")
    at.call("todo_update", id=1844, status="blocked", reason="waiting on the on-call")
    before = at.checklist
    assert at.call("todo_list").output == (
        "[1842] Roll back (open)\n"
        "[1843] Confirm (done)\n"
        "[1844] Write note (blocked: waiting on the on-call)"
    )
    assert at.checklist == before


def test_done_closes_an_item() -> None:
    at = written("a", "b")
    assert at.call("todo_update", id=2, status="done").ok
    assert at.shown == [(1, "a", "pending"), (2, "b", "completed")]


def test_done_on_a_done_item_succeeds_and_changes_nothing() -> None:
    at = written("a")
    at.call("todo_update", id=1, status="done")
    before = at.checklist
    answer = at.call("todo_update", id=1, status="done")
    assert (answer.ok, answer.change) == (True, None)
    assert at.checklist == before


def test_blocked_holds_an_item_with_its_reason() -> None:
    at = written("a")
    assert at.call("todo_update", id=1, status="blocked", reason=" no key ").ok
    assert (at.item("a").status, at.item("a").reason) == ("blocked", "no key")


def test_a_blocked_item_may_be_done() -> None:
    at = written("a")
    at.call("todo_update", id=1, status="blocked", reason="no key")
    assert at.call("todo_update", id=1, status="done").ok
    assert (at.item("a").status, at.item("a").reason) == ("completed", "")


def test_nothing_is_ever_in_progress_and_open_is_pending() -> None:
    at = written("a", "b")
    at.call("todo_update", id=1, status="done")
    assert [item.text for item in at.checklist.open] == ["b"]
    assert at.checklist.current is None


REFUSALS: dict[str, tuple[str, dict[str, Any] | str, str, str]] = {
    "no items": ("todo_write", {"items": []}, "empty_list", "items"),
    "a blank item": ("todo_write", {"items": ["c", "  "]}, "blank_text", "text"),
    "items is a text": ("todo_write", {"items": "c"}, "not_a_list", "items"),
    "an item is no text": ("todo_write", {"items": ["c", 4]}, "not_a_list", "items"),
    "items is missing": ("todo_write", {}, "not_a_list", "items"),
    "an unknown id": ("todo_update", {"id": 9, "status": "done"}, "unknown_id", "9"),
    "no id": ("todo_update", {"status": "done"}, "bad_arguments", "id"),
    "id is no number": ("todo_update", {"id": "a", "status": "done"}, "bad_arguments", "id"),
    "another status": ("todo_update", {"id": 1, "status": "open"}, "bad_status", "blocked"),
    "status in capitals": ("todo_update", {"id": 1, "status": "DONE"}, "bad_status", "done"),
    "no status": ("todo_update", {"id": 1}, "bad_status", "status"),
    "status is a list": ("todo_update", {"id": 1, "status": ["done"]}, "bad_status", "status"),
    "blocked without a reason": (
        "todo_update",
        {"id": 1, "status": "blocked"},
        "missing_reason",
        "reason",
    ),
    "blocked with a blank reason": (
        "todo_update",
        {"id": 1, "status": "blocked", "reason": " "},
        "missing_reason",
        "reason",
    ),
    "arguments are no object": ("todo_write", "[1]", "bad_arguments", "object"),
}


@pytest.mark.parametrize(
    ("tool", "arguments", "rule", "says"), REFUSALS.values(), ids=REFUSALS.keys()
)
def test_a_refusal_says_what_to_act_on_and_changes_nothing(
    tool: str, arguments: dict[str, Any] | str, rule: str, says: str
) -> None:
    message = assert_refused(written("a", "b"), tool, arguments, rule)
    assert message.startswith("Error: ")
    assert says in message


def test_an_id_of_another_session_is_unknown_here() -> None:
    written("a", first=7)
    assert_refused(written("b", first=8), "todo_update", {"id": 7, "status": "done"}, "unknown_id")


# Continuation, instructions, defaults


def test_the_continuation_is_exactly_the_nudge() -> None:
    at = written("Roll back the last payments deploy", "Confirm", "Post-mortem", first=1842)
    at.call("todo_update", id=1843, status="done")
    at.call("todo_update", id=1844, status="blocked", reason="waiting on the on-call")
    nudge = (
        "You still have open todos — keep working and close each with "
        'todo_update(id, "done") as you finish:\n'
        "  [1842] Roll back the last payments deploy\n"
        "  [1844] Post-mortem (blocked: waiting on the on-call)\n"
        "(todo_list shows the full list at any time.)"
    )
    assert [at.continuation(stalled) for stalled in (0, 1, 2)] == [nudge, nudge, nudge]


def test_a_continuation_prompt_of_ones_own_has_the_items_and_no_last_line() -> None:
    at = written("a", "b", "c", continuation_prompt="Go on.")
    at.call("todo_update", id=1, status="done")
    at.call("todo_update", id=3, status="blocked", reason="no key")
    assert at.continuation() == "Go on.\n\n  [2] b\n  [3] c (blocked: no key)"


def test_the_instructions_are_appended_once_after_a_blank_line() -> None:
    rules = Rules(PARLEY, PARLEY.defaults, prompt="Be brief.")
    instructions = PARLEY.instructions(PARLEY.defaults)
    assert rules.system_prompt == f"Be brief.\n\n{instructions}"
    for said in ("todo_write", "one item at a time", '"done"', '"blocked"', "automatically"):
        assert said in instructions


def test_the_defaults_of_the_loop() -> None:
    loop = PARLEY.defaults
    assert (loop.auto_continue, loop.max_auto_continues) == (True, 25)
    assert (loop.stop_on_identical_reply, loop.max_idle_continues) == (False, 0)
    assert (loop.plan_nudge, loop.nag_after, loop.stale_after) == (False, 0, 0)
    assert (loop.finalization_corrections, loop.max_todos) == (0, 0)
    assert PARLEY.conventions.cursor == "none"


def test_the_tools_stay_when_auto_continue_is_off() -> None:
    assert Seat(PARLEY, auto_continue=False).rules.todo_on
    assert not Seat(PARLEY, function_calling_support=False).rules.todo_on


# A person at the same list


@pytest.mark.parametrize(
    ("edit", "shown"),
    [
        (CompleteTodo, (1, "a", "completed")),
        (lambda uid: BlockTodo(uid=uid, reason="wait"), (1, "a", "blocked")),
    ],
    ids=["completed", "blocked"],
)
def test_an_unseen_status_of_the_persons_is_kept_and_said_in_one_line(
    edit: Any, shown: tuple[int, str, str]
) -> None:
    at = written("a", "b")
    at.meanwhile(edit(uid=at.uid("a")))
    answer = at.call("todo_update", id=1, status="blocked", reason="mine")
    assert answer.ok
    assert at.shown == [shown, (2, "b", "pending")]
    (line,) = person_lines(answer.output)
    assert "[1]" in line
    assert shown[2] in line


def test_an_unseen_text_of_the_persons_is_kept_while_the_model_closes_the_item() -> None:
    at = written("a")
    at.meanwhile(EditTodo(uid=at.uid("a"), text="A"))
    assert at.call("todo_update", id=1, status="done").ok
    assert at.shown == [(1, "A", "completed")]


def test_an_unseen_deletion_stays_deleted() -> None:
    at = written("a", "b")
    at.meanwhile(DeleteTodo(uid=at.uid("a")))
    answer = at.call("todo_update", id=1, status="done")
    assert at.shown == [(2, "b", "pending")]
    assert "[1] stays deleted" in answer.output


def test_an_unseen_item_of_the_persons_stays_and_takes_its_own_id() -> None:
    at = written("a")
    at.meanwhile(AddTodo(text="mine"))
    assert at.call("todo_write", items=["b"]).output == "[3] b"
    assert sorted(at.shown) == [(1, "a", "pending"), (2, "mine", "pending"), (3, "b", "pending")]


def test_an_unseen_item_is_unknown_to_the_model_that_has_not_seen_it() -> None:
    at = written("a")
    at.meanwhile(AddTodo(text="mine"))
    assert_refused(at, "todo_update", {"id": 2, "status": "done"}, "unknown_id")


@pytest.mark.parametrize("status", ["done", "blocked"])
def test_what_a_person_blocked_waits_until_the_person_unblocks_it(status: str) -> None:
    at = written("a")
    at.edit(BlockTodo(uid=at.uid("a"), reason="wait"))
    update = {"id": 1, "status": status, "reason": "mine"}
    message = assert_refused(at, "todo_update", update, "blocked_by_person")
    assert "wait" in message
    assert at.call("todo_list").output == "[1] a (blocked: wait)"
    at.edit(ReopenTodo(uid=at.uid("a")))
    assert at.send("todo_update", update).ok


def test_a_person_may_not_start_an_item_for_there_is_no_current_one() -> None:
    at = written("a")
    before = at.checklist
    assert failure(at.edit(StartTodo(uid=at.uid("a")))) == "bad_status"
    assert at.checklist == before


BROKEN: dict[str, tuple[TodoIntent, str]] = {
    "a blank text": (AddTodo(text=" "), "blank_text"),
    "an unknown item": (CompleteTodo(uid="none"), "unknown_id"),
    "after an unknown item": (AddTodo(text="b", after="none"), "unknown_id"),
}


@pytest.mark.parametrize(("intent", "kind"), BROKEN.values(), ids=BROKEN.keys())
def test_a_persons_edit_keeps_the_shared_invariants(intent: TodoIntent, kind: str) -> None:
    at = written("a")
    before = at.checklist
    assert failure(at.edit(intent)) == kind
    assert at.checklist == before


def test_a_person_needs_a_reason_to_block_and_a_text_to_reword() -> None:
    at = written("a")
    assert failure(at.edit(BlockTodo(uid=at.uid("a"), reason=" "))) == "missing_reason"
    assert failure(at.edit(EditTodo(uid=at.uid("a"), text=""))) == "blank_text"
    assert at.shown == [(1, "a", "pending")]


def test_an_edit_that_leaves_open_items_makes_a_dormant_session_idle() -> None:
    at = written("a")
    at.call("todo_update", id=1, status="done")
    at.log.add(StateChanged(state="dormant", reason="done"))
    at.edit(AddTodo(text="b"))
    assert (at.log.state.state, at.log.state.reason) == ("idle", "1 open: resume to go on")
    assert at.log.state.phase == "rest"
