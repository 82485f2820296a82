"""What a rehearsal does when its script is used up: work off what is open, then say so."""

from collections.abc import Callable, Mapping
from typing import Any

from longwatch.adapters.models.rehearsal.board import Board, Shown, board_of
from longwatch.adapters.models.rehearsal.playing import latest_of
from longwatch.adapters.models.rehearsal.scenario import Call, Scenario, Turn
from longwatch.engine.ports import ModelRequest
from longwatch.session.transcript import ToolResult, UserText

ENDED = (
    "This rehearsal is over: its script has no answer to that. "
    "Configure a provider to go on with a real model."
)
FINISHED = "Everything on the list is done."


def improvise(scenario: Scenario, request: ModelRequest) -> Turn:
    """One more reply after the script."""
    board = board_of(request.messages)
    latest = latest_of(request.messages)
    names = {tool.name for tool in request.tools} if request.tool_choice == "auto" else set()
    stuck = any(isinstance(m, ToolResult) and not m.ok for m in latest)
    edited = any(isinstance(m, UserText) and m.source == "human_edit" for m in latest)
    look = next((name for name in ("todo_list", "todo__list") if name in names), None)
    if edited and look is not None:
        return Turn(text="The list was changed; I read it again.", calls=(Call(name=look),))
    item = next((item for item in board if item.state == "current"), None)
    item = item or next((item for item in board if item.is_open), None)
    close = next((way for name, way in CLOSING.items() if name in names), None)
    if item is not None and close is not None and not stuck:
        return Turn(text=f"Next is what is left: {item.text}.", calls=(close(item, board),))
    if (
        any(isinstance(m, UserText) and m.source == "human" for m in latest)
        and not scenario.closing
    ):
        return Turn(text=ENDED)
    return Turn(text=_last_words(scenario, board))


def _last_words(scenario: Scenario, board: Board) -> str:
    held = [f"- {item.text}: {item.reason}" for item in board if item.state == "blocked"]
    left = [f"- {item.text}" for item in board if item.is_open]
    text = scenario.closing or (FINISHED if not left else "I cannot go on by myself.")
    if held:
        text += "\n\nWhat waits for someone else:\n" + "\n".join(held)
    if left:
        text += "\n\nStill open:\n" + "\n".join(left)
    return text


def _done_by_id(name: str, **more: Any) -> Callable[[Shown, Board], Call]:
    def close(item: Shown, board: Board) -> Call:
        del board
        return Call(name=name, arguments={"id": item.id, **more})

    return close


def _rewritten(board: Board, done: Shown, text_key: str) -> list[dict[str, Any]]:
    """The whole list with one item completed and the next one started."""
    items: list[dict[str, Any]] = []
    started = False
    for item in board:
        finished = item is done or item.state == "done"
        starts = not finished and item.is_open and not started
        started = started or starts
        status = "completed" if finished else "in_progress" if starts else "pending"
        items.append({text_key: item.text, "status": status})
    return items


def _todo(item: Shown, board: Board) -> Call:
    items = _rewritten(board, item, "text")
    for shown, written in zip(board, items, strict=True):
        written["id"] = str(shown.id)
    return Call(name="todo", arguments={"items": items})


def _write_todos(item: Shown, board: Board) -> Call:
    return Call(name="write_todos", arguments={"todos": _rewritten(board, item, "content")})


CLOSING: Mapping[str, Callable[[Shown, Board], Call]] = {
    "todo_done": _done_by_id("todo_done"),
    "todo_update": _done_by_id("todo_update", status="done"),
    "todo__done": _done_by_id("todo__done"),
    "todo": _todo,
    "write_todos": _write_todos,
}
"""How each dialect closes an item."""
