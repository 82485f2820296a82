"""What a command that is being typed may become."""

from collections.abc import Sequence

import pytest

from longwatch.ui.dots.completing import Word, complete
from longwatch.ui.dots.table import COMMANDS, Kind

WORDS: dict[str, tuple[str, ...]] = {
    "key": ("max_todos", "max_turns", "model"),
    "agent": ("coder", "writer"),
    "role": ("poet",),
    "session": ("fix the docs", "fix the tests"),
}


def words(kind: Kind, given: Sequence[str]) -> list[Word]:
    if kind == "value":
        return [Word(f"{given[0]}-1"), Word(f"{given[0]}-2")]
    return [Word(name) for name in WORDS.get(kind, ())]


def texts(text: str) -> list[str]:
    return [option.text for option in complete(text, words)]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (".s", [".set", ".session", ".starter"]),
        ("/se", ["/set", "/session"]),
        (".cl", [".clear "]),
        (".und", [".undo"]),
        (".xyz", []),
        (".set max", [".set max_todos", ".set max_turns"]),
        (".set model ", [".set model model-1", ".set model model-2"]),
        (".set  model  mo", [".set  model  model-1", ".set  model  model-2"]),
        (".set model model-1", []),
        (".clear ", [".clear todo"]),
        (".clear todo", []),
        (".info t", [".info todo", ".info tools"]),
        (".agent ", [".agent coder", ".agent writer"]),
        (".role p", [".role poet"]),
        (".session fix the t", [".session fix the tests"]),
        (".exit r", [".exit role"]),
        (".edit agent", [".edit agent-config"]),
        (".edit agent c", [".edit agent coder"]),
        (".edit role ", [".edit role poet"]),
        (".export y", [".export yaml"]),
        (".help und", [".help undo"]),
        (".undo ", []),
        (".nonsense x", []),
    ],
)
def test_options(text: str, options: list[str]) -> None:
    assert texts(text) == options


@pytest.mark.parametrize("text", ["", "hello", " .set", "a .set", ".set a\nb"])
def test_a_message_has_none(text: str) -> None:
    assert texts(text) == []


def test_every_command_is_offered_with_what_it_does() -> None:
    offered = complete(".", words)
    assert [(one.word, one.about) for one in offered] == [(c.usage, c.sentence) for c in COMMANDS]
