"""No tool leaves the session's folder, whatever the path and whatever changes under it."""

import os
from pathlib import Path

import pytest
from adapters.tools.tool_stage import call
from path_escapes import ALL, CANARY, ESCAPES, Escape, Tree, arguments, grow, guarded

from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.paths import Spot, is_under, open_folder, resolve
from longwatch.adapters.tools.registry import make_tools
from longwatch.engine.ports import Place, Tool, ToolRefused


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return grow(tmp_path)


@pytest.fixture
def tools() -> dict[str, Tool]:
    return make_tools(ReadMemory())


def place_of(tree: Tree) -> Place:
    return Place(root=tree.root, session="s", protected=(tree.own,))


def test_there_are_enough_attempts() -> None:
    names = [escape.name for escape in ESCAPES]
    assert len(names) == len(set(names)) >= 60


@pytest.mark.parametrize("escape", ESCAPES, ids=lambda escape: escape.name)
async def test_refused_and_nothing_touched(
    escape: Escape, tree: Tree, tools: dict[str, Tool]
) -> None:
    escape.build(tree)
    path = escape.path(tree)
    before = guarded(tree)
    for name in escape.tools:
        with pytest.raises(ToolRefused) as refused:
            await call(tools[name], place_of(tree), **arguments(name, path))
        reason = str(refused.value)
        assert CANARY not in reason
        assert reason.isprintable()
        assert len(reason) < 1000
    assert guarded(tree) == before


@pytest.mark.parametrize("tool", ALL)
async def test_the_same_paths_without_an_escape_work(
    tool: str, tree: Tree, tools: dict[str, Tool]
) -> None:
    tree.link("file", "sub/../inside.txt")
    tree.link("folder", tree.root / "sub")
    (tree.root / "sub" / "here.txt").write_text(f"{CANARY}\n")
    folder_tool = tool in {"list_files", "search"}
    for path in ["sub/../sub", "folder", str(tree.root / "sub"), "./folder/../sub"]:
        target = path if folder_tool else f"{path}/here.txt"
        (tree.root / "sub" / "here.txt").write_text(f"{CANARY}\n")
        tools = make_tools(ReadMemory())
        output = await call(tools[tool], place_of(tree), **arguments(tool, target))
        assert output.ok
        assert "sub/here.txt" in output.output or CANARY in output.output


async def test_a_name_that_begins_with_a_tilde(tree: Tree, tools: dict[str, Tool]) -> None:
    (tree.root / "~x").write_text("tilde")
    output = await call(tools["read_file"], place_of(tree), path="./~x")
    assert output.output == "tilde"


@pytest.mark.parametrize("tool", ["read_file", "write_file", "edit_file", "search", "list_files"])
async def test_a_folder_that_becomes_a_link_after_the_question(
    tool: str, tree: Tree, tools: dict[str, Tool]
) -> None:
    folder = tree.root / "sub" / "deep"
    (folder / "secret.txt").write_text(f"{CANARY}\n")
    before = guarded(tree)
    path = "sub/deep" if tool == "list_files" else "sub/deep/secret.txt"
    prepared = tools[tool].prepare(arguments(tool, path), place_of(tree))
    folder.rename(tree.root / "moved")
    folder.symlink_to(tree.outside)
    with pytest.raises(ToolRefused):
        await tools[tool].run(prepared, place_of(tree))
    assert guarded(tree) == before


@pytest.mark.parametrize("tool", ["read_file", "write_file", "edit_file"])
async def test_a_file_that_becomes_a_link_after_the_question(
    tool: str, tree: Tree, tools: dict[str, Tool]
) -> None:
    file = tree.root / "file.txt"
    file.write_text(f"{CANARY}\n")
    before = guarded(tree)
    prepared = tools[tool].prepare(arguments(tool, "file.txt"), place_of(tree))
    file.unlink()
    file.symlink_to(tree.outside / "secret.txt")
    with pytest.raises(ToolRefused):
        await tools[tool].run(prepared, place_of(tree))
    assert guarded(tree) == before
    assert file.is_symlink()


async def test_a_file_that_becomes_a_pipe_does_not_hang(tree: Tree, tools: dict[str, Tool]) -> None:
    file = tree.root / "inside.txt"
    prepared = tools["read_file"].prepare({"path": "inside.txt"}, place_of(tree))
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ToolRefused, match="named pipe"):
        await tools["read_file"].run(prepared, place_of(tree))


def test_the_root_may_itself_be_a_link(tree: Tree) -> None:
    alias = tree.base / "alias"
    alias.symlink_to(tree.root)
    assert resolve("inside.txt", Place(root=alias)).path == str(tree.root / "inside.txt")
    by_alias = resolve(str(alias / "inside.txt"), Place(root=tree.root))
    assert by_alias.parts == ("inside.txt",)


def test_a_missing_root_is_said(tmp_path: Path) -> None:
    with pytest.raises(ToolRefused, match="is not there"):
        resolve("x", Place(root=tmp_path / "gone"))


@pytest.mark.parametrize("path", ["proc/self/environ", "/proc/self/mem", "/dev/zero", "sys/x"])
def test_the_kernels_folders_are_closed_even_if_the_root_is_the_top(path: str) -> None:
    with pytest.raises(ToolRefused, match="tools do not look"):
        resolve(path, Place(root=Path("/")))


def test_the_top_as_root() -> None:
    assert resolve("etc/hosts", Place(root=Path("/"))).parts[0] == "etc"
    assert resolve(".", Place(root=Path("/"))) == Spot("/", ())


def test_a_missing_name_brings_the_nearest(tree: Tree, tools: dict[str, Tool]) -> None:
    with pytest.raises(ToolRefused, match=r"There is no insde\.txt\. Did you mean inside\.txt\?"):
        tools["read_file"].prepare({"path": "insde.txt"}, place_of(tree))


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/a", "/a", True),
        ("/a/b", "/a", True),
        ("/ab", "/a", False),
        ("/", "/a", False),
        ("/a", "/", True),
    ],
)
def test_is_under(path: str, folder: str, expected: bool) -> None:
    assert is_under(path, folder) is expected


def test_nothing_stays_open(tree: Tree) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = descriptors()
    with pytest.raises(FileNotFoundError):
        open_folder(Spot(str(tree.root), ("sub", "nowhere", "x")))
    with pytest.raises(OSError, match="directory"):
        open_folder(Spot(str(tree.root), ("sub", "..", "inside.txt")))
    assert descriptors() == before
