"""Editing: exactly what is named, exactly where it is."""

from pathlib import Path

import pytest
from adapters.tools.tool_stage import call
from hypothesis import given
from hypothesis import strategies as st

from longwatch.adapters.tools.edit_file import EditFile, _changed
from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.paths import Spot
from longwatch.adapters.tools.read_file import ReadFile
from longwatch.adapters.tools.write_file import MOST_BYTES
from longwatch.engine.ports import Place, ToolRefused


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(root=tmp_path, session="s")


@pytest.fixture
def memory() -> ReadMemory:
    return ReadMemory()


@pytest.fixture
def tool(memory: ReadMemory) -> EditFile:
    return EditFile(memory)


class File:
    """The file that is edited."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, text: str) -> None:
        self._path.write_text(text)

    def text(self) -> str:
        return self._path.read_text()


@pytest.fixture
def file(place: Place) -> File:
    file = File(place.root / "a.py")
    file.write("def one():\n    return 1\n\ndef two():\n    return 2\n")
    return file


async def test_one_place(tool: EditFile, place: Place, file: File) -> None:
    prepared = tool.prepare({"path": "a.py", "old": "return 1", "new": "return 11"}, place)
    assert prepared.effect == "write"
    assert prepared.question.startswith("edit_file a.py (1 place)\nin ")
    assert "\n-    return 1\n+    return 11\n" in prepared.question
    assert "return 11" not in file.text()
    output = await tool.run(prepared, place)
    assert output.output == "Changed 1 place in a.py."
    assert output.files == ("a.py",)
    assert file.text() == "def one():\n    return 11\n\ndef two():\n    return 2\n"


async def test_every_place(tool: EditFile, place: Place, file: File) -> None:
    output = await call(tool, place, path="a.py", old="return", new="yield", all=True)
    assert output.output == "Changed 2 places in a.py."
    assert file.text().count("yield") == 2


@pytest.mark.parametrize(
    ("old", "reason"),
    [
        ("return", r"old occurs 2 times in a\.py \(lines 2, 5\).*set all to true"),
        ("", "old is empty"),
        ("return 1x", r"does not occur.*The nearest line is 2: +return 1$"),
        ("\treturn 1", r"The nearest line is 2: +return 1 \(it differs in white space\)"),
        ("    return 1\nxxx", r"The nearest line is 2: .*\(what follows differs\)"),
        ("zzzzzzzzzzzzz", r"copy the text exactly\.$"),
        ("\n\n\n", "does not occur"),
    ],
)
def test_refusals_that_help(
    tool: EditFile, place: Place, file: File, old: str, reason: str
) -> None:
    before = file.text()
    with pytest.raises(ToolRefused, match=reason):
        tool.prepare({"path": "a.py", "old": old, "new": "new"}, place)
    assert file.text() == before


def test_many_places_are_not_all_named(tool: EditFile, place: Place) -> None:
    (place.root / "a.txt").write_text("x\n" * 100)
    with pytest.raises(ToolRefused, match=r"more than 8 times .*lines 1, 2, 3, 4, 5, 6, 7, 8, …"):
        tool.prepare({"path": "a.txt", "old": "x", "new": "y"}, place)


def test_places_that_overlap_are_two(tool: EditFile, place: Place) -> None:
    (place.root / "a.txt").write_text("aaa")
    with pytest.raises(ToolRefused, match="old occurs 2 times"):
        tool.prepare({"path": "a.txt", "old": "aa", "new": "b"}, place)


@pytest.mark.usefixtures("file")
def test_nothing_to_change(tool: EditFile, place: Place) -> None:
    with pytest.raises(ToolRefused, match="nothing to change"):
        tool.prepare({"path": "a.py", "old": "return 1", "new": "return 1"}, place)


@pytest.mark.usefixtures("file")
def test_a_missing_file(tool: EditFile, place: Place) -> None:
    with pytest.raises(ToolRefused, match=r"There is no b\.py\. Did you mean a\.py\?"):
        tool.prepare({"path": "b.py", "old": "x", "new": "y"}, place)


def test_a_file_that_is_too_large(tool: EditFile, place: Place) -> None:
    with (place.root / "big").open("wb") as big:
        big.truncate(MOST_BYTES + 1)
    with pytest.raises(ToolRefused, match=r"big is 8,388,609 bytes"):
        tool.prepare({"path": "big", "old": "x", "new": "y"}, place)


def test_a_file_that_would_become_too_large(tool: EditFile, place: Place) -> None:
    (place.root / "a.txt").write_text("x" * 5000)
    with pytest.raises(ToolRefused, match="would grow"):
        tool.prepare({"path": "a.txt", "old": "x", "new": "y" * 5000, "all": True}, place)


async def test_after_a_change_on_disk_it_must_be_read_again(
    tool: EditFile, memory: ReadMemory, place: Place, file: File
) -> None:
    await call(ReadFile(memory), place, path="a.py")
    file.write(file.text() + "# by hand\n")
    with pytest.raises(ToolRefused, match="Read it again"):
        tool.prepare({"path": "a.py", "old": "return 1", "new": "x"}, place)
    await call(ReadFile(memory), place, path="a.py")
    await call(tool, place, path="a.py", old="return 1", new="x")
    await call(tool, place, path="a.py", old="return 2", new="y")
    assert file.text().endswith("# by hand\n")


async def test_a_change_after_the_question(tool: EditFile, place: Place, file: File) -> None:
    prepared = tool.prepare({"path": "a.py", "old": "return 1", "new": "x"}, place)
    file.write("return 1\n")
    with pytest.raises(ToolRefused, match="changed after this call was shown"):
        await tool.run(prepared, place)
    assert file.text() == "return 1\n"


async def test_line_ends_and_odd_bytes_stay(tool: EditFile, place: Place) -> None:
    file = place.root / "a.txt"
    file.write_bytes(b"one\r\ntwo\r\n\xff\xfe\r\n")
    await call(tool, place, path="a.txt", old="one\ntwo", new="1\n2")
    assert file.read_bytes() == b"1\r\n2\r\n\xff\xfe\r\n"


@given(st.text("ab\n", max_size=40), st.text("ab\n", min_size=1, max_size=3), st.text("ab\r\n"))
def test_a_single_change_is_a_replacement(text: str, old: str, new: str) -> None:
    spot = Spot("/", ("x",))
    starts = [n for n in range(len(text)) if text.startswith(old, n)]
    if len(starts) == 1:
        expected = (text.replace(old, new).encode(), 1)
        assert _changed(text.encode(), old.encode(), new.encode(), False, spot) == expected
    else:
        with pytest.raises(ToolRefused):
            _changed(text.encode(), old.encode(), new.encode(), False, spot)
