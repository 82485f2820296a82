"""What holds for every merge, whatever the two parties did."""

from typing import NamedTuple

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from made_lists import HIGHEST, KEPT, LABELLED, PLACED, STORED, recorded
from msgspec.structs import replace

from longwatch.checklist import Checklist, Conventions, Item, Merged, catch_up, edits, merge, person

CALM = settings(derandomize=True, deadline=None, max_examples=250)

TEXTS = st.sampled_from(["Read", "Write", "Test", "Ship"])
Op = tuple[str, int, str]
"""What is done, to which item (by place, round the list), and the words for it."""


class Scene(NamedTuple):
    """A list, the model's write on it, and the list as the person left it meanwhile."""

    base: Checklist
    theirs: Checklist
    mine: Checklist
    conventions: Conventions

    def merged(self) -> Merged:
        return merge(self.base, self.theirs, self.mine, self.conventions)


def ops(*names: str, most: int) -> st.SearchStrategy[list[Op]]:
    return st.lists(st.tuples(st.sampled_from(names), st.integers(0, 5), TEXTS), max_size=most)


PERSON = ops("add", "done", "block", "reopen", "start", "edit", "move", "delete", "goal", most=4)
MODEL = ops("add", "done", "block", "start", "edit", "move", "delete", "goal", most=4)


def by_person(checklist: Checklist, how: Conventions, op: Op) -> Checklist:
    name, place, text = op
    uid = checklist.items[place % len(checklist.items)].uid if checklist.items else ""
    match name:
        case "add":
            after = person.add(checklist, how, text, after=uid or None, store_id=100 + place)
        case "done":
            after = person.complete(checklist, how, uid)
        case "block":
            after = person.block(checklist, how, uid, text)
        case "reopen":
            after = person.reopen(checklist, how, uid)
        case "start":
            after = person.start(checklist, how, uid)
        case "edit":
            after = person.reword(checklist, uid, f"{text} by hand")
        case "move":
            after = person.move(checklist, how, uid, place - 2)
        case "delete":
            after = person.delete(checklist, how, uid)
        case _:
            after = person.set_goal(checklist, f"{text} by hand")
    return recorded(checklist, after) if isinstance(after, Checklist) else checklist


def by_model(checklist: Checklist, now: Checklist, how: Conventions, script: list[Op]) -> Checklist:
    """The list that a model asks for; new items are numbered so that the person's are known."""
    uids = iter(edits.mint(now, len(script)))
    for name, place, text in script:
        if name == "goal":
            checklist = replace(checklist, goal=text)
        elif name == "add":
            (shown,) = edits.new_ids(checklist, how, 1, first_store_id=200 + place)
            checklist = edits.insert(checklist, [Item(next(uids), shown, text)])
        elif checklist.items:
            checklist = _written(checklist, how, name, place, text)
    return edits.settle(checklist, how)


def _written(checklist: Checklist, how: Conventions, name: str, place: int, text: str) -> Checklist:
    item = checklist.items[place % len(checklist.items)]
    match name:
        case "done":
            return edits.set_status(checklist, item.uid, "completed")
        case "block":
            return edits.set_status(checklist, item.uid, "blocked", text)
        case "start" if how.cursor != "none":
            return edits.start(checklist, item.uid)
        case "edit":
            return edits.update(checklist, replace(item, text=text))
        case "move":
            return edits.move(checklist, item.uid, place - 2)
        case "delete":
            return edits.remove(checklist, item.uid)
        case _:
            return checklist


@st.composite
def scenes(
    draw: st.DrawFn,
    before: st.SearchStrategy[list[Op]] = PERSON,
    meanwhile: st.SearchStrategy[list[Op]] = PERSON,
) -> Scene:
    how = draw(st.sampled_from([KEPT, LABELLED, PLACED, STORED, HIGHEST]))
    first: list[Op] = [("add", 0, text) for text in draw(st.lists(TEXTS, max_size=4))]
    planned = by_model(Checklist(), Checklist(), how, first + draw(MODEL))
    base = recorded(Checklist(), planned, by="model")
    for op in draw(before):
        base = by_person(base, how, op)
    mine = base
    for op in draw(meanwhile):
        mine = by_person(mine, how, op)
    return Scene(base, by_model(base, mine, how, draw(MODEL)), mine, how)


NOBODY: st.SearchStrategy[list[Op]] = st.just([])


@CALM
@given(scenes(before=NOBODY, meanwhile=NOBODY))
def test_where_the_person_did_nothing_the_model_gets_what_it_wrote(scene: Scene) -> None:
    merged = scene.merged()
    assert merged.checklist.says_the_same(edits.settle(scene.theirs, scene.conventions))
    assert merged.kept == ()


@CALM
@given(scenes())
def test_a_write_that_changes_nothing_undoes_nothing(scene: Scene) -> None:
    merged = merge(scene.base, scene.base, scene.mine, scene.conventions)
    assert merged.checklist.says_the_same(scene.mine)
    assert merged.kept == ()


