"""Checklists for tests, written and read as lines such as ``a [>] Read the code``."""

import re
from collections.abc import Callable, Iterable

from events_made import at
from msgspec.structs import replace

from longwatch.checklist import Author, Checklist, Conventions, Entry, Item, Refusal, Status, record
from longwatch.checklist.model import MARKS

Edit = Callable[[Checklist], Checklist | Refusal]

KEPT = Conventions("kept", "session")
LABELLED = Conventions("at_most_one", "label")
PLACED = Conventions("at_most_one", "position")
STORED = Conventions("none", "store")
HIGHEST = Conventions("none", "highest")

LINE = re.compile(r"(?P<uid>\w+) (?P<mark>\[.\]) (?P<text>[^(]+?)(?: \((?P<reason>.*)\))?$")
STATUSES: dict[str, Status] = {mark: status for status, mark in MARKS.items()}


def entries(lines: Iterable[str], *, labels: bool = False) -> tuple[Entry, ...]:
    """The items that the lines tell of, numbered from 1 (as text for labels)."""
    made: list[Entry] = []
    for number, line in enumerate(lines, start=1):
        found = LINE.fullmatch(line)
        assert found is not None, line
        status = STATUSES[found["mark"]]
        shown = str(number) if labels else number
        made.append(Entry(found["uid"], shown, found["text"], status, found["reason"] or ""))
    return tuple(made)


def made(*lines: str, goal: str = "", by: Author = "model", labels: bool = False) -> Checklist:
    """A list that one author recorded at the start."""
    return record(Checklist(), goal, entries(lines, labels=labels), at=at(0), by=by)


def drawn(checklist: Checklist) -> tuple[str, ...]:
    """The list as lines again."""
    return tuple(
        f"{item.uid} {MARKS[item.status]} {item.text}" + (f" ({item.reason})" * bool(item.reason))
        for item in checklist
    )


def recorded(
    before: Checklist, after: Checklist, by: Author = "human", seconds: float = 60
) -> Checklist:
    """The list after the event that records ``after``."""
    said = tuple(item.entry() for item in after)
    return record(before, after.goal, said, at=at(seconds), by=by)


def edited(checklist: Checklist, *edits: Edit) -> Checklist:
    """The list after a person's edits, each recorded."""
    for edit in edits:
        after = edit(checklist)
        assert isinstance(after, Checklist), after
        checklist = recorded(checklist, after)
    return checklist


def rewritten(checklist: Checklist, *lines: str, goal: str | None = None) -> Checklist:
    """A model's full replacement: known uids keep their item, the rest are new and unrecorded."""
    items = []
    for entry in entries(lines):
        old = checklist.by_uid(entry.uid)
        if old is None:
            items.append(Item(entry.uid, entry.id, entry.text, entry.status, entry.reason))
        else:
            items.append(replace(old, text=entry.text, status=entry.status, reason=entry.reason))
    return replace(checklist, goal=checklist.goal if goal is None else goal, items=tuple(items))
