"""`longwatch todo`: the checklist from a shell, whoever works on the session."""

import asyncio
import json
from collections.abc import Sequence

import msgspec

from longwatch.checklist import Item
from longwatch.commands.choosing import chosen
from longwatch.commands.failure import CommandFailed
from longwatch.engine.asking import NotAnswered, ask
from longwatch.engine.opening import state_of
from longwatch.headless import checklist_lines
from longwatch.session import KnownEvent, SessionState, TodoIntent
from longwatch.session.events import Failure
from longwatch.session.intents import AddTodo, BlockTodo, ClearTodos, CompleteTodo, ReopenTodo
from longwatch.wiring import Wiring

ACTIONS = ("list", "add", "done", "block", "reopen", "clear")


def todo(wiring: Wiring, name: str, action: str, words: Sequence[str], *, as_json: bool) -> str:
    """Do one thing to a session's list and give it back as it is then."""
    session = chosen(wiring.store, name)
    if action != "list":
        intent = _intent(state_of(wiring.store, session), action, words)
        events = asyncio.run(_ask(wiring, session, intent))
        failures = [event for event in events if isinstance(event, Failure)]
        if failures:
            raise CommandFailed(failures[0].message)
    return _shown(state_of(wiring.store, session), as_json=as_json)


async def _ask(wiring: Wiring, session: str, intent: TodoIntent) -> list[KnownEvent]:
    supervisor = wiring.supervisor()
    try:
        return await ask(wiring.store, supervisor, wiring.clock, wiring.ids, session, intent)
    except NotAnswered as late:
        raise CommandFailed(
            "The process that works on this session does not answer; the change stays asked for."
        ) from late
    finally:
        await supervisor.close()
        await wiring.house.close()


def _intent(state: SessionState, action: str, words: Sequence[str]) -> TodoIntent:
    match action:
        case "add":
            return AddTodo(text=_words(words, "todo SESSION add TEXT"))
        case "done":
            return CompleteTodo(uid=_item(state, words, "todo SESSION done ITEM").uid)
        case "reopen":
            return ReopenTodo(uid=_item(state, words, "todo SESSION reopen ITEM").uid)
        case "block":
            item = _item(state, words, "todo SESSION block ITEM REASON")
            return BlockTodo(uid=item.uid, reason=" ".join(words[1:]))
        case "clear":
            return ClearTodos()
        case _:
            raise CommandFailed(f"Unknown action {action!r}; use one of: {', '.join(ACTIONS)}.")


def _words(words: Sequence[str], usage: str) -> str:
    text = " ".join(words).strip()
    if not text:
        raise CommandFailed(f"usage: longwatch {usage}")
    return text


def _item(state: SessionState, words: Sequence[str], usage: str) -> Item:
    if not words:
        raise CommandFailed(f"usage: longwatch {usage}")
    shown = words[0].removeprefix("#")
    for item in state.checklist:
        if str(item.id) == shown:
            return item
    known = ", ".join(str(item.id) for item in state.checklist) or "none"
    raise CommandFailed(f"There is no item {shown}; there are: {known}.")


def _shown(state: SessionState, *, as_json: bool) -> str:
    checklist = state.checklist
    if as_json:
        items = [msgspec.to_builtins(item.entry()) for item in checklist]
        return json.dumps({"goal": checklist.goal, "items": items}, ensure_ascii=False)
    return "\n".join(checklist_lines(checklist)[1:]) or "No todos."
