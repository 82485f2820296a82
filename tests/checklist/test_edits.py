"""The pure edits: numbering, placing, starting and settling."""

import pytest
from made_lists import HIGHEST, KEPT, LABELLED, PLACED, STORED, drawn, made, recorded
from msgspec.structs import replace

from longwatch.checklist import Checklist, Conventions, Item, ItemId, edits

THREE = made("a [x] Read", "b [>] Write", "c [ ] Ship")


def test_minted_uids_are_never_minted_again() -> None:
    checklist, seen = THREE, set[str]()
    for _ in range(3):
        new = edits.mint(checklist, 2)
        assert len(set(new)) == 2
        assert seen.isdisjoint(new)
        seen.update(new)
        grown = edits.insert(checklist, [Item(uid, 9, "New") for uid in new])
        emptied = recorded(recorded(checklist, grown), Checklist())
        checklist = emptied


@pytest.mark.parametrize(
    ("conventions", "checklist", "ids"),
    [
        (KEPT, THREE, [4, 5]),
        (KEPT, recorded(THREE, Checklist()), [4, 5]),
        (STORED, THREE, [70, 71]),
        (HIGHEST, THREE, [4, 5]),
        (HIGHEST, recorded(THREE, Checklist()), [1, 2]),
        (HIGHEST, recorded(THREE, edits.remove(THREE, "c")), [3, 4]),
        (PLACED, THREE, [4, 5]),
        (PLACED, recorded(THREE, edits.remove(THREE, "c")), [3, 4]),
        (LABELLED, made("a [ ] Read", "b [ ] Write", labels=True), ["3", "4"]),
        (LABELLED, edits.remove(made("a [ ] Read", "b [ ] Write", labels=True), "a"), ["1", "3"]),
    ],
)
def test_new_ids_follow_the_dialects_numbering(
    conventions: Conventions, checklist: Checklist, ids: list[ItemId]
) -> None:
    assert edits.new_ids(checklist, conventions, 2, first_store_id=70) == ids


@pytest.mark.parametrize(
    ("after", "order"),
    [(None, "abcno"), ("a", "anobc"), ("c", "abcno")],
)
def test_new_items_go_to_the_end_or_after_one(after: str | None, order: str) -> None:
    grown = edits.insert(THREE, [Item("n", 4, "New"), Item("o", 5, "Other")], after)
    assert [item.uid for item in grown] == list(order)


def test_an_update_replaces_the_item_of_that_uid() -> None:
    changed = edits.update(THREE, replace(THREE.items[2], text="Ship it"))
    assert drawn(changed) == ("a [x] Read", "b [>] Write", "c [ ] Ship it")


def test_a_status_takes_the_old_reason_away() -> None:
    blocked = edits.set_status(THREE, "c", "blocked", "token")
    assert drawn(blocked)[2] == "c [!] Ship (token)"
    assert drawn(edits.set_status(blocked, "c", "pending"))[2] == "c [ ] Ship"


@pytest.mark.parametrize(
    ("uid", "lines"),
    [
        ("a", ("a [>] Read", "b [ ] Write", "c [!] Ship (token)")),
        ("b", ("a [x] Read", "b [>] Write", "c [!] Ship (token)")),
        ("c", ("a [x] Read", "b [ ] Write", "c [>] Ship")),
    ],
)
def test_starting_one_pauses_the_other(uid: str, lines: tuple[str, ...]) -> None:
    checklist = edits.set_status(THREE, "c", "blocked", "token")
    assert drawn(edits.start(checklist, uid)) == lines


@pytest.mark.parametrize(
    ("uid", "by", "order"),
    [
        ("b", -1, "bac"),
        ("b", 1, "acb"),
        ("b", 0, "abc"),
        ("c", -9, "cab"),
        ("a", 9, "bca"),
        ("a", -1, "abc"),
        ("c", 1, "abc"),
    ],
)
def test_a_move_goes_as_far_as_the_list_does(uid: str, by: int, order: str) -> None:
    assert [item.uid for item in edits.move(THREE, uid, by)] == list(order)


def test_a_removal_leaves_the_rest_as_it_was() -> None:
    assert edits.remove(THREE, "b").items == (THREE.items[0], THREE.items[2])


@pytest.mark.parametrize(
    ("conventions", "lines", "settled"),
    [
        (KEPT, ("a [x] A", "b [ ] B", "c [ ] C"), ("a [x] A", "b [>] B", "c [ ] C")),
        (KEPT, ("a [ ] A", "b [>] B"), ("a [ ] A", "b [>] B")),
        (KEPT, ("a [x] A", "b [!] B (ops)"), ("a [x] A", "b [!] B (ops)")),
        (KEPT, ("a [!] A (ops)", "b [ ] B"), ("a [!] A (ops)", "b [>] B")),
        (LABELLED, ("a [ ] A", "b [ ] B"), ("a [ ] A", "b [ ] B")),
        (STORED, ("a [ ] A", "b [ ] B"), ("a [ ] A", "b [ ] B")),
        (PLACED, ("a [ ] A", "b [ ] B"), ("a [ ] A", "b [ ] B")),
    ],
)
def test_only_a_kept_cursor_moves_to_the_first_pending_item(
    conventions: Conventions, lines: tuple[str, ...], settled: tuple[str, ...]
) -> None:
    assert drawn(edits.settle(made(*lines), conventions)) == settled


def test_positions_are_counted_again() -> None:
    settled = edits.settle(edits.remove(THREE, "a"), PLACED)
    assert [(item.uid, item.id) for item in settled] == [("b", 1), ("c", 2)]
    untouched = edits.settle(edits.remove(THREE, "a"), KEPT)
    assert [(item.uid, item.id) for item in untouched] == [("b", 2), ("c", 3)]


def test_settling_twice_is_settling_once() -> None:
    once = edits.settle(edits.remove(THREE, "b"), KEPT)
    assert edits.settle(once, KEPT) == once
