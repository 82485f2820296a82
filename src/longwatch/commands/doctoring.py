"""`longwatch doctor`: what works here, what does not, and what to do about it."""

import asyncio
import os
import platform
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from longwatch import __version__
from longwatch.adapters.logs import log_file
from longwatch.adapters.settings.layers import from_environment
from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.setting import Layer
from longwatch.adapters.settings.trust import Trust, would_activate
from longwatch.adapters.store.opening import looked_at
from longwatch.adapters.tools.sandbox import Sandbox
from longwatch.commands.checking import Examination
from longwatch.commands.health import Check, Health, Status
from longwatch.commands.reachable import reachable
from longwatch.commands.serving import status_lines
from longwatch.engine.secrets import Redactor
from longwatch.engine.storing import StoreError
from longwatch.governing import Setup
from longwatch.session.state import Profile
from longwatch.wiring import Wiring

SMALLEST = (80, 24)
OWN: tuple[Layer, ...] = ("global", "project")


def examine(wiring: Wiring, cwd: Path) -> Health:
    """Look at everything. Nothing is changed, and nothing that is secret is told."""
    root = Path(os.path.realpath(cwd))
    setup = _setup(wiring, root)
    checks = [
        *_program(wiring),
        *_configuration(wiring, root, setup),
        *asyncio.run(reachable(wiring, setup)),
        *_sandbox(wiring, setup),
        *_terminal(wiring),
        *_store(wiring),
    ]
    return Health(tuple(_masked(checks, Redactor(wiring.house.secrets).text)))


def _masked(checks: list[Check], mask: Callable[[str], str]) -> Iterator[Check]:
    for check in checks:
        yield Check(check.area, check.name, check.status, mask(check.detail), mask(check.remedy))


def _setup(wiring: Wiring, root: Path) -> Setup | None:
    """What holds for a new session here; None if the configuration is wrong."""
    try:
        return wiring.house.setup(Profile(cwd=str(root), model="", dialect=""))
    except Problems:
        return None


def _program(wiring: Wiring) -> Iterator[Check]:
    python = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield Check("program", "longwatch", "ok", f"{__version__}, {python}")
    yield Check("program", "log", "ok", str(log_file(wiring.places)))


# --- configuration --------------------------------------------------------------------------


def _configuration(wiring: Wiring, root: Path, setup: Setup | None) -> Iterator[Check]:
    places = wiring.places
    there = places.config_file.exists()
    detail = str(places.config_file) if there else f"{places.config_file} is not there"
    remedy = "" if there else "`longwatch config init` writes a commented one; it works without"
    yield Check("configuration", "config.yaml", "ok" if there else "note", detail, remedy)
    examination = Examination(wiring, root)
    problems = examination.problems()
    for problem in problems:
        remedy = "change it; `longwatch config check` says whether it is right then"
        yield Check("configuration", "a file", "problem", str(problem), remedy)
    if not problems:
        files = f"{len(examination.read)} of your own, nothing is wrong in them"
        yield Check("configuration", "files", "ok", files)
    yield from _trust(wiring, root)
    if setup is None:
        return
    variables = sorted(set(from_environment(wiring.environ).places.values()))
    if variables:
        yield Check("configuration", "environment", "note", f"it sets {', '.join(variables)}")
    rows = [row for row in setup.resolved.as_rows() if row.layer in OWN]
    told = ", ".join(row.key for row in rows) or "nothing; the defaults hold"
    yield Check("configuration", "what is set", "ok", told, "")
    yield Check("configuration", "model", "ok", _model(setup))


def _model(setup: Setup) -> str:
    model = setup.model
    origin = setup.resolved.origin("model")
    if origin.layer != "schema":
        return f"{model}, set by {origin.file or origin.layer}"
    if model.startswith("rehearsal:"):
        return f"{model}, as nothing is configured: it plays a part and thinks nothing"
    return f"{model}, chosen by the key in the environment"


def _trust(wiring: Wiring, root: Path) -> Iterator[Check]:
    brought = would_activate(root)
    if not brought:
        return
    try:
        trusted = Trust.at(wiring.places).covers(root)
    except Problems:
        return
    words = ", ".join(brought)
    if trusted:
        yield Check("configuration", "this folder", "ok", f"trusted; it brings {words}")
    else:
        remedy = "if you trust it: `longwatch run --trust`, or say so in the dashboard"
        yield Check("configuration", "this folder", "note", f"not trusted: {words}", remedy)


