"""Runs each script, kills it at point after point, resumes it, and looks at what became of it.

python -m torture.kill_points --points 2000       (from tests/)
"""

import argparse
import gc
import os
import select
import shutil
import signal
import sys
import tempfile
import traceback
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import msgspec

from torture.oracle import Endings, Finding, Run, Scene, endings, findings
from torture.scripts import SCRIPTS, Script
from torture.stage import play
from torture.traps import Point

PATIENCE = 30.0
"""Seconds after which a process is stuck."""
MOST_PROCESSES = 4
AGAIN = 3
"""Every so-many-th point is followed by a second kill, while its run is resumed."""


@dataclass
class Tally:
    """What became of one script's points."""

    script: str
    points: int = 0
    tried: int = 0
    kinds: set[str] = field(default_factory=set)
    twice: int = 0
    survived: int = 0
    lost: int = 0
    doubled: int = 0
    broken: int = 0
    reports: list[str] = field(default_factory=list)

    def count(self, place: str, found: Sequence[Finding]) -> None:
        self.tried += 1
        fates = {finding.fate for finding in found}
        self.survived += not fates
        self.lost += "lost" in fates
        self.doubled += "doubled" in fates
        self.broken += "broken" in fates
        self.reports.extend(f"{self.script}, {place}: {f.fate}: {f.words}" for f in found)


# --- processes ------------------------------------------------------------------------------


def run_process(script: Script, folder: Path, kill_at: Point | None) -> Run:
    """Play in a process of its own until it ends or is killed. Nothing of the store is shared."""
    reading, writing = os.pipe()
    complaints = folder / "complaints"
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _be_the_child(script, folder, kill_at, writing, complaints)
    os.close(writing)
    run = Run(kill_at)
    try:
        _listen(run, reading, pid)
    finally:
        os.close(reading)
        _, status = os.waitpid(pid, 0)
    run.killed = os.WIFSIGNALED(status) and not run.complaint
    if not run.killed:
        run.complaint = run.complaint or complaints.read_text()[-4000:]
    return run


