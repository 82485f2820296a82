"""A program in a real terminal of 160×48: what it wrote and when, and the keys it is sent."""

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

import ptyprocess
import pyte

from bench import processes

ROWS, COLUMNS = 48, 160
READ = 1 << 16


class TooSlow(Exception):
    """What was waited for did not come in time."""


class Terminal:
    """The terminal's side of a pty. Nothing is drawn while it runs: it is only kept."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
        self.began = time.perf_counter()
        self._child = ptyprocess.PtyProcess.spawn(
            list(words),
            env={**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            cwd=cwd,
            dimensions=(ROWS, COLUMNS),
        )
        self.pid: int = self._child.pid
        self.chunks: list[tuple[float, bytes]] = []
        self._screen, self._stream = _fresh()
        self._fed = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End what was started here: the program and its worker."""
        others = processes.children(self.pid)
        for pid in [self.pid, *others]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._child.wait()
        self._child.close(force=True)

    def send(self, text: str) -> float:
        """Press keys; says when."""
        at = time.perf_counter()
        os.write(self._child.fd, text.encode())
        return at

    def read(self, seconds: float) -> bytes:
        """What comes next, empty if nothing comes in time."""
        ready, _, _ = select.select([self._child.fd], [], [], max(0.0, seconds))
        if not ready:
            return b""
        try:
            data = os.read(self._child.fd, READ)
        except OSError as error:
            raise TooSlow(f"the program has ended: {self.screen()}") from error
        self.chunks.append((time.perf_counter(), data))
        return data

    def rest(self, seconds: float) -> None:
        """Read for so long."""
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            self.read(left)

    def until(self, done: Callable[[], bool], seconds: float, every: float = 0.02) -> None:
        """Read on until something is so."""
        limit = time.perf_counter() + seconds
        while not done():
            if time.perf_counter() > limit:
                raise TooSlow(self.screen())
            self.rest(every)

    def echo(self, text: str, seconds: float = 5.0) -> float:
        """Seconds from a key to its being drawn."""
        wanted = text.encode()
        began = self.send(text)
        tail = b""
        while time.perf_counter() - began < seconds:
            tail = tail[-8:] + self.read(0.5)
            if wanted in tail:
                return self.chunks[-1][0] - began
        raise TooSlow(f"{text!r} did not appear:\n{self.screen()}")

    def reply(self, keys: str, quiet: float = 0.06) -> float | None:
        """Seconds from a key to the last lines it had drawn; None if it drew none.

        A cursor that blinks draws one line and is no answer.
        """
        self._catch_up()
        first = len(self.chunks)
        began = self.send(keys)
        while self.read(quiet if len(self.chunks) > first else 0.3):
            pass
        last = None
        for at, data in self.chunks[first:]:
            self._screen.dirty.clear()
            self._stream.feed(data)
            if len(self._screen.dirty) > 1:
                last = at - began
        self._fed = len(self.chunks)
        return last

    def _catch_up(self) -> None:
        for _, data in self.chunks[self._fed :]:
            self._stream.feed(data)
        self._fed = len(self.chunks)

    def first_with(self, *texts: str) -> float:
        """When the screen first showed all of these, in seconds from the start."""
        screen, stream = _fresh()
        for at, data in self.chunks:
            stream.feed(data)
            shown = "\n".join(screen.display)
            if all(text in shown for text in texts):
                return at - self.began
        raise TooSlow("\n".join(screen.display))

    def wait_for(self, *texts: str, seconds: float = 20.0) -> float:
        """Read until all of these have been drawn; says when they were on the screen together."""
        limit = time.perf_counter() + seconds
        wanted = [text.encode() for text in texts]
        seen = b"".join(data for _, data in self.chunks)
        while not all(text in seen for text in wanted):
            if time.perf_counter() > limit:
                raise TooSlow(self.screen())
            seen += self.read(0.5)
        return self.first_with(*texts)

    def screen(self) -> str:
        """What is on the screen now."""
        self._catch_up()
        return "\n".join(self._screen.display)


def _fresh() -> tuple[pyte.Screen, pyte.ByteStream]:
    screen = pyte.Screen(COLUMNS, ROWS)
    return screen, pyte.ByteStream(screen)


def longwatch(*words: str) -> list[str]:
    return [sys.executable, "-m", "longwatch", *words]


BARE_APP = """\
from textual.app import App
from textual.widgets import Static
class Bare(App[None]):
    def compose(self):
        yield Static('bare and ready')
Bare().run()
"""
BARE = [sys.executable, "-c", BARE_APP]
