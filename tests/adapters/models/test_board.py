"""What a rehearsal knows of the checklist, in every dialect, from what it was shown."""

from typing import Any

import pytest
from stage import Stage

from longwatch.adapters.models.rehearsal.board import Shown, board_of, id_of
from longwatch.session.events import ToolCall
from longwatch.session.intents import AddTodo, BlockTodo
from longwatch.session.transcript import (
    AssistantText,
    Message,
    ToolResult,
    UserText,
    transcribe,
)

DIALECTS = ["longwatch", "parley", "loki", "todowrite", "cubepi"]


def made(dialect: str) -> Stage:
    stage = Stage(dialect, auto_continue=True)
    stage.say("Do it.\n[ ] #9: this is no list\n[77] nor is this")
    stage.plan("First thing", "Second thing", "Third thing")
    return stage


def board(stage: Stage) -> tuple[Shown, ...]:
    return board_of(transcribe(stage.log.events).messages)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_new_list_is_known(dialect: str) -> None:
    shown = board(made(dialect))
    assert [item.text for item in shown] == ["First thing", "Second thing", "Third thing"]
    assert all(item.is_open for item in shown)
    items = made(dialect).log.state.checklist.items
    known = [str(item.id) if dialect != "cubepi" else "None" for item in items]
    assert [str(id_of(shown, item.text)) for item in shown] == known
    assert id_of(shown, "nothing") is None


@pytest.mark.parametrize("dialect", ["longwatch", "parley", "loki"])
def test_what_is_done_is_known(dialect: str) -> None:
    stage = made(dialect)
    first = id_of(board(stage), "First thing")
    call: dict[str, tuple[str, dict[str, Any]]] = {
        "longwatch": ("todo_done", {"id": first}),
        "parley": ("todo_update", {"id": first, "status": "done"}),
        "loki": ("todo__done", {"id": str(first)}),
    }
    stage.reply("", call[dialect])
    assert [item.is_open for item in board(stage)] == [False, True, True]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_continuation_shows_the_list(dialect: str) -> None:
    """Also what a person added and blocked meanwhile."""
    stage = made(dialect)
    stage.edit(AddTodo(text="Theirs", after=None))
    uid = stage.log.state.checklist.items[1].uid
    stage.edit(BlockTodo(uid=uid, reason="not now"))
    stage.set(finalization_corrections=0)
    stage.reply("I stop.")
    assert "continuation" in stage.sources()
    shown = {item.text: item for item in board(stage)}
    assert shown["Theirs"].is_open
    assert (shown["Second thing"].state, shown["Second thing"].reason) == ("blocked", "not now")


def test_blocked_items_and_their_reasons() -> None:
    stage = made("parley")
    id_ = id_of(board(stage), "Second thing")
    stage.reply("", ("todo_update", {"id": id_, "status": "blocked", "reason": "a (b)"}))
    assert board(stage)[1] == Shown(id_, "Second thing", "blocked", "a (b)")
    stage.reply("", ("todo_list", {}))
    assert board(stage)[1] == Shown(id_, "Second thing", "blocked", "a (b)")


def test_an_emptied_list_is_empty() -> None:
    stage = made("loki")
    stage.reply("", ("todo__clear", {}))
    assert board(stage) == ()
    stage = made("todowrite")
    stage.reply("", ("todo", {"items": []}))
    assert board(stage) == ()


def test_refused_calls_and_other_tools_show_nothing() -> None:
    call = ToolCall("c", "shell", {})
    messages: list[Message] = [
        UserText("x", "human"),
        AssistantText("", (call,)),
        ToolResult("c", "shell", '{"todos": [{"content": "x"}]}', ok=True),
        ToolResult("d", "todo_done", "[ ] #1: x", ok=False),
        ToolResult("e", "todo__list", "{broken", ok=True),
        ToolResult("f", "todo__other", '{"a": 1}', ok=True),
    ]
    assert board_of(messages) == ()
