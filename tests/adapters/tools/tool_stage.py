"""A stage for tools: a place, calls, and waiting for real processes without sleeping."""

import os
import select
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from longwatch.engine.ports import Place, Tool, ToolOutput

DEADLINE = 10.0

# What no command may ever see.
CANARIES = {
    "OPENAI_API_KEY": "canary",
    "ANTHROPIC_API_KEY": "canary",
    "GITHUB_TOKEN": "canary",
    "MY_SECRET": "canary",
    "LC_SECRET_KEY": "canary",
    "LD_PRELOAD": "canary",
    "LD_LIBRARY_PATH": "canary",
    "GIT_DIR": "canary",
    "GIT_SSH_COMMAND": "canary",
    "PYTHONPATH": "canary",
    "PYTHONSTARTUP": "canary",
    "BASH_ENV": "canary",
    "ENV": "canary",
    "BASH_FUNC_ls%%": "() { canary; }",
    "LONGWATCH_DATA_DIR": "canary",
    "SSH_AUTH_SOCK": "canary",
    "HTTPS_PROXY": "http://user:canary@proxy",
    "DBUS_SESSION_BUS_ADDRESS": "canary",
}


async def call(tool: Tool, place: Place, **arguments: Any) -> ToolOutput:
    """Prepare and run, as after an approval."""
    return await tool.run(tool.prepare(arguments, place), place)


def alive(pid: int) -> bool:
    """Whether the process still runs; one that only waits to be collected does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat[stat.rindex(b")") + 2 :][:1] != b"Z"


def wait_gone(pid: int, seconds: float = DEADLINE) -> bool:
    """Wait for a process to end, on its own descriptor; whether it has."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], seconds)[0])
    finally:
        os.close(fd)


def numbers(text: str) -> list[int]:
    """The process numbers in a command's output, one a line."""
    return [int(line) for line in text.splitlines() if line.isdigit()]


class Mailbox:
    """A named pipe into which processes write lines that a test waits for."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        # Open for writing too, so that it never comes to its end.
        self.fd = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._held = b""

    def read(self, count: int) -> list[str]:
        """That many lines; fails if they do not come in time."""
        deadline = time.monotonic() + DEADLINE
        while self._held.count(b"\n") < count:
            left = deadline - time.monotonic()
            assert select.select([self.fd], [], [], max(left, 0))[0], f"only {self._held!r} came"
            self._held += os.read(self.fd, 65536)
        *lines, self._held = self._held.split(b"\n", count)
        return [line.decode() for line in lines]

    def pids(self, count: int) -> list[int]:
        return [int(line) for line in self.read(count)]


@contextmanager
def mailbox(folder: Path) -> Iterator[Mailbox]:
    box = Mailbox(folder / "mailbox")
    try:
        yield box
    finally:
        os.close(box.fd)


@contextmanager
def python(source: str, *arguments: str | Path) -> Iterator[Popen[bytes]]:
    """A Python process of its own that runs the source; ended with the block."""
    command = [sys.executable, "-c", textwrap.dedent(source), *map(str, arguments)]
    with Popen(command, stdin=PIPE, stdout=PIPE) as process:
        try:
            yield process
        finally:
            process.kill()
