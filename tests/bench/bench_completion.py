"""How much of the work is finished under a bad model, with the discipline and without it.

`make bench-completion` writes docs/completion.md and docs/completion.svg.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import monotonic

from bench import completion_page, completion_plot
from bench.completion_trial import MODES, Outcome, Trial, play
from longwatch.dialects import DIALECTS

SEEDS = 24
CURVE_SEEDS = 16
CURVE_DIALECT = "longwatch"
STOPS = (0.0, 0.02, 0.05, 0.10, 0.15, 0.20, 0.30, 0.40)
"""For the curve: the chance to stop in a reply, all else as the seed has it."""
DOCS = Path(__file__).parents[2] / "docs"


def by_dialect(seeds: int) -> Iterator[Trial]:
    for dialect in DIALECTS:
        for mode in MODES:
            yield from (Trial(dialect, mode, seed) for seed in range(1, seeds + 1))


def by_stops(seeds: int) -> Iterator[Trial]:
    for stops in STOPS:
        for mode in ("off", "own"):
            for seed in range(1, seeds + 1):
                yield Trial(CURVE_DIALECT, mode, seed, stops)


def play_all(wanted: Sequence[Trial]) -> dict[Trial, Outcome]:
    """On every core; nothing is shared, so each run comes out as it would alone."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with (
        tempfile.TemporaryDirectory(prefix="completion-", dir=memory) as base,
        ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool,
    ):
        outcomes = pool.map(play, wanted, [Path(base)] * len(wanted), chunksize=4)
        return dict(zip(wanted, outcomes, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--into", type=Path, default=DOCS)
    options = parser.parse_args()
    began = monotonic()
    rows = list(by_dialect(options.seeds))
    curve = list(by_stops(min(options.seeds, CURVE_SEEDS)))
    outcomes = play_all([*rows, *curve])
    table = completion_page.summed({trial: outcomes[trial] for trial in rows})
    points = completion_page.points({trial: outcomes[trial] for trial in curve})
    page = completion_page.page(table, points, len(outcomes), options.seeds)
    (options.into / "completion.md").write_text(page)
    (options.into / "completion.svg").write_text(completion_plot.plot(table, points))
    print(*completion_page.table_lines(table), sep="\n")
    print(f"{len(outcomes)} runs in {monotonic() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
