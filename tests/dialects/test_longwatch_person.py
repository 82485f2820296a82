"""The default dialect with a person at the same list."""

from collections.abc import Callable
from typing import Any

import pytest
from dialect_desk import Answer, Seat, Shown, assert_refused, failure, person_lines

from longwatch.dialects import DIALECTS
from longwatch.session.events import AutoContinuing, Progress, StateChanged
from longwatch.session.intents import (
    AddTodo,
    BlockTodo,
    ClearTodos,
    CompleteTodo,
    DeleteTodo,
    EditTodo,
    MoveTodo,
    ReopenTodo,
    SetGoal,
    StartTodo,
    TodoIntent,
)


def planned(*items: str, **loop: Any) -> Seat:
    made = Seat(DIALECTS["longwatch"], **loop)
    assert made.call("todo_plan", goal="", items=list(items or ("a", "b", "c"))).ok
    return made


# What the model has not seen is not undone

Write = Callable[[Seat], Answer]
WRITES: dict[str, Write] = {
    "todo_plan": lambda at: at.call("todo_plan", goal="", items=["x", "y"], replace=True),
    "todo_add": lambda at: at.call("todo_add", items=["x"], after=2),
    "todo_start": lambda at: at.call("todo_start", id=2),
    "todo_done": lambda at: at.call("todo_done", id=2),
    "todo_block": lambda at: at.call("todo_block", id=2, reason="model"),
}
EDITS: dict[str, tuple[Callable[[str], TodoIntent], str, str]] = {
    "completed": (lambda uid: CompleteTodo(uid=uid), "completed", ""),
    "blocked": (lambda uid: BlockTodo(uid=uid, reason="wait"), "blocked", "wait"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
@pytest.mark.parametrize(("edit", "status", "reason"), EDITS.values(), ids=EDITS.keys())
def test_an_unseen_status_is_kept(
    edit: Callable[[str], TodoIntent], status: str, reason: str, write: Write
) -> None:
    at = planned()
    at.meanwhile(edit(at.uid("b")))
    assert write(at).ok
    assert (at.item("b").status, at.item("b").reason) == (status, reason)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_an_unseen_text_is_kept(write: Write) -> None:
    at = planned()
    at.meanwhile(EditTodo(uid=at.uid("b"), text="B"))
    assert write(at).ok
    assert at.item("B").id == 2


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_an_unseen_deletion_stays_deleted(write: Write) -> None:
    at = planned()
    uid = at.uid("b")
    at.meanwhile(DeleteTodo(uid=uid))
    assert write(at).ok
    assert at.checklist.by_uid(uid) is None


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_an_unseen_item_stays_with_its_number(write: Write) -> None:
    at = planned()
    at.meanwhile(AddTodo(text="mine"))
    assert write(at).ok
    assert at.item("mine").id == 4
    numbers = [number for number, _, _ in at.shown]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_an_unseen_goal_is_kept(write: Write) -> None:
    at = planned()
    at.meanwhile(SetGoal(goal="Ship"))
    assert write(at).ok
    assert at.checklist.goal == "Ship"


def test_an_unseen_start_is_kept_and_the_models_start_is_not_lost_silently() -> None:
    at = planned()
    at.meanwhile(StartTodo(uid=at.uid("c")))
    answer = at.call("todo_start", id=2)
    assert at.shown == [(1, "a", "pending"), (2, "b", "pending"), (3, "c", "in_progress")]
    (line,) = person_lines(answer.output)
    assert "#2" in line


def test_an_unseen_start_brings_a_dropped_item_back() -> None:
    at = planned()
    at.meanwhile(StartTodo(uid=at.uid("c")))
    at.call("todo_plan", goal="", items=["x"], replace=True)
    assert sorted(at.shown) == [(3, "c", "in_progress"), (4, "x", "pending")]


def test_an_unseen_order_is_kept() -> None:
    at = planned()
    at.meanwhile(MoveTodo(uid=at.uid("c"), by=-3))
    at.call("todo_done", id=1)
    assert [text for _, text, _ in at.shown] == ["c", "a", "b"]


def test_an_unseen_reopening_is_kept() -> None:
    at = planned("a", "b")
    at.call("todo_done", id=1)
    at.meanwhile(ReopenTodo(uid=at.uid("a")))
    assert at.call("todo_done", id=1).ok
    assert at.item("a").is_open


def test_an_unseen_clearing_is_kept() -> None:
    at = planned("a", "b")
    at.meanwhile(ClearTodos())
    at.call("todo_done", id=1)
    assert at.shown == []
    at.meanwhile(AddTodo(text="mine"), ClearTodos())
    at.call("todo_add", items=["x"])
    assert [text for _, text, _ in at.shown] == ["x"]


def test_later_calls_of_the_same_reply_do_not_undo_an_edit_either() -> None:
    at = planned()
    at.meanwhile(BlockTodo(uid=at.uid("b"), reason="wait"))
    at.reply(("todo_done", {"id": 1}), ("todo_start", {"id": 2}), ("todo_done", {"id": 2}))
    assert at.shown == [(1, "a", "completed"), (2, "b", "blocked"), (3, "c", "in_progress")]


def test_an_edit_between_two_calls_of_one_reply_is_kept() -> None:
    at = planned()
    at.speak(("todo_done", {"id": 1}), ("todo_done", {"id": 2}))
    at.answer()
    at.edit(BlockTodo(uid=at.uid("b"), reason="wait"))
    at.answer()
    assert at.shown == [(1, "a", "completed"), (2, "b", "blocked"), (3, "c", "in_progress")]


def test_the_result_says_in_one_line_what_was_kept_and_ends_with_what_to_do() -> None:
    at = planned("a", "b")
    at.meanwhile(BlockTodo(uid=at.uid("a"), reason="wait"))
    answer = at.call("todo_done", id=1)
    *_, before_last, last = answer.output.split("\n")
    assert [before_last] == person_lines(answer.output)
    assert "#1 stays blocked (wait)" in before_last
    assert last == "Now: #2 b"
    assert [(one.uid, one.field) for one in answer.kept] == [(at.uid("a"), "status")]


def test_a_write_that_meets_no_edit_says_nothing_of_the_person() -> None:
    at = planned("a", "b")
    at.meanwhile(EditTodo(uid=at.uid("b"), text="B"))
    answer = at.call("todo_done", id=1)
    assert person_lines(answer.output) == []
    assert answer.kept == ()


# What the model has seen it may change, within limits


def test_a_seen_edit_is_the_models_to_change() -> None:
    at = planned("a", "b")
    at.edit(CompleteTodo(uid=at.uid("a")))
    at.edit(ReopenTodo(uid=at.uid("a")))
    assert at.call("todo_done", id=1).ok
    assert at.item("a").status == "completed"


HELD: dict[str, dict[str, Any]] = {
    "todo_start": {"id": 2},
    "todo_done": {"id": 2},
    "todo_block": {"id": 2, "reason": "mine"},
}


@pytest.mark.parametrize(("tool", "arguments"), HELD.items(), ids=HELD.keys())
def test_what_a_person_blocked_waits_until_the_person_unblocks_it(
    tool: str, arguments: dict[str, Any]
) -> None:
    at = planned()
    at.edit(BlockTodo(uid=at.uid("b"), reason="wait"))
    message = assert_refused(at, tool, arguments, "blocked_by_person")
    assert message.startswith("Error: ")
    assert "#2" in message
    assert "wait" in message
    at.edit(ReopenTodo(uid=at.uid("b")))
    assert at.send(tool, arguments).ok


def test_a_new_plan_does_not_free_what_a_person_blocked() -> None:
    at = planned("a", "b")
    at.edit(BlockTodo(uid=at.uid("b"), reason="wait"))
    at.call("todo_plan", goal="", items=["x", "b"], replace=True)
    assert at.shown == [(3, "x", "in_progress"), (2, "b", "blocked")]


def test_a_seen_item_of_the_persons_is_not_dropped_by_a_new_plan() -> None:
    at = planned("a", "b")
    at.edit(AddTodo(text="mine"))
    answer = at.call("todo_plan", goal="", items=["x"], replace=True)
    assert sorted(text for _, text, _ in at.shown) == ["mine", "x"]
    (line,) = person_lines(answer.output)
    assert "#3" in line


def test_a_persons_item_does_not_count_toward_the_maximum() -> None:
    at = planned("a", max_todos=2)
    at.edit(AddTodo(text="mine"))
    assert at.call("todo_add", items=["b"]).ok
    assert_refused(at, "todo_add", {"items": ["c"]}, "too_many")


def test_a_persons_block_shows_with_its_mark_and_reason() -> None:
    at = planned("a", "b")
    at.edit(BlockTodo(uid=at.uid("b"), reason="wait"))
    listed = "[>] #1: a\n[!] #2: b (blocked: wait)\n\n(0/2 completed, 1 blocked)"
    assert at.call("todo_list").output == f"{listed}\nNow: #1 a"
    assert at.continuation().endswith(f"\n\n{listed}")


# What a person may do

DEEDS: dict[str, tuple[Callable[[str], TodoIntent], list[Shown]]] = {
    "complete the current one": (
        lambda uid: CompleteTodo(uid=uid),
        [(1, "a", "completed"), (2, "b", "in_progress")],
    ),
    "block the current one": (
        lambda uid: BlockTodo(uid=uid, reason="wait"),
        [(1, "a", "blocked"), (2, "b", "in_progress")],
    ),
    "delete the current one": (lambda uid: DeleteTodo(uid=uid), [(2, "b", "in_progress")]),
    "reword": (
        lambda uid: EditTodo(uid=uid, text=" A "),
        [(1, "A", "in_progress"), (2, "b", "pending")],
    ),
    "move": (lambda uid: MoveTodo(uid=uid, by=5), [(2, "b", "pending"), (1, "a", "in_progress")]),
    "add after it": (
        lambda uid: AddTodo(text=" mine ", after=uid),
        [(1, "a", "in_progress"), (3, "mine", "pending"), (2, "b", "pending")],
    ),
    "clear": (lambda _: ClearTodos(), []),
}


@pytest.mark.parametrize(("deed", "shown"), DEEDS.values(), ids=DEEDS.keys())
def test_a_person_may(deed: Callable[[str], TodoIntent], shown: list[Shown]) -> None:
    at = planned("a", "b")
    at.edit(deed(at.uid("a")))
    assert at.shown == shown


def test_a_person_who_starts_an_item_pauses_the_other() -> None:
    at = planned("a", "b")
    at.call("todo_done", id=1)
    at.edit(StartTodo(uid=at.uid("a")))
    assert at.shown == [(1, "a", "in_progress"), (2, "b", "pending")]


BROKEN: dict[str, tuple[Callable[[str], TodoIntent], str]] = {
    "add a blank text": (lambda _: AddTodo(text=" "), "blank_text"),
    "reword to nothing": (lambda uid: EditTodo(uid=uid, text=""), "blank_text"),
    "block without a reason": (lambda uid: BlockTodo(uid=uid, reason=" "), "missing_reason"),
    "complete what is not there": (lambda _: CompleteTodo(uid="none"), "unknown_id"),
    "reopen what is open": (lambda uid: ReopenTodo(uid=uid), "nothing_changed"),
}


@pytest.mark.parametrize(("deed", "kind"), BROKEN.values(), ids=BROKEN.keys())
def test_a_person_may_not(deed: Callable[[str], TodoIntent], kind: str) -> None:
    at = planned("a", "b")
    before = at.checklist
    assert failure(at.edit(deed(at.uid("a")))) == kind
    assert at.checklist == before


def test_a_person_who_clears_the_list_resets_the_wakes() -> None:
    at = planned("a")
    at.log.add(AutoContinuing(n=3, max=25, remaining=1, text="", progress=Progress()))
    at.edit(ClearTodos())
    assert at.log.state.activation.wakes == 0


def test_an_edit_that_leaves_open_items_makes_a_dormant_session_idle() -> None:
    at = planned("a", "b")
    at.reply(("todo_done", {"id": 1}), ("todo_done", {"id": 2}))
    at.log.add(StateChanged(state="dormant", reason="done"))
    at.edit(ReopenTodo(uid=at.uid("a")))
    assert (at.log.state.state, at.log.state.reason) == ("idle", "1 open: resume to go on")
    assert at.log.state.phase == "rest"
