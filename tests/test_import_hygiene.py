"""The direction of imports and the purity of the core: checked, and the checks bite."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "longwatch"

CORE = ("checklist", "dialects", "session", "discipline")
"""Each may import itself and what stands before it."""

PURE = """
    abc bisect collections copy dataclasses datetime decimal enum fractions functools hashlib heapq
    itertools json math operator re string textwrap types typing unicodedata
"""
IMPURE = """
    _thread argparse asyncio builtins concurrent contextvars ctypes fcntl getpass glob http
    importlib io logging mmap multiprocessing os pathlib pickle platform queue random runpy sched
    secrets select selectors shelve shutil signal socket sqlite3 ssl subprocess sys syslog tempfile
    termios threading time tty urllib uuid webbrowser zipfile
"""
CLOCKS = frozenset({"now", "utcnow", "today"})
ACTS = frozenset({"open", "print", "input", "exec", "eval", "compile", "breakpoint", "__import__"})


def imported(tree: ast.AST, package: str) -> Iterator[str]:
    """Every module that the source imports, in full; of ours down to the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            within = ["longwatch", package][: max(0, 3 - node.level)] if node.level else []
            module = ".".join([*within, *([node.module] if node.module else [])])
            if module == "longwatch":
                yield from (f"longwatch.{alias.name}" for alias in node.names)
            else:
                yield module


def misplaced(module: str, package: str) -> bool:
    """Whether a module of that core package may not import it."""
    first, *rest = module.split(".")
    if first == "longwatch":
        allowed = CORE[: CORE.index(package) + 1]
        return not rest or rest[0] not in allowed
    return first != "msgspec" and first not in PURE.split()


def impurities(source: str, package: str) -> list[str]:
    """What a module of that core package does that the core must not."""
    tree = ast.parse(source)
    found = [f"imports {name}" for name in imported(tree, package) if misplaced(name, package)]
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in ACTS:
                found.append(f"calls {name}")
            case ast.Call(func=ast.Attribute(attr=name)) if name in CLOCKS:
                found.append(f"reads the clock with {name}")
            case ast.Attribute(value=ast.Name(id="date" | "datetime"), attr=name) if name in CLOCKS:
                found.append(f"reads the clock with {name}")
            case ast.Global(names=names):
                found.append(f"has module state: {', '.join(names)}")
            case _:
                pass
    return found


MODULES = [(package, path) for package in CORE for path in sorted((SOURCE / package).rglob("*.py"))]


@pytest.mark.parametrize(
    ("package", "path"), MODULES, ids=[str(path.relative_to(SOURCE)) for _, path in MODULES]
)
def test_a_core_module_imports_and_does_nothing_impure(package: str, path: Path) -> None:
    assert impurities(path.read_text(encoding="utf-8"), package) == []


def test_every_core_package_is_looked_at() -> None:
    assert {package for package, _ in MODULES} == set(CORE)
    assert len(MODULES) >= 20


@pytest.mark.parametrize("module", IMPURE.split())
def test_no_impure_module_of_the_standard_library_passes(module: str) -> None:
    assert module in sys.stdlib_module_names
    assert impurities(f"import {module}", "discipline") == [f"imports {module}"]


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("session", "import httpx"),
        ("session", "import os.path"),
        ("session", "from asyncio import sleep"),
        ("session", "def late():\n    import socket"),
        ("session", "import longwatch"),
        ("session", "from longwatch import cli"),
        ("session", "from longwatch.engine import ports"),
        ("session", "import longwatch.discipline"),
        ("session", "from longwatch import discipline"),
        ("session", "from longwatch.discipline.rules import Rules"),
        ("session", "from .. import discipline"),
        ("session", "from ..discipline import Rules"),
        ("checklist", "from longwatch.dialects import Dialect"),
        ("checklist", "from longwatch.session import fold"),
        ("dialects", "from longwatch.session import fold"),
        ("session", "from datetime import datetime\nstamp = datetime.now()"),
        ("session", "import datetime as d\nstamp = d.datetime.utcnow()"),
        ("session", "from datetime import date\nclock = date.today"),
        ("session", "text = open('notes').read()"),
        ("session", "print('here')"),
        ("session", "__import__('os')"),
        ("session", "count = 0\ndef more():\n    global count\n    count += 1"),
    ],
)
def test_what_the_core_must_not_do_is_found(package: str, source: str) -> None:
    assert impurities(source, package)


@pytest.mark.parametrize(
    "source",
    [
        "import msgspec\nfrom msgspec.structs import replace",
        "from collections.abc import Callable",
        "from datetime import datetime\nmoment = datetime.fromisoformat('2026-11-18')",
        "from longwatch.checklist import merge",
        "from longwatch import dialects",
        "from . import events",
        "from .events import Injected",
        "from ..checklist import merge",
    ],
)
def test_what_the_core_may_do_is_not_found(source: str) -> None:
    assert impurities(source, "session") == []


def run(
    code: str, *, path: Path | None = None, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_core_loads_without_the_world() -> None:
    heavy = ["apsw", "asyncio", "cronsim", "httpx", "platformdirs", "rich", "textual", "tomli_w"]
    code = (
        "import sys, longwatch.discipline\n"
        f"print([name for name in {[*heavy, 'yaml']} if name in sys.modules])"
    )
    done = run(code)
    assert (done.stdout.strip(), done.stderr, done.returncode) == ("[]", "", 0)


LINT = (
    "import sys\n"
    "from importlinter.cli import lint_imports_command\n"
    "sys.argv[1:] = ['--no-cache']\n"
    "lint_imports_command()"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The source tree and its contracts, to be spoiled."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE, tmp_path / "src" / "longwatch", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(copy: Path) -> subprocess.CompletedProcess[str]:
    return run(LINT, path=copy / "src", cwd=copy)


def test_the_contracts_hold(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize(
    ("module", "line", "told"),
    [
        ("session/codec.py", "import httpx", "httpx"),
        ("dialects/texts.py", "import time", "time"),
        ("discipline/rules.py", "import textual", "textual"),
        (
            "checklist/edits.py",
            "from longwatch.discipline import rules",
            "longwatch.discipline",
        ),
        ("dialects/loop.py", "from longwatch.session import events", "longwatch.session"),
    ],
)
def test_the_contracts_bite(copy: Path, module: str, line: str, told: str) -> None:
    spoiled = copy / "src" / "longwatch" / module
    spoiled.write_text(f"{spoiled.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    done = lint(copy)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "BROKEN" in done.stdout
    assert told in done.stdout.partition("Broken contracts")[2]
