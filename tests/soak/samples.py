"""What is measured from outside, every few seconds, and how a line through it runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import mean

MIB = 1024 * 1024
BLOCKS = 12
TWO_SIDED = 2.2
"""Student's t at 95 % for ten degrees of freedom, which a dozen blocks leave."""


@dataclass(frozen=True)
class Sample:
    """One look at everything."""

    at: float
    """Seconds since the start."""
    worker: float
    dashboard: float
    worker_files: int
    dashboard_files: int
    store: int
    log: int
    events: int


@dataclass(frozen=True)
class Slope:
    """A line through samples: units an hour, give or take."""

    an_hour: float
    error: float
    hours: float

    @property
    def least(self) -> float:
        return self.an_hour - self.error

    @property
    def growth(self) -> float:
        """Over the time that was looked at."""
        return self.an_hour * self.hours


def anonymous(pid: int) -> float:
    """MiB of a process that are its own: no files, no libraries."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise ValueError(pid)


def descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def slope(times: Sequence[float], values: Sequence[float]) -> Slope:
    """Least squares over the means of blocks: neighbouring samples are no independent witnesses."""
    count = max(3, min(BLOCKS, len(values)))
    bounds = [len(values) * at // count for at in range(count + 1)]
    blocks = [slice(a, b) for a, b in pairwise(bounds) if b > a]
    x = [mean(times[block]) / 3600 for block in blocks]
    y = [mean(values[block]) for block in blocks]
    middle, height = mean(x), mean(y)
    spread = sum((a - middle) ** 2 for a in x)
    rise = sum((a - middle) * (b - height) for a, b in zip(x, y, strict=True)) / spread
    rest = sum((b - height - rise * (a - middle)) ** 2 for a, b in zip(x, y, strict=True))
    error = TWO_SIDED * sqrt(rest / max(1, len(x) - 2) / spread)
    return Slope(rise, error, (times[-1] - times[0]) / 3600)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
