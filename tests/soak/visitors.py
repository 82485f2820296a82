"""Dashboards in terminals of their own: they come, look around, are resized, and go in any way."""

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from types import TracebackType
from typing import Self

from command_line import Home
from ptyprocess import PtyProcess

SIZES = ((160, 48), (110, 32), (80, 24), (200, 60), (60, 16), (40, 10))
KEYS = (
    *("\t", "\x1b[Z"),
    *("\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F"),
    *("\x14", "\x02"),
)
"""To the next pane and back, arrows, pages, ends, and what opens and closes the panes."""
TAIL = 65_536
PATIENCE = 30.0


def _heed_signals() -> None:
    """As in a terminal of one's own, also where the soak was started by nohup."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


class Visitor:
    """One dashboard. Its terminal keeps only the last of what is drawn."""

    def __init__(self, home: Home, size: tuple[int, int] = (160, 48)) -> None:
        columns, rows = size
        self._process = PtyProcess.spawn(
            [sys.executable, "-m", "longwatch"],
            cwd=str(home.work),
            env={**home.env, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            dimensions=(rows, columns),
            preexec_fn=_heed_signals,
        )
        self.tail = bytearray()
        self._reading = threading.Event()
        self._reading.set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        return int(self._process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._reading.set()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._thread.join()
        self._process.wait()
        self._process.close(force=True)

    def press(self, keys: str) -> None:
        with suppress(OSError):
            os.write(self._process.fd, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        with suppress(OSError):
            self._process.setwinsize(rows, columns)

    def stop_reading(self) -> None:
        self._reading.clear()

    def go_on_reading(self) -> None:
        self._reading.set()

    def ready(self) -> None:
        """Wait until the first screen is drawn."""
        end = time.monotonic() + PATIENCE
        while b"help" not in self.tail and time.monotonic() < end:
            time.sleep(0.05)

    def leave(self) -> str:
        """Quit by keys; what is wrong with how it ended."""
        end = time.monotonic() + PATIENCE
        while self._process.isalive():
            if time.monotonic() > end:
                return "a dashboard did not end when it was asked to"
            # Whatever dialog is open is closed; then it is asked, and asks back whether to leave.
            for keys in ("\x1b", "\x11", "\r"):
                self.press(keys)
                self._gone_within(0.7)
        if self._process.exitstatus:
            return f"a dashboard ended with {self._process.exitstatus}"
        return ""

    def _gone_within(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while self._process.isalive() and time.monotonic() < end:
            time.sleep(0.05)

    @property
    def complaint(self) -> str:
        return "a dashboard showed a traceback" if b"Traceback" in self.tail else ""

    def _read(self) -> None:
        while not self._over.is_set():
            self._reading.wait()
            with suppress(ValueError):
                ready, _, _ = select.select([self._process.fd], [], [], 0.2)
                if not ready:
                    continue
            try:
                data = os.read(self._process.fd, TAIL)
            except OSError:
                return
            if not data:
                return
            self.tail += data
            del self.tail[:-TAIL]


# --- ways to go -----------------------------------------------------------------------------


def quits(visitor: Visitor) -> str:
    return visitor.leave()


def is_killed(visitor: Visitor) -> str:
    os.kill(visitor.pid, signal.SIGKILL)
    return ""


def hangs_up(visitor: Visitor) -> str:
    os.kill(visitor.pid, signal.SIGHUP)
    return ""


def is_stuck(visitor: Visitor) -> str:
    """Its terminal reads nothing for a while, and then again."""
    visitor.stop_reading()
    time.sleep(3)
    visitor.go_on_reading()
    return visitor.leave()


GOING: tuple[Callable[[Visitor], str], ...] = (quits, is_killed, is_stuck, hangs_up)


def look_around(visitor: Visitor, rng: Random, seconds: float) -> None:
    """Press keys and change the size for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        visitor.press(rng.choice(KEYS))
        if rng.random() < 0.3:
            visitor.resize(*rng.choice(SIZES))
        time.sleep(0.2)


def leaf_back(visitor: Visitor) -> None:
    """Read what lies behind, from whichever pane takes the key."""
    for _ in range(5):
        visitor.press("\x1b[Z")
        for _ in range(60):
            visitor.press("\x1b[5~")
            time.sleep(0.02)
        visitor.press("\x1b[F")


def visits(home: Home, over: threading.Event, seed: int = 1) -> Iterator[str]:
    """One visit after the other until it is over; what was wrong with each."""
    rng = Random(seed)
    number = 0
    while not over.is_set():
        with Visitor(home, rng.choice(SIZES)) as visitor:
            visitor.ready()
            look_around(visitor, rng, rng.uniform(1, 5))
            wrong = GOING[number % len(GOING)](visitor)
            yield wrong or visitor.complaint
        number += 1
        over.wait(rng.uniform(0.5, 3))
