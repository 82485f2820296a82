"""Searching: the same answer from ripgrep and from Python, bounded, and never for ever."""

import asyncio
import os
import shutil
import time
from pathlib import Path

import pytest
from adapters.tools.tool_stage import call, wait_gone

from longwatch.adapters.tools.reaper import descendants
from longwatch.adapters.tools.search import LARGEST, MOST_MATCHES, Search
from longwatch.engine.ports import Place, ToolOutput, ToolRefused

# Without ripgrep both are Python; the equality then holds by itself.
BOTH = [Search(os.environ, ripgrep=False), Search(os.environ)]
IDS = ["python", "ripgrep" if shutil.which("rg") else "python again"]
PYTHON = BOTH[0]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    files = {
        "b.txt": b"alpha\nbeta\r\ngamma\n",
        "a/z.txt": b"beta at the end",
        "a/b/c.py": "def β():\n\treturn 'beta'  # é\n".encode(),
        "a.txt": b"nothing\n\n\nbeta: one:two\n",
        ".hidden": b"beta\n",
        ".git/config": b"beta\n",
        "node_modules/x.js": b"beta\n",
        "binary.bin": b"beta\n\0\n",
        "utf16.txt": "beta\n".encode("utf-16"),
        "odd.txt": b"beta \xff\xfe\n",
        ".gitignore": b"*.txt\n",
        "empty.txt": b"",
        "name with : colon.txt": b"beta\n",
    }
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "link.txt").symlink_to("b.txt")
    (tmp_path / "out").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    return Place(root=tmp_path)


async def both(place: Place, **arguments: str) -> list[ToolOutput]:
    return [await call(tool, place, **arguments) for tool in BOTH]


@pytest.mark.parametrize(
    "pattern",
    ["beta", "^beta$", "b.t", "(?i)BETA", r"\bone\b", r"return\s'", "β", "é$", "x{5}", "zzz", "-e"],
)
@pytest.mark.parametrize("path", [".", "a", "link.txt"])
async def test_both_say_the_same(place: Place, pattern: str, path: str) -> None:
    one, other = await both(place, pattern=pattern, path=path)
    assert one == other


@pytest.mark.parametrize("tool", BOTH, ids=IDS)
async def test_what_is_found(place: Place, tool: Search) -> None:
    output = await call(tool, place, pattern="beta")
    lines = output.output.split("\n")
    assert [line.rsplit(":", 1)[0] for line in lines] == [
        ".hidden:1",
        "a/b/c.py:2",
        "a/z.txt:1",
        "a.txt:4:beta: one",
        "b.txt:2",
        "name with : colon.txt:1",
        "odd.txt:1",
    ]
    assert "b.txt:2:beta" in lines
    assert "odd.txt:1:beta ��" in lines
    assert output.ok


@pytest.mark.parametrize("tool", BOTH, ids=IDS)
async def test_large_files_are_left_out_and_long_lines_cut(tmp_path: Path, tool: Search) -> None:
    (tmp_path / "large.txt").write_bytes(b"beta\n" + b"x" * LARGEST)
    (tmp_path / "just.txt").write_bytes(b"beta" + b"x" * (LARGEST - 4))
    output = await call(tool, Place(root=tmp_path), pattern="beta")
    assert output.output == f"just.txt:1:beta{'x' * 396}…"
    named = await call(tool, Place(root=tmp_path), pattern="beta", path="large.txt")
    assert named.output == "large.txt:1:beta"


@pytest.mark.parametrize("tool", BOTH, ids=IDS)
async def test_nothing_found(place: Place, tool: Search) -> None:
    output = await call(tool, place, pattern="zzz")
    assert (output.ok, output.output) == (True, "No match.")


@pytest.mark.parametrize("tool", BOTH, ids=IDS)
@pytest.mark.parametrize("pattern", ["(", "[a", "a{2,1}", "*", "(?P<x"])
async def test_an_invalid_pattern_is_explained(place: Place, tool: Search, pattern: str) -> None:
    with pytest.raises(ToolRefused, match=r"is not a valid regular expression: .*position"):
        await call(tool, place, pattern=pattern)


@pytest.mark.parametrize("tool", BOTH, ids=IDS)
async def test_what_only_python_understands_works_too(place: Place, tool: Search) -> None:
    output = await call(tool, place, pattern=r"(?<=one:)two", path=".")
    assert output.output == "a.txt:4:beta: one:two"


@pytest.mark.parametrize("pattern", ["", "a\0b", "x" * 10_001, "\ud800"])
def test_refused_patterns(place: Place, pattern: str) -> None:
    with pytest.raises(ToolRefused, match="The pattern"):
        PYTHON.prepare({"pattern": pattern}, place)


@pytest.mark.parametrize("tool", BOTH, ids=IDS)
async def test_many_matches_are_bounded(place: Place, tool: Search) -> None:
    (place.root / "many.txt").write_text("match\n" * 500_000)
    output = await call(tool, place, pattern="match")
    lines = output.output.split("\n")
    assert output.truncated
    assert len(lines) == MOST_MATCHES + 1
    assert lines[-1] == "[there are more than 200; give a narrower pattern or path]"


@pytest.mark.parametrize("tool", BOTH, ids=IDS)
async def test_secret_looking_files_are_left_out_and_counted(place: Place, tool: Search) -> None:
    (place.root / ".env").write_text("KEY=hunter2\n")
    (place.root / "server.pem").write_text("hunter2\n")
    output = await call(tool, place, pattern="hunter2")
    assert output.output == "[2 secret-looking files with matches left out]"
    prepared = tool.prepare({"pattern": "hunter2", "path": ".env"}, place)
    assert prepared.effect == "read_secret"
    assert "looks secret" in prepared.question
    assert (await tool.run(prepared, place)).output == ".env:1:KEY=hunter2"


@pytest.mark.parametrize("tool", BOTH, ids=IDS)
async def test_our_own_files_are_left_out(place: Place, tool: Search) -> None:
    own = Place(root=place.root, protected=(place.root / "a",))
    output = await call(tool, own, pattern="beta at")
    assert output.output == "[1 secret-looking file with matches left out]"


async def test_names_with_line_feeds(place: Place) -> None:
    (place.root / "a\nb.txt").write_text("needle\n")
    output = await call(PYTHON, place, pattern="needle")
    assert output.ok
    assert output.output.endswith("b.txt:1:needle")


HOPELESS = r"(x+x+)+y"


async def test_a_hopeless_pattern_is_ended_and_the_loop_goes_on(place: Place) -> None:
    (place.root / "one.txt").write_text("x" * 60)
    tool = Search(os.environ, ripgrep=False, limit=0.3)
    search = asyncio.create_task(call(tool, place, pattern=HOPELESS, path="one.txt"))
    turns = 0
    while not search.done():
        await asyncio.wait({search}, timeout=0.01)
        turns += 1
    assert not search.result().ok
    assert search.result().output.startswith("[stopped after 0.3 s")
    assert turns > 5


async def test_a_hopeless_pattern_can_be_cancelled(place: Place) -> None:
    (place.root / "one.txt").write_text("x" * 60)
    tool = Search(os.environ, ripgrep=False)
    task = asyncio.create_task(call(tool, place, pattern=HOPELESS, path="one.txt"))
    # The reaper and the program that searches.
    while len(running := descendants(os.getpid())) < 2:
        await asyncio.wait({task}, timeout=0.01)
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < 5
    assert all(wait_gone(pid) for pid in running)
