"""Every example in the documentation runs as it stands."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Home

ROOT = Path(__file__).parents[1]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*?)(?:\s+# exit (\d+))?$", re.MULTILINE)
NAMED = re.compile(r"^# (\S+)\n")


def blocks(page: Path, language: str = "python") -> list[str]:
    return [text for kind, text in FENCE.findall(page.read_text()) if kind == language]


def pages(*languages: str) -> list[Path]:
    return [page for page in PAGES if any(blocks(page, language) for language in languages)]


@pytest.mark.parametrize("page", pages("python"), ids=lambda page: page.name)
def test_the_python_of_a_page_runs_from_top_to_bottom(page: Path) -> None:
    printed = io.StringIO()
    namespace = {"__name__": "example"}
    with contextlib.redirect_stdout(printed):
        for block in blocks(page):
            exec(compile(block, page.name, "exec"), namespace)  # the page is the program
    if page.name == "embedding.md":
        assert printed.getvalue().splitlines() == [
            "dormant done",
            "['Auto-continuing (1/25): 1 incomplete todo(s) remain']",
        ]


def test_the_embedding_example_is_short() -> None:
    first = blocks(ROOT / "docs" / "embedding.md")[0]
    assert len([line for line in first.splitlines() if line.strip()]) < 40


@pytest.mark.parametrize("page", pages("console"), ids=lambda page: page.name)
def test_the_commands_of_a_page_work_as_written(page: Path, tmp_path: Path) -> None:
    home = Home(tmp_path, environ={"LONGWATCH_SPEED": "100"}).made()
    command = tmp_path / "bin" / "longwatch"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m longwatch "$@"\n')
    command.chmod(0o700)
    environ = home.env | {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    for line, code in COMMAND.findall("\n".join(blocks(page, "console"))):
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            env=environ,
            cwd=home.work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == int(code or 0), f"{line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", pages("yaml", "toml", "markdown"), ids=lambda page: page.name)
def test_the_files_of_a_page_can_be_read(page: Path, tmp_path: Path) -> None:
    """Each names its place in the configuration folder in its first line."""
    home = Home(tmp_path).made()
    for language in ("yaml", "toml", "markdown"):
        for text in blocks(page, language):
            named = NAMED.match(text)
            assert named is not None, text
            file = home.config / named[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text if language != "markdown" else text[named.end() :])
            home.ok("config", "check")
