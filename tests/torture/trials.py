"""What is tried: kinds of harm, each with its cases, and what became of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from torture.oracle import Finding


@dataclass(frozen=True)
class Case:
    """One harm, done in a folder of its own; what it finds must not be."""

    name: str
    harm: Callable[[Path], Sequence[Finding]]


@dataclass(frozen=True)
class Kind:
    """Harms of one sort. A mounting one needs file systems of its own."""

    name: str
    cases: Callable[[], Iterable[Case]]
    mounting: bool = False


class Tried(msgspec.Struct):
    """What became of one kind: a line of the table."""

    kind: str
    tried: int = 0
    survived: int = 0
    lost: int = 0
    doubled: int = 0
    broken: int = 0
    reports: list[str] = msgspec.field(default_factory=list)
    note: str = ""

    def count(self, case: str, found: Sequence[Finding]) -> None:
        fates = {finding.fate for finding in found}
        self.tried += 1
        self.survived += not fates
        self.lost += "lost" in fates
        self.doubled += "doubled" in fates
        self.broken += "broken" in fates
        self.reports.extend(f"{self.kind}, {case}: {f.fate}: {f.words}" for f in found)


def attempt(case: Case, folder: Path) -> Sequence[Finding]:
    """Do it; whatever goes wrong in the doing is a finding too."""
    folder.mkdir()
    try:
        return case.harm(folder)
    except Exception as error:  # noqa: BLE001 - the table tells it, and the next case is tried
        return [Finding("broken", f"{type(error).__name__}: {error}"[:2000])]