@CALM
@given(scenes())
def test_every_field_that_the_person_changed_survives(scene: Scene) -> None:
    merged = scene.merged().checklist
    if scene.mine.goal != scene.base.goal:
        assert merged.goal == scene.mine.goal
    for own in scene.mine:
        old, new = scene.base.by_uid(own.uid), merged.by_uid(own.uid)
        if old is None or own.added_by_person or own.held_by_person:
            assert new is not None
        if old is None or new is None:
            assert new is not None or not own.held_by_person
            continue
        if own.text != old.text:
            assert new.text == own.text
        if not (own.is_open and old.is_open) and (own.status, own.reason) != (
            old.status,
            old.reason,
        ):
            assert (new.is_open, new.reason) == (own.is_open, own.reason)
            assert own.is_open or new.status == own.status
    for old in scene.base:
        if scene.mine.by_uid(old.uid) is None:
            assert merged.by_uid(old.uid) is None


@CALM
@given(scenes())
def test_an_edited_item_is_never_dropped(scene: Scene) -> None:
    merged = scene.merged().checklist
    for own in scene.mine:
        old = scene.base.by_uid(own.uid)
        if old is not None and (own.text != old.text or own.is_open != old.is_open):
            assert merged.by_uid(own.uid) is not None


@CALM
@given(scenes())
def test_an_order_that_the_person_changed_survives(scene: Scene) -> None:
    was = [item.uid for item in scene.base if scene.mine.by_uid(item.uid)]
    now = [item.uid for item in scene.mine if scene.base.by_uid(item.uid)]
    if was != now:
        merged = [item.uid for item in scene.merged().checklist]
        assert [uid for uid in merged if uid in now] == [uid for uid in now if uid in merged]


@CALM
@given(scenes())
def test_the_shared_invariants_hold(scene: Scene) -> None:
    merged = scene.merged().checklist
    uids = [item.uid for item in merged]
    assert len(set(uids)) == len(uids)
    current = [item for item in merged if item.status == "in_progress"]
    assert len(current) <= 1
    if scene.conventions.cursor == "kept":
        assert len(current) == (merged.open_count > 0)
    for item in merged:
        assert item.text.strip()
        assert bool(item.reason) == (item.status == "blocked")
    if scene.conventions.numbering == "position":
        assert [item.id for item in merged] == list(range(1, len(uids) + 1))
    if scene.conventions.numbering == "label":
        assert len({str(item.id) for item in merged}) == len(uids)


@CALM
@given(scenes())
def test_what_was_kept_is_something_that_the_two_disagreed_on(scene: Scene) -> None:
    merged = scene.merged()
    for kept in merged.kept:
        own, new = scene.mine.by_uid(kept.uid), scene.theirs.by_uid(kept.uid)
        match kept.field:
            case "goal":
                assert scene.mine.goal != scene.theirs.goal
            case "deleted":
                assert own is None
                assert new is not None
            case "removed":
                assert own is not None
                assert new is None
            case "text":
                assert own is not None
                assert new is not None
                assert own.text != new.text
            case _:
                # An item that the model just added can be paused for the one the person started.
                own = own or merged.checklist.by_uid(kept.uid)
                assert own is not None
                assert new is not None
                assert kept.field == "status"
                assert (own.status, own.reason) != (new.status, new.reason)


@CALM
@given(scenes())
def test_the_same_lists_always_merge_to_the_same(scene: Scene) -> None:
    base, theirs, mine = (
        msgspec.json.decode(msgspec.json.encode(part), type=Checklist)
        for part in (scene.base, scene.theirs, scene.mine)
    )
    assert merge(base, theirs, mine, scene.conventions) == scene.merged()


@CALM
@given(scenes())
def test_catching_up_shows_the_models_write_and_not_the_persons_edits(scene: Scene) -> None:
    after = recorded(scene.mine, scene.merged().checklist, by="model")
    seen = catch_up(scene.base, scene.mine, after)
    assert sum(item.status == "in_progress" for item in seen) <= 1
    if scene.mine.goal != scene.base.goal:
        assert seen.goal == scene.base.goal
    for own in scene.mine:
        old, now = scene.base.by_uid(own.uid), seen.by_uid(own.uid)
        if old is None:
            assert now is None
        elif own.text != old.text:
            assert now is not None
            assert now.text == old.text
        elif own.is_open != old.is_open:
            assert now is not None
            assert now.is_open == old.is_open
    gone = [item.uid for item in scene.base if scene.mine.by_uid(item.uid) is None]
    assert all(seen.by_uid(uid) is not None for uid in gone)
    new = [item.uid for item in after if not scene.mine.by_uid(item.uid)]
    assert all(seen.by_uid(uid) is not None for uid in new)


@CALM
@given(scenes())
def test_after_catching_up_a_write_that_changes_nothing_undoes_nothing(scene: Scene) -> None:
    after = recorded(scene.mine, scene.merged().checklist, by="model")
    seen = catch_up(scene.base, scene.mine, after)
    assert merge(seen, seen, after, scene.conventions).checklist.says_the_same(after)


@CALM
@given(scenes(meanwhile=NOBODY))
def test_a_model_that_knows_all_catches_up_with_all(scene: Scene) -> None:
    after = recorded(scene.mine, scene.merged().checklist, by="model")
    assert catch_up(scene.base, scene.mine, after) is after
