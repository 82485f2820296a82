"""A list as a test foretells it, written apart from the program's own rules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from longwatch.session import TodoIntent
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
)

Cursor = Literal["none", "at_most_one", "kept"]


@dataclass(frozen=True)
class Row:
    """An item as a test foretells it; the uid of a new one is not known beforehand."""

    id: int | str
    text: str
    status: str = "pending"
    reason: str = ""
    uid: str = ""

    @property
    def open(self) -> bool:
        return self.status in ("pending", "in_progress")

    @property
    def state(self) -> tuple[str, str]:
        return self.status, self.reason


@dataclass(frozen=True)
class Refused:
    rule: str


@dataclass(frozen=True)
class Accepted:
    """The list after the call. Items that a person's hand protects may be left out of it."""

    rows: Sequence[Row]
    goal: str = ""


def whole_number(value: Any) -> int | None:
    """How the dialects read a number that the calls of these tests send."""
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def with_cursor(rows: Sequence[Row]) -> list[Row]:
    """With the first pending item started if none is in progress."""
    first = next((k for k, row in enumerate(rows) if row.status == "pending"), None)
    if first is None or any(row.status == "in_progress" for row in rows):
        return list(rows)
    return [replace(r, status="in_progress") if k == first else r for k, r in enumerate(rows)]


def intent_of(kind: str, uid: str, text: str, by: int) -> TodoIntent:
    intents: dict[str, TodoIntent] = {
        "add": AddTodo(text=text, after=uid if by else None),
        "done": CompleteTodo(uid=uid),
        "block": BlockTodo(uid=uid, reason=text),
        "reopen": ReopenTodo(uid=uid),
        "start": StartTodo(uid=uid),
        "reword": EditTodo(uid=uid, text=text),
        "move": MoveTodo(uid=uid, by=by),
        "delete": DeleteTodo(uid=uid),
        "clear": ClearTodos(),
        "goal": SetGoal(goal=text),
    }
    return intents[kind]


def edited_by_person(
    intent: TodoIntent, rows: list[Row], new_id: int | str, cursor: Cursor
) -> list[Row] | None:
    """The rows after a person's edit; None where it is refused."""
    edited: list[Row] | None
    match intent:
        case SetGoal():
            return rows
        case ClearTodos():
            return []
        case AddTodo(text=text, after=after):
            uids = [row.uid for row in rows]
            if not text.strip() or (after is not None and after not in uids):
                return None
            at = len(rows) if after is None else uids.index(after) + 1
            edited = [*rows[:at], Row(new_id, text.strip()), *rows[at:]]
        case _:
            at = next((k for k, row in enumerate(rows) if row.uid == intent.uid), -1)
            edited = None if at < 0 else _edited_item(intent, rows, at, cursor)
    return edited if edited is None or cursor != "kept" else with_cursor(edited)


def _edited_item(intent: TodoIntent, rows: list[Row], at: int, cursor: Cursor) -> list[Row] | None:
    row = rows[at]
    before, after = rows[:at], rows[at + 1 :]
    match intent:
        case CompleteTodo():
            return [*before, replace(row, status="completed", reason=""), *after]
        case BlockTodo(reason=reason) if reason.strip():
            return [*before, replace(row, status="blocked", reason=reason.strip()), *after]
        case ReopenTodo():
            return (
                rows if row.open else [*before, replace(row, status="pending", reason=""), *after]
            )
        case StartTodo() if cursor != "none":
            paused = [
                replace(r, status="pending") if r.status == "in_progress" else r for r in rows
            ]
            paused[at] = replace(row, status="in_progress", reason="")
            return paused
        case EditTodo(text=text) if text.strip():
            return [*before, replace(row, text=text.strip()), *after]
        case MoveTodo(by=by):
            others = [*before, *after]
            others.insert(max(0, at + by), row)
            return others
        case DeleteTodo():
            return [*before, *after]
        case _:
            return None


class Hand:
    """What a person did to the list, kept apart from the program's own memory of it."""

    def __init__(self, *, keeps_cursor: bool) -> None:
        self.keeps_cursor = keeps_cursor
        self.held: dict[str, str] = {}
        self.added: set[str] = set()
        self.deleted: set[str] = set()
        self.seen([], "")

    def seen(self, rows: list[Row], goal: str) -> None:
        """The model is asked: its view is the list as it is."""
        self.untouched = True
        self.origin: dict[str, Row] = {}
        self.order = [row.uid for row in rows]
        self.started: str | None = None
        self.goal = goal

    def edited(self, intent: TodoIntent, before: list[Row], after: list[Row]) -> None:
        self.untouched = False
        was = {row.uid: row for row in before}
        now = {row.uid: row for row in after}
        if isinstance(intent, AddTodo):
            self.added |= now.keys() - was.keys()
        gone = was.keys() - now.keys()
        self.deleted |= gone
        self.added -= gone
        for uid in gone:
            self.held.pop(uid, None)
            self.origin.pop(uid, None)
        for uid in was.keys() & now.keys():
            if was[uid].state != now[uid].state:
                self.held.pop(uid, None)
                if now[uid].status == "blocked":
                    self.held[uid] = now[uid].reason
            if (was[uid].text, was[uid].state) != (now[uid].text, now[uid].state):
                self.origin.setdefault(uid, was[uid])
        if isinstance(intent, StartTodo):
            self.started = intent.uid

    def check(self, before: list[Row], after: list[Row], goal: str, goal_after: str) -> None:
        """After a call of the model's, all that the person set is as the person set it."""
        was = {row.uid: row for row in before}
        now = {row.uid: row for row in after}
        for uid, reason in self.held.items():
            assert now[uid].state == ("blocked", reason)
        assert self.added <= now.keys()
        if goal != self.goal:
            assert goal_after == goal
        else:
            self.goal = goal_after
        first_open = next((row.uid for row in before if row.open), None)
        if self.keeps_cursor and self.started == first_open:
            # A start that the cursor could have come to by itself is not known for the person's.
            self.started = None
        for uid, origin in list(self.origin.items()):
            self._check_item(uid, origin, was[uid], now.get(uid))
        self._check_order(list(was), list(now))

    def _check_item(self, uid: str, origin: Row, was: Row, now: Row | None) -> None:
        reworded = was.text != origin.text
        moved_cursor = was.state != origin.state and was.open and origin.open
        decided = was.state != origin.state and not moved_cursor
        started = moved_cursor and uid == self.started and was.status == "in_progress"
        if now is None:
            assert not any((reworded, decided, started))
            del self.origin[uid]
            return
        if reworded:
            assert now.text == was.text
        if decided:
            assert now.open if was.open else now.state == was.state
        if started:
            assert now.status == "in_progress" or not now.open
        # What the person left alone follows the model.
        text = origin.text if reworded else now.text
        state = origin if decided or (moved_cursor and now.open) else now
        self.origin[uid] = replace(origin, text=text, status=state.status, reason=state.reason)

    def _check_order(self, was: list[str], now: list[str]) -> None:
        both = [uid for uid in was if uid in self.order]
        if both != [uid for uid in self.order if uid in was]:
            stayed = [uid for uid in was if uid in now]
            assert stayed == [uid for uid in now if uid in was]
        else:
            self.order = now
