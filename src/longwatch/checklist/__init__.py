"""What a checklist is: items, statuses, pure edits, and the merge of two authors' changes."""

from longwatch.checklist.conventions import Conventions, Cursor, Numbering
from longwatch.checklist.merge import Kept, Merged, catch_up, merge
from longwatch.checklist.model import (
    Author,
    Checklist,
    Entry,
    History,
    Item,
    ItemId,
    Stamp,
    Status,
    millis,
    record,
)
from longwatch.checklist.refusal import Refusal, Rule

__all__ = [
    "Author",
    "Checklist",
    "Conventions",
    "Cursor",
    "Entry",
    "History",
    "Item",
    "ItemId",
    "Kept",
    "Merged",
    "Numbering",
    "Refusal",
    "Rule",
    "Stamp",
    "Status",
    "catch_up",
    "merge",
    "millis",
    "record",
]
