"""The current item under two hands: who started what, and what only followed by itself."""

from collections.abc import Callable

import pytest
from made_lists import KEPT, LABELLED, Edit, drawn, edited, made, recorded, rewritten

from longwatch.checklist import Checklist, Kept, catch_up, edits, merge, person

BASE = made("a [>] Read", "b [ ] Write", "c [ ] Test", "d [ ] Ship")


def settled(write: Callable[[Checklist], Checklist]) -> Checklist:
    """A model's write where the program keeps the cursor."""
    return edits.settle(write(BASE), KEPT)


@pytest.mark.parametrize(
    ("edit", "write", "lines", "kept"),
    [
        pytest.param(
            lambda c: person.start(c, KEPT, "c"),
            lambda c: edits.set_status(c, "a", "completed"),
            ("a [x] Read", "b [ ] Write", "c [>] Test", "d [ ] Ship"),
            (),
            id="a start outlives the cursor's own step, which nobody asked for",
        ),
        pytest.param(
            lambda c: person.start(c, KEPT, "c"),
            lambda c: edits.start(c, "d"),
            ("a [ ] Read", "b [ ] Write", "c [>] Test", "d [ ] Ship"),
            (Kept("d", "status"),),
            id="a person's start wins over the model's",
        ),
        pytest.param(
            lambda c: person.start(c, KEPT, "c"),
            lambda c: edits.set_status(c, "c", "completed"),
            ("a [>] Read", "b [ ] Write", "c [x] Test", "d [ ] Ship"),
            (),
            id="the model may finish what the person started",
        ),
        pytest.param(
            lambda c: person.complete(c, KEPT, "a"),
            lambda c: edits.start(c, "d"),
            ("a [x] Read", "b [ ] Write", "c [ ] Test", "d [>] Ship"),
            (Kept("a", "status"),),
            id="a model's start wins over the cursor's own step",
        ),
        pytest.param(
            lambda c: person.complete(c, KEPT, "a"),
            lambda c: edits.set_status(c, "a", "completed"),
            ("a [x] Read", "b [>] Write", "c [ ] Test", "d [ ] Ship"),
            (),
            id="both step on together",
        ),
        pytest.param(
            lambda c: person.block(c, KEPT, "b", "ops"),
            lambda c: edits.set_status(c, "a", "completed"),
            ("a [x] Read", "b [!] Write (ops)", "c [>] Test", "d [ ] Ship"),
            (Kept("b", "status"),),
            id="the cursor steps over what the person holds",
        ),
        pytest.param(
            lambda c: person.delete(c, KEPT, "b"),
            lambda c: edits.set_status(c, "a", "completed"),
            ("a [x] Read", "c [>] Test", "d [ ] Ship"),
            (Kept("b", "deleted"),),
            id="the cursor steps over what the person deleted",
        ),
        pytest.param(
            lambda c: person.complete(c, KEPT, "a"),
            lambda c: rewritten(c, "n [>] Start over"),
            ("a [x] Read", "n [>] Start over"),
            (Kept("a", "removed"),),
            id="an item that only the cursor reached is dropped",
        ),
        pytest.param(
            lambda c: person.start(c, KEPT, "c"),
            lambda c: rewritten(c, "n [ ] Start over"),
            ("c [>] Test", "n [ ] Start over"),
            (Kept("c", "removed"),),
            id="an item that the person started comes back and the one it paused does not",
        ),
    ],
)
def test_where_the_program_keeps_the_cursor(
    edit: Edit,
    write: Callable[[Checklist], Checklist],
    lines: tuple[str, ...],
    kept: tuple[Kept, ...],
) -> None:
    merged = merge(BASE, settled(write), edited(BASE, edit), KEPT)
    assert drawn(merged.checklist) == lines
    assert merged.kept == kept


def test_a_start_after_the_cursors_own_step_is_still_the_persons() -> None:
    mine = edited(
        BASE,
        lambda c: person.complete(c, KEPT, "a"),
        lambda c: person.start(c, KEPT, "c"),
    )
    merged = merge(BASE, edits.start(BASE, "d"), mine, KEPT)
    assert drawn(merged.checklist) == ("a [x] Read", "b [ ] Write", "c [>] Test", "d [ ] Ship")
    assert Kept("d", "status") in merged.kept


@pytest.mark.parametrize(
    ("write", "lines", "kept"),
    [
        pytest.param(
            ("a [x] Read", "b [>] Write", "c [ ] Test", "d [ ] Ship"),
            ("a [x] Read", "b [ ] Write", "c [>] Test", "d [ ] Ship"),
            (Kept("b", "status"),),
            id="every start of a full list was asked for",
        ),
        pytest.param(
            ("a [>] Read", "b [ ] Write", "c [ ] Test", "d [ ] Ship"),
            ("a [ ] Read", "b [ ] Write", "c [>] Test", "d [ ] Ship"),
            (),
            id="an unchanged list moves nothing back",
        ),
        pytest.param(
            ("a [ ] Read", "b [ ] Write", "c [ ] Test", "d [ ] Ship"),
            ("a [ ] Read", "b [ ] Write", "c [>] Test", "d [ ] Ship"),
            (),
            id="a paused list leaves the person's item running",
        ),
        pytest.param(
            ("b [>] Write",),
            ("b [ ] Write", "c [>] Test"),
            (Kept("c", "removed"), Kept("b", "status")),
            id="the person's item comes back as the current one",
        ),
    ],
)
def test_where_the_model_keeps_the_cursor(
    write: tuple[str, ...], lines: tuple[str, ...], kept: tuple[Kept, ...]
) -> None:
    mine = edited(BASE, lambda c: person.start(c, LABELLED, "c"))
    merged = merge(BASE, rewritten(BASE, *write), mine, LABELLED)
    assert drawn(merged.checklist) == lines
    assert merged.kept == kept


def test_a_second_write_of_the_same_reply_cannot_undo_an_unseen_start() -> None:
    mine = edited(BASE, lambda c: person.start(c, KEPT, "c"))
    first = settled(lambda c: edits.set_status(c, "a", "completed"))
    after = recorded(mine, merge(BASE, first, mine, KEPT).checklist, by="model")
    seen = catch_up(BASE, mine, after)
    merged = merge(seen, edits.start(seen, "d"), after, KEPT)
    assert drawn(merged.checklist) == ("a [x] Read", "b [ ] Write", "c [>] Test", "d [ ] Ship")
    assert merged.kept == (Kept("d", "status"),)


def test_what_the_model_has_seen_has_one_current_item() -> None:
    mine = edited(BASE, lambda c: person.complete(c, KEPT, "a"))
    after = recorded(mine, merge(BASE, edits.start(BASE, "d"), mine, KEPT).checklist, by="model")
    seen = catch_up(BASE, mine, after)
    assert drawn(seen) == ("a [ ] Read", "b [ ] Write", "c [ ] Test", "d [>] Ship")


def test_what_the_model_dropped_is_not_unseen_because_the_cursor_was_on_it() -> None:
    mine = edited(BASE, lambda c: person.complete(c, KEPT, "a"))
    theirs = rewritten(BASE, "n [>] Start over")
    after = recorded(mine, merge(BASE, theirs, mine, KEPT).checklist, by="model")
    assert [item.uid for item in catch_up(BASE, mine, after)] == ["a", "n"]
