"""Every dot command as it is written, with all its rows, and everything that is no command."""

import pytest

from longwatch.session.intents import ClearTodos, Compact, Fork, Resume, SetSetting, Undo
from longwatch.ui.dots.parsing import (
    INTENTS,
    NotUnderstood,
    help_lines,
    is_dot,
    parse,
    switch,
)
from longwatch.ui.dots.table import BY_NAME, COMMANDS

DOCUMENTED = """
    set clear info agent role session exit starter edit compact fork rename export retry undo
    continue help
"""

ROWS = [
    (".set auto_continue true", "set", ("auto_continue", "true")),
    (".set max_auto_continues null", "set", ("max_auto_continues", "null")),
    (
        ".set continuation_prompt Go on, now.  Please",
        "set",
        ("continuation_prompt", "Go on, now.  Please"),
    ),
    (".set continuation_prompt One\ntwo", "set", ("continuation_prompt", "One\ntwo")),
    (".clear todo", "clear", ("todo",)),
    (".info", "info", ()),
    *((f".info {topic}", "info", (topic,)) for topic in BY_NAME["info"].parameters[0].options),
    (".agent coder", "agent", ("coder",)),
    (".role writer", "role", ("writer",)),
    (".session fix the tests", "session", ("fix the tests",)),
    (".exit", "exit", ()),
    (".exit agent", "exit", ("agent",)),
    (".exit role", "exit", ("role",)),
    (".exit session", "exit", ("session",)),
    (".starter", "starter", ()),
    (".starter 2", "starter", ("2",)),
    (".edit config", "edit", ("config",)),
    (".edit role", "edit", ("role",)),
    (".edit agent coder", "edit", ("agent", "coder")),
    (".edit session", "edit", ("session",)),
    (".edit agent-config", "edit", ("agent-config",)),
    (".compact", "compact", ()),
    (".fork", "fork", ()),
    (".rename", "rename", ()),
    (".rename A better title", "rename", ("A better title",)),
    (".export yaml out dir/a.yaml", "export", ("yaml", "out dir/a.yaml")),
    (".retry", "retry", ()),
    (".undo", "undo", ()),
    (".continue", "continue", ()),
    (".help", "help", ()),
    (".help set", "help", ("set",)),
]


def test_the_commands_are_the_documented_ones() -> None:
    assert sorted(BY_NAME) == sorted(DOCUMENTED.split())
    assert {name for _, name, _ in ROWS} == set(BY_NAME)


@pytest.mark.parametrize(("text", "name", "words"), ROWS)
@pytest.mark.parametrize("lead", [".", "/"])
def test_a_command_and_its_words(text: str, name: str, words: tuple[str, ...], lead: str) -> None:
    typed = lead + text[1:]
    assert is_dot(typed)
    dot = parse(typed)
    assert (dot.command.name, dot.words) == (name, words)


@pytest.mark.parametrize(
    ("text", "usage"),
    [
        (".set", "usage: .set KEY VALUE"),
        (".set auto_continue", "usage: .set KEY VALUE"),
        (".clear", "usage: .clear todo"),
        (".clear todos", "usage: .clear todo; did you mean 'todo'?"),
        (".agent", "usage: .agent NAME"),
        (".session", "usage: .session NAME"),
        (".exit now please", "usage: .exit [agent|role|session]"),
        (".starter two", "usage: .starter [N], with a number"),
        (".starter ²", "usage: .starter [N], with a number"),
        (".edit", "usage: .edit config|role|agent|session|agent-config [NAME]"),
        (".export yaml", "usage: .export FORMAT FILE"),
        (".export html out", "usage: .export FORMAT FILE"),
        (".undo 2", "usage: .undo"),
        (
            ".info tool",
            "usage: .info [todo|session|agent|role|tools|settings]; did you mean 'tools'?",
        ),
    ],
)
def test_what_is_missing_or_too_much_gives_the_usage(text: str, usage: str) -> None:
    with pytest.raises(NotUnderstood) as wrong:
        parse(text)
    assert str(wrong.value) == usage


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".stet auto_continue true", "Unknown command '.stet'; did you mean '.set'?"),
        ("/sesion x", "Unknown command '.sesion'; did you mean '.session'?"),
        (".xyzzy", "Unknown command '.xyzzy'; .help lists them"),
        (".", "Unknown command '.'; .help lists them"),
    ],
)
def test_an_unknown_command_is_told_with_the_nearest(text: str, said: str) -> None:
    assert is_dot(text)
    with pytest.raises(NotUnderstood) as wrong:
        parse(text)
    assert str(wrong.value).startswith(said)
    assert "A space in front sends it as a message." in str(wrong.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        " .set auto_continue true",
        "./configure fails",
        "/usr/bin/env is missing",
        "/ is full",
        "... and then?",
        ".gitignore.bak is too much",
        ".NET is slow",
        "3.5 is the version",
    ],
)
def test_other_text_is_a_message(text: str) -> None:
    assert not is_dot(text)


def test_the_wishes_of_one_command() -> None:
    assert {
        "clear": ClearTodos(),
        "compact": Compact(),
        "fork": Fork(),
        "retry": Undo(retry=True),
        "undo": Undo(),
        "continue": Resume(),
    } == INTENTS


def test_switching_is_setting() -> None:
    assert switch("agent", "coder") == SetSetting(key="agent", value="coder")
    assert switch("role", "writer") == SetSetting(key="role", value="writer")
    assert switch("exit", "agent") == SetSetting(key="agent", value=None)


def test_help_tells_every_command_and_one() -> None:
    told = "\n".join(help_lines())
    for command in COMMANDS:
        assert command.usage in told
        assert command.sentence in told
    for name in ("undo", ".undo", "/undo"):
        [line] = help_lines(name)
        assert line.split("  ")[0] == ".undo"
    with pytest.raises(NotUnderstood, match=r"did you mean '\.undo'"):
        help_lines("undu")
