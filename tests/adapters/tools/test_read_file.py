"""Reading: bounded windows of text, and a memory of what was read."""

import asyncio
from pathlib import Path

import pytest
from adapters.tools.tool_stage import call
from hypothesis import given
from hypothesis import strategies as st

from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.read_file import MOST_BYTES, MOST_LINES, ReadFile, Window
from longwatch.adapters.tools.write_file import WriteFile
from longwatch.engine.ports import Place, ToolRefused


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(root=tmp_path, session="s")


@pytest.fixture
def tool() -> ReadFile:
    return ReadFile(ReadMemory())


async def test_a_small_file_comes_as_it_is(tool: ReadFile, place: Place) -> None:
    (place.root / "a.txt").write_bytes("one\r\n\ttwo é\n\nlast".encode())
    output = await call(tool, place, path="a.txt")
    assert output.output == "one\r\n\ttwo é\n\nlast"
    assert output.ok
    assert not output.truncated
    assert output.files == ()


async def test_an_empty_file(tool: ReadFile, place: Place) -> None:
    (place.root / "a.txt").touch()
    assert (await call(tool, place, path="a.txt")).output == "(a.txt is empty)"


async def test_many_lines_are_read_in_parts(tool: ReadFile, place: Place) -> None:
    lines = [f"line {n}\n" for n in range(1, 5001)]
    (place.root / "a.txt").write_text("".join(lines))
    seen, offset = "", 1
    while True:
        output = await call(tool, place, path="a.txt", offset=offset)
        body, _, note = output.output.rpartition("[lines ")
        if not note or not body:
            seen += output.output
            break
        assert output.truncated
        seen += body
        offset = int(note.removesuffix("]").split()[-1])
    assert seen == "".join(lines)
    assert offset == 2 * MOST_LINES + 1


async def test_a_window(tool: ReadFile, place: Place) -> None:
    (place.root / "a.txt").write_text("1\n2\n3\n4\n5")
    output = await call(tool, place, path="a.txt", offset=2, limit=2)
    assert output.output == "2\n3\n[lines 2-3 of 5; go on with offset 4]"
    assert not output.truncated
    assert (await call(tool, place, path="a.txt", offset=5)).output == "5"
    past = await call(tool, place, path="a.txt", offset=6)
    assert not past.ok
    assert past.output == "a.txt has 5 lines; offset 6 is past its end."


async def test_bytes_are_bounded_at_a_line_end(tool: ReadFile, place: Place) -> None:
    (place.root / "a.txt").write_text(("x" * 999 + "\n") * 100)
    output = await call(tool, place, path="a.txt")
    assert output.output.endswith("[lines 1-65 of 100; go on with offset 66]")
    assert len(output.output.encode()) < MOST_BYTES + 100


async def test_one_endless_line_is_cut(tool: ReadFile, place: Place) -> None:
    (place.root / "a.txt").write_text("x" * 300_000 + "\nnext\n")
    output = await call(tool, place, path="a.txt")
    assert output.truncated
    assert "[line 1 is longer than 65,536 bytes and is cut" in output.output
    assert output.output.endswith("[lines 1-1 of 2; go on with offset 2]")
    assert (await call(tool, place, path="a.txt", offset=2)).output == "next\n"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image of 10 bytes"),
        (b"\x7fELF\0", "a program of 5 bytes"),
        ("text".encode("utf-16"), "UTF-16 text of 10 bytes"),
        (b"a" * 2_000_000 + b"\0", "a binary file of 2,000,001 bytes"),
    ],
)
async def test_binary_files_are_refused(
    tool: ReadFile, place: Place, data: bytes, kind: str
) -> None:
    (place.root / "a.bin").write_bytes(data)
    with pytest.raises(ToolRefused, match=kind):
        await call(tool, place, path="a.bin")


async def test_bytes_that_are_not_utf8(tool: ReadFile, place: Place) -> None:
    (place.root / "a.txt").write_bytes(b"caf\xe9\n")
    output = await call(tool, place, path="a.txt")
    assert output.output == "caf�\n[bytes that are not UTF-8 are shown as �]"


def test_secret_names_have_their_own_effect(tool: ReadFile, place: Place) -> None:
    (place.root / ".env").write_text("KEY=1")
    (place.root / "notes.txt").symlink_to(".env")
    for path in (".env", "notes.txt"):
        prepared = tool.prepare({"path": path}, place)
        assert prepared.effect == "read_secret"
        assert ".env, which looks secret" in prepared.question
    (place.root / "a.txt").write_text("x")
    assert tool.prepare({"path": "a.txt"}, place).effect == "read"


def test_our_own_files_are_secret(tool: ReadFile, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.txt").write_text("x")
    place = Place(root=tmp_path, protected=(tmp_path / "own",))
    assert tool.prepare({"path": "own/a.txt"}, place).effect == "read_secret"


async def test_what_was_read_is_remembered_by_session(place: Place) -> None:
    memory = ReadMemory()
    file = place.root / "a.txt"
    file.write_text("1\n2\n3\n")
    await call(ReadFile(memory), place, path="a.txt", limit=1)
    seen = memory.recall("s", str(file))
    await call(ReadFile(memory), place, path="./a.txt")
    assert seen is not None
    assert memory.recall("s", str(file)) == seen
    assert memory.recall("other", str(file)) is None
    memory.forget("s")
    assert memory.recall("s", str(file)) is None


@given(
    st.lists(st.sampled_from([b"", b"a", b"bb", b"\r", b"ccc"]), max_size=30),
    st.integers(1, 35),
    st.integers(1, 35),
    st.integers(1, 9),
)
def test_a_window_does_not_depend_on_the_pieces(
    lines: list[bytes], first: int, count: int, size: int
) -> None:
    data = b"\n".join(lines)
    window = Window(first, count)
    for at in range(0, len(data), size):
        window.feed(data[at : at + size])
    whole = data.split(b"\n")
    if whole[-1] == b"":
        whole.pop()
    expected = [line + b"\n" for line in whole[:-1]] + whole[-1:]
    if data.endswith(b"\n"):
        expected[-1] += b"\n"
    wanted = expected[first - 1 : first - 1 + count]
    assert window.total == len(expected)
    assert window.shown() == (b"".join(wanted), first + len(wanted) - 1, False)


async def test_what_is_too_large_for_any_reading(tool: ReadFile, place: Place) -> None:
    with (place.root / "a.txt").open("wb") as file:
        file.truncate((1 << 30) + 1)
    with pytest.raises(ToolRefused, match=r"larger than 1,073,741,824 bytes; use the shell"):
        await call(tool, place, path="a.txt")
    writing = WriteFile(ReadMemory())
    with pytest.raises(ToolRefused, match=r"larger than 1,073,741,824 bytes"):
        writing.prepare({"path": "a.txt", "content": "x"}, place)


async def test_cancelling_a_long_reading(tool: ReadFile, place: Place) -> None:
    (place.root / "a.txt").write_bytes(b"x\n" * (8 << 20))
    prepared = tool.prepare({"path": "a.txt"}, place)
    task = asyncio.create_task(tool.run(prepared, place))
    await asyncio.wait({task}, timeout=0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
