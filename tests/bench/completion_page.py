"""The outcomes of many runs as sums, and the page docs/completion.md."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev

from bench.bad_model import PARTS
from bench.completion_trial import Mode, Outcome, Trial

NAMES: dict[Mode, str] = {"off": "off", "own": "on, the dialect's own", "full": "on, all of it"}


@dataclass(frozen=True)
class Row:
    """All runs of one dialect in one mode."""

    dialect: str
    mode: Mode
    outcomes: Sequence[Outcome]

    @property
    def share(self) -> float:
        return mean(outcome.written for outcome in self.outcomes) / len(PARTS)

    @property
    def error(self) -> float:
        """The standard error of the share, over the seeds."""
        shares = [outcome.written / len(PARTS) for outcome in self.outcomes]
        return stdev(shares) / sqrt(len(shares)) if len(shares) > 1 else 0.0

    @property
    def whole(self) -> int:
        """Runs in which everything was done."""
        return sum(outcome.written == len(PARTS) for outcome in self.outcomes)

    @property
    def calls(self) -> float:
        return mean(outcome.calls for outcome in self.outcomes)

    @property
    def calls_each(self) -> float:
        """Model calls for each part that is there."""
        parts = sum(outcome.written for outcome in self.outcomes)
        return sum(outcome.calls for outcome in self.outcomes) / max(parts, 1)

    @property
    def wakes(self) -> float:
        return mean(outcome.wakes for outcome in self.outcomes)

    @property
    def untrue(self) -> float:
        ticked = sum(outcome.ticked for outcome in self.outcomes)
        return sum(outcome.untrue for outcome in self.outcomes) / max(ticked, 1)

    @property
    def endings(self) -> str:
        counts = Counter(outcome.ending for outcome in self.outcomes)
        return ", ".join(f"{ending} {count}" for ending, count in counts.most_common())


@dataclass(frozen=True)
class Point:
    """The share of the work that is done where a model stops that often."""

    mode: Mode
    stops: float
    share: float
    calls: float


def summed(outcomes: Mapping[Trial, Outcome]) -> list[Row]:
    groups: dict[tuple[str, Mode], list[Outcome]] = {}
    for trial, outcome in outcomes.items():
        groups.setdefault((trial.dialect, trial.mode), []).append(outcome)
    return [Row(dialect, mode, of) for (dialect, mode), of in groups.items()]


def points(outcomes: Mapping[Trial, Outcome]) -> list[Point]:
    groups: dict[tuple[Mode, float], list[Outcome]] = {}
    for trial, outcome in outcomes.items():
        groups.setdefault((trial.mode, trial.stops or 0.0), []).append(outcome)
    return [
        Point(mode, stops, Row("", mode, of).share, Row("", mode, of).calls)
        for (mode, stops), of in groups.items()
    ]


def table_lines(rows: Sequence[Row]) -> Iterator[str]:
    yield (
        "| dialect | discipline | work done | all 12 done | model calls | calls per part "
        "| wakes | ticked but not done | how the runs ended |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|--:|---|"
    for row in rows:
        yield (
            f"| `{row.dialect}` | {NAMES[row.mode]} | {row.share:.0%} ± {row.error:.0%} "
            f"| {row.whole} of {len(row.outcomes)} | {row.calls:.0f} | {row.calls_each:.1f} "
            f"| {row.wakes:.1f} | {row.untrue:.1%} | {row.endings} |"
        )


def curve_lines(found: Sequence[Point]) -> Iterator[str]:
    stops = sorted({point.stops for point in found})
    by_place = {(point.mode, point.stops): point for point in found}
    yield "| it stops in … of its replies | " + " | ".join(f"{s:.0%}" for s in stops) + " |"
    yield "|---" + "|--:" * len(stops) + "|"
    modes: tuple[tuple[Mode, str], ...] = (("off", "off"), ("own", "on"))
    for mode, name in modes:
        cells = [f"{by_place[mode, s].share:.0%}" for s in stops]
        yield f"| work done, {name} | " + " | ".join(cells) + " |"
    for mode, name in modes:
        cells = [f"{by_place[mode, s].calls:.0f}" for s in stops]
        yield f"| model calls, {name} | " + " | ".join(cells) + " |"


def page(rows: Sequence[Row], found: Sequence[Point], runs: int, seeds: int) -> str:
    by_key = {(row.dialect, row.mode): row for row in rows}
    off, own = by_key["longwatch", "off"], by_key["longwatch", "own"]
    return PAGE.format(
        off=f"{off.share:.0%}",
        own=f"{own.share:.0%}",
        table="\n".join(table_lines(rows)),
        curve="\n".join(curve_lines(found)),
        runs=runs,
        seeds=seeds,
    )


PAGE = """\
# Completion under a bad model

