"""Items, their histories, and the checklist that holds them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

import msgspec
from msgspec.structs import replace

Status = Literal["pending", "in_progress", "completed", "blocked"]
Author = Literal["model", "human", "system"]
ItemId = int | str

MARKS: dict[Status, str] = {
    "pending": "[ ]",
    "in_progress": "[>]",
    "completed": "[x]",
    "blocked": "[!]",
}


def millis(at: str) -> int:
    """Milliseconds since the epoch of an event's time."""
    return int(datetime.fromisoformat(at).timestamp() * 1000)


class Entry(msgspec.Struct, frozen=True):
    """The recorded part of an item: what an event says of it."""

    uid: str
    id: ItemId
    text: str
    status: Status = "pending"
    reason: str = ""


class Stamp(msgspec.Struct, frozen=True, array_like=True):
    """When something happened to an item, and by whose hand."""

    at: str
    by: Author


class History(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item's past: each stamp is the latest of its kind, None while it does not apply."""

    created: Stamp | None = None
    changed: Stamp | None = None
    started: Stamp | None = None
    completed: Stamp | None = None
    blocked: Stamp | None = None
    active_ms: int = 0


UNRECORDED = History()


class Item(Entry, frozen=True):
    """An entry with its history. An item that no event has recorded yet has an empty one."""

    history: History = UNRECORDED

    @property
    def is_open(self) -> bool:
        """Whether it drives the wake loop."""
        return self.status in ("pending", "in_progress")

    @property
    def added_by_person(self) -> bool:
        created = self.history.created
        return created is not None and created.by == "human"

    @property
    def held_by_person(self) -> bool:
        """Whether a person blocked it, so that only a person may let it go on."""
        blocked = self.history.blocked
        return self.status == "blocked" and blocked is not None and blocked.by == "human"

    def entry(self) -> Entry:
        return Entry(self.uid, self.id, self.text, self.status, self.reason)


class Checklist(msgspec.Struct, frozen=True):
    """One session's list. ``last_id`` is the highest number ever shown, so none is reused."""

    goal: str = ""
    items: tuple[Item, ...] = ()
    revision: int = 0
    last_id: int = 0

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def by_uid(self, uid: str) -> Item | None:
        return next((item for item in self.items if item.uid == uid), None)

    def by_id(self, shown: ItemId) -> Item | None:
        return next((item for item in self.items if item.id == shown), None)

    @property
    def current(self) -> Item | None:
        """The item in progress."""
        return next((item for item in self.items if item.status == "in_progress"), None)

    @property
    def open(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.is_open)

    @property
    def blocked(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.status == "blocked")

    @property
    def open_count(self) -> int:
        return sum(item.is_open for item in self.items)

    @property
    def done_count(self) -> int:
        return sum(item.status == "completed" for item in self.items)

    def says_the_same(self, other: "Checklist") -> bool:
        """Equal in all that an event records; histories and counters aside."""
        return (
            self.goal == other.goal
            and len(self.items) == len(other.items)
            and all(same_entry(a, b) for a, b in zip(self.items, other.items, strict=True))
        )


def same_entry(a: Entry, b: Entry) -> bool:
    return (
        a.uid == b.uid
        and a.status == b.status
        and a.text == b.text
        and a.id == b.id
        and a.reason == b.reason
    )


def record(
    before: Checklist, goal: str, entries: tuple[Entry, ...], *, at: str, by: Author
) -> Checklist:
    """The list after a recorded change, each item's history carried on from ``before``."""
    known = {item.uid: item for item in before.items}
    items = tuple(_recorded(known.get(entry.uid), entry, at, by) for entry in entries)
    numbers = [item.id for item in items if isinstance(item.id, int)]
    return Checklist(
        goal=goal,
        items=items,
        revision=before.revision + 1,
        last_id=max(before.last_id, *numbers) if numbers else before.last_id,
    )


def _recorded(item: Item | None, entry: Entry, at: str, by: Author) -> Item:
    if item is None:
        stamp = Stamp(at, by)
        history = _entered(History(created=stamp, changed=stamp), entry.status, stamp)
    elif same_entry(item, entry):
        return item
    elif (item.text, item.status, item.reason) == (entry.text, entry.status, entry.reason):
        history = item.history
    else:
        history = _changed(item, entry, Stamp(at, by))
    return Item(entry.uid, entry.id, entry.text, entry.status, entry.reason, history)


def _changed(item: Item, entry: Entry, stamp: Stamp) -> History:
    history = replace(item.history, changed=stamp)
    if (item.status, item.reason) == (entry.status, entry.reason):
        return history
    if item.status == "in_progress" and history.started is not None:
        worked = max(0, millis(stamp.at) - millis(history.started.at))
        history = replace(history, active_ms=history.active_ms + worked)
    return _entered(replace(history, completed=None, blocked=None), entry.status, stamp)


def _entered(history: History, status: Status, stamp: Stamp) -> History:
    match status:
        case "pending":
            return history
        case "in_progress":
            return replace(history, started=stamp)
        case "completed":
            return replace(history, completed=stamp)
        case "blocked":
            return replace(history, blocked=stamp)
