"""What of a soak is printed, and what of it is not allowed to be."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from soak.samples import MIB, Sample, percentile, slope

WARM_UP = 120.0
"""Seconds in which caches, pools and conversations may still fill; a third of a short soak."""
LONG_ENOUGH = 180.0
"""Seconds after that from which on a slope of the memory says anything."""
MOST_GROWTH = 1.0
"""MiB an hour."""
TELLABLE = 1.0
"""MiB: an allocator takes and gives back memory in pieces about this large."""
SLACK_FILES = 3
"""Connections that a fault closed and a retry opened are counted twice for a moment."""
SLOWEST = 1.0
"""Seconds from a wish to its answer that 99 in 100 must keep to."""


@dataclass
class Account:
    """What was asked and done, and what of it is wrong."""

    samples: list[Sample] = field(default_factory=list)
    answers: list[tuple[float, float]] = field(default_factory=list)
    """When a wish was posted, and how many seconds its answer took."""
    visits: int = 0
    messages: int = 0
    marks: int = 0
    complaints: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    what: str
    first: str
    last: str
    slope: str
    judged: str
    holds: bool = True

    @property
    def line(self) -> str:
        verdict = "" if not self.judged else "ok" if self.holds else "FAILED"
        return (
            f"{self.what:<34}{self.first:>12}{self.last:>12}  {self.slope:<27}"
            f"{self.judged:<34}{verdict}"
        )


def rows(account: Account) -> Iterator[Row]:
    warm = _warm(account.samples)
    began = warm[0].at
    for name in ("worker", "dashboard"):
        yield _memory(name, warm)
    for name in ("worker", "dashboard"):
        yield _files(name, warm)
    yield _answers(account.answers, began)
    yield from _store(warm)
    yield _none("lost", account.lost)
    yield _none("doubled", account.doubled)
    yield _none("complaints", account.complaints)


def _warm(samples: Sequence[Sample]) -> list[Sample]:
    began = min(WARM_UP, samples[-1].at / 3)
    return [sample for sample in samples if sample.at >= began]


def _tells(warm: Sequence[Sample]) -> bool:
    """Whether it took long enough for a trend to be one."""
    return warm[-1].at - warm[0].at >= LONG_ENOUGH


def _memory(name: str, warm: Sequence[Sample]) -> Row:
    values = [float(getattr(sample, name)) for sample in warm]
    line = slope([sample.at for sample in warm], values)
    grew = line.least > MOST_GROWTH and line.growth > TELLABLE
    long_enough = _tells(warm)
    return Row(
        f"memory of the {name}, MiB",
        f"{values[0]:.1f}",
        f"{values[-1]:.1f}",
        f"{line.an_hour:+.1f} ± {line.error:.1f} MiB/h",
        f"no growth above {MOST_GROWTH:g} MiB/h" if long_enough else "too short to judge",
        not (grew and long_enough),
    )


def _files(name: str, warm: Sequence[Sample]) -> Row:
    values = [int(getattr(sample, f"{name}_files")) for sample in warm]
    half = len(values) // 2
    before, after = max(values[:half]), max(values[half:])
    return Row(
        f"descriptors of the {name}",
        str(before),
        str(after),
        "most in each half",
        "constant",
        after <= before + SLACK_FILES,
    )


def _answers(answers: Sequence[tuple[float, float]], began: float) -> Row:
    times = [took for at, took in answers if at >= began]
    half = len(times) // 2
    high = percentile(times, 0.99)
    return Row(
        "wish to answer, median ms",
        f"{percentile(times[:half], 0.5) * 1e3:.0f}",
        f"{percentile(times[half:], 0.5) * 1e3:.0f}",
        f"p95 {percentile(times, 0.95) * 1e3:.0f}, p99 {high * 1e3:.0f} ms",
        f"p99 under {SLOWEST * 1e3:.0f} ms",
        high <= SLOWEST,
    )


def _store(warm: Sequence[Sample]) -> Iterator[Row]:
    thirds = [warm[len(warm) * at // 3 : len(warm) * (at + 1) // 3] for at in range(3)]
    costs = [_bytes_each(third) for third in (thirds[0], thirds[2])]
    first, last = warm[0], warm[-1]
    rate = (last.events - first.events) / (last.at - first.at)
    yield Row(
        "store, MiB",
        f"{first.store / MIB:.1f}",
        f"{last.store / MIB:.1f}",
        f"{rate:.0f} events/s",
        "",
    )
    yield Row(
        "store, bytes an event",
        f"{costs[0]:.0f}",
        f"{costs[1]:.0f}",
        "first third, last third",
        "no more than half as much again" if _tells(warm) else "too short to judge",
        costs[1] <= max(costs[0], 1) * 1.5 or not _tells(warm),
    )
    most = [max(sample.log for sample in third) / MIB for third in (thirds[0], thirds[2])]
    yield Row(
        "its log at most, MiB",
        f"{most[0]:.1f}",
        f"{most[1]:.1f}",
        "",
        "bounded",
        most[1] <= most[0] * 1.5 + 4,
    )


def _bytes_each(samples: Sequence[Sample]) -> float:
    """The log is emptied into the store now and then; together they only grow."""
    pairs = list(pairwise(samples))
    grown = sum(max(0, b.store - a.store) for a, b in pairs)
    return grown / max(1, sum(b.events - a.events for a, b in pairs))


def _none(what: str, found: Sequence[str]) -> Row:
    return Row(what, "", str(len(found)), "", "none", not found)


def confidence(account: Account) -> str:
    """What the memory's rows can tell."""
    warm = _warm(account.samples)
    span = warm[-1].at - warm[0].at
    if span < LONG_ENOUGH:
        return f"{span:.0f} s after the warm-up are too short to judge memory: MINUTES=5 or more."
    least = max(MOST_GROWTH, TELLABLE * 3600 / span)
    ending = "; a longer one tells smaller ones" if least > MOST_GROWTH else ", the target"
    return (
        f"Memory is judged over the last {span / 60:.1f} min. Growth counts if the 95 % interval "
        f"of its slope lies above {MOST_GROWTH:g} MiB/h and it comes to more than {TELLABLE:g} MiB "
        f"in that time: this run tells a leak of {least:.0f} MiB/h or more{ending}."
    )
