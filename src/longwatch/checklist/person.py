"""What a person may do to a list: anything, as long as the shared invariants hold."""

from msgspec.structs import replace

from longwatch.checklist import edits
from longwatch.checklist.conventions import Conventions
from longwatch.checklist.model import Checklist, Item
from longwatch.checklist.refusal import Refusal

Edited = Checklist | Refusal

BLANK = Refusal("blank_text", "A todo needs some text.")
NO_REASON = Refusal("missing_reason", "Say why it is blocked.")
NO_CURSOR = Refusal("bad_status", "This dialect has no current item, so none can be started.")


def _gone(uid: str) -> Refusal:
    return Refusal("unknown_id", f"No such todo: {uid}. It may have been removed.")


def add(
    checklist: Checklist,
    conventions: Conventions,
    text: str,
    *,
    after: str | None = None,
    store_id: int = 1,
) -> Edited:
    if not (text := text.strip()):
        return BLANK
    if after is not None and checklist.by_uid(after) is None:
        return _gone(after)
    (uid,) = edits.mint(checklist, 1)
    (shown,) = edits.new_ids(checklist, conventions, 1, store_id)
    grown = edits.insert(checklist, [Item(uid, shown, text)], after)
    return edits.settle(grown, conventions)


def complete(checklist: Checklist, conventions: Conventions, uid: str) -> Edited:
    if checklist.by_uid(uid) is None:
        return _gone(uid)
    return edits.settle(edits.set_status(checklist, uid, "completed"), conventions)


def block(checklist: Checklist, conventions: Conventions, uid: str, reason: str) -> Edited:
    if checklist.by_uid(uid) is None:
        return _gone(uid)
    if not (reason := reason.strip()):
        return NO_REASON
    return edits.settle(edits.set_status(checklist, uid, "blocked", reason), conventions)


def reopen(checklist: Checklist, conventions: Conventions, uid: str) -> Edited:
    """Back to pending, from completed or blocked; an open item stays as it is."""
    item = checklist.by_uid(uid)
    if item is None:
        return _gone(uid)
    if item.is_open:
        return checklist
    return edits.settle(edits.set_status(checklist, uid, "pending"), conventions)


def start(checklist: Checklist, conventions: Conventions, uid: str) -> Edited:
    if checklist.by_uid(uid) is None:
        return _gone(uid)
    if conventions.cursor == "none":
        return NO_CURSOR
    return edits.start(checklist, uid)


def reword(checklist: Checklist, uid: str, text: str) -> Edited:
    item = checklist.by_uid(uid)
    if item is None:
        return _gone(uid)
    if not (text := text.strip()):
        return BLANK
    return edits.update(checklist, replace(item, text=text))


def move(checklist: Checklist, conventions: Conventions, uid: str, by: int) -> Edited:
    if checklist.by_uid(uid) is None:
        return _gone(uid)
    return edits.settle(edits.move(checklist, uid, by), conventions)


def delete(checklist: Checklist, conventions: Conventions, uid: str) -> Edited:
    if checklist.by_uid(uid) is None:
        return _gone(uid)
    return edits.settle(edits.remove(checklist, uid), conventions)


def clear(checklist: Checklist) -> Checklist:
    return replace(checklist, goal="", items=())


def set_goal(checklist: Checklist, goal: str) -> Checklist:
    return replace(checklist, goal=goal.strip())
