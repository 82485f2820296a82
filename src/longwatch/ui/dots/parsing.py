"""From what was typed to a command and its words, or to what is wrong with it."""

import re

import msgspec

from longwatch.session.intents import ClearTodos, Compact, Fork, Intent, Resume, SetSetting, Undo
from longwatch.ui.complaint import nearest
from longwatch.ui.dots.table import BY_NAME, COMMANDS, DotCommand, Parameter

_COMMAND = re.compile(r"[./](?:([a-z][a-z-]*)(?=\s|$)|$)")
"""A dot or slash and a word. A path, a file's name with an ending or `.NET` is a message."""

INTENTS: dict[str, Intent] = {
    "clear": ClearTodos(),
    "compact": Compact(),
    "fork": Fork(),
    "retry": Undo(retry=True),
    "undo": Undo(),
    "continue": Resume(),
}
"""The commands that are one wish of the session and nothing else."""


def switch(command: str, word: str) -> SetSetting:
    """The wish of `.agent NAME`, `.role NAME`, `.exit agent` and `.exit role`."""
    return (
        SetSetting(key=word, value=None)
        if command == "exit"
        else SetSetting(key=command, value=word)
    )


class NotUnderstood(Exception):
    """What was typed is no command as it stands; the message says how it is written."""


class Dot(msgspec.Struct, frozen=True):
    """A command with its words, as many as it has parameters at most."""

    command: DotCommand
    words: tuple[str, ...] = ()

    @property
    def word(self) -> str | None:
        """The first word, where there is one."""
        return self.words[0] if self.words else None


def is_dot(text: str) -> bool:
    """Whether a text is meant as a command. With a space in front it never is."""
    return _COMMAND.match(text) is not None


def parse(text: str) -> Dot:
    """Raises NotUnderstood."""
    found = _COMMAND.match(text)
    name = found[1] or "" if found else ""
    command = BY_NAME.get(name)
    if command is None:
        raise NotUnderstood(_unknown(name))
    words = _words(text[len(name) + 1 :], len(command.parameters))
    if not command.least <= len(words) <= len(command.parameters):
        raise NotUnderstood(f"usage: {command.usage}")
    for parameter, word in zip(command.parameters, words, strict=False):
        _check(command, parameter, word)
    return Dot(command, words)


def help_lines(name: str | None = None) -> list[str]:
    """All commands as a table, or one of them; raises NotUnderstood."""
    chosen = BY_NAME.get((name or "").lstrip("./"))
    if name is not None and chosen is None:
        raise NotUnderstood(_unknown(name.lstrip("./")))
    shown = COMMANDS if chosen is None else (chosen,)
    width = max(len(command.usage) for command in COMMANDS if len(command.usage) <= WIDEST)
    lines: list[str] = []
    for command in shown:
        usage, said = command.usage, command.sentence
        if len(usage) > width:
            lines += [usage, f"{'':{width}}  {said}"]
        else:
            lines.append(f"{usage:{width}}  {said}")
    return lines


WIDEST = 28
"""Cells of a usage that has its sentence beside it."""


def _words(rest: str, most: int) -> tuple[str, ...]:
    """The last parameter takes all that is left, with its line breaks."""
    rest = rest.strip()
    if not rest or not most:
        return (rest,) if rest else ()
    return tuple(rest.split(maxsplit=most - 1))


def _check(command: DotCommand, parameter: Parameter, word: str) -> None:
    if parameter.options and word not in parameter.options:
        near = nearest(word, parameter.options)
        hint = f"; did you mean '{near}'?" if near else ""
        raise NotUnderstood(f"usage: {command.usage}{hint}")
    if parameter.kind == "number" and not (word.isascii() and word.isdecimal()):
        raise NotUnderstood(f"usage: {command.usage}, with a number")


def _unknown(name: str) -> str:
    near = nearest(name, BY_NAME)
    hint = f"did you mean '.{near}'?" if near else ".help lists them"
    return f"Unknown command '.{name}'; {hint} A space in front sends it as a message."