def _be_the_child(
    script: Script, folder: Path, kill_at: Point | None, report: int, complaints: Path
) -> None:
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        told = os.open(complaints, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for target, source in ((0, nowhere), (1, nowhere), (2, told)):
            os.dup2(source, target)
        play(script, folder, kill_at, report)
    except BaseException:  # noqa: BLE001 - whatever it is, it is told, and the child ends here
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(0)


def _listen(run: Run, reading: int, pid: int) -> None:
    """All that the process says, until it ends or is given up."""
    left, until = b"", monotonic() + PATIENCE
    while True:
        ready, _, _ = select.select([reading], [], [], max(0.0, until - monotonic()))
        if not ready:
            run.complaint = f"stuck after {PATIENCE:.0f} s"
            os.kill(pid, signal.SIGKILL)
            return
        said = os.read(reading, 1 << 16)
        if not said:
            return
        *lines, left = (left + said).split(b"\n")
        for line in lines:
            _note(run, *line.split(b" ", 1))


def _note(run: Run, what: bytes, value: bytes) -> None:
    match what:
        case b"event":
            run.acknowledged.append(value)
        case b"heard":
            run.heard.add(msgspec.json.decode(value))
        case b"draft":
            run.drafts.add(msgspec.json.decode(value, type=tuple[str, str]))
        case b"code":
            run.code = msgspec.json.decode(value)
        case b"counts":
            run.counts = msgspec.json.decode(value, type=dict[str, int])
        case _:
            raise ValueError(what)


# --- the campaign ---------------------------------------------------------------------------


def spread(counts: Mapping[str, int], seed: str) -> list[Point]:
    """All points in an order whose every beginning takes from each kind, and from all over it.

    The seed only turns the order, so that several scripts together reach more.
    """
    ranked: list[tuple[int, int, Point]] = []
    for kind, most in counts.items():
        turned = zlib.crc32(f"{seed} {kind}".encode())
        # Bits read backwards halve the gaps again and again, however many points are taken.
        order = sorted(range(most), key=lambda at: _backwards((at + turned) % most, most))
        ranked += [(rank, turned, Point(kind, at + 1)) for rank, at in enumerate(order)]
    return [point for _, _, point in sorted(ranked)]


def _backwards(number: int, most: int) -> int:
    width = max(1, (most - 1).bit_length())
    return int(f"{number:0{width}b}"[::-1], 2)


def second_kill(points: Sequence[Point], number: int, first: Point) -> Point | None:
    """Where the resumed run is killed, for some of the points; early, so that it is reached."""
    if number % AGAIN:
        return None
    early = [point for point in points if point.ordinal <= 4]
    return early[zlib.crc32(str(first).encode()) % len(early)]


def torture(script: Script, wanted: int, base: Path) -> Tally:
    """Kill a script at so many of its points."""
    tally = Tally(script.name)
    with _folder(base) as folder:
        undisturbed = run_process(script, folder, None)
        scene = Scene.of(folder)
    expected = endings(scene)
    wrong = findings(script, expected, [undisturbed], scene)
    tally.reports = [f"{script.name}, undisturbed: {finding.words}" for finding in wrong]
    if wrong:
        tally.broken = 1
        return tally
    points = spread(undisturbed.counts, script.name)
    tally.points = len(points)
    for number, point in enumerate(points):
        if tally.tried == wanted:
            break
        again = second_kill(points, number, point)
        _kill_once(script, expected, point, again, base, tally)
    return tally


def _kill_once(
    script: Script, expected: Endings, point: Point, again: Point | None, base: Path, tally: Tally
) -> None:
    with _folder(base) as folder:
        runs = [run_process(script, folder, point)]
        if not runs[0].killed and not runs[0].complaint:
            return  # chance took the run past this point: another one is tried instead
        for kill_at in (again, None, None)[: MOST_PROCESSES - 1]:
            if runs[-1].killed:
                runs.append(run_process(script, folder, kill_at))
        found = findings(script, expected, runs, Scene.of(folder))
    tally.kinds.add(point.kind)
    tally.twice += runs[0].killed and len(runs) > 1 and runs[1].killed
    tally.count(" then ".join(str(run.kill_at) for run in runs if run.kill_at), found)


class _folder:  # noqa: N801 - reads as a function
    """A folder of its own for one run."""

    def __init__(self, base: Path) -> None:
        self._base = base

    def __enter__(self) -> Path:
        self._path = Path(tempfile.mkdtemp(dir=self._base))
        return self._path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._path)


def shares(names: Sequence[str], points: int) -> Iterator[tuple[str, int]]:
    for place, name in enumerate(names):
        yield name, points // len(names) + (place < points % len(names))


def table(tallies: Sequence[Tally]) -> list[str]:
    columns = ("points", "tried", "twice", "survived", "lost", "doubled", "broken")
    lines = [f"{'script':<12}" + "".join(f"{column:>10}" for column in columns)]
    sums: Counter[str] = Counter()
    for tally in tallies:
        row = {column: int(getattr(tally, column)) for column in columns}
        sums.update(row)
        lines.append(f"{tally.script:<12}" + "".join(f"{row[c]:>10}" for c in columns))
    return [*lines, f"{'all':<12}" + "".join(f"{sums[c]:>10}" for c in columns)]


def memory_folder() -> str | None:
    """A kill loses nothing that the kernel has, so the disk need not be waited for."""
    shared = Path("/dev/shm")
    return str(shared) if os.access(shared, os.W_OK) else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=2000)
    parser.add_argument("--script", action="append", choices=list(SCRIPTS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    gc.collect()
    gc.freeze()
    tallies = []
    with tempfile.TemporaryDirectory(prefix="torture-", dir=memory_folder()) as base:
        for name, share in shares(options.script or list(SCRIPTS), options.points):
            tallies.append(torture(SCRIPTS[name], share, Path(base)))
            sys.stderr.writelines(f"{line}\n" for line in tallies[-1].reports)
    if options.json:
        sys.stdout.write(msgspec.json.encode(tallies).decode() + "\n")
    else:
        print(*table(tallies), sep="\n")
    return 1 if any(tally.reports for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
