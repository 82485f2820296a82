"""What answers an intent: the events for each, given the state as it is."""

from typing import assert_never

from longwatch.discipline import Rules, edit_list
from longwatch.engine.conduct import Governor, SettingRefused
from longwatch.session import Intent, KnownEvent, SessionState, TodoIntent
from longwatch.session.events import (
    ApprovalGiven,
    Archived,
    Failure,
    MessageSource,
    Renamed,
    SettingsChanged,
    StateChanged,
    UserMessage,
)
from longwatch.session.intents import (
    Answer,
    Approve,
    Archive,
    ClearTodos,
    Compact,
    Deny,
    Fork,
    Pause,
    Rename,
    Resume,
    Say,
    SetSetting,
    Undo,
)

Events = tuple[KnownEvent, ...]

NEEDS_A_BOUNDARY = (Say, Answer, Resume, Compact, Fork, Undo)
"""Intents that wait until the turn under way is over."""
CAN_WAKE = (Say, Answer, Approve, Deny)
"""Intents whose answer may let a session run again that rests or waits."""


def answer(
    intent: Intent, state: SessionState, rules: Rules, governor: Governor, store_id: int
) -> Events:
    """The events that answer an intent, each carrying its id."""
    if isinstance(intent, TodoIntent):
        return _edit(intent, state, rules, store_id)
    match intent:
        case Say() | Answer():
            asked = isinstance(intent, Answer) or state.state == "awaiting_human"
            source: MessageSource = "answer" if asked else "human"
            return (UserMessage(text=intent.text, source=source, intent=intent.id),)
        case Approve() | Deny():
            return _approval(intent, state)
        case Resume():
            return _resume(intent, state)
        case SetSetting():
            return _setting(intent, governor)
        case Rename(title=title):
            if not title.strip():
                return _refused(intent, "A session needs a title.")
            return (Renamed(title=title.strip(), intent=intent.id),)
        case Archive():
            return (Archived(intent=intent.id),)
        case Pause() | Compact() | Fork() | Undo():
            return _refused(intent, "This cannot be done now.")
        case _:
            assert_never(intent)


def _refused(intent: Intent, message: str) -> Events:
    return (Failure(kind="refused", message=message, intent=intent.id),)


def _edit(intent: TodoIntent, state: SessionState, rules: Rules, store_id: int) -> Events:
    if isinstance(intent, ClearTodos) and not rules.todo_on:
        return _refused(intent, "The todo system is off, so there is no list to clear.")
    return edit_list(state, rules, intent, store_id)


def _approval(intent: Approve | Deny, state: SessionState) -> Events:
    if intent.call not in state.approvals.waiting:
        return _refused(intent, "This question was already answered, or is no longer asked.")
    allowed = isinstance(intent, Approve)
    return (
        ApprovalGiven(
            call=intent.call,
            answer="allow" if allowed else "deny",
            by="human",
            scope=intent.scope if isinstance(intent, Approve) else "once",
            intent=intent.id,
        ),
    )


def _resume(intent: Resume, state: SessionState) -> Events:
    match state.state:
        case "paused" | "idle" | "dormant" | "failed":
            return (StateChanged(state="running", reason="resumed", intent=intent.id),)
        case "running" | "waiting":
            return _refused(intent, "It is running already.")
        case "awaiting_approval" | "awaiting_human" | "awaiting_peer":
            return _refused(intent, f"It waits: {state.reason}")
        case _:
            assert_never(state.state)


def _setting(intent: SetSetting, governor: Governor) -> Events:
    try:
        value = governor.accept(intent.key, intent.value)
    except SettingRefused as refused:
        return _refused(intent, str(refused))
    return (SettingsChanged(key=intent.key, value=value, by="human", intent=intent.id),)
