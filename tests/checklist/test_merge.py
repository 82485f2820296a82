"""Two parties write one list: case by case, what a person changed outlives the model's write."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
from made_lists import (
    HIGHEST,
    LABELLED,
    PLACED,
    Edit,
    drawn,
    edited,
    made,
    recorded,
    rewritten,
)
from msgspec.structs import replace

from longwatch.checklist import Checklist, Item, Kept, edits, merge, person

Write = Callable[[Checklist], Checklist]

BASE = made("a [>] Read", "b [ ] Write", "c [!] Test (slow)", "d [x] Ask", goal="Ship", labels=True)


def nothing(checklist: Checklist) -> Checklist:
    return checklist


def reworded(uid: str, text: str) -> Write:
    return lambda c: edits.update(c, replace(one(c, uid), text=text))


def marked(uid: str, *status: str) -> Write:
    match status:
        case ("blocked", reason):
            return lambda c: edits.set_status(c, uid, "blocked", reason)
        case ("completed",):
            return lambda c: edits.set_status(c, uid, "completed")
        case _:
            return lambda c: edits.set_status(c, uid, "pending")


def without(*uids: str) -> Write:
    return lambda c: replace(c, items=tuple(i for i in c if i.uid not in uids))


def with_new(uid: str, after: str | None = None) -> Write:
    return lambda c: edits.insert(c, [Item(uid, "9", "New")], after)


def one(checklist: Checklist, uid: str) -> Item:
    item = checklist.by_uid(uid)
    assert item is not None
    return item


class Case(NamedTuple):
    name: str
    person: Edit
    model: Write
    lines: tuple[str, ...]
    kept: tuple[tuple[str, str], ...] = ()


A, B, C, D = "a [>] Read", "b [ ] Write", "c [!] Test (slow)", "d [x] Ask"

REWORDED = (
    Case(
        "a rewording stays beside another change of the same item",
        lambda c: person.reword(c, "b", "Write well"),
        marked("b", "completed"),
        (A, "b [x] Write well", C, D),
    ),
    Case(
        "a rewording wins over the model's own words",
        lambda c: person.reword(c, "b", "Write well"),
        reworded("b", "Write fast"),
        (A, "b [ ] Write well", C, D),
        (("b", "text"),),
    ),
    Case(
        "the same words from both are no conflict",
        lambda c: person.reword(c, "b", "Write well"),
        reworded("b", "Write well"),
        (A, "b [ ] Write well", C, D),
    ),
    Case(
        "the model's words for another item are taken",
        lambda c: person.reword(c, "b", "Write well"),
        reworded("a", "Read well"),
        ("a [>] Read well", "b [ ] Write well", C, D),
    ),
    Case(
        "a reworded item that was dropped comes back at its place",
        lambda c: person.reword(c, "b", "Write well"),
        without("b", "c"),
        (A, "b [ ] Write well", D),
        (("b", "removed"),),
    ),
)
CLOSED = (
    Case(
        "a block wins over the model's completion",
        lambda c: person.block(c, LABELLED, "b", "ops"),
        marked("b", "completed"),
        (A, "b [!] Write (ops)", C, D),
        (("b", "status"),),
    ),
    Case(
        "a block of the current item wins over its completion",
        lambda c: person.block(c, LABELLED, "a", "ops"),
        marked("a", "completed"),
        ("a [!] Read (ops)", B, C, D),
        (("a", "status"),),
    ),
    Case(
        "a block wins over a start",
        lambda c: person.block(c, LABELLED, "b", "ops"),
        lambda c: edits.start(c, "b"),
        ("a [ ] Read", "b [!] Write (ops)", C, D),
        (("b", "status"),),
    ),
    Case(
        "a person's reason wins over the model's",
        lambda c: person.block(c, LABELLED, "b", "ops"),
        marked("b", "blocked", "no idea"),
        (A, "b [!] Write (ops)", C, D),
        (("b", "status"),),
    ),
    Case(
        "the same block from both is no conflict",
        lambda c: person.block(c, LABELLED, "b", "ops"),
        marked("b", "blocked", "ops"),
        (A, "b [!] Write (ops)", C, D),
    ),
    Case(
        "new words for a blocked item are taken",
        lambda c: person.block(c, LABELLED, "b", "ops"),
        reworded("b", "Write fast"),
        (A, "b [!] Write fast (ops)", C, D),
    ),
    Case(
        "a completion stays where the model says nothing",
        lambda c: person.complete(c, LABELLED, "b"),
        nothing,
        (A, "b [x] Write", C, D),
    ),
    Case(
        "a completion wins over the model's block",
        lambda c: person.complete(c, LABELLED, "b"),
        marked("b", "blocked", "hard"),
        (A, "b [x] Write", C, D),
        (("b", "status"),),
    ),
    Case(
        "a completed item that was dropped comes back",
        lambda c: person.complete(c, LABELLED, "b"),
        without("b"),
        (A, "b [x] Write", C, D),
        (("b", "removed"),),
    ),
    Case(
        "a reopening of a completed item stays",
        lambda c: person.reopen(c, LABELLED, "d"),
        nothing,
        (A, B, C, "d [ ] Ask"),
    ),
    Case(
        "a reopening wins over what the model makes of the old state",
        lambda c: person.reopen(c, LABELLED, "c"),
        marked("c", "completed"),
        (A, B, "c [ ] Test", D),
        (("c", "status"),),
    ),
    Case(
        "a reopened item may be started at once",
        lambda c: person.reopen(c, LABELLED, "c"),
        lambda c: edits.start(c, "c"),
        ("a [ ] Read", B, "c [>] Test", D),
    ),
    Case(
        "an item that the person started is not paused by being reopened",
        lambda c: person.start(c, LABELLED, "c"),
        marked("c", "pending"),
        ("a [ ] Read", B, "c [>] Test", D),
    ),
    Case(
        "a reopened item that was dropped comes back",
        lambda c: person.reopen(c, LABELLED, "d"),
        without("d"),
        (A, B, C, "d [ ] Ask"),
        (("d", "removed"),),
    ),
)
PLACE = (
    Case(
        "a deletion stays where the model says nothing",
        lambda c: person.delete(c, LABELLED, "b"),
        nothing,
        (A, C, D),
    ),
    Case(
        "a deletion wins over a change",
        lambda c: person.delete(c, LABELLED, "b"),
        marked("b", "completed"),
        (A, C, D),
        (("b", "deleted"),),
    ),
    Case(
        "a deletion that the model made too is no conflict",
        lambda c: person.delete(c, LABELLED, "b"),
        without("b"),
        (A, C, D),
    ),
    Case(
        "a cleared list stays cleared but for what the model adds",
        person.clear,
        with_new("n"),
        ("n [ ] New",),
    ),
    Case(
        "a person's order stays",
        lambda c: person.move(c, LABELLED, "c", -2),
        marked("b", "completed"),
        (C, A, "b [x] Write", D),
    ),
    Case(
        "the model's new item follows its neighbour in the person's order",
        lambda c: person.move(c, LABELLED, "a", 3),
        with_new("n", after="a"),
        (B, C, D, A, "n [ ] New"),
    ),
    Case(
        "a person's order wins over the model's",
        lambda c: person.move(c, LABELLED, "d", -9),
        lambda c: edits.move(c, "c", -9),
        (D, A, B, C),
    ),
    Case(
        "the model's order is taken where the person moved nothing",
        lambda c: person.reword(c, "b", "Write well"),
        lambda c: edits.move(c, "d", -9),
        (D, A, "b [ ] Write well", C),
    ),
)


@pytest.mark.parametrize("case", [*REWORDED, *CLOSED, *PLACE], ids=lambda case: str(case.name))
def test_a_persons_edit_and_a_models_write(case: Case) -> None:
    mine = edited(BASE, case.person)
    merged = merge(BASE, case.model(BASE), mine, LABELLED)
    assert drawn(merged.checklist) == case.lines
    assert merged.kept == tuple(Kept(*kept) for kept in case.kept)


def test_several_edits_are_all_kept() -> None:
    mine = edited(
        BASE,
        lambda c: person.reword(c, "a", "Read well"),
        lambda c: person.complete(c, LABELLED, "b"),
        lambda c: person.delete(c, LABELLED, "c"),
        lambda c: person.set_goal(c, "Sleep"),
    )
    theirs = rewritten(BASE, "n [>] Start over", goal="Win")
    merged = merge(BASE, theirs, mine, LABELLED)
    assert drawn(merged.checklist) == ("a [ ] Read well", "b [x] Write", "n [>] Start over")
    assert merged.checklist.goal == "Sleep"
    assert set(merged.kept) == {Kept("a", "removed"), Kept("b", "removed"), Kept("", "goal")}


@pytest.mark.parametrize(
    ("mine", "theirs", "goal", "kept"),
    [
        ("Sleep", "Ship", "Sleep", ()),
        ("Sleep", "Win", "Sleep", (Kept("", "goal"),)),
        ("Sleep", "Sleep", "Sleep", ()),
        ("Ship", "Win", "Win", ()),
        ("", "Win", "", (Kept("", "goal"),)),
    ],
)
def test_a_goal_that_the_person_set_stays(
    mine: str, theirs: str, goal: str, kept: tuple[Kept, ...]
) -> None:
    own = edited(BASE, lambda c: person.set_goal(c, mine), lambda c: person.reword(c, "a", "Look"))
    merged = merge(BASE, replace(BASE, goal=theirs), own, LABELLED)
    assert merged.checklist.goal == goal
    assert merged.kept == kept


def test_an_unseen_item_of_the_persons_is_not_dropped_by_a_replacement() -> None:
    mine = edited(BASE, lambda c: person.add(c, LABELLED, "Call home", after="a"))
    merged = merge(BASE, rewritten(BASE, "a [x] Read", "b [>] Write"), mine, LABELLED)
    assert [item.text for item in merged.checklist] == ["Read", "Call home", "Write"]
    assert merged.kept == ()


def test_a_seen_item_of_the_persons_is_not_dropped_either() -> None:
    seen = edited(BASE, lambda c: person.add(c, LABELLED, "Call home"))
    uid = seen.items[-1].uid
    merged = merge(seen, without("b", uid)(seen), seen, LABELLED)
    assert drawn(merged.checklist) == (A, C, D, f"{uid} [ ] Call home")
    assert merged.kept == (Kept(uid, "removed"),)


def test_the_model_may_complete_an_item_that_the_person_added() -> None:
    seen = edited(BASE, lambda c: person.add(c, LABELLED, "Call home"))
    uid = seen.items[-1].uid
    merged = merge(seen, edits.set_status(seen, uid, "completed"), seen, LABELLED)
    assert drawn(merged.checklist)[-1] == f"{uid} [x] Call home"
    assert merged.kept == ()


@pytest.mark.parametrize(
    ("write", "kept"),
    [
        (marked("b", "completed"), "status"),
        (lambda c: edits.start(c, "b"), "status"),
        (marked("b", "pending"), "status"),
        (without("b"), "removed"),
    ],
)
def test_a_hold_that_the_model_has_seen_is_still_the_persons(write: Write, kept: str) -> None:
    seen = edited(BASE, lambda c: person.block(c, LABELLED, "b", "ops"))
    merged = merge(seen, write(seen), seen, LABELLED)
    assert drawn(merged.checklist)[1] == "b [!] Write (ops)"
    assert merged.kept == (Kept("b", kept),)


def test_a_hold_of_the_models_own_is_the_models() -> None:
    merged = merge(BASE, edits.set_status(BASE, "c", "completed"), BASE, LABELLED)
    assert drawn(merged.checklist)[2] == "c [x] Test"
    assert merged.kept == ()


def test_a_merged_list_keeps_histories_and_counters() -> None:
    mine = edited(BASE, lambda c: person.block(c, LABELLED, "b", "ops"))
    merged = merge(BASE, edits.set_status(BASE, "a", "completed"), mine, LABELLED).checklist
    assert (merged.revision, merged.last_id) == (mine.revision, mine.last_id)
    after = recorded(mine, merged, by="model", seconds=90)
    assert one(after, "b").held_by_person
    completed = one(after, "a").history.completed
    assert completed is not None
    assert completed.by == "model"


def test_an_unseen_item_gives_way_when_the_model_took_its_label() -> None:
    mine = edited(BASE, lambda c: person.add(c, LABELLED, "Call home"))
    theirs = edits.insert(BASE, [Item("n", "5", "Pack")])
    merged = merge(BASE, theirs, mine, LABELLED).checklist
    assert [(item.text, item.id) for item in merged] == [
        ("Read", "1"),
        ("Write", "2"),
        ("Test", "3"),
        ("Ask", "4"),
        ("Call home", "6"),
        ("Pack", "5"),
    ]


def test_two_unseen_items_that_give_way_get_two_labels() -> None:
    mine = edited(
        BASE,
        lambda c: person.add(c, LABELLED, "Call home"),
        lambda c: person.add(c, LABELLED, "Call again"),
    )
    theirs = edits.insert(BASE, [Item("n", "5", "Pack"), Item("o", "6", "Go")])
    labels = [str(item.id) for item in merge(BASE, theirs, mine, LABELLED).checklist]
    assert sorted(labels) == ["1", "2", "3", "4", "5", "6", "7", "8"]


def test_a_label_that_a_deleted_item_left_is_not_taken() -> None:
    mine = edited(
        BASE,
        lambda c: person.delete(c, LABELLED, "b"),
        lambda c: person.add(c, LABELLED, "Call home"),
    )
    assert mine.items[-1].id == "2"
    assert merge(BASE, BASE, mine, LABELLED).checklist.says_the_same(mine)


def test_numbers_are_not_relabelled() -> None:
    base = made(A, B)
    mine = edited(base, lambda c: person.add(c, HIGHEST, "Call home"))
    theirs = edits.insert(base, [Item("n", 4, "Pack")])
    merged = merge(base, theirs, mine, HIGHEST).checklist
    assert {item.text: item.id for item in merged}["Call home"] == 3


def test_positions_are_counted_over_both_parties_items() -> None:
    base = made(A, B)
    mine = edited(base, lambda c: person.add(c, PLACED, "Call home", after="a"))
    theirs = rewritten(base, "n [>] Pack", "b [ ] Write")
    merged = merge(base, theirs, mine, PLACED).checklist
    assert [(item.text, item.id) for item in merged] == [
        ("Call home", 1),
        ("Pack", 2),
        ("Write", 3),
    ]