# --- this machine ---------------------------------------------------------------------------


def _sandbox(wiring: Wiring, setup: Setup | None) -> Iterator[Check]:
    found = wiring.house.bounds.sandbox
    if isinstance(found, Sandbox):
        yield Check("sandbox", "bubblewrap", "ok", f"{found.program} works")
        return
    required = setup is not None and setup.resolved["sandbox"] == "required"
    remedy = "install bubblewrap, and allow user namespaces"
    if sys.platform != "linux":
        remedy = "there is none on this system; commands ask first unless approval is auto"
    status: Status = "problem" if required else "note"
    detail = f"{found.reason}; `approval: auto` then runs commands unprotected, after asking once"
    if required:
        detail = f"{found.reason}, and `sandbox: required` refuses every command without it"
        remedy += ", or set sandbox: auto"
    yield Check("sandbox", "bubblewrap", status, detail, remedy)


def _terminal(wiring: Wiring) -> Iterator[Check]:
    environ = wiring.environ
    if not sys.stdout.isatty():
        detail = "the output goes to no terminal; the dashboard needs one, `longwatch run` does not"
        yield Check("terminal", "output", "note", detail)
    else:
        yield from _screen(environ.get("TERM", ""))
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    utf8 = encoding == "utf8"
    remedy = "" if utf8 else "use a UTF-8 locale, such as LANG=C.UTF-8"
    name = sys.stdout.encoding or "unknown"
    yield Check("terminal", "characters", "ok" if utf8 else "problem", name, remedy)
    yield Check("terminal", "colours", "ok", _colours(wiring))
    editor = environ.get("VISUAL") or environ.get("EDITOR")
    if editor:
        yield Check("terminal", "editor", "ok", editor)
    else:
        remedy = "set EDITOR or VISUAL, so that `.edit` has one to open"
        yield Check("terminal", "editor", "note", "neither VISUAL nor EDITOR is set", remedy)


def _screen(term: str) -> Iterator[Check]:
    size = shutil.get_terminal_size()
    wide = size.columns >= SMALLEST[0] and size.lines >= SMALLEST[1]
    detail = f"{size.columns}×{size.lines}, TERM={term or '(not set)'}"
    usable = term not in ("", "dumb")
    remedy = "" if wide else f"the dashboard is made for {SMALLEST[0]}×{SMALLEST[1]} and more"
    if not usable:
        remedy = "the dashboard needs a terminal that can move its cursor, such as xterm-256color"
    status: Status = "ok" if wide and usable else "note" if usable else "problem"
    yield Check("terminal", "screen", status, detail, remedy)


def _colours(wiring: Wiring) -> str:
    environ = wiring.environ
    if environ.get("NO_COLOR"):
        return "none, as NO_COLOR is set"
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        depth = "all"
    else:
        depth = "256" if "256" in environ.get("TERM", "") else "at least 16"
    multiplexed = " (inside tmux)" if "TMUX" in environ else ""
    return depth + multiplexed


# --- the store ------------------------------------------------------------------------------


def _store(wiring: Wiring) -> Iterator[Check]:
    path = wiring.store_path
    try:
        condition = looked_at(path)
    except StoreError as error:
        yield Check("store", "store", "problem", str(error), "`longwatch fsck` says more")
        return
    if condition is None:
        detail = f"{path} is not there yet; the first session makes it"
        yield Check("store", "store", "ok", detail)
        return
    sound = "a quick look found no damage" if condition.checked else "too large for a quick look"
    detail = f"{path}, {_size(condition.size)}, version {condition.version}, {sound}"
    remedy = "" if condition.checked else "`longwatch fsck` reads all of it"
    yield Check("store", "store", "ok", detail, remedy)
    yield from _privacy(wiring)
    sessions = [summary for summary in wiring.store.summaries() if not summary.temporary]
    yield Check("store", "sessions", "ok", str(len(sessions)))
    (worker,) = status_lines(wiring, as_json=False)
    yield Check("store", "worker", "ok", worker)
    wiring.store.close()


def _privacy(wiring: Wiring) -> Iterator[Check]:
    """Sessions hold what was said in confidence: only their owner may read them."""
    for path in (wiring.places.data, wiring.store_path):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            remedy = f"chmod {'700' if path.is_dir() else '600'} {path}"
            detail = f"{path} has mode {mode:04o}: others can open it"
            yield Check("store", "privacy", "problem", detail, remedy)


def _size(count: int) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count} {unit}"
        count //= 1024
    return f"{count} GiB"
