"""`make torture`: every kind of harm, really done to real processes, and one table at the end.

python -m torture --count 2000       (from tests/)
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from time import monotonic

import msgspec

from torture.harm_company import COMPANY
from torture.harm_signals import SIGNALLING
from torture.kill_points import Tally, memory_folder
from torture.scripts import SCRIPTS
from torture.trials import Kind, Tried, attempt

KINDS: dict[str, Kind] = {
    "company": COMPANY,
    "signals": SIGNALLING,
}
KILLS = "kills"
COLUMNS = ("tried", "survived", "lost", "doubled", "broken")
TESTS = Path(__file__).parents[1]


def try_kind(kind: Kind, most: int | None, jobs: int) -> Tried:
    """Do all of one kind, a few at a time: each is its own processes in its own folder."""
    tried = Tried(kind.name)
    with (
        tempfile.TemporaryDirectory(prefix="torture-", dir=memory_folder()) as base,
        ThreadPoolExecutor(jobs) as pool,
    ):
        cases = list(islice(kind.cases(), most))
        folders = [Path(base) / str(number) for number in range(len(cases))]
        for case, found in zip(cases, pool.map(attempt, cases, folders), strict=True):
            tried.count(case.name, found)
    return tried


def kill(count: int, jobs: int) -> Tried:
    """The kill points, shared out over processes by their scripts."""
    names = list(SCRIPTS)
    shares = [names[at::jobs] for at in range(jobs)]
    processes = []
    for share in shares:
        scripts = [word for name in share for word in ("--script", name)]
        points = str(count * len(share) // len(names))
        command = [sys.executable, "-m", "torture.kill_points", "--json", "--points", points]
        processes.append(subprocess.Popen([*command, *scripts], cwd=TESTS, stdout=subprocess.PIPE))
    tried = Tried("kill points")
    for process in processes:
        out, _ = process.communicate()
        for tally in msgspec.json.decode(out, type=list[Tally]):
            for column in COLUMNS:
                setattr(tried, column, getattr(tried, column) + getattr(tally, column))
            tried.reports += tally.reports
    tried.note = f"in {len(names)} scripts"
    return tried


def table(rows: Sequence[Tried]) -> list[str]:
    lines = [f"{'kind':<32}" + "".join(f"{column:>10}" for column in COLUMNS)]
    sums: Counter[str] = Counter()
    for row in rows:
        values = {column: int(getattr(row, column)) for column in COLUMNS}
        sums.update(values)
        cells = "".join(f"{values[c]:>10}" for c in COLUMNS)
        lines.append(f"{row.kind:<32}{cells}  {row.note}".rstrip())
    return [*lines, f"{'all':<32}" + "".join(f"{sums[c]:>10}" for c in COLUMNS)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="kill points")
    parser.add_argument("--most", type=int, help="cases of each other kind")
    parser.add_argument("--kind", action="append", choices=[KILLS, *KINDS])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    rows = []
    for name in options.kind or [KILLS, *KINDS]:
        began = monotonic()
        if name == KILLS:
            row = kill(options.count, options.jobs)
        else:
            row = try_kind(KINDS[name], options.most, options.jobs)
        sys.stderr.writelines(f"{line}\n" for line in row.reports)
        sys.stderr.write(f"{row.kind}: {row.tried} tried in {monotonic() - began:.0f} s\n")
        rows.append(row)
    print(*table(rows), sep="\n")
    return 0 if all(row.tried == row.survived for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
