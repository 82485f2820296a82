"""A session's events as text that a person likes to read, or as the JSON lines they are."""

from collections.abc import Callable, Mapping
from typing import Protocol

from longwatch.checklist import Checklist, Entry, Item
from longwatch.checklist.model import MARKS
from longwatch.engine.visible import printable
from longwatch.session import KnownEvent, SessionState
from longwatch.session.events import (
    ApprovalGiven,
    ApprovalRequested,
    Arguments,
    AssistantMessage,
    AutoContinuing,
    ChecklistChanged,
    ChecklistRefused,
    ChildFinished,
    ChildStarted,
    Compacted,
    Failure,
    Injected,
    MessageSent,
    ProviderFault,
    Retrying,
    SessionStarted,
    SettingsChanged,
    StateChanged,
    ToolFinished,
    ToolStarted,
    UserMessage,
)

STATE_MARKS = {
    "running": "▶",
    "waiting": "⏳",
    "awaiting_approval": "?",
    "awaiting_human": "?",
    "awaiting_peer": "⇄",
    "paused": "‖",
    "idle": "◐",
    "dormant": "○",
    "failed": "✗",
}
LONGEST_LINE = 4_096
"""Characters of a line that are shown."""


class Out(Protocol):
    def write(self, text: str, /) -> object: ...
    def flush(self) -> None: ...


class JsonLines:
    """Each event as it is kept, one a line."""

    def __init__(self, out: Callable[[bytes], object]) -> None:
        self._out = out

    def event(self, event: KnownEvent, body: bytes) -> None:
        del event
        self._out(body + b"\n")


class Narration:
    """The conversation, the status lines and the list, in the order they happen."""

    def __init__(self, out: Out, *, quiet: bool = False) -> None:
        self._out = out
        self._quiet = quiet
        self._tools: dict[str, tuple[str, str]] = {}
        self._told: set[str] = set()
        self._streamed = False

    def delta(self, text: str) -> None:
        """Text of the open reply, as it comes."""
        if not self._quiet:
            self._streamed = True
            self._out.write(printable(text))
            self._out.flush()

    def event(self, event: KnownEvent, body: bytes) -> None:
        del body
        if self._streamed and not isinstance(event, ProviderFault):
            self._end_stream()
            if isinstance(event, AssistantMessage):
                return
        for line in self._lines(event):
            self._say(line)

    def closing(self, state: SessionState, asking: Mapping[str, str] | None = None) -> None:
        """The final checklist, what subagents ask, and why it stopped."""
        for line in checklist_lines(state.checklist):
            self._out.write(line + "\n")
        for title, question in (asking or {}).items():
            self._out.write(_line(f"? subagent {title} asks: {question}") + "\n")
        reason = f": {state.reason}" if state.reason else ""
        self._out.write(_line(f"{STATE_MARKS[state.state]} {state.state}{reason}") + "\n")
        self._out.flush()

    def _end_stream(self) -> None:
        self._streamed = False
        self._out.write("\n")

    def _say(self, line: str) -> None:
        if not self._quiet:
            self._out.write(_line(line) + "\n")
            self._out.flush()

    def _lines(self, event: KnownEvent) -> list[str]:  # noqa: C901, PLR0912 - one case for each
        match event:
            case SessionStarted():
                return [f"● {event.title} · {event.dialect} · {event.model} · {event.cwd}"]
            case UserMessage():
                return ["", *_spoken(event), ""]
            case ChildStarted():
                return [f"⇄ subagent started: {event.title} ({event.child})"]
            case ChildFinished():
                return [f"⇄ subagent ended: {event.title} ({event.child}): {event.outcome}"]
            case MessageSent():
                return [f"⇄ to {event.to}: {first_line(event.text)}"]
            case AssistantMessage(text=text) if text:
                cut = ["  (cut off)"] if event.partial else []
                return [*text.splitlines(), *cut]
            case ToolStarted(kind="tool"):
                self._tools[event.call] = (event.name, _subject(event.arguments))
                return []
            case ToolFinished():
                return self._finished(event)
            case ChecklistChanged():
                return [f"  {_progress(event)}"]
            case ChecklistRefused():
                self._told.add(event.call)
                return [f"  ✗ refused ({event.rule}): {first_line(event.message)}"]
            case AutoContinuing():
                return [f"⟳ {event.text}"]
            case Injected(source=source) if source != "continuation":
                return [f"⟳ told the model: {source.replace('_', ' ')}"]
            case ApprovalRequested():
                return ["  ? needs approval:", *(f"    {q}" for q in event.question.splitlines())]
            case ApprovalGiven():
                return [f"  {'✓ allowed' if event.answer == 'allow' else '✗ denied'} by {event.by}"]
            case Retrying():
                return [f"… retry {event.attempt}/{event.max} in {event.seconds:.0f} s"]
            case ProviderFault():
                return [f"! {event.kind}: {event.message}"]
            case StateChanged(state="running" | "dormant" | "idle" | "failed" | "paused"):
                return []
            case StateChanged():
                return [f"{STATE_MARKS[event.state]} {event.reason}"]
            case Compacted():
                return [f"― compacted: {event.before} → {event.after} tokens"]
            case SettingsChanged():
                return [f"  {event.key} = {event.value}"]
            case Failure():
                return [f"! {event.message}"]
            case _:
                return []

    def _finished(self, event: ToolFinished) -> list[str]:
        name, subject = self._tools.pop(event.call, ("", ""))
        if not name:
            told = event.ok or event.call in self._told
            return [] if told else [f"  ✗ {first_line(event.output)}"]
        mark = "✓" if event.ok else "✗"
        result = "" if event.ok else f"  {first_line(event.output)}"
        return [f"  {mark} {name} {subject}{result}  {event.seconds:.1f}s"]


def _spoken(event: UserMessage) -> list[str]:
    """What was said, and by whom if it was not the person."""
    lines = [f"❯ {line}" for line in event.text.splitlines()]
    match event.source:
        case "peer":
            return [f"⇄ from {event.name or event.sender or 'another session'}:", *lines]
        case "cron":
            return ["◷ scheduled:", *lines]
        case _:
            return lines


def _subject(arguments: Arguments) -> str:
    """What a call is about, in one line."""
    if isinstance(arguments, str):
        return first_line(arguments)
    for name in ("command", "path", "pattern", "question", "task", "text"):
        if isinstance(arguments.get(name), str):
            return first_line(arguments[name])
    return ""


def first_line(text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= 120 else line[:119] + "…"


def _line(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= LONGEST_LINE else shown[:LONGEST_LINE] + "…"


def _progress(event: ChecklistChanged) -> str:
    current = next((item for item in event.items if item.status == "in_progress"), None)
    now = f" ▸ {current.text}" if current else ""
    return f"[{event.done}/{event.total}]{now}"


def item_line(item: Entry) -> str:
    reason = f" (blocked: {item.reason})" if item.status == "blocked" else ""
    return _line(f"{MARKS[item.status]} {item.id} {item.text}{reason}")


def checklist_lines(checklist: Checklist) -> list[str]:
    """The list as a person reads it; empty for an empty one."""
    items: tuple[Item, ...] = checklist.items
    if not items:
        return []
    goal = [_line(f"Goal: {checklist.goal}")] if checklist.goal else []
    counts = f"({checklist.done_count}/{len(items)} completed"
    counts += f", {len(checklist.blocked)} blocked)" if checklist.blocked else ")"
    return ["", *goal, *map(item_line, items), counts]
