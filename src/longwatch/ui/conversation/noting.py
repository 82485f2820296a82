"""The one quiet line, or none, of an event that is neither talk nor tool."""

import json
from typing import assert_never

from longwatch.session import AnyEvent, UnknownEvent
from longwatch.session.events import (
    AgentChanged,
    Archived,
    ChecklistChanged,
    ChildFinished,
    Compacted,
    Failure,
    ProviderFault,
    Renamed,
    Retrying,
    Rewound,
    RoleChanged,
    SessionStarted,
    SettingsChanged,
    StateChanged,
)
from longwatch.ui.conversation.blocks import SUBS, Block, Divider, Note, Tone
from longwatch.ui.words import STATE_MARKS, one_line, standing, tokens

LONG = 100
"""A message beyond this is folded to its first line."""


def noted(event: AnyEvent) -> list[Block]:  # noqa: C901 - one case for each
    """The status lines of an event."""
    key = event.seq * SUBS
    match event:
        case SessionStarted():
            # The pane's title is the session's.
            parts = (event.model, event.dialect, event.cwd)
            return [_note(key, "●", " · ".join(part for part in parts if part))]
        case StateChanged():
            return _parked(key, event)
        case Retrying():
            words = f"retry {event.attempt}/{event.max} in {event.seconds:.0f} s"
            return [_note(key, "…", words, "notice", event.reason)]
        case ProviderFault():
            told = not event.status or str(event.status) in event.message
            kind = event.kind.replace("_", " ") + ("" if told else f" {event.status}")
            return [_note(key, "!", kind, "bad", event.message)]
        case Failure():
            return [_note(key, "!", event.kind.replace("_", " "), "bad", event.message)]
        case Compacted():
            return [_forgotten(key, event)]
        case ChecklistChanged(by="human" | "system"):
            return [_note(key, "☑", _edited(event))]
        case SettingsChanged() | AgentChanged() | RoleChanged():
            return [_note(key, "⚙", _set_up(event))]
        case ChildFinished():
            return [_ended(key, event)]
        case Renamed():
            return [_note(key, "✎", f"renamed: {event.title}")]
        case Archived():
            return [_note(key, "▣", "archived")]
        case Rewound():
            return [_undone(key, event)]
        case UnknownEvent():
            raw = bytes(event.raw).decode(errors="replace")
            return [Note(key=key, mark="·", text=f"unknown event: {event.type}", more=raw)]
        case _:
            # Among them a child that starts and a message to another session: the call says it.
            return []


def _note(key: int, mark: str, text: str, tone: Tone = "quiet", message: str = "") -> Note:
    """A line; a message that one line cannot hold is folded into it."""
    if not message.strip():
        return Note(key=key, mark=mark, text=text, tone=tone)
    first = one_line(message)
    whole = len(first) <= LONG and first == message.strip()
    return Note(
        key=key,
        mark=mark,
        text=f"{text}: {first}",
        tone=tone,
        more="" if whole else message,
    )


def _set_up(event: SettingsChanged | AgentChanged | RoleChanged) -> str:
    match event:
        case SettingsChanged():
            who = "" if event.by == "human" else f" (by the {event.by})"
            return f"{event.key} = {_value(event.value)}{who}"
        case AgentChanged():
            return f"agent: {event.name or 'none'}"
        case RoleChanged():
            return f"role: {event.name or 'none'}"
        case _:
            assert_never(event)


def _ended(key: int, event: ChildFinished) -> Note:
    """How a child ended; opened, what it said last."""
    title = one_line(event.title) or event.child
    said = event.text if isinstance(event.text, str) else ""
    words = f"child ended · {one_line(event.outcome)} · {title}"
    return Note(key=key, mark="⇄", text=words, tone="plain", more=said)


def _parked(key: int, event: StateChanged) -> list[Block]:
    mark = STATE_MARKS[event.state]
    match event.state:
        case "running":
            return [_note(key, mark, event.reason)] if event.reason else []
        case "failed":
            # All of it: its end may say what to do.
            return [
                _note(key, mark, standing(event.state, event.reason), "bad"),
                _note(key + 1, "", "all until here is kept: resume or write to go on"),
            ]
        case "dormant":
            tone: Tone = "good" if event.reason in ("", "done") else "notice"
            return [_note(key, mark, standing(event.state, event.reason), tone)]
        case "waiting":
            return [_note(key, mark, standing(event.state, event.reason))]
        case "idle" | "paused" | "awaiting_approval" | "awaiting_human" | "awaiting_peer":
            return [_note(key, mark, standing(event.state, event.reason), "notice")]


def _forgotten(key: int, event: Compacted) -> Divider:
    """How much smaller it is; opened, what the model reads in place of what."""
    size = f"compacted: {tokens(event.before)} → {tokens(event.after)} tokens"
    kept = event.keeps if isinstance(event.keeps, int) else 0
    last = "" if kept == 1 else f"{kept} "
    but = f" but the last {last}message{'s' * (kept > 1)}" if kept else ""
    return Divider(
        key=key,
        text=f"{size} · the model reads a summary",
        more=f"In place of all above{but} the model reads:\n\n{event.summary}",
    )


def _undone(key: int, event: Rewound) -> Note:
    words = "undone: the model no longer knows of the turn above"
    if not isinstance(event.files, tuple) or not event.files:
        return _note(key, "↶", words, "notice")
    stay = f"{words}. Files stay as they are now: {', '.join(event.files)}"
    return _note(key, "↶", "undone", "notice", stay.removeprefix("undone: "))


def _edited(event: ChecklistChanged) -> str:
    who = "you changed the list" if event.by == "human" else "the list changed"
    action = event.action.removeprefix("todo_").replace("_", " ")
    return f"{who}: {action} · {event.done}/{event.total}"


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
