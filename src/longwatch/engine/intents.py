"""What answers an intent: the events for each, given the state as it is."""

from typing import assert_never

from msgspec import UNSET
from msgspec.structs import replace

from longwatch.checklist import person
from longwatch.discipline import Rules, edit_list
from longwatch.discipline.pause import WITH_PARENT
from longwatch.engine.conduct import Governor
from longwatch.engine.refusing import ChangeRefused
from longwatch.session import Intent, KnownEvent, SessionState, TodoIntent
from longwatch.session.events import (
    ApprovalGiven,
    Archived,
    ChildFinished,
    Failure,
    MessageSource,
    Renamed,
    StateChanged,
    UserMessage,
)
from longwatch.session.intents import (
    Answer,
    Approve,
    Archive,
    ChildEnded,
    ClearTodos,
    Compact,
    Deny,
    Fork,
    Kick,
    Letter,
    Pause,
    Rename,
    Resume,
    Say,
    SetSetting,
    Tell,
    Undo,
)

Events = tuple[KnownEvent, ...]

TODO_OFF = "The todo system is off, so there is no list to clear."
RESTARTED = "interrupted by a restart: resume to go on"
NOT_BY_A_PERSON = (WITH_PARENT, RESTARTED)
"""Why a session is paused that goes on when its parent does."""
ALREADY_EMPTY = "The todo list is already empty."

NEEDS_A_BOUNDARY = (Say, Answer, Tell, Resume, Compact)
"""Intents that wait until the turn under way is over."""
CAN_WAKE = (Say, Answer, Tell, Kick, Approve, Deny)
"""Intents whose answer may let a session run again that rests or waits."""


def could_not_wake(intent: Intent, state: SessionState, rules: Rules) -> bool:
    """Whether a letter is left lying until something else wakes the session.

    So an activation ends with the state that it comes to, and a question stays the last word.
    """
    match intent:
        case Tell():
            return state.state == "awaiting_human"
        case ChildEnded():
            used_up = state.activation.wakes >= rules.loop.max_auto_continues
            closed = ("awaiting_human", "paused", "failed")
            return state.state in closed or (used_up and state.state in ("idle", "dormant"))
        case _:
            return False


def answer(
    intent: Intent, state: SessionState, rules: Rules, governor: Governor, store_id: int
) -> Events:
    """The events that answer an intent, each carrying its id."""
    if isinstance(intent, TodoIntent):
        return _edit(intent, state, rules, store_id)
    if isinstance(intent, Letter):
        return _heard(intent, state)
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
            return changed(intent, state, governor)
        case Rename(title=title):
            if not title.strip():
                return refused(intent, "A session needs a title.")
            return (Renamed(title=title.strip(), intent=intent.id),)
        case Archive():
            return (Archived(intent=intent.id),)
        case Pause() | Compact() | Fork() | Undo():
            return refused(intent, "This cannot be done now.")
        case _:
            assert_never(intent)


def refused(intent: Intent, message: str) -> Events:
    """An answer that says why not."""
    return (Failure(kind="refused", message=message, intent=intent.id),)


def _heard(letter: Letter, state: SessionState) -> Events:
    """What another session or the clock has to say. None of it can approve or set anything."""
    match letter:
        case Tell():
            return (
                UserMessage(
                    text=letter.text,
                    source="peer",
                    sender=letter.sender,
                    name=letter.name or UNSET,
                    expects_reply=letter.expects_reply,
                    intent=letter.id,
                ),
            )
        case ChildEnded():
            return (
                ChildFinished(
                    child=letter.child,
                    title=letter.title,
                    outcome=letter.outcome,
                    text=letter.text,
                    tokens=letter.tokens,
                    cost=letter.cost,
                    intent=letter.id,
                ),
            )
        case Kick():
            if state.state not in ("dormant", "idle") or state.profile.archived:
                return ()
            return (UserMessage(text=letter.text, source="cron", intent=letter.id),)
        case _:
            assert_never(letter)


def _edit(intent: TodoIntent, state: SessionState, rules: Rules, store_id: int) -> Events:
    if isinstance(intent, ClearTodos) and not rules.todo_on:
        return refused(intent, TODO_OFF)
    if isinstance(intent, ClearTodos) and person.clear(state.checklist) == state.checklist:
        return (Failure(kind="nothing_changed", message=ALREADY_EMPTY, intent=intent.id),)
    return edit_list(state, rules, intent, store_id)


def _approval(intent: Approve | Deny, state: SessionState) -> Events:
    if intent.call not in state.approvals.waiting:
        return refused(intent, "This question was already answered, or is no longer asked.")
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
    if intent.parent and not (state.state == "paused" and state.reason in NOT_BY_A_PERSON):
        return ()
    match state.state:
        case "paused" | "idle" | "dormant" | "failed":
            return (StateChanged(state="running", reason="resumed", intent=intent.id),)
        case "running" | "waiting":
            return refused(intent, "It is running already.")
        case "awaiting_approval" | "awaiting_human" | "awaiting_peer":
            return refused(intent, f"It waits: {state.reason}")
        case _:
            assert_never(state.state)


def changed(intent: SetSetting, state: SessionState, governor: Governor) -> Events:
    """Another setting, agent or role; needs no rules, so it can mend a session that has none."""
    try:
        event = governor.change(state, intent)
    except ChangeRefused as problem:
        return refused(intent, str(problem))
    return (replace(event, intent=intent.id),)
