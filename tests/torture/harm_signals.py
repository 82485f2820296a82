"""Signals at any moment, readers that do not read, terminals that are stuck or closed."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from terminals import Terminal, end_worker, poll

from longwatch.dashboard import Desk
from longwatch.engine.storing import Store
from longwatch.session.state import RESTING
from longwatch.ui.services import NewSession
from longwatch.wiring import Wiring
from torture.carving import Carving, stop
from torture.oracle import Finding
from torture.trials import Case, Kind

SIGNALS = (
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGPIPE,
    signal.SIGUSR1,
    signal.SIGWINCH,
    signal.SIGALRM,
)
MOMENTS = (1, 4, 7, 10, 13, 16, 20, 25, 30)
"""After so many events."""
LONG = "x" * 40_000
"""A few of these fill any pipe."""


def signalled(number: signal.Signals, moment: int, folder: Path) -> Sequence[Finding]:
    """A signal, twice for those who did not hear it."""
    carving = Carving(folder)
    with carving.run() as run:
        carving.hear(run, moment)
        os.kill(run.pid, number)
        os.kill(run.pid, number)
        carving.ended(run)
    carving.finish()
    return carving.findings()


def frozen(moment: int, folder: Path) -> Sequence[Finding]:
    """Stopped and let go on, as by ctrl+z and fg."""
    carving = Carving(folder)
    with carving.run() as run:
        carving.hear(run, moment)
        stop(run)
        os.kill(run.pid, signal.SIGCONT)
        carving.ended(run)
    carving.finish()
    return carving.findings()


def closed_pipe(moment: int, folder: Path) -> Sequence[Finding]:
    """Whoever reads the events goes away."""
    carving = Carving(folder, LONG)
    with carving.run() as run:
        carving.hear(run, moment)
        assert run.stdout is not None
        run.stdout.close()
        run.wait(60)
        assert run.stderr is not None
        carving.said.append(run.stderr.read().decode())
        run.stdout = None
    return carving.findings()


# --- terminals ------------------------------------------------------------------------------


def stuck(terminal: Terminal) -> None:
    terminal.stop_reading()


def hung_up(terminal: Terminal) -> None:
    terminal.hang_up()


def killed(terminal: Terminal) -> None:
    os.kill(terminal.pid, signal.SIGKILL)


def terminated(terminal: Terminal) -> None:
    os.kill(terminal.pid, signal.SIGTERM)


def tiny(terminal: Terminal) -> None:
    for size in ((20, 5), (200, 60), (1, 1), (80, 24)):
        terminal.resize(*size)


def watched(disturb: Callable[[Terminal], None], folder: Path) -> Sequence[Finding]:
    """A dashboard is disturbed while the worker works; the run does not mind."""
    carving = Carving(folder, "a few words " * 30, pace=60)
    home, folder_name = carving.home, str(carving.home.work)
    wiring = Wiring(environ=home.env)
    desk = Desk(wiring, folder_name)
    desk.allow_auto(folder_name)
    try:
        desk.start(NewSession(task="Carve.", cwd=folder_name, approval="auto"))
        with Terminal(home, size=(110, 32)) as terminal:
            terminal.see("Leave mark 1", "few words")
            disturb(terminal)
            poll(lambda: _rests(desk.store), "the session rests")
            if b"Traceback" in terminal.raw:
                carving.said.append("Traceback in the terminal")
    finally:
        end_worker(home.env)
        wiring.store.close()
    return carving.findings()


def _rests(store: Store) -> bool:
    at_rest = all(summary.state in RESTING for summary in store.summaries())
    return at_rest and not store.unanswered()


def cases() -> Iterator[Case]:
    for number in SIGNALS:
        for moment in MOMENTS:
            yield Case(f"{number.name} after {moment}", partial(signalled, number, moment))
    for moment in MOMENTS:
        yield Case(f"frozen after {moment}", partial(frozen, moment))
        yield Case(f"unread after {moment}", partial(closed_pipe, moment))
    for disturb in (stuck, hung_up, killed, terminated, tiny):
        yield Case(f"terminal {disturb.__name__}", partial(watched, disturb))


SIGNALLING = Kind("signals and stalled terminals", cases)
