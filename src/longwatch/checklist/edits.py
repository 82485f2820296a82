"""Pure edits of a checklist that dialects and person share; they know no dialect's rules."""

from collections.abc import Iterable

from msgspec.structs import replace

from longwatch.checklist.conventions import Conventions
from longwatch.checklist.model import Checklist, Item, ItemId, Status


def mint(checklist: Checklist, count: int) -> list[str]:
    """Uids for new items: unique in the session, because a revision happens once."""
    return [f"{checklist.revision + 1}.{k}" for k in range(1, count + 1)]


def new_ids(
    checklist: Checklist, conventions: Conventions, count: int, first_store_id: int = 1
) -> list[ItemId]:
    """The shown ids that ``count`` new items of this list get."""
    match conventions.numbering:
        case "session":
            start = checklist.last_id + 1
        case "store":
            start = first_store_id
        case "highest":
            start = max((i.id for i in checklist if isinstance(i.id, int)), default=0) + 1
        case "position":
            start = len(checklist.items) + 1
        case "label":
            return list(free_labels({str(item.id) for item in checklist}, count))
    return list(range(start, start + count))


def free_labels(taken: set[str], count: int) -> list[str]:
    """The lowest numbers, as text, that no item uses yet."""
    labels: list[str] = []
    number = 1
    while len(labels) < count:
        if str(number) not in taken:
            labels.append(str(number))
        number += 1
    return labels


def insert(checklist: Checklist, items: Iterable[Item], after: str | None = None) -> Checklist:
    """With new items after the one of uid ``after``, or at the end."""
    at = len(checklist.items)
    if after is not None:
        at = next(k for k, item in enumerate(checklist.items) if item.uid == after) + 1
    return replace(checklist, items=(*checklist.items[:at], *items, *checklist.items[at:]))


def update(checklist: Checklist, changed: Item) -> Checklist:
    """With one item in place of the one that has its uid."""
    return replace(
        checklist,
        items=tuple(changed if item.uid == changed.uid else item for item in checklist.items),
    )


def set_status(checklist: Checklist, uid: str, status: Status, reason: str = "") -> Checklist:
    return replace(
        checklist,
        items=tuple(
            replace(item, status=status, reason=reason) if item.uid == uid else item
            for item in checklist.items
        ),
    )


def start(checklist: Checklist, uid: str) -> Checklist:
    """With that item as the current one; the one before it goes back to pending."""
    return replace(
        checklist,
        items=tuple(
            replace(item, status="in_progress", reason="")
            if item.uid == uid
            else replace(item, status="pending")
            if item.status == "in_progress"
            else item
            for item in checklist.items
        ),
    )


def remove(checklist: Checklist, uid: str) -> Checklist:
    return replace(checklist, items=tuple(item for item in checklist.items if item.uid != uid))


def move(checklist: Checklist, uid: str, by: int) -> Checklist:
    """With one item moved up (negative) or down, as far as the list goes."""
    items = list(checklist.items)
    at = next(k for k, item in enumerate(items) if item.uid == uid)
    item = items.pop(at)
    items.insert(max(0, min(len(items), at + by)), item)
    return replace(checklist, items=tuple(items))


def settle(checklist: Checklist, conventions: Conventions) -> Checklist:
    """The same list with its cursor and its numbering put in order."""
    if conventions.cursor == "kept" and checklist.current is None:
        first = next((item for item in checklist if item.status == "pending"), None)
        if first is not None:
            checklist = set_status(checklist, first.uid, "in_progress")
    if conventions.numbering == "position":
        checklist = replace(
            checklist,
            items=tuple(
                item if item.id == place else replace(item, id=place)
                for place, item in enumerate(checklist.items, start=1)
            ),
        )
    return checklist
