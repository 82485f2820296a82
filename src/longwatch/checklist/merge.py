"""The three-way merge that keeps a person's changes when a model writes from an older view."""

import msgspec
from msgspec.structs import replace

from longwatch.checklist import edits
from longwatch.checklist.conventions import Conventions
from longwatch.checklist.model import Checklist, Item


class Kept(msgspec.Struct, frozen=True):
    """One place where a person's change won over the model's."""

    uid: str
    field: str


class Merged(msgspec.Struct, frozen=True):
    checklist: Checklist
    kept: tuple[Kept, ...] = ()


def merge(base: Checklist, theirs: Checklist, mine: Checklist, conventions: Conventions) -> Merged:
    """The model's write ``theirs``, made on ``base``, with the person's changes since (``mine``).

    Fields, additions, deletions and order that the person changed after ``base`` win; so does a
    hold that the person put on an item, and an item that the person added is never dropped.
    """
    if mine.says_the_same(base) and not any(i.added_by_person or i.held_by_person for i in mine):
        return Merged(edits.settle(_carried(theirs, mine), conventions))
    kept: list[Kept] = []
    started = _started(base, mine, conventions)
    staying = {i.uid for i in mine if i.added_by_person or i.held_by_person or i.uid == started}
    joined = _join(base, theirs, mine, kept, staying)
    ordered = _in_order(base, theirs, mine, joined)
    goal = theirs.goal
    if mine.goal != base.goal:
        goal = mine.goal
        if theirs.goal not in (base.goal, mine.goal):
            kept.append(Kept("", "goal"))
    labelled = _own_labels(ordered, theirs, conventions)
    items = _one_cursor(labelled, started, theirs)
    asked = _started(base, theirs, conventions)
    paused = {now.uid for was, now in zip(labelled, items, strict=True) if was is not now}
    if asked in paused:
        kept.append(Kept(asked, "status"))
    merged = replace(mine, goal=goal, items=items)
    return Merged(edits.settle(merged, conventions), tuple(kept))


def catch_up(seen: Checklist, before: Checklist, after: Checklist) -> Checklist:
    """What the model has seen once its write, recorded as ``before`` to ``after``, is its own.

    The person's changes that it had not seen stay unseen, so that its next write of the same
    reply cannot undo them either.
    """
    if seen is before or seen.says_the_same(before):
        return after
    joined = _join(before, after, seen, [], set())
    ordered = _in_order(before, after, seen, joined)
    goal = after.goal if seen.goal == before.goal else seen.goal
    return replace(after, goal=goal, items=_one_cursor(tuple(ordered), None, after))


def _carried(theirs: Checklist, mine: Checklist) -> Checklist:
    return replace(mine, goal=theirs.goal, items=theirs.items)


def _join(
    base: Checklist,
    theirs: Checklist,
    mine: Checklist,
    kept: list[Kept],
    staying: set[str],
) -> dict[str, Item]:
    """The items by uid, each with the person's changes; those in ``staying`` are not dropped."""
    was = {item.uid: item for item in base}
    wrote = {item.uid: item for item in theirs}
    now = {item.uid: item for item in mine}
    joined: dict[str, Item] = {}
    for uid in {**wrote, **now}:
        old, new, own = was.get(uid), wrote.get(uid), now.get(uid)
        if own is None:
            if old is None:
                joined[uid] = wrote[uid]
            elif _differs(wrote[uid], old):
                kept.append(Kept(uid, "deleted"))
        elif new is None:
            if old is None:
                joined[uid] = own
            elif uid in staying or _edited(old, own):
                kept.append(Kept(uid, "removed"))
                joined[uid] = own
        else:
            held = uid in staying and own.held_by_person
            joined[uid] = _join_item(old or own, new, own, kept, held=held)
    return joined


def _differs(a: Item, b: Item) -> bool:
    return (a.text, a.status, a.reason) != (b.text, b.status, b.reason)


def _edited(old: Item, own: Item) -> bool:
    """Whether it was changed by hand: the cursor comes and goes with edits of other items."""
    return _differs(own, old) and not (old.is_open and own.is_open and old.text == own.text)


def _join_item(old: Item, new: Item, own: Item, kept: list[Kept], *, held: bool) -> Item:
    text, status, reason = new.text, new.status, new.reason
    if own.text != old.text:
        if new.text not in (old.text, own.text):
            kept.append(Kept(own.uid, "text"))
        text = own.text
    if own.is_open and (old.is_open or new.is_open):
        # Between pending and in_progress only the cursor moved: no edit that a result would undo.
        moved = own.status != old.status if old.is_open else own.status == "in_progress"
        if moved and new.is_open:
            status = own.status
    elif held or (own.status, own.reason) != (old.status, old.reason):
        wanted = (new.status, new.reason)
        if wanted not in ((old.status, old.reason), (own.status, own.reason)):
            kept.append(Kept(own.uid, "status"))
        status, reason = own.status, own.reason
    return replace(own, text=text, status=status, reason=reason)


def _in_order(
    base: Checklist, theirs: Checklist, mine: Checklist, joined: dict[str, Item]
) -> list[Item]:
    """The joined items in the model's order, or in the person's where the person moved some."""
    was = [item.uid for item in base]
    now = [item.uid for item in mine]
    common = set(was) & set(now)
    moved = [u for u in was if u in common] != [u for u in now if u in common]
    first, second = (mine, theirs) if moved else (theirs, mine)
    order = [item.uid for item in first if item.uid in joined]
    placed = set(order)
    before: str | None = None
    for item in second:
        if item.uid in joined and item.uid not in placed:
            order.insert(order.index(before) + 1 if before is not None else 0, item.uid)
            placed.add(item.uid)
        if item.uid in placed:
            before = item.uid
    return [joined[uid] for uid in order]


def _own_labels(items: list[Item], theirs: Checklist, conventions: Conventions) -> tuple[Item, ...]:
    """An unseen item of the person's gives way when the model chose its label for a new one."""
    if conventions.numbering != "label":
        return tuple(items)
    wrote = {item.uid for item in theirs}
    taken = {str(item.id) for item in items}
    labels = {str(item.id) for item in items if item.uid in wrote}
    relabelled: list[Item] = []
    for item in items:
        if item.uid not in wrote and str(item.id) in labels:
            (label,) = edits.free_labels(taken, 1)
            taken.add(label)
            relabelled.append(replace(item, id=label))
        else:
            relabelled.append(item)
    return tuple(relabelled)


def _started(before: Checklist, after: Checklist, conventions: Conventions) -> str | None:
    """The item that was made the current one by hand, if any.

    A kept cursor also moves by itself: to the first open item, when the one it was on is closed.
    """
    was, now = before.current, after.current
    if now is None or (was is not None and was.uid == now.uid):
        return None
    if conventions.cursor == "kept" and now is after.open[0]:
        left = after.by_uid(was.uid) if was is not None else before.by_uid(now.uid)
        if left is None or not left.is_open:
            return None
    return now.uid


def _one_cursor(
    items: tuple[Item, ...], started: str | None, theirs: Checklist
) -> tuple[Item, ...]:
    """At most one current item: the one that the person started, else the model's."""
    current = [item.uid for item in items if item.status == "in_progress"]
    if len(current) < 2:
        return items
    wrote = theirs.current
    chosen = wrote.uid if wrote is not None and wrote.uid in current else current[0]
    if started in current:
        chosen = started
    return tuple(
        replace(item, status="pending")
        if item.status == "in_progress" and item.uid != chosen
        else item
        for item in items
    )
