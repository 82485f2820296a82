"""What the tools cost: a shell's start, draining its output, searching, and a large diff.

Run it with ``python tests/bench/bench_tools.py``.
"""

import asyncio
import os
import re
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from longwatch.adapters.tools.diffs import unified
from longwatch.adapters.tools.search import Search
from longwatch.adapters.tools.shell import Shell
from longwatch.engine.ports import Place

ROUNDS = 5
STARTS = 20
GIGABYTE = "head -c 1073741824 /dev/zero | tr '\\0' x"


async def timed(work: Callable[[], Awaitable[object]], times: int = 1) -> float:
    began = time.perf_counter()
    for _ in range(times):
        await work()
    return (time.perf_counter() - began) / times


def peak() -> int:
    """The most memory that this process has had, in KiB."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) if found else 0


def shell(command: str, place: Place) -> Callable[[], Awaitable[object]]:
    tool = Shell(os.environ)
    prepared = tool.prepare({"command": command}, place)
    return lambda: tool.run(prepared, place)


async def bare() -> None:
    """The baseline: the same shell without a reaper."""
    process = await asyncio.create_subprocess_exec("/bin/bash", "-c", ":", stdin=DEVNULL)
    await process.wait()


def search(place: Place, *, ripgrep: bool) -> Callable[[], Awaitable[object]]:
    tool = Search(os.environ, ripgrep=ripgrep)
    prepared = tool.prepare({"pattern": r"def \w+_nothing_like_this"}, place)
    return lambda: tool.run(prepared, place)


async def starts(place: Place) -> None:
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(await timed(shell(":", place), STARTS))
        theirs.append(await timed(bare, STARTS))
    one, other = median(ours) * 1000, median(theirs) * 1000
    print(f"shell, an empty command   {one:8.1f} ms   bare bash {other:.1f} ms")


async def drains(place: Place) -> None:
    before = peak()
    ours = [await timed(shell(GIGABYTE, place)) for _ in range(ROUNDS)]
    piped = f"{GIGABYTE} | cat >/dev/null"
    theirs = [await timed(shell(piped, place)) for _ in range(ROUNDS)]
    print(f"1 GiB in one line         {median(ours):8.2f} s    into cat {median(theirs):.2f} s")
    print(f"its memory                {(peak() - before) / 1024:8.2f} MiB")


async def searches() -> None:
    place = Place(root=Path(sys.prefix) / "lib")
    for name, ripgrep in (("with ripgrep", True), ("in Python", False)):
        took = [await timed(search(place, ripgrep=ripgrep)) for _ in range(ROUNDS)]
        print(f"search, {name:<17} {median(took):8.2f} s")


def diffs() -> None:
    before = "".join(f"line {n % 700} of some text\n" for n in range(20_000))
    began = time.perf_counter()
    unified(before, before.replace("line 5", "LINE 5"), "name")
    print(f"diff of 20,000 lines      {(time.perf_counter() - began) * 1000:8.1f} ms")


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Place(root=Path(folder))
        await starts(place)
        await drains(place)
    await searches()
    diffs()


if __name__ == "__main__":
    asyncio.run(main())
