"""Writing: whole or not at all, what was shown or nothing."""

import asyncio
import os
import signal
import stat
from pathlib import Path

import pytest
from adapters.tools.tool_stage import call, python

from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.read_file import ReadFile
from longwatch.adapters.tools.write_file import MOST_BYTES, WriteFile
from longwatch.engine.ports import Place, ToolRefused


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(root=tmp_path, session="s")


@pytest.fixture
def memory() -> ReadMemory:
    return ReadMemory()


@pytest.fixture
def tool(memory: ReadMemory) -> WriteFile:
    return WriteFile(memory)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_new_file_with_its_folders(tool: WriteFile, place: Place) -> None:
    prepared = tool.prepare({"path": "a/b/c.txt", "content": "é\n"}, place)
    assert prepared.effect == "write"
    assert "write_file a/b/c.txt (new file)" in prepared.question
    assert prepared.question.endswith("@@ -0,0 +1 @@\n+é")
    assert names(place.root) == []
    output = await tool.run(prepared, place)
    assert output.output == "Created a/b/c.txt (3 bytes)."
    assert output.files == ("a/b/c.txt",)
    assert (place.root / "a/b/c.txt").read_text() == "é\n"
    assert names(place.root / "a/b") == ["c.txt"]


async def test_a_new_file_has_the_usual_mode(tool: WriteFile, place: Place) -> None:
    before = os.umask(0o027)
    try:
        await call(tool, place, path="a.txt", content="x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((place.root / "a.txt").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o444, 0o666])
async def test_the_mode_is_kept(tool: WriteFile, place: Place, mode: int) -> None:
    file = place.root / "a.sh"
    file.write_text("old\n")
    file.chmod(mode)
    output = await call(tool, place, path="a.sh", content="new\n")
    assert output.output == "Replaced a.sh (4 bytes)."
    assert file.read_text() == "new\n"
    assert stat.S_IMODE(file.stat().st_mode) == mode


async def test_the_right_to_run_as_the_owner_is_not_kept(tool: WriteFile, place: Place) -> None:
    file = place.root / "a.sh"
    file.write_text("old\n")
    file.chmod(0o4755)
    await call(tool, place, path="a.sh", content="new\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o755


async def test_another_hard_link_keeps_the_old_content(tool: WriteFile, place: Place) -> None:
    file, other = place.root / "a.txt", place.root / "b.txt"
    file.write_text("old\n")
    other.hardlink_to(file)
    await call(tool, place, path="a.txt", content="new\n")
    assert (file.read_text(), other.read_text()) == ("new\n", "old\n")
    assert names(place.root) == ["a.txt", "b.txt"]


async def test_a_link_inside_stays_a_link(tool: WriteFile, place: Place) -> None:
    (place.root / "real.txt").write_text("old\n")
    (place.root / "link.txt").symlink_to("real.txt")
    output = await call(tool, place, path="link.txt", content="new\n")
    assert output.files == ("real.txt",)
    assert (place.root / "link.txt").is_symlink()
    assert (place.root / "real.txt").read_text() == "new\n"


async def test_the_longest_name(tool: WriteFile, place: Place) -> None:
    await call(tool, place, path="n" * 255, content="x")
    assert names(place.root) == ["n" * 255]


def test_the_question_shows_the_diff_and_every_character(tool: WriteFile, place: Place) -> None:
    (place.root / "a.txt").write_text("one\ntwo\n")
    prepared = tool.prepare({"path": "a.txt", "content": "one\nt\u200bwo\x1b\n"}, place)
    lines = prepared.question.split("\n")
    assert lines[0] == "write_file a.txt (replaces the file)"
    assert lines[1] == f"in {place.root}"
    assert lines[-3:] == [" one", "-two", "+t⟨U+200B⟩wo␛"]


def test_what_cannot_be_shown_is_said(tool: WriteFile, place: Place) -> None:
    (place.root / "a.bin").write_bytes(b"\0" * 10)
    (place.root / "same.txt").write_text("x")
    over_binary = tool.prepare({"path": "a.bin", "content": "text\n"}, place)
    assert "(replaces 10 bytes that cannot be shown as text)" in over_binary.question
    assert "+text" in over_binary.question
    same = tool.prepare({"path": "same.txt", "content": "x"}, place)
    assert "(the content stays as it is)" in same.question


async def test_a_change_between_question_and_run_is_noticed(tool: WriteFile, place: Place) -> None:
    file = place.root / "a.txt"
    file.write_text("old\n")
    changed = tool.prepare({"path": "a.txt", "content": "new\n"}, place)
    appeared = tool.prepare({"path": "b.txt", "content": "new\n"}, place)
    file.write_text("someone else\n")
    (place.root / "b.txt").write_text("someone else\n")
    for prepared in (changed, appeared):
        with pytest.raises(ToolRefused, match="changed after this call was shown"):
            await tool.run(prepared, place)
    assert file.read_text() == "someone else\n"
    assert (place.root / "b.txt").read_text() == "someone else\n"
    assert names(place.root) == ["a.txt", "b.txt"]


async def test_a_file_that_vanished_is_not_made_again(tool: WriteFile, place: Place) -> None:
    file = place.root / "a.txt"
    file.write_text("old\n")
    prepared = tool.prepare({"path": "a.txt", "content": "new\n"}, place)
    file.unlink()
    with pytest.raises(ToolRefused, match="changed after"):
        await tool.run(prepared, place)
    assert names(place.root) == []


async def test_over_a_file_that_changed_since_it_was_read(
    tool: WriteFile, memory: ReadMemory, place: Place
) -> None:
    file = place.root / "a.txt"
    file.write_text("old\n")
    await call(ReadFile(memory), place, path="a.txt")
    file.write_text("someone else\n")
    with pytest.raises(ToolRefused, match="changed on disk since you read it"):
        tool.prepare({"path": "a.txt", "content": "new\n"}, place)
    other = Place(root=place.root, session="another")
    await call(tool, other, path="a.txt", content="theirs\n")
    await call(ReadFile(memory), place, path="a.txt")
    await call(tool, place, path="a.txt", content="new\n")
    await call(tool, place, path="a.txt", content="newer\n")
    assert file.read_text() == "newer\n"


@pytest.mark.parametrize("content", ["a\ud800", "x" * (MOST_BYTES + 1)])
def test_content_that_cannot_be_written(tool: WriteFile, place: Place, content: str) -> None:
    with pytest.raises(ToolRefused, match="content is"):
        tool.prepare({"path": "a.txt", "content": content}, place)


async def test_a_failing_disk_leaves_the_old_file(tool: WriteFile, place: Place) -> None:
    (place.root / "blocked").write_text("a file where a folder is needed")
    with pytest.raises(ToolRefused, match="not a folder"):
        tool.prepare({"path": "blocked/a.txt", "content": "x"}, place)
    prepared = tool.prepare({"path": "late/a.txt", "content": "x"}, place)
    (place.root / "late").write_text("came meanwhile")
    with pytest.raises(ToolRefused, match="not a folder"):
        await tool.run(prepared, place)
    assert names(place.root) == ["blocked", "late"]


FULL = """
    import asyncio, resource, signal, sys
    from pathlib import Path
    from longwatch.adapters.tools.files import ReadMemory
    from longwatch.adapters.tools.write_file import WriteFile
    from longwatch.engine.ports import Place, ToolRefused

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    tool, place = WriteFile(ReadMemory()), Place(root=Path(sys.argv[1]))
    prepared = tool.prepare({"path": "a.txt", "content": "x" * 10000}, place)
    try:
        asyncio.run(tool.run(prepared, place))
    except ToolRefused as refused:
        print(refused)
"""


def test_no_room_for_all_of_it(place: Place) -> None:
    (place.root / "a.txt").write_text("old\n")
    with python(FULL, place.root) as process:
        said, _ = process.communicate(timeout=30)
    assert said == b"a.txt: File too large.\n"
    assert (place.root / "a.txt").read_text() == "old\n"
    assert names(place.root) == ["a.txt"]


WRITER = """
    import asyncio, sys
    from pathlib import Path
    from longwatch.adapters.tools.files import ReadMemory
    from longwatch.adapters.tools.write_file import WriteFile
    from longwatch.engine.ports import Place

    async def main():
        tool, place = WriteFile(ReadMemory()), Place(root=Path(sys.argv[1]))
        for n in range(10**9):
            content = f"{n % 10}" * 200_000
            await tool.run(tool.prepare({"path": "a.txt", "content": content}, place), place)
            print(n, flush=True)

    asyncio.run(main())
"""


@pytest.mark.parametrize("writes", [1, 2, 3, 5, 8])
def test_a_crash_leaves_the_old_or_the_new_content(place: Place, writes: int) -> None:
    with python(WRITER, place.root) as process:
        assert process.stdout is not None
        for _ in range(writes):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    content = (place.root / "a.txt").read_text()
    assert len(content) == 200_000
    assert len(set(content)) == 1


async def test_a_cancelled_write_is_finished_first(tool: WriteFile, place: Place) -> None:
    prepared = tool.prepare({"path": "a.txt", "content": "x" * 1_000_000}, place)
    task = asyncio.create_task(tool.run(prepared, place))
    await asyncio.wait({task}, timeout=0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert names(place.root) in ([], ["a.txt"])
