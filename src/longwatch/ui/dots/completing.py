"""What a command that is being typed may become."""

import re
from collections.abc import Callable, Sequence

import msgspec

from longwatch.ui.dots.table import BY_NAME, COMMANDS, DotCommand, Kind


class Word(msgspec.Struct, frozen=True):
    """A word that may stand in some place, and what it means."""

    name: str
    about: str = ""


class Completion(msgspec.Struct, frozen=True):
    """The whole text after completing, the word that was completed, and what that means."""

    text: str
    word: str
    about: str = ""


Vocabulary = Callable[[Kind, Sequence[str]], Sequence[Word]]
"""The words of a kind, given the words before it."""


def complete(text: str, vocabulary: Vocabulary) -> list[Completion]:
    """All that a text may become. A message becomes nothing."""
    if text[:1] not in (".", "/") or "\n" in text:
        return []
    typed, space, rest = text[1:].partition(" ")
    if not space:
        return _commands(text[0], typed)
    command = BY_NAME.get(typed)
    if command is None or not command.parameters:
        return []
    *given, last = _parts(rest.lstrip(" "), len(command.parameters))
    return _words(text, last, _known(command, given, vocabulary))


def _parts(rest: str, most: int) -> list[str]:
    """The words so far, the one being typed last; a last parameter is all that is left."""
    return [rest] if most == 1 else re.split(" +", rest, maxsplit=most - 1)


def _commands(lead: str, typed: str) -> list[Completion]:
    found = [command for command in COMMANDS if command.name.startswith(typed)]
    return [
        # The space says that something follows, once it is clear which command it is.
        Completion(
            f"{lead}{command.name}{' ' if command.parameters and len(found) == 1 else ''}",
            command.usage,
            command.sentence,
        )
        for command in found
    ]


def _known(command: DotCommand, given: Sequence[str], vocabulary: Vocabulary) -> Sequence[Word]:
    parameter = command.parameters[len(given)]
    if parameter.options:
        return [Word(option) for option in parameter.options]
    if parameter.kind == "command":
        return [Word(each.name, each.sentence) for each in COMMANDS]
    if command.name == "edit":
        # The name of what is edited: a role's or an agent's.
        return vocabulary("role" if given[0] == "role" else "agent", given)
    return vocabulary(parameter.kind, given)


def _words(text: str, typed: str, known: Sequence[Word]) -> list[Completion]:
    """The words that begin like what was typed; one that is there already is no completion."""
    before = text[: len(text) - len(typed)]
    return [
        Completion(before + word.name, word.name, word.about)
        for word in known
        if word.name.startswith(typed) and word.name != typed
    ]
