"""Real processes that work on a store beside the test."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHILD = Path(__file__).with_name("child.py")


class Child:
    """A process in one of the roles of ``child.py``."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    @property
    def pid(self) -> int:
        return self.process.pid

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def stop(self) -> None:
        """Freeze it, and wait until it is frozen."""
        os.kill(self.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED)

    def wake(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        self.process.kill()

    def rest(self) -> list[str]:
        """All that it still says until it ends."""
        assert self.process.stdout is not None
        lines = self.process.stdout.read().split("\n")
        self.process.wait()
        return [line for line in lines if line]


@contextmanager
def children(role: str, path: Path, count: int = 1) -> Iterator[list[Child]]:
    """Processes that are ready and wait for the word to open the store."""
    made = [
        Child(
            subprocess.Popen(
                [sys.executable, str(CHILD), role, str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        for _ in range(count)
    ]
    try:
        for child in made:
            assert child.hear() == "ready"
        yield made
    finally:
        for child in made:
            child.kill()
            child.process.wait()
            for pipe in (child.process.stdin, child.process.stdout):
                assert pipe is not None
                pipe.close()
