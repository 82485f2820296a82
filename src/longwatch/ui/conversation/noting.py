"""The one quiet line, or none, of an event that is neither talk nor tool."""

import json

from longwatch.session import AnyEvent, UnknownEvent
from longwatch.session.events import (
    AgentChanged,
    Archived,
    ChecklistChanged,
    ChildFinished,
    ChildStarted,
    Compacted,
    Failure,
    MessageSent,
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


def noted(event: AnyEvent) -> list[Block]:  # noqa: C901, PLR0912 - one case for each
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
            return [Divider(key=key, text=_forgotten(event), more=event.summary)]
        case ChecklistChanged(by="human" | "system"):
            return [_note(key, "☑", _edited(event))]
        case SettingsChanged():
            who = "" if event.by == "human" else f" (by the {event.by})"
            return [_note(key, "⚙", f"{event.key} = {_value(event.value)}{who}")]
        case AgentChanged():
            return [_note(key, "⚙", f"agent: {event.name or 'none'}")]
        case RoleChanged():
            return [_note(key, "⚙", f"role: {event.name or 'none'}")]
        case ChildStarted():
            return [_note(key, "⇄", "child started", "plain", event.title)]
        case ChildFinished():
            return [
                _note(
                    key, "⇄", f"child ended: {event.title or event.child}", "plain", event.outcome
                )
            ]
        case MessageSent():
            asks = ", a reply is expected" if event.expects_reply else ""
            return [_note(key, "⇄", f"to {event.to}{asks}", "plain", event.text)]
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


def _forgotten(event: Compacted) -> str:
    """How much smaller it is, and what of the above the model no longer reads."""
    size = f"compacted: {tokens(event.before)} → {tokens(event.after)} tokens"
    kept = event.keeps if isinstance(event.keeps, int) else 0
    but = f", all but the last {kept} messages" if kept else ""
    return f"{size} · summed up for the model{but}"


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
