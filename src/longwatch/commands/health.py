"""What a look at this installation found: checks, each with what to do about it."""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal

import msgspec

from longwatch import __version__
from longwatch.engine.outcome import USAGE
from longwatch.engine.visible import visible_line

Area = Literal[
    "program",
    "configuration",
    "keys",
    "providers",
    "local servers",
    "network",
    "sandbox",
    "terminal",
    "store",
]
Status = Literal["ok", "note", "problem"]

BROKEN = 1
MARKS: dict[Status, str] = {"ok": "✓", "note": "·", "problem": "✗"}


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at."""

    area: Area
    name: str
    status: Status
    detail: str
    remedy: str = ""


class Health(msgspec.Struct, frozen=True):
    """All of it."""

    checks: tuple[Check, ...]

    @property
    def problems(self) -> list[Check]:
        return [check for check in self.checks if check.status == "problem"]

    @property
    def code(self) -> int:
        """0 usable, 1 something is broken, 2 the configuration is wrong."""
        if any(check.area == "configuration" for check in self.problems):
            return USAGE
        return BROKEN if self.problems else 0

    def lines(self, *, as_json: bool) -> Iterator[str]:
        if as_json:
            told = {
                "usable": not self.problems,
                "version": __version__,
                "checks": msgspec.to_builtins(self.checks),
            }
            yield json.dumps(told, ensure_ascii=False)
            return
        for area, checks in groupby(self.checks, key=lambda check: check.area):
            yield area.capitalize()
            yield from _rows(checks)
        count = len(self.problems)
        yield f"{count} problem{'' if count == 1 else 's'}." if count else "Nothing is broken."


def _rows(checks: Iterable[Check]) -> Iterator[str]:
    for check in checks:
        yield visible_line(f"  {MARKS[check.status]} {check.name}: {check.detail}")
        if check.remedy:
            yield visible_line(f"    → {check.remedy}")
