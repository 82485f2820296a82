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

from torture.harm_clocks import CLOCKS
from torture.harm_company import COMPANY
from torture.harm_configs import CONFIGS
from torture.harm_disk import FULL, INSIDE, READ_ONLY, may_mount, unsharing
from torture.harm_signals import SIGNALLING
from torture.harm_stores import STORES
from torture.harm_texts import TEXTS
from torture.kill_points import Tally, memory_folder
from torture.scripts import SCRIPTS
from torture.trials import Kind, Tried, attempt

KINDS: dict[str, Kind] = {
    "full": FULL,
    "read-only": READ_ONLY,
    "stores": STORES,
    "company": COMPANY,
    "signals": SIGNALLING,
    "clocks": CLOCKS,
    "texts": TEXTS,
    "configs": CONFIGS,
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


def try_mounting(name: str, most: int | None, jobs: int) -> Tried:
    """In a process with mounts of its own, where that is allowed."""
    way = unsharing()
    if way is None:
        row = try_kind(KINDS[name], most, jobs)
        row.note = "a limit on file sizes, mounting is not allowed" if row.tried else "needs mounts"
        return row
    command = [*way, sys.executable, "-m", "torture", "--json", "--kind", name]
    command += ["--jobs", str(jobs), *(["--most", str(most)] if most else [])]
    done = subprocess.run(
        command, cwd=TESTS, env={**os.environ, INSIDE: "1"}, stdout=subprocess.PIPE, check=False
    )
    [row] = msgspec.json.decode(done.stdout, type=list[Tried])
    row.note = "on a small tmpfs" if name == "full" else "on a tmpfs"
    return row


def kill(count: int, jobs: int) -> Tried:
    """The kill points, shared out over processes by their scripts."""
    names = list(SCRIPTS)
    jobs = min(jobs, len(names))
    processes = []
    for at in range(jobs):
        scripts = [word for name in names[at::jobs] for word in ("--script", name)]
        points = str(count // jobs + (at < count % jobs))
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
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    rows = []
    for name in options.kind or [KILLS, *KINDS]:
        began = monotonic()
        row = _tried(name, options)
        if not options.json:
            sys.stderr.writelines(f"{line}\n" for line in row.reports)
            sys.stderr.write(f"{row.kind}: {row.tried} tried in {monotonic() - began:.0f} s\n")
        rows.append(row)
    if options.json:
        sys.stdout.write(msgspec.json.encode(rows).decode())
    else:
        print(*table(rows), sep="\n")
    return 0 if all(row.tried == row.survived for row in rows) else 1


def _tried(name: str, options: argparse.Namespace) -> Tried:
    if name == KILLS:
        return kill(options.count, options.jobs)
    if KINDS[name].mounting and not may_mount():
        return try_mounting(name, options.most, options.jobs)
    return try_kind(KINDS[name], options.most, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
