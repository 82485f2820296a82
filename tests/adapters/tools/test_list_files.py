"""Listing: one level, or what matches at any depth; links are shown and not followed."""

import asyncio
from pathlib import Path

import pytest
from adapters.tools.tool_stage import call
from hypothesis import given
from hypothesis import strategies as st

from longwatch.adapters.tools.list_files import MOST_SHOWN, ListFiles, matches
from longwatch.engine.ports import Place, ToolRefused

TOOL = ListFiles()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    for name in ["b.py", "a.txt", "src/c.py", "src/deep/d.py", ".git/config", "src/.venv/x.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "empty").mkdir()
    return Place(root=tmp_path)


async def listed(place: Place, **arguments: str) -> list[str]:
    return (await call(TOOL, place, **arguments)).output.split("\n")


async def test_one_level(place: Place) -> None:
    assert await listed(place) == [".git/", "a.txt", "b.py", "empty/", "src/"]
    assert await listed(place, path="src") == ["src/.venv/", "src/c.py", "src/deep/"]
    assert await listed(place, path="empty") == ["(empty folder)"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.py", ["b.py", "src/c.py", "src/deep/d.py"]),
        ("./*.py", ["b.py", "src/c.py", "src/deep/d.py"]),
        ("src/*.py", ["src/c.py"]),
        ("src/**/*.py", ["src/c.py", "src/deep/d.py"]),
        ("**/deep/**", ["src/deep/", "src/deep/d.py"]),
        ("[ab].*", ["a.txt", "b.py"]),
        ("deep", ["src/deep/"]),
        ("*.rs", ["Nothing matches the pattern"]),
    ],
)
async def test_patterns(place: Place, pattern: str, expected: list[str]) -> None:
    assert await listed(place, pattern=pattern) == expected


async def test_below_a_folder_the_paths_are_still_the_roots(place: Place) -> None:
    assert await listed(place, path="src", pattern="d.py") == ["src/deep/d.py"]


async def test_links_are_shown_and_not_followed(place: Place) -> None:
    (place.root / "up").symlink_to("..")
    (place.root / "x\x1b").symlink_to("/etc")
    assert {"up -> ..", "x␛ -> /etc"} <= set(await listed(place))
    assert await listed(place, pattern="passwd") == ["Nothing matches the pattern"]


async def test_names_that_are_not_text(place: Place) -> None:
    (place.root / "empty" / "a\udcff\u202e\nb").touch()
    assert await listed(place, path="empty") == ["empty/a⟨U+DCFF⟩⟨U+202E⟩␊b"]


async def test_many_are_bounded(place: Place) -> None:
    for n in range(MOST_SHOWN + 1):
        (place.root / "empty" / f"{n:05}").touch()
    output = await call(TOOL, place, path="empty")
    lines = output.output.split("\n")
    assert output.truncated
    assert len(lines) == MOST_SHOWN + 1
    assert lines[-1] == "[there are more than 1,000; give a narrower path or pattern]"


async def test_a_very_deep_tree(place: Place) -> None:
    folder = place.root / "empty"
    for _ in range(120):
        folder /= "d"
        folder.mkdir()
    assert len(await listed(place, path="empty", pattern="d")) == 51


@pytest.mark.parametrize("pattern", ["../*", "a/../../*", "x" * 501, "a\0b"])
def test_refused_patterns(place: Place, pattern: str) -> None:
    with pytest.raises(ToolRefused):
        TOOL.prepare({"pattern": pattern}, place)


def test_the_question_shows_the_pattern(place: Place) -> None:
    prepared = TOOL.prepare({"pattern": "a\u200b*"}, place)
    assert prepared.question == f"list_files ., pattern a⟨U+200B⟩*\nin {place.root}"
    assert prepared.effect == "read"


def test_a_pattern_full_of_stars_costs_nothing() -> None:
    assert not matches(["a" * 250] * 40, ["**", "*a" * 60 + "b"] * 10)


@given(
    st.lists(st.sampled_from("ab"), min_size=1, max_size=5),
    st.lists(st.sampled_from(["a", "b", "*", "**"]), min_size=1, max_size=5),
)
def test_matching_is_what_trying_everything_finds(parts: list[str], pattern: list[str]) -> None:
    def tried(names: list[str], globs: list[str]) -> bool:
        if not globs:
            return not names
        if globs[0] == "**":
            return any(tried(names[n:], globs[1:]) for n in range(len(names) + 1))
        return bool(names) and globs[0] in {names[0], "*"} and tried(names[1:], globs[1:])

    assert matches(parts, pattern) == tried(parts, pattern)


async def test_cancelling(place: Place) -> None:
    prepared = TOOL.prepare({"pattern": "*"}, place)
    task = asyncio.create_task(TOOL.run(prepared, place))
    await asyncio.wait({task}, timeout=0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
