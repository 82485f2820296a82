"""The real program in a real terminal: a pty, a screen that keeps what is drawn, and keys."""

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte
from command_line import Home
from ptyprocess import PtyProcess

from longwatch.adapters.store.process import is_gone
from longwatch.engine.storing import Summary
from longwatch.wiring import Wiring

DEADLINE = 60.0
"""Far more than anything takes: a busy machine is slow, and nothing waits for it in vain."""
AGAIN = 1.0
"""Seconds after which a key that changed nothing came too early."""
KEYS = {
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "escape": "\x1b",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pagedown": "\x1b[6~",
    "backspace": "\x7f",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f5": "\x1b[15~",
    "space": " ",
    **{f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghijklmnopqrstuvwxyz"},
}
"""What a terminal sends for a key that has a name."""


class Terminal:
    """One run of the program in a terminal of its own, read by a thread."""

    def __init__(
        self,
        home: Home,
        *words: str,
        size: tuple[int, int] = (160, 48),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """``size`` is columns by rows."""
        self.raw = bytearray()
        self._columns, self._rows = size
        self._changed = threading.Condition()
        self._screen = pyte.Screen(self._columns, self._rows)
        self._stream = pyte.ByteStream(self._screen)
        self._focus_colour: str | None = None
        self._ended = False
        self._reading = True
        self._parked = threading.Event()
        self._wakes, self._wake = os.pipe()
        self._process = PtyProcess.spawn(
            [sys.executable, "-m", "longwatch", *words],
            cwd=str(home.work),
            env={"TERM": "xterm-256color", "COLORTERM": "truecolor", **home.env, **(environ or {})},
            dimensions=(self._rows, self._columns),
        )
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
        if error is not None:
            sys.stderr.write(f"\n--- the screen at the end ---\n{self.text}\n")
        self.hang_up()
        if self._process.isalive():
            self.kill()
        os.close(self._wake)
        os.close(self._wakes)

    # --- what is seen -----------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        with self._changed:
            return self._text().split("\n")

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def until(self, seen: Callable[[str], object], what: str = "", within: float = DEADLINE) -> str:
        """Wait until the screen satisfies this, and give its text."""
        end = time.monotonic() + within
        with self._changed:
            while not seen(text := self._text()):
                left = end - time.monotonic()
                assert left > 0, f"never seen: {what or seen}\n{text}"
                assert not self._ended, f"ended before it was seen: {what or seen}\n{text}"
                self._changed.wait(left)
            return text

    def see(self, *texts: str, within: float = DEADLINE) -> str:
        """Wait until all of these are on the screen at once."""
        return self.until(lambda text: all(t in text for t in texts), repr(texts), within)

    def see_none(self, *texts: str) -> str:
        """Wait until none of these is on the screen."""
        return self.until(lambda text: not any(t in text for t in texts), f"no {texts!r}")

    def backgrounds(self, text: str) -> set[str]:
        """The colours behind the lines that hold this, one cell in from each border."""
        with self._changed:
            rows = [y for y, line in enumerate(self._text().split("\n")) if text in line]
            cells = [self._screen.buffer[y][x] for y in rows for x in range(1, self._columns - 1)]
            return {cell.bg for cell in cells}

    def see_bold(self, text: str) -> None:
        """Wait until this is on the screen in bold, as the label of a field that has the focus."""
        self.until(lambda _: self._is_bold(text), f"{text!r} in bold")

    def _is_bold(self, text: str) -> bool:
        rows = ((y, "".join(row).find(text)) for y, row in enumerate(self._cells()))
        return any(x >= 0 and self._screen.buffer[y][x].bold for y, x in rows)

    @property
    def lit(self) -> dict[tuple[int, int], str]:
        """The panes that are drawn as the message box is while one writes in it: place, title."""
        with self._changed:
            return self._lit()

    def _lit(self) -> dict[tuple[int, int], str]:
        rows = enumerate(self._cells())
        corners = {
            (y, x): "".join(row[x + 3 :]).partition(" ─")[0]
            for y, row in rows
            for x, sign in enumerate(row)
            if sign == "╭"
        }
        colours = {(y, x): self._screen.buffer[y][x].fg for y, x in corners}
        if self._focus_colour is None and corners:
            # A new dashboard has its focus in the message box: the lowest frame, with a cursor.
            y, x = max(corners)
            line = self._screen.buffer[y + 1]
            has_cursor = (line[4].reverse, line[4].bg) != (line[3].reverse, line[3].bg)
            if line[2].data == "❯" and has_cursor:
                self._focus_colour = colours[y, x]
        return {at: name for at, name in corners.items() if colours[at] == self._focus_colour}

    def ready(self) -> None:
        """Wait until one can write in the message box of a dashboard that was just opened."""
        self.see("❯")
        self.until(lambda _: len(self._lit()) == 1, "the message box has the focus")

    def go_to(self, title: str, key: str = "tab") -> None:
        """Press tab, or shift+tab, until the pane with this title has the focus."""
        self.until(lambda _: len(self._lit()) == 1, "one pane has the focus")
        for _ in range(8):
            ((at, name),) = self.lit.items()
            if name.startswith(title):
                return
            self.press(key)
            self._await_focus_beside(at, name)
        raise AssertionError(f"{key} does not lead to {title}\n{self.text}")

    def _await_focus_beside(self, at: tuple[int, int], name: str) -> None:
        """Frames come in pieces: for a moment two panes are lit, or none.

        A pane may also move while it keeps its title, or get another title where it is.
        """

        def moved(_: str) -> bool:
            lit = list(self._lit().items())
            return len(lit) == 1 and lit[0][0] != at and lit[0][1][:4] != name[:4]

        self.until(moved, "the focus moves")

    def _text(self) -> str:
        return "\n".join("".join(cells).rstrip() for cells in self._cells())

    def _cells(self) -> list[list[str]]:
        """By row and column; the second cell of a wide character is empty."""
        buffer = self._screen.buffer
        return [[buffer[y][x].data for x in range(self._columns)] for y in range(self._rows)]

    # --- what is done -----------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        """Send keys by their names; what has no name is sent as it stands."""
        for key in keys:
            self._process.write(KEYS.get(key, key).encode())

    def type(self, text: str) -> None:
        self._process.write(text.encode())

    def answer(self, key: str) -> None:
        """Press this key until the question is gone.

        A question takes no key at first, one whose end was not in view wants it twice, and
        nothing on the screen tells that a key was too early.
        """
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            self.press(key)
            with self._changed:
                if self._changed.wait_for(lambda: "? Approve" not in self._text(), AGAIN):
                    return
        raise AssertionError(f"{key} is no answer\n{self.text}")

    def resize(self, columns: int, rows: int) -> None:
        with self._changed:
            self._columns, self._rows = columns, rows
            self._screen.resize(rows, columns)
            self._process.setwinsize(rows, columns)

    def stop_reading(self) -> None:
        """Let what is written pile up, as a stuck terminal does."""
        self._reading = False
        os.write(self._wake, b"!")
        assert self._parked.wait(DEADLINE)

    def go_on_reading(self) -> None:
        self._reading = True
        os.write(self._wake, b"!")

    def hang_up(self) -> None:
        """Close the terminal, as a window manager does; the program gets SIGHUP."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        os.write(self._wake, b"!")
        self._thread.join()
        if not self._process.closed:
            self._process.fileobj.close()
            self._process.fd = -1
            self._process.closed = True

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self._process.wait()

    def leave(self) -> int:
        """Quit by keys, whether it asks or not, and give the exit code."""
        self.press("ctrl+q")
        with self._changed:
            asks = "Leave them running"
            self._changed.wait_for(lambda: self._ended or asks in self._text(), DEADLINE)
        if not self._ended:
            self.press("enter")
        return self.exited()

    def exited(self) -> int:
        """Wait for the program's own end, and give its exit code."""
        with self._changed:
            ended = self._changed.wait_for(lambda: self._ended, DEADLINE)
        assert ended, f"it did not end\n{self.text}"
        return int(self._process.wait())

    # --- the reader -------------------------------------------------------------------------

    def _read(self) -> None:
        wakes, master = self._wakes, int(self._process.fd)
        while not self._ended:
            watched = [wakes, master] if self._reading else [wakes]
            if not self._reading:
                self._parked.set()
            ready, _, _ = select.select(watched, [], [])
            if wakes in ready:
                os.read(wakes, 1)
                continue
            try:
                data = os.read(master, 65536)
            except OSError:
                # Linux says so when nobody holds the other end any more.
                data = b""
            with self._changed:
                if data:
                    self.raw += data
                    self._stream.feed(data)
                else:
                    self._ended = True
                self._changed.notify_all()


# --- the background worker ------------------------------------------------------------------


def poll(condition: Callable[[], object], what: str, within: float = DEADLINE) -> None:
    """Look again and again until it is so: a store tells nobody that it has changed."""
    end, pause = time.monotonic() + within, threading.Event()
    while not condition():
        assert time.monotonic() < end, f"never so: {what}"
        pause.wait(0.02)


def end_worker(environ: Mapping[str, str]) -> None:
    """Ask a store's worker to stop, and end it by its pid if it does not."""
    wiring = Wiring(environ=environ)
    if not wiring.store_path.exists():
        return
    try:
        worker = wiring.store.worker()
        if worker is None:
            return
        wiring.store.stop_worker()
        try:
            poll(lambda: is_gone(worker.owner), "the worker has stopped", within=10)
        except AssertionError:
            os.kill(worker.owner.pid, signal.SIGKILL)
    finally:
        wiring.store.close()


def left_behind(data: Path) -> list[int]:
    """The processes that still work for this data folder."""
    mark = f"LONGWATCH_DATA_DIR={data}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        # A process may end while one looks at it.
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def only_session(home: Home) -> Summary:
    """How the store's one session stands."""
    store = Wiring(environ=home.env).store
    try:
        (summary,) = store.summaries()
        return summary
    finally:
        store.close()
