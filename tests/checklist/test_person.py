"""A person's edits: all that no tool can do, and the few things that are refused."""

import pytest
from made_lists import (
    HIGHEST,
    KEPT,
    LABELLED,
    PLACED,
    STORED,
    Edit,
    drawn,
    edited,
    made,
    recorded,
)

from longwatch.checklist import Checklist, Conventions, ItemId, Refusal, person

FOUR = made("a [x] Read", "b [>] Write", "c [ ] Test", "d [!] Ship (token)", goal="Release")


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        pytest.param(
            lambda c: person.complete(c, KEPT, "b"),
            ("a [x] Read", "b [x] Write", "c [>] Test", "d [!] Ship (token)"),
            id="completing the current one starts the next",
        ),
        pytest.param(
            lambda c: person.complete(c, KEPT, "d"),
            ("a [x] Read", "b [>] Write", "c [ ] Test", "d [x] Ship"),
            id="a blocked one can be completed",
        ),
        pytest.param(
            lambda c: person.block(c, KEPT, "b", "  for ops "),
            ("a [x] Read", "b [!] Write (for ops)", "c [>] Test", "d [!] Ship (token)"),
            id="blocking the current one starts the next",
        ),
        pytest.param(
            lambda c: person.block(c, KEPT, "a", "wrong"),
            ("a [!] Read (wrong)", "b [>] Write", "c [ ] Test", "d [!] Ship (token)"),
            id="a completed one can be blocked",
        ),
        pytest.param(
            lambda c: person.reopen(c, KEPT, "a"),
            ("a [ ] Read", "b [>] Write", "c [ ] Test", "d [!] Ship (token)"),
            id="a completed one can be reopened",
        ),
        pytest.param(
            lambda c: person.reopen(c, KEPT, "d"),
            ("a [x] Read", "b [>] Write", "c [ ] Test", "d [ ] Ship"),
            id="reopening unblocks and drops the reason",
        ),
        pytest.param(
            lambda c: person.start(c, KEPT, "c"),
            ("a [x] Read", "b [ ] Write", "c [>] Test", "d [!] Ship (token)"),
            id="starting one pauses the other",
        ),
        pytest.param(
            lambda c: person.start(c, KEPT, "d"),
            ("a [x] Read", "b [ ] Write", "c [ ] Test", "d [>] Ship"),
            id="a blocked one can be started",
        ),
        pytest.param(
            lambda c: person.reword(c, "c", "  Test it all "),
            ("a [x] Read", "b [>] Write", "c [ ] Test it all", "d [!] Ship (token)"),
            id="words are trimmed",
        ),
        pytest.param(
            lambda c: person.move(c, KEPT, "d", -9),
            ("d [!] Ship (token)", "a [x] Read", "b [>] Write", "c [ ] Test"),
            id="an item can be moved",
        ),
        pytest.param(
            lambda c: person.delete(c, KEPT, "b"),
            ("a [x] Read", "c [>] Test", "d [!] Ship (token)"),
            id="deleting the current one starts the next",
        ),
        pytest.param(
            person.clear,
            (),
            id="the whole list can be cleared",
        ),
    ],
)
def test_a_person_may_do_what_no_tool_can(edit: Edit, lines: tuple[str, ...]) -> None:
    assert drawn(edited(FOUR, edit)) == lines


@pytest.mark.parametrize("uid", ["b", "c"])
def test_reopening_an_open_item_changes_nothing(uid: str) -> None:
    assert person.reopen(FOUR, KEPT, uid) is FOUR


def test_reopening_the_last_one_makes_it_the_current_one() -> None:
    done = made("a [x] Read", "b [x] Write")
    assert drawn(edited(done, lambda c: person.reopen(c, KEPT, "b"))) == (
        "a [x] Read",
        "b [>] Write",
    )
    labelled = made("a [x] Read", "b [x] Write", labels=True)
    assert drawn(edited(labelled, lambda c: person.reopen(c, LABELLED, "b"))) == (
        "a [x] Read",
        "b [ ] Write",
    )


@pytest.mark.parametrize(
    ("conventions", "labels", "shown"),
    [(KEPT, False, 5), (STORED, False, 1842), (HIGHEST, False, 5), (LABELLED, True, "5")],
)
def test_an_added_item_is_numbered_as_the_dialect_does(
    conventions: Conventions, labels: bool, shown: ItemId
) -> None:
    lines = drawn(FOUR)
    before = made(*lines, labels=labels)
    grown = edited(before, lambda c: person.add(c, conventions, " Tell  ", store_id=1842))
    new = grown.items[-1]
    assert (new.id, new.text, new.status) == (shown, "Tell", "pending")
    assert new.added_by_person
    assert new.uid not in {item.uid for item in before}


