"""Clocks that jump while a session is worked on, taken over and resumed."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from torture.carving import Carving
from torture.jumping import JUMPS
from torture.oracle import Finding
from torture.trials import Case, Kind

TESTS = Path(__file__).parents[1]


def program(jump: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "torture.jumping", jump)


PATH = {"PYTHONPATH": str(TESTS)}


def whole(jump: str, folder: Path) -> Sequence[Finding]:
    """The clock jumps in the middle of a run."""
    carving = Carving(folder)
    with carving.run(program=program(jump), environ=PATH) as run:
        carving.ended(run)
    carving.finish()
    return carving.findings()


def resumed(jump: str, moment: int, folder: Path) -> Sequence[Finding]:
    """What was killed on a right clock is resumed on a wrong one."""
    carving = Carving(folder)
    with carving.run() as run:
        carving.hear(run, moment)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
    carving.finish(program=program(jump), environ=PATH)
    return carving.findings()


def killed(jump: str, moment: int, folder: Path) -> Sequence[Finding]:
    """What was killed on a wrong clock is resumed on a right one."""
    carving = Carving(folder)
    with carving.run(program=program(jump), environ=PATH) as run:
        carving.hear(run, moment)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
    carving.finish()
    return carving.findings()


def meanwhile(jump: str, moment: int, folder: Path) -> Sequence[Finding]:
    """One with a wrong clock asks for a session that is worked on: it is told, or takes over."""
    carving = Carving(folder, "a few words " * 20, pace=2000)
    with carving.run() as run:
        carving.hear(run, moment)
        with carving.resume(program=program(jump), environ=PATH) as other:
            carving.ended(other)
        carving.ended(run)
    carving.finish()
    return carving.findings()


def cases() -> Iterator[Case]:
    for jump in JUMPS:
        yield Case(f"{jump}, a run", partial(whole, jump))
        for moment in (6, 14):
            yield Case(f"{jump}, resumed after {moment}", partial(resumed, jump, moment))
            yield Case(f"{jump}, killed after {moment}", partial(killed, jump, moment))
            yield Case(f"{jump}, meanwhile after {moment}", partial(meanwhile, jump, moment))


CLOCKS = Kind("clock jumps", cases)