A model that stops before it is done is the ordinary case in long runs. Most programs then wait for
a person. Longwatch decides by the checklist instead. This page measures what that is worth.

![How much of the work was finished](completion.svg)

With the default dialect the same {seeds} models finished {off} of the work without the discipline
and {own} with it.

{table}

*off* is the loop as most programs have it: tools run, faults are retried, and a reply without a
tool call ends the run (`auto_continue`, `plan_nudge`, `nag_after`, `stale_after` and
`finalization_corrections` are off). *The dialect's own* is `auto_continue: true` and otherwise what
each dialect has by default. *All of it* is the same for every dialect: the plan nudge, the nag, 25
wakes, and `max_idle_continues: 3` as the brake instead of `stop_on_identical_reply`, which is off
there. In `longwatch` that brake is the difference between the last two: it ended runs that could
still have gone on. In `loki` the todo tools exist only with `auto_continue`, so *off* has no list
at all there. ± is the standard error over the seeds: differences of that size say nothing.

## How bad must a model be for it to matter?

The default dialect, with only one thing changed: how often a reply ends in plain text although work
is left. A model that never does needs no discipline; one in fifty replies is enough to tell.

{curve}

## How it was measured

`make bench-completion` makes {runs} runs: the real engine, store, tools and model adapter, in
process, against an HTTP server on loopback. Only the model is made up. Its task is to write twelve
files; work counts as done if the file is there with the right content, whatever the list says.

The model sees nothing but its requests. A seed gives it a temper, and each reply is a draw from it:

| misbehaviour | chance in a reply |
|---|---|
| stops in plain text although work is left | 1 to 12 % |
| does the work and forgets to tick it | 5 to 35 % |
| ticks an item without working on it | 0 to 3 % |
| begins two items at once | 0 to 6 % |
| makes the same call again, and again | 0 to 4 %, then 70 % each time |
| malformed arguments or an unknown tool | 0 to 8 % |
| connection reset in the middle of a reply | 0 to 6 % |
| 429 or 500 | 0 to 9 % |
| throws its own list over | 0 to 3 % |
| ignores a reminder or a continuation | 0 to 40 % |

The same seed is the same model in every dialect and every mode, and gives the same figures each
time.

## What it does not show

- The model is an invention. Its chances are guesses, fitted to no model. They were changed once
  after a first look (it stopped in 3 to 20 % of its replies, and more often in the same words), to
  a milder one; the middle mode and the last were told apart then too. The size of the gap follows
  from such choices. The curve is there so that you can look up your own.
- It does what it is told in most cases. One that ignores every continuation gains nothing: it is
  stopped by a brake after a few calls instead of at once.
- An item that is ticked and not done stays undone: no program sees that from the list. The column
  says which share of the ticks was untrue.
- Retrying is not counted as discipline: *off* retries 429, 500 and broken connections too.
- The brakes stay on in *off*: the run ends when the same call comes back five times, or when six
  in a row are refused.
- More calls cost more. *Calls per part* is the price of a finished part, and the fair comparison.
  Keeping a list costs about one call for each item: see `loki` without one.
"""
