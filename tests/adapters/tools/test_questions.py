"""A question shows all of the call, and the fingerprint is bound to all of it."""

from pathlib import Path
from typing import Any

import pytest

from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.questions import fingerprint, question, script
from longwatch.adapters.tools.registry import make_tools
from longwatch.engine.ports import Place


def test_a_script_cannot_pass_for_the_question() -> None:
    shown = question("shell", "/root", script("echo ok\nin /elsewhere\n\x1b[2J"))
    assert shown.split("\n") == ["shell", "in /root", "$ echo ok", "> in /elsewhere", "> ␛[2J"]


def test_a_folder_is_one_line() -> None:
    assert question("x", "/a\nb\u202e").split("\n")[1] == "in /a␊b⟨U+202E⟩"


def test_a_fingerprint_depends_on_everything_and_on_no_order() -> None:
    base = fingerprint("t", {"a": 1, "b": 2}, "/r", "x")
    assert base == fingerprint("t", {"b": 2, "a": 1}, "/r", "x")
    others = [
        fingerprint("u", {"a": 1, "b": 2}, "/r", "x"),
        fingerprint("t", {"a": 1, "b": 3}, "/r", "x"),
        fingerprint("t", {"a": 1, "b": 2}, "/s", "x"),
        fingerprint("t", {"a": 1, "b": 2}, "/r", "y"),
        fingerprint("t", {"a": 1, "b": 2}, "/r"),
    ]
    assert len({base, *others}) == 6


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("shell", {"command": "echo 1"}),
    ("read_file", {"path": "a.txt"}),
    ("write_file", {"path": "a.txt", "content": "x"}),
    ("edit_file", {"path": "a.txt", "old": "one", "new": "two"}),
    ("list_files", {}),
    ("search", {"pattern": "x"}),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_preparing_twice_is_the_same_and_changes_nothing(
    name: str, arguments: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    tool = make_tools(ReadMemory())[name]
    place = Place(root=tmp_path, session="s")
    first, second = tool.prepare(arguments, place), tool.prepare(arguments, place)
    assert first == second
    assert str(tmp_path) in first.question
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_another_folder_is_another_call(
    name: str, arguments: dict[str, Any], tmp_path: Path
) -> None:
    prints = set()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("one\n")
        prepared = make_tools(ReadMemory())[name].prepare(arguments, Place(root=tmp_path / folder))
        prints.add(prepared.fingerprint)
    assert len(prints) == 2


@pytest.mark.parametrize("name", ["write_file", "edit_file"])
def test_another_content_is_another_write(name: str, tmp_path: Path) -> None:
    tool, place = make_tools(ReadMemory())[name], Place(root=tmp_path)
    arguments = dict(CALLS)[name]
    prints = set()
    for content in ("one\n", "one more\n"):
        (tmp_path / "a.txt").write_text(content)
        prints.add(tool.prepare(arguments, place).fingerprint)
    assert len(prints) == 2


def test_the_sandbox_is_part_of_the_call(tmp_path: Path) -> None:
    tool = make_tools(ReadMemory())["shell"]
    places = [
        Place(root=tmp_path),
        Place(root=tmp_path, sandbox="bubblewrap"),
        Place(root=tmp_path, sandbox="bubblewrap", sandbox_network=True),
    ]
    prepared = [tool.prepare({"command": "x"}, place) for place in places]
    assert len({one.fingerprint for one in prepared}) == 3
    assert len({one.question for one in prepared}) == 3
