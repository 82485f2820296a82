"""What is shipped: the wheel's contents, the command, and a tree without lock files."""

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from email.parser import Parser
from pathlib import Path

import pytest

import longwatch

ROOT = Path(__file__).parent.parent
DATA = ("config", "themes")

LOCKS = frozenset({"pipfile.lock", "poetry.lock", "pdm.lock", "uv.lock", "package-lock.json"})
# Spelled in parts, so that this file does not name what it forbids.
HOSTS = tuple(
    ".".join(parts).encode()
    for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("anaconda", "org"))
)


def shipped_files() -> list[Path]:
    """The files of the tree that are, or would be, under version control."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=30,
    )
    names = sorted(set(listed.stdout.decode().split("\0")) - {""})
    return [Path(name) for name in names if (ROOT / name).is_file()]


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without a network from a copy, so that the tree stays clean."""
    tree = tmp_path_factory.mktemp("tree")
    for name in shipped_files():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    for folder in DATA:
        # Version control knows no empty folder; the build wants each one to be there.
        (tree / folder).mkdir(exist_ok=True)
    target = tmp_path_factory.mktemp("wheel")
    built = run(
        "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "-w", str(target), cwd=tree
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = target.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def within(folder: str) -> Sequence[Path]:
    return [path for path in shipped_files() if path.is_relative_to(folder)]


def dist_info(contents: dict[str, bytes], name: str) -> str:
    return contents[f"longwatch-{longwatch.__version__}.dist-info/{name}"].decode()


def test_the_wheel_holds_every_module_and_the_typing_mark(contents: dict[str, bytes]) -> None:
    modules = [path.relative_to("src").as_posix() for path in within("src/longwatch")]
    assert "longwatch/py.typed" in modules
    assert len(modules) > 30
    assert [name for name in modules if name not in contents] == []


@pytest.mark.parametrize("folder", DATA)
def test_the_wheel_holds_the_data_files_unchanged(contents: dict[str, bytes], folder: str) -> None:
    packed = {name for name in contents if name.startswith(f"longwatch/{folder}/")}
    assert packed == {f"longwatch/{path.as_posix()}" for path in within(folder)}
    for path in within(folder):
        assert contents[f"longwatch/{path.as_posix()}"] == (ROOT / path).read_bytes()


def test_the_wheel_holds_nothing_else(contents: dict[str, bytes]) -> None:
    tops = {name.split("/")[0] for name in contents}
    assert tops == {"longwatch", f"longwatch-{longwatch.__version__}.dist-info"}
    assert not [name for name in contents if name.endswith(".pyc")]


def test_the_wheel_installs_the_command(contents: dict[str, bytes]) -> None:
    assert dist_info(contents, "entry_points.txt").split("\n")[:2] == [
        "[console_scripts]",
        "longwatch = longwatch.cli:main",
    ]


def test_the_wheel_says_what_it_is(contents: dict[str, bytes]) -> None:
    metadata = Parser().parsestr(dist_info(contents, "METADATA"))
    assert metadata["Name"] == "longwatch"
    assert metadata["Version"] == longwatch.__version__
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"


def test_the_wheel_carries_the_licence(contents: dict[str, bytes]) -> None:
    licence = dist_info(contents, "licenses/LICENSE")
    assert licence == (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("MIT License")


def test_the_module_prints_its_version(tmp_path: Path) -> None:
    done = run("longwatch", "--version", cwd=tmp_path)
    assert (done.stdout, done.stderr) == (f"longwatch {longwatch.__version__}\n", "")
    assert done.returncode == 0


def test_there_is_no_lock_file() -> None:
    names = [path for path in shipped_files() if path.name.lower() in LOCKS]
    assert names == []
    assert [path for path in shipped_files() if path.suffix == ".lock"] == []


def test_no_file_names_the_host_of_a_package_registry() -> None:
    naming = [
        str(path)
        for path in shipped_files()
        if any(host in (ROOT / path).read_bytes().lower() for host in HOSTS)
    ]
    assert naming == []
