"""What was measured, as lines and as the page docs/benchmarks.md."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.processes import shape

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
HEAD = """\
# Benchmarks

`make bench ONLY=dashboard` on {date}, {shape}.

The real program in a real pty of 160×48 with a provider on loopback. CPU is user + system seconds
from `/proc`, memory is resident. Each row was measured in turns with its baseline; the figures are
medians. The machine was shared with other work: its load was {before} at the start and {after} at
the end, so a time by the clock says less here than a ratio or a CPU figure.

| what | baseline | target | measured | |
|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    baseline: str
    target: str
    measured: str
    met: bool

    @property
    def told(self) -> str:
        verdict = "met" if self.met else "MISSED"
        return f"{self.what}: {self.measured} (baseline {self.baseline}; {self.target}) {verdict}"

    @property
    def line(self) -> str:
        verdict = "met" if self.met else "**missed**"
        return f"| {self.what} | {self.baseline} | {self.target} | {self.measured} | {verdict} |"


def write(rows: Sequence[Row], before: float) -> None:
    """``before`` is the load average when measuring began."""
    head = HEAD.format(
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        shape=shape(),
        before=f"{before:.1f}",
        after=f"{os.getloadavg()[0]:.1f}",
    )
    PAGE.write_text(head + "\n".join(row.line for row in rows) + "\n")
