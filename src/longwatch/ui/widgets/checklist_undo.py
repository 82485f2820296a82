"""What takes a person's edit of the list back, worked out before the edit is made."""

from typing import assert_never

import msgspec

from longwatch.checklist import Checklist, Conventions, Item, Status
from longwatch.session.intents import (
    AddTodo,
    BlockTodo,
    ClearTodos,
    CompleteTodo,
    DeleteTodo,
    EditTodo,
    MoveTodo,
    ReopenTodo,
    SetGoal,
    StartTodo,
    TodoIntent,
)


class Added(msgspec.Struct, frozen=True):
    """An item that a person added; its uid is known only once the list shows it."""

    text: str
    known: frozenset[str]

    def found(self, checklist: Checklist) -> str | None:
        """Its uid, if it has arrived."""
        fitting = (
            item.uid
            for item in checklist
            if item.uid not in self.known and item.text == self.text and item.added_by_person
        )
        return next(fitting, None)


class Comeback(msgspec.Struct, frozen=True):
    """A removed item that returns as a new one, and the status that it had."""

    text: str
    status: Status
    reason: str = ""


class Inverse(msgspec.Struct, frozen=True, kw_only=True):
    """How to take one edit back."""

    intents: tuple[TodoIntent, ...] = ()
    added: Added | None = None
    comebacks: tuple[Comeback, ...] = ()


class Returning(msgspec.Struct, frozen=True):
    """Items on their way back into the list, which then get the status that they had."""

    known: frozenset[str]
    comebacks: tuple[Comeback, ...]

    def arrived(
        self, checklist: Checklist, conventions: Conventions
    ) -> tuple["Returning | None", list[TodoIntent]]:
        """Who is still awaited, and what to ask for those who are here."""
        known, awaited, wanted = set(self.known), list[Comeback](), list[TodoIntent]()
        for comeback in self.comebacks:
            uid = Added(comeback.text, frozenset(known)).found(checklist)
            if uid is None:
                awaited.append(comeback)
                continue
            known.add(uid)
            # A new item is open; which of those is the current one is the list's own affair.
            startable = comeback.status == "in_progress" and conventions.cursor != "none"
            if comeback.status in ("completed", "blocked") or startable:
                wanted.append(_status_intent(uid, comeback.status, comeback.reason))
        left = Returning(frozenset(known), tuple(awaited)) if awaited else None
        return left, wanted


def uids(checklist: Checklist) -> frozenset[str]:
    return frozenset(item.uid for item in checklist)


def inverse(checklist: Checklist, intent: TodoIntent) -> Inverse | None:
    """What undoes an edit of this list; None where no intent can say it."""
    match intent:
        case AddTodo(text=text):
            return Inverse(added=Added(text.strip(), uids(checklist)))
        case SetGoal():
            return Inverse(intents=(SetGoal(goal=checklist.goal),))
        case ClearTodos():
            return _unclear(checklist)
        case (
            CompleteTodo(uid=uid)
            | BlockTodo(uid=uid)
            | ReopenTodo(uid=uid)
            | StartTodo(uid=uid)
            | EditTodo(uid=uid)
            | MoveTodo(uid=uid)
            | DeleteTodo(uid=uid)
        ):
            item = checklist.by_uid(uid)
            return None if item is None else _of_item(checklist, item, intent)
        case _:
            assert_never(intent)


def _of_item(
    checklist: Checklist,
    item: Item,
    intent: CompleteTodo | BlockTodo | ReopenTodo | StartTodo | EditTodo | MoveTodo | DeleteTodo,
) -> Inverse | None:
    match intent:
        case CompleteTodo() | BlockTodo() | ReopenTodo():
            return Inverse(intents=(_status_intent(item.uid, item.status, item.reason),))
        case StartTodo():
            return _unstart(checklist, item)
        case EditTodo():
            return Inverse(intents=(EditTodo(uid=item.uid, text=item.text),))
        case MoveTodo(by=by):
            at = checklist.items.index(item)
            moved = max(0, min(len(checklist.items) - 1, at + by)) - at
            return Inverse(intents=(MoveTodo(uid=item.uid, by=-moved),)) if moved else None
        case DeleteTodo():
            return Inverse(intents=_put_back(checklist, item), comebacks=(_comeback(item),))
        case _:
            assert_never(intent)


def _status_intent(uid: str, status: Status, reason: str) -> TodoIntent:
    match status:
        case "pending":
            return ReopenTodo(uid=uid)
        case "in_progress":
            return StartTodo(uid=uid)
        case "completed":
            return CompleteTodo(uid=uid)
        case "blocked":
            return BlockTodo(uid=uid, reason=reason)
        case _:
            assert_never(status)


def _unstart(checklist: Checklist, item: Item) -> Inverse | None:
    current = checklist.current
    intents: tuple[TodoIntent, ...] = ()
    if not item.is_open:
        intents = (_status_intent(item.uid, item.status, item.reason),)
    if current is not None and current.uid != item.uid:
        intents = (StartTodo(uid=current.uid), *intents)
    # An item that alone is in progress cannot be asked to wait: only starting another does that.
    return Inverse(intents=intents) if intents else None


def _put_back(checklist: Checklist, item: Item) -> tuple[TodoIntent, ...]:
    at = checklist.items.index(item)
    if at > 0:
        return (AddTodo(text=item.text, after=checklist.items[at - 1].uid),)
    if len(checklist.items) == 1:
        return (AddTodo(text=item.text),)
    # Nothing can be added before the first item, so the first one makes room.
    following = checklist.items[1].uid
    return AddTodo(text=item.text, after=following), MoveTodo(uid=following, by=1)


def _unclear(checklist: Checklist) -> Inverse:
    goal = (SetGoal(goal=checklist.goal),) if checklist.goal else ()
    return Inverse(
        intents=(*goal, *(AddTodo(text=item.text) for item in checklist)),
        comebacks=tuple(_comeback(item) for item in checklist),
    )


def _comeback(item: Item) -> Comeback:
    return Comeback(item.text, item.status, item.reason)
