"""The checklist as a rehearsal can know it: from what the tools and the program showed of it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from longwatch.session.events import ToolCall
from longwatch.session.transcript import AssistantText, Message, ToolResult

State = Literal["open", "current", "done", "blocked"]

MARKS: Mapping[str, State] = {" ": "open", ">": "current", "x": "done", "!": "blocked"}
SPOKEN = {"human", "peer", "cron", "answer"}
"""Whose words are not the program's."""

_MARKED = re.compile(r"^\[([ >x!])\] #(\S+): (.*)$", re.MULTILINE)
_LISTED = re.compile(r"^\[(\d+)\] (.*) \((open|done|blocked: .*)\)$", re.MULTILINE)
_BRACKETED = re.compile(r"^ *\[(\d+)\] (.*)$", re.MULTILINE)
_TICKED = re.compile(r"^  ([✓○]) (\d+)\. (.*)$", re.MULTILINE)
_JSON_LIST = re.compile(r'^\{.*"todos":.*\}$', re.MULTILINE)
_BLOCKED = re.compile(r" \(blocked: (.*)\)$")


class Shown(msgspec.Struct, frozen=True):
    """An item as it was last shown. ``id`` is None where a dialect shows none."""

    id: int | str | None
    text: str
    state: State
    reason: str = ""

    @property
    def is_open(self) -> bool:
        return self.state in ("open", "current")


Board = tuple[Shown, ...]


def board_of(messages: Sequence[Message]) -> Board:
    """The list after all that the messages show of it."""
    board: Board = ()
    calls: dict[str, ToolCall] = {}
    for message in messages:
        match message:
            case AssistantText():
                calls.update({call.id: call for call in message.calls})
            case ToolResult():
                board = _after_result(board, message, calls.get(message.call))
            case _ if message.source not in SPOKEN:
                board = _after_text(board, message.text)
            case _:
                pass
    return board


def id_of(board: Board, text: str) -> int | str | None:
    """How the model names the item of that text, the newest if there are several."""
    return next((item.id for item in reversed(board) if item.text == text), None)


def _after_result(board: Board, result: ToolResult, call: ToolCall | None) -> Board:
    if not result.ok or "todo" not in result.name:
        return board
    if result.output.startswith("{"):
        return _after_json(board, result, call)
    # An update shows only its own item.
    return _after_text(() if result.name == "todo_list" else board, result.output)


def _after_text(board: Board, text: str) -> Board:
    """A text that shows the whole list replaces it; one that shows some items adds them."""
    if text == "No todos.":
        return ()
    found = _JSON_LIST.search(text)
    if found is not None:
        return _of_todos(found[0]) or board
    marked = [_item(_plain(id_), rest, MARKS[mark]) for mark, id_, rest in _MARKED.findall(text)]
    if marked:
        return tuple(marked)
    ticked = [
        _item(int(id_), rest, "done" if mark == "✓" else "open")
        for mark, id_, rest in _TICKED.findall(text)
    ]
    if ticked:
        return tuple(ticked)
    listed = [
        Shown(int(id_), rest, "blocked", how.removeprefix("blocked: "))
        if how.startswith("blocked")
        else Shown(int(id_), rest, "done" if how == "done" else "open")
        for id_, rest, how in _LISTED.findall(text)
    ]
    if listed:
        return _with(board, listed)
    return _with(board, (_item(int(id_), rest, "open") for id_, rest in _BRACKETED.findall(text)))


def _after_json(board: Board, result: ToolResult, call: ToolCall | None) -> Board:
    value = _json(result.output)
    if "todos" in value:
        return _of_todos(result.output)
    given = call.arguments if call is not None and isinstance(call.arguments, Mapping) else {}
    match result.name:
        case "todo__init" | "todo__clear":
            return ()
        case "todo__add":
            return _with(board, [_item(value.get("id"), str(given.get("task", "")), "open")])
        case "todo__done":
            done = str(given.get("id"))
            return tuple(
                msgspec.structs.replace(item, state="done") if str(item.id) == done else item
                for item in board
            )
        case _:
            return board


def _json(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, Mapping) else {}


def _of_todos(text: str) -> Board:
    todos = _json(text).get("todos")
    if not isinstance(todos, list):
        return ()
    return tuple(_of_json(todo) for todo in todos if isinstance(todo, Mapping))


def _of_json(todo: Mapping[str, Any]) -> Shown:
    text = str(todo.get("content", todo.get("desc", "")))
    if todo.get("blocked"):
        return Shown(todo.get("id"), text, "blocked", str(todo["blocked"]))
    if todo.get("done") is True or todo.get("status") == "completed":
        return Shown(todo.get("id"), text, "done")
    return Shown(todo.get("id"), text, "current" if todo.get("status") == "in_progress" else "open")


def _item(id_: Any, text: str, state: State) -> Shown:
    """An item whose line may say at its end that it is blocked."""
    held = _BLOCKED.search(text)
    if held is None:
        return Shown(id_, text, state)
    return Shown(id_, text[: held.start()], "blocked", held[1])


def _with(board: Board, items: Iterable[Shown]) -> Board:
    """The list with these items new or as they are now."""
    merged = {item.id: item for item in board}
    merged.update({item.id: item for item in items})
    return tuple(merged.values())


def _plain(id_: str) -> int | str:
    return int(id_) if id_.isdecimal() else id_