def test_an_added_item_goes_after_the_one_it_is_told() -> None:
    grown = edited(FOUR, lambda c: person.add(c, KEPT, "Tell", after="a"))
    assert [item.text for item in grown] == ["Read", "Tell", "Write", "Test", "Ship"]
    assert [item.id for item in grown] == [1, 5, 2, 3, 4]
    placed = edited(FOUR, lambda c: person.add(c, PLACED, "Tell", after="a"))
    assert [item.id for item in placed] == [1, 2, 3, 4, 5]


def test_the_first_item_of_a_list_starts_where_the_cursor_is_kept() -> None:
    kept = edited(Checklist(), lambda c: person.add(c, KEPT, "Read"))
    assert [item.status for item in kept] == ["in_progress"]
    free = edited(Checklist(), lambda c: person.add(c, LABELLED, "Read"))
    assert [item.status for item in free] == ["pending"]


def test_a_deleted_number_is_not_given_again_in_a_session() -> None:
    shrunk = edited(FOUR, lambda c: person.delete(c, KEPT, "d"))
    assert edited(shrunk, lambda c: person.add(c, KEPT, "New")).items[-1].id == 5
    cleared = edited(FOUR, person.clear)
    assert edited(cleared, lambda c: person.add(c, KEPT, "New")).items[-1].id == 5


def test_positions_are_counted_again_after_every_edit() -> None:
    moved = edited(FOUR, lambda c: person.move(c, PLACED, "d", -9))
    assert [(item.uid, item.id) for item in moved] == [("d", 1), ("a", 2), ("b", 3), ("c", 4)]
    fewer = edited(FOUR, lambda c: person.delete(c, PLACED, "a"))
    assert [(item.uid, item.id) for item in fewer] == [("b", 1), ("c", 2), ("d", 3)]


def test_the_goal_is_set_trimmed_and_cleared_with_the_list() -> None:
    assert person.set_goal(FOUR, "  Sleep ").goal == "Sleep"
    assert person.set_goal(FOUR, " ").goal == ""
    assert person.set_goal(FOUR, "Sleep").items == FOUR.items
    assert person.clear(FOUR).goal == ""


def test_a_persons_block_holds_until_a_person_lets_go() -> None:
    held = edited(FOUR, lambda c: person.block(c, KEPT, "c", "ops"))
    assert [item.uid for item in held if item.held_by_person] == ["c"]
    free = edited(held, lambda c: person.reopen(c, KEPT, "c"))
    assert not any(item.held_by_person for item in free)
    by_model = recorded(FOUR, held, by="model")
    assert not any(item.held_by_person for item in by_model)


@pytest.mark.parametrize(
    ("edit", "rule", "words"),
    [
        (lambda c: person.add(c, KEPT, " \t\n"), "blank_text", "needs some text"),
        (lambda c: person.add(c, KEPT, "Tell", after="z"), "unknown_id", "z"),
        (lambda c: person.reword(c, "b", ""), "blank_text", "needs some text"),
        (lambda c: person.block(c, KEPT, "b", "  "), "missing_reason", "why"),
        (lambda c: person.start(c, STORED, "c"), "bad_status", "no current item"),
        (lambda c: person.start(c, HIGHEST, "c"), "bad_status", "no current item"),
        (lambda c: person.complete(c, KEPT, "z"), "unknown_id", "z"),
        (lambda c: person.block(c, KEPT, "z", "ops"), "unknown_id", "z"),
        (lambda c: person.reopen(c, KEPT, "z"), "unknown_id", "z"),
        (lambda c: person.start(c, KEPT, "z"), "unknown_id", "z"),
        (lambda c: person.start(c, STORED, "z"), "unknown_id", "z"),
        (lambda c: person.reword(c, "z", "Tell"), "unknown_id", "z"),
        (lambda c: person.move(c, KEPT, "z", 1), "unknown_id", "z"),
        (lambda c: person.delete(c, KEPT, "z"), "unknown_id", "z"),
    ],
)
def test_what_breaks_an_invariant_is_refused_and_named(edit: Edit, rule: str, words: str) -> None:
    refusal = edit(FOUR)
    assert isinstance(refusal, Refusal)
    assert refusal.rule == rule
    assert words in refusal.message
