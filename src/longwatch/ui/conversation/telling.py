"""A tool call in words: what it is about, what came of it, and the whole of it."""

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from longwatch.discipline.texts import PAUSED, PAUSED_MEANWHILE
from longwatch.ui.conversation.blocks import Tone, Tool
from longwatch.ui.conversation.diffs import counts, difference, looks_like_diff
from longwatch.ui.words import STATE_MARKS, one_line, subject

Kind = Literal["plain", "label", "diff", "command"]
_EXIT = re.compile(r"^\[(exit code \d+|ended [^\]]{0,60})", re.MULTILINE)
_SENT = re.compile(r'^Sent to \S+ "(.*)"\.')
AT_ONCE = frozenset({"ask_user", "send_message", "spawn_agent"})
"""What they do takes no time, and shows elsewhere."""
CUT_OFF = {PAUSED: "not run: paused", PAUSED_MEANWHILE: "paused, its outcome is unknown"}
"""By what the model reads of it: a call that a person's pause stopped."""
_RULED = re.compile(r"^[=\-_*#\s]+|[=\-_*#\s]+$")


class Told(msgspec.Struct, frozen=True):
    """The one line of a call."""

    mark: str
    name: str
    subject: str
    result: str
    seconds: str
    tone: Tone


class Section(msgspec.Struct, frozen=True):
    """A part of what shows when a call is opened."""

    kind: Kind
    text: str


def headline(tool: Tool) -> Told:
    """What a person sees of a call without opening it."""
    mark, tone = _mark(tool)
    return Told(
        mark=mark,
        name=short_name(tool),
        subject=_subject(tool),
        result=_result(tool),
        seconds=f"{tool.seconds:.1f}s" if _takes_time(tool) else "",
        tone=tone,
    )


def sections(tool: Tool) -> list[Section]:
    """Arguments, the question that was asked, the output."""
    found: list[Section] = []
    if tool.answer:
        found.append(Section("label", tool.answer))
    found.extend(_arguments(tool))
    if tool.asked and tool.question:
        found.extend((Section("label", "asks"), _text(tool.question)))
    if tool.done and tool.output.strip():
        label = "output, shortened" if tool.truncated else "output"
        found.extend((Section("label", label), _text(tool.output)))
    return found or [Section("label", "nothing more is known of it")]


def short_name(tool: Tool) -> str:
    """The name without the part that says nothing: read for read_file."""
    name = one_line(tool.name) or "call"
    return name if tool.todo else name.removesuffix("_file").removesuffix("_files")


def _takes_time(tool: Tool) -> bool:
    return tool.done and not tool.todo and tool.name not in AT_ONCE and not _paused(tool)


def _paused(tool: Tool) -> bool:
    return tool.done and not tool.ok and tool.output in CUT_OFF


def _mark(tool: Tool) -> tuple[str, Tone]:
    if tool.asked:
        return "?", "notice"
    if not tool.done:
        return "▸", "plain"
    if _paused(tool):
        return STATE_MARKS["paused"], "quiet"
    if not tool.ok:
        return "✗", "bad"
    return ("☑", "quiet") if tool.todo else ("✓", "good")


def _subject(tool: Tool) -> str:
    arguments = tool.arguments
    if tool.todo and isinstance(arguments, dict):
        return _todo_subject(arguments)
    about = subject(arguments)
    if about or isinstance(arguments, str):
        return about
    return one_line(_json(arguments)) if arguments else ""


def _todo_subject(arguments: Mapping[str, Any]) -> str:
    for name in ("id", "goal", "text", "task"):
        if name in arguments and isinstance(arguments[name], str | int):
            reason = arguments.get("reason")
            more = f": {reason}" if isinstance(reason, str) and reason.strip() else ""
            return one_line(f"{arguments[name]}{more}")
    for name in ("items", "todos"):
        if isinstance(arguments.get(name), list):
            return f"{len(arguments[name])} items"
    return ""


def _result(tool: Tool) -> str:
    if tool.asked:
        return "needs your approval"
    if tool.rule:
        return f"refused ({tool.rule}): {one_line(tool.output).removeprefix('Error: ')}"
    if tool.denied:
        return tool.answer
    if not tool.done:
        return _size(tool)
    if _paused(tool):
        return CUT_OFF[tool.output]
    if not tool.ok:
        found = _EXIT.search(tool.output)
        words = (found.group(1) if found else one_line(tool.output)).replace("exit code", "exit")
    elif tool.todo:
        words = ""
    else:
        words = _fine(tool)
    allowed = tool.answer if "you" in tool.answer else ""
    return " · ".join(part for part in (words, allowed) if part)


def _fine(tool: Tool) -> str:
    """What came of a call that went well."""
    lines = tool.output.count("\n") + 1 if tool.output.strip() else 0
    match tool.name:
        case "write_file" | "edit_file":
            return _size(tool)
        case "read_file" | "spawn_agent" | "ask_user":
            return ""
        case "send_message":
            return _addressee(tool)
        case "list_files" | "search":
            return f"{lines} {'line' if lines == 1 else 'lines'}"
        case "shell":
            # A command says how it went at the end.
            last = tool.output.rstrip()[-400:].rsplit("\n", 1)[-1]
            return one_line(_RULED.sub("", last))
        case _:
            return one_line(tool.output)


def _addressee(tool: Tool) -> str:
    found = _SENT.match(tool.output)
    if found is None:
        return one_line(tool.output)
    owed = isinstance(tool.arguments, dict) and tool.arguments.get("expects_reply") is True
    return f"to {one_line(found[1]).rstrip('.')}{', a reply is owed' if owed else ''}"


def _size(tool: Tool) -> str:
    """How many lines an edit adds and takes away."""
    diff = _edit(tool)
    if diff is None:
        return ""
    added, removed = counts(diff)
    return f"+{added} −{removed}"


def _edit(tool: Tool) -> list[str] | None:
    arguments = tool.arguments
    if not isinstance(arguments, dict):
        return None
    old, new, content = (arguments.get(name) for name in ("old", "new", "content"))
    if tool.name == "edit_file" and isinstance(old, str) and isinstance(new, str):
        return difference(old, new)
    if tool.name == "write_file" and isinstance(content, str):
        return difference("", content)
    return None


def _arguments(tool: Tool) -> list[Section]:
    arguments = tool.arguments
    if isinstance(arguments, str):
        return [Section("plain", arguments)] if arguments.strip() else []
    rest = dict(arguments)
    found: list[Section] = []
    diff = _edit(tool)
    if diff is not None:
        for name in ("old", "new", "content"):
            rest.pop(name, None)
        found.append(Section("diff", "\n".join(diff)))
    command = rest.pop("command", None)
    if isinstance(command, str):
        found.append(Section("command", command))
    elif command is not None:
        rest["command"] = command
    named = [f"{name}: {_shown(value)}" for name, value in rest.items()]
    return [*([Section("plain", "\n".join(named))] if named else []), *found]


def _shown(value: object) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _text(text: str) -> Section:
    return Section("diff" if looks_like_diff(text) else "plain", text)
