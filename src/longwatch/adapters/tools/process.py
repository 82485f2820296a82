"""Running a command so that all of it can be ended, with its output taken as it comes."""

import asyncio
import contextlib
import fcntl
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from longwatch.adapters.tools.reaper import descendants
from longwatch.adapters.tools.work import unbroken

REAPER = Path(__file__).with_name("reaper.py")
# Between asking the tree to end and killing it, and for the reaper to do so: together under 5 s.
GRACE = 1.5
KILLING = 3.0
BUFFER = 256 * 1024
PIPE = 1024 * 1024

Scope = Literal["tree", "group"]


class Sink(Protocol):
    """Takes output; the data is only lent."""

    def feed(self, data: memoryview) -> bool:
        """Take some more; True if that is enough and the command may end."""
        ...


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended. ``left`` were in the background, ``stuck`` could not be ended."""

    code: int = 0
    signal: int = 0
    left: int = 0
    stuck: int = 0
    why: Literal["exit", "time", "enough", "failed", "lost"] = "exit"
    errno: int = 0


def scope() -> Scope:
    """How much can be found again: on Linux every descendant, elsewhere the process group."""
    return "tree" if sys.platform == "linux" else "group"


async def run_tree(
    command: Sequence[str],
    *,
    folder: int,
    environ: Mapping[str, str],
    limit: float,
    sink: Sink,
    within: Scope | None = None,
    grace: float = GRACE,
) -> Ending:
    """Run it in the folder; when this returns or is cancelled, nothing of it is left."""
    orders = [within or scope(), str(grace), *command]
    tree = _start(orders, folder, environ, sink)
    late = False
    try:
        async with asyncio.timeout(limit):
            await tree.noticed.wait()
    except TimeoutError:
        late = True
    finally:
        await unbroken(tree.close(grace + KILLING))
    return tree.ending(late)


class _Tree:
    """A started command, seen from here: the reaper, its socket and the output's pipe."""

    def __init__(
        self, process: subprocess.Popen[bytes], control: socket.socket, output: int, sink: Sink
    ) -> None:
        self.noticed = asyncio.Event()
        self._reported = asyncio.Event()
        self._process = process
        self._control = control
        self._output: int | None = output
        self._sink = sink
        self._said = b""
        self._enough = False
        self._buffer = memoryview(bytearray(BUFFER))
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(control.fileno(), self._hear)
        self._loop.add_reader(output, self._take)

    def ending(self, late: bool) -> Ending:
        for line in self._said.decode(errors="replace").splitlines():
            match line.split():
                case ["failed", number]:
                    return Ending(why="failed", errno=int(number))
                case ["ended", code, by, left, stuck]:
                    why: Literal["exit", "time", "enough"] = (
                        "enough" if self._enough else "time" if late else "exit"
                    )
                    return Ending(
                        code=int(code), signal=int(by), left=int(left), stuck=int(stuck), why=why
                    )
                case _:
                    continue
        return Ending(why="time" if late else "lost")

    async def close(self, patience: float) -> None:
        """End what still runs, take what is left of the output, let go of everything."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
        try:
            async with asyncio.timeout(patience):
                await self._reported.wait()
        except TimeoutError:
            self._kill_reaper()
        if b"ended" not in self._said:
            self._kill_group()
        self._loop.remove_reader(self._control.fileno())
        self._control.close()
        # All writers are gone, so that no more than a pipe's capacity can be there.
        for _ in range(2 * PIPE // BUFFER):
            self._take()
        self._close_output()
        await asyncio.to_thread(self._process.wait)

    def _hear(self) -> None:
        try:
            heard = self._control.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            heard = b""
        self._said += heard
        if not heard:
            self._loop.remove_reader(self._control.fileno())
        if not heard or b"ended" in self._said:
            self._reported.set()
            self.noticed.set()

    def _take(self) -> None:
        """One read, so that the event loop goes on between two, however much there is."""
        if self._output is None:
            return
        try:
            count = os.readv(self._output, [self._buffer])
        except BlockingIOError:
            return
        if count == 0:
            self._close_output()
        elif not self._enough and self._sink.feed(self._buffer[:count]):
            self._enough = True
            self.noticed.set()

    def _close_output(self) -> None:
        if self._output is not None:
            self._loop.remove_reader(self._output)
            os.close(self._output)
            self._output = None

    def _kill_reaper(self) -> None:
        """It does not answer, perhaps because the command stopped it: do its work from here."""
        if scope() == "tree":
            for pid in descendants(self._process.pid):
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        self._process.kill()

    def _kill_group(self) -> None:
        """The reaper is gone without a word: end at least the command's own group."""
        words = self._said.split()
        if len(words) > 1 and words[0] == b"started":
            with contextlib.suppress(OSError):
                os.killpg(int(words[1]), signal.SIGKILL)


def _start(orders: Sequence[str], folder: int, environ: Mapping[str, str], sink: Sink) -> _Tree:
    # Isolated and without site packages, because every command waits for it to start.
    reaper = [sys.executable, "-I", "-S", str(REAPER)]
    ours, theirs = socket.socketpair()
    output, inlet = os.pipe()
    try:
        _widen(inlet)
        process = subprocess.Popen(  # noqa: S603 - the command is what the person approved
            [*reaper, str(theirs.fileno()), str(folder), *orders],
            stdin=subprocess.DEVNULL,
            stdout=inlet,
            stderr=inlet,
            env=dict(environ),
            pass_fds=(theirs.fileno(), folder),
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        os.close(output)
        raise
    finally:
        theirs.close()
        os.close(inlet)
    ours.setblocking(False)
    os.set_blocking(output, False)
    return _Tree(process, ours, output, sink)


def _widen(pipe: int) -> None:
    """A larger pipe needs fewer turns of the event loop; a system that refuses is slower."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)
