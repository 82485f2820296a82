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
    joined = _join(base, theirs, mine, kept)
    ordered = _in_order(base, theirs, mine, joined)
    goal = theirs.goal
    if mine.goal != base.goal:
        goal = mine.goal
        if theirs.goal not in (base.goal, mine.goal):
            kept.append(Kept("", "goal"))
    items = _one_cursor(_own_labels(ordered, theirs, conventions), base, mine, theirs, kept)
    merged = replace(mine, goal=goal, items=items)
    return Merged(edits.settle(merged, conventions), tuple(kept))


def catch_up(seen: Checklist, before: Checklist, after: Checklist) -> Checklist:
    """What the model has seen once its write, recorded as ``before`` to ``after``, is its own.

    The person's changes that it had not seen stay unseen, so that its next write of the same
    reply cannot undo them either.
    """
    if seen is before or seen.says_the_same(before):
        return after
    joined = _join(before, after, seen, [], protect=False)
    ordered = _in_order(before, after, seen, joined)
    goal = after.goal if seen.goal == before.goal else seen.goal
    return replace(after, goal=goal, items=tuple(ordered))


def _carried(theirs: Checklist, mine: Checklist) -> Checklist:
    return replace(mine, goal=theirs.goal, items=theirs.items)


def _join(
    base: Checklist,
    theirs: Checklist,
    mine: Checklist,
    kept: list[Kept],
    *,
    protect: bool = True,
) -> dict[str, Item]:
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
            elif _differs(own, old) or (protect and (own.added_by_person or own.held_by_person)):
                kept.append(Kept(uid, "removed"))
                joined[uid] = own
        else:
            joined[uid] = _join_item(old or own, new, own, kept, protect=protect)
    return joined


def _differs(a: Item, b: Item) -> bool:
    return (a.text, a.status, a.reason) != (b.text, b.status, b.reason)


def _join_item(old: Item, new: Item, own: Item, kept: list[Kept], *, protect: bool) -> Item:
    text, status, reason = new.text, new.status, new.reason
    if own.text != old.text:
        if new.text not in (old.text, own.text):
            kept.append(Kept(own.uid, "text"))
        text = own.text
    if old.is_open and own.is_open:
        # Between pending and in_progress only the cursor moved: no edit that a result would undo.
        if new.is_open and own.status != old.status:
            status = own.status
    elif (protect and own.held_by_person) or (own.status, own.reason) != (old.status, old.reason):
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
    labels = {str(item.id) for item in theirs}
    relabelled: list[Item] = []
    for item in items:
        if item.uid not in wrote and str(item.id) in labels:
            (label,) = edits.free_labels(taken, 1)
            taken.add(label)
            relabelled.append(replace(item, id=label))
        else:
            relabelled.append(item)
    return tuple(relabelled)


def _one_cursor(
    items: tuple[Item, ...],
    base: Checklist,
    mine: Checklist,
    theirs: Checklist,
    kept: list[Kept],
) -> tuple[Item, ...]:
    """At most one current item: the one that the person started, else the model's."""
    started = [item.uid for item in items if item.status == "in_progress"]
    if len(started) < 2:
        return items
    was, now, wrote = base.current, mine.current, theirs.current
    chosen = started[0]
    if now is not None and (was is None or now.uid != was.uid) and now.uid in started:
        chosen = now.uid
    elif wrote is not None and wrote.uid in started:
        chosen = wrote.uid
    if wrote is not None and wrote.uid != chosen and wrote.uid in started:
        kept.append(Kept(wrote.uid, "status"))
    return tuple(
        replace(item, status="pending")
        if item.status == "in_progress" and item.uid != chosen
        else item
        for item in items
    )
