"""Malformed configuration files: told with file and line, exit code 2, nothing touched."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from command_line import Home
from malformed_configs import AGENT, CASES, ROLE, Malformed

from torture.oracle import Finding
from torture.trials import Case, Kind

COUNT = 200
WORDS = {ROLE: ("--role", "bad"), AGENT: ("--agent", "bad")}


def malformed(case: Malformed, folder: Path) -> Sequence[Finding]:
    home = Home(folder).made()
    path = case.put(home.config)
    before = _picture(folder)
    ran = home.command("run", "x", *WORDS.get(case.path, ()))
    place = str(path) if case.line is None else f"{path}:{case.line}: "
    found = []
    if ran.code != 2 or ran.out or "Traceback" in ran.err or place not in ran.err:
        found.append(Finding("broken", f"exit code {ran.code}, {ran.err[-400:]!r}"))
    if _picture(folder) != before:
        found.append(Finding("lost", "something in the folders was changed"))
    return found


def _picture(folder: Path) -> list[tuple[str, int, int, int]]:
    """Everything in a folder: names, modes, sizes and times."""
    return [
        (str(path.relative_to(folder)), seen.st_mode, seen.st_size, seen.st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        for seen in (path.lstat(),)
    ]


def cases() -> Iterator[Case]:
    """Spread over all that there are."""
    chosen = [CASES[len(CASES) * at // COUNT] for at in range(COUNT)]
    return (Case(case.name, partial(malformed, case)) for case in chosen)


CONFIGS = Kind("malformed configurations", cases)
