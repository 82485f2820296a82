"""Two processes and more at one session: one works; the others are told so or have taken over."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from torture.carving import NAME, Carving, stop
from torture.gates import until
from torture.oracle import Finding
from torture.trials import Case, Kind

MOMENTS = (2, 5, 8, 12, 17, 23)
CROWD = 4


def beside(words: Sequence[str], moment: int, folder: Path) -> Sequence[Finding]:
    """Another command asks for the session while it is worked on."""
    carving = Carving(folder, "a few words " * 20, pace=2000)
    with carving.run() as run:
        carving.hear(run, moment)
        with carving.process(*words) as other:
            _, said = other.communicate(timeout=60)
            carving.said.append(said.decode())
        carving.ended(run)
    carving.finish()
    return carving.findings()


def crowd(moment: int, folder: Path) -> Sequence[Finding]:
    """Many resume at once what a killed process left: one of them works."""
    carving = Carving(folder)
    with carving.run() as run:
        carving.hear(run, moment)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
    with ExitStack() as stack:
        for other in [stack.enter_context(carving.resume()) for _ in range(CROWD)]:
            carving.ended(other)
    carving.finish()
    return carving.findings()


def taken_over(moment: int, folder: Path) -> Sequence[Finding]:
    """The owner is frozen until its lease has run out; it comes back to find another at work."""
    carving = Carving(folder, "a few words " * 20, pace=2000)
    with carving.run(environ={"LONGWATCH_LEASE_SECONDS": "0.3"}) as run:
        carving.hear(run, moment)
        stop(run)
        for _ in range(20):
            with carving.resume(environ={"LONGWATCH_LEASE_SECONDS": "0.3"}) as other:
                if carving.ended(other) == 0:
                    break
        os.kill(run.pid, signal.SIGCONT)
        carving.ended(run)
    return carving.findings()


def workers(folder: Path) -> Sequence[Finding]:
    """Several workers start at once: one stays, and all end when there is nothing to do."""
    carving = Carving(folder)
    carving.finish()
    environ = {"LONGWATCH_LINGER": "0"}
    with ExitStack() as stack:
        made = [carving.process("worker", environ=environ) for _ in range(CROWD)]
        for worker in [stack.enter_context(one) for one in made]:
            until(lambda worker=worker: worker.poll() is not None)  # type: ignore[misc]
            assert worker.stderr is not None
            carving.said.append(worker.stderr.read().decode())
    return carving.findings()


def cases() -> Iterator[Case]:
    commands = {
        "a second run": ("run", "More.", "--session", NAME, "--json"),
        "a second resume": ("resume", NAME, "--headless"),
        "a look": ("show", NAME, "--json"),
        "an export": ("export", NAME),
        "fsck": ("fsck",),
    }
    for moment in MOMENTS:
        for name, words in commands.items():
            if name != "a second run" or moment < MOMENTS[-1]:
                yield Case(f"{name} after {moment}", partial(beside, words, moment))
        yield Case(f"a crowd after {moment}", partial(crowd, moment))
        yield Case(f"taken over after {moment}", partial(taken_over, moment))
    for round_ in range(4):
        yield Case(f"many workers {round_}", workers)


COMPANY = Kind("two processes", cases)
