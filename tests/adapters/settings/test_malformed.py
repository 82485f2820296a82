"""Whatever a configuration file holds, it is refused in words, with its place, and left alone."""

import os
import re
from contextlib import suppress
from pathlib import Path

import pytest
from malformed_configs import AGENT, CASES, CONFIG, Malformed

from longwatch.adapters.settings.files import Library, load_global
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.reading import parse_front_matter, parse_yaml
from longwatch.adapters.settings.shipped import Shipped

TYPES = ("openai", "anthropic", "rehearsal", "b")


def load(case: Malformed, folder: Path) -> None:
    places = Places(folder, folder / "data")
    if case.path == CONFIG:
        load_global(places, TYPES)
        return
    library = Library(places, Shipped(folder / "none", folder / "none"))
    if case.path == AGENT:
        library.load_agent("bad")
    else:
        library.load_role("bad")


def picture(folder: Path) -> list[tuple[str, int, int, int]]:
    return [
        (str(path.relative_to(folder)), seen.st_mode, seen.st_size, seen.st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        for seen in (path.lstat(),)
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_is_refused_with_its_place_and_nothing_changes(case: Malformed, tmp_path: Path) -> None:
    path = case.put(tmp_path)
    before = picture(tmp_path)
    with pytest.raises(Problems) as refused:
        load(case, tmp_path)
    problems = refused.value.problems
    assert {problem.file for problem in problems} == {str(path)}
    assert case.line is None or case.line in [problem.line for problem in problems]
    assert not case.key or case.key in [problem.key for problem in problems]
    assert picture(tmp_path) == before
    demand_short_printable_lines(refused.value, str(tmp_path))


def demand_short_printable_lines(refused: Problems, folder: str) -> None:
    lines = str(refused).split("\n")
    assert len(lines) == len(refused.problems)
    for line in lines:
        assert line.isprintable()
        told = line.removeprefix(folder)
        assert re.fullmatch(r"/[^:]+(:\d+)?: .*(found .+|Unknown key .+)", told)
        assert len(told) < 400
        assert "sk-" not in told
        assert "u:p@" not in told


TEXTS = [case for case in CASES if case.plant is None and "encoding" not in case.name]


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.name)
def test_the_slower_parser_gives_a_document_or_problems(case: Malformed) -> None:
    text = case.content.decode()
    parsed = parse_front_matter if case.path.endswith(".md") else parse_yaml
    with suppress(Problems):
        parsed(text, "file", pure=True)


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 200
    assert len({case.name for case in CASES}) == len(CASES)


def test_a_folder_of_configuration_that_is_a_file(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("")
    with pytest.raises(Problems, match="a file where a folder on its path should be"):
        load_global(Places(place, tmp_path))


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's refusal is played, because root may read everything."""

    def refuse(*arguments: object, **named: object) -> int:
        del arguments, named
        raise PermissionError(13, "Permission denied")

    (tmp_path / "config.yaml").write_text("stream: true\n")
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(Problems, match="found a file that may not be read"):
        load_global(Places(tmp_path, tmp_path))
