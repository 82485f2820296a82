"""A run of the real command whose every stroke is seen afterwards, and what must hold of it."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from command_line import Home

from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.session import decode, fold
from longwatch.session.events import ToolFinished, ToolStarted
from torture.gates import Site, turn
from torture.oracle import Finding

MARKS = 4
NAME = "carving"
PATIENCE = 60.0
PROGRAM = (sys.executable, "-m", "longwatch")


def lines(filler: str = "", pace: float = 100_000) -> Iterator[dict[str, Any]]:
    """Plan, and for each item a stroke and a tick."""
    items = [f"Leave mark {number}" for number in range(1, MARKS + 1)]
    yield turn({"name": "todo_plan", "arguments": {"goal": "All are left", "items": items}})
    for number in range(1, MARKS + 1):
        stroke = {"command": f"echo {number} >> marks && sync marks"}
        yield turn({"name": "shell", "arguments": stroke}, text=f"{number} {filler}", pace=pace)
        yield turn({"name": "todo_done", "arguments": {"id": number}}, text=f"Ticked {number}.")


class Carving:
    """One session at work, through any number of processes."""

    def __init__(self, folder: Path, filler: str = "", pace: float = 100_000) -> None:
        self.site = Site(Home(folder, {"LONGWATCH_LEASE_SECONDS": "2"}).made())
        self.site.play(*lines(filler, pace))
        self.site.home.configure(model=self.site.model, approval="auto", sandbox="off")
        self.acknowledged: list[bytes] = []
        self.said: list[str] = []
        """What the processes complained of."""

    @property
    def home(self) -> Home:
        return self.site.home

    # --- processes --------------------------------------------------------------------------

    @contextmanager
    def process(
        self,
        *words: str,
        program: Sequence[str] = PROGRAM,
        environ: Mapping[str, str] | None = None,
    ) -> Iterator["subprocess.Popen[bytes]"]:
        """One process of it, gone afterwards."""
        process = subprocess.Popen(
            [*program, *words],
            env={**self.home.env, **(environ or {})},
            cwd=self.home.work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def run(self, **options: Any) -> Any:
        """The first process."""
        return self.process("run", "Carve.", "--session", NAME, "--json", **options)

    def resume(self, **options: Any) -> Any:
        return self.process("resume", NAME, "--headless", "--json", **options)

    def hear(self, process: "subprocess.Popen[bytes]", most: int | None = None) -> None:
        """Read what it acknowledges: so many events, or all until it ends."""
        assert process.stdout is not None
        for count, line in enumerate(process.stdout, start=1):
            if line.endswith(b"\n"):
                self.acknowledged.append(line.rstrip(b"\n"))
            if count == most:
                return

    def ended(self, process: "subprocess.Popen[bytes]") -> int:
        """Hear it to its end; its exit code."""
        assert process.stderr is not None
        self.hear(process)
        self.said.append(process.stderr.read().decode(errors="replace"))
        return process.wait(PATIENCE)

    def finish(self, **options: Any) -> None:
        """Go on until it is done, as a person would."""
        for _ in range(3):
            started = self.site.database.exists() and bool(self._sessions())
            with (self.resume if started else self.run)(**options) as process:
                if self.ended(process) == 0:
                    return

    # --- what became of it ------------------------------------------------------------------

    def _sessions(self) -> list[str]:
        store = SqliteStore.open(self.site.database)
        try:
            return [summary.session for summary in store.summaries()]
        finally:
            store.close()

    def findings(self) -> list[Finding]:
        """Nothing lost, nothing doubled, the same end; told in plain words on the way."""
        found = [
            Finding("broken", f"a traceback: {words[:300]} … {words[-200:]}")
            for words in self.said
            if "Traceback" in words
        ]
        sessions = self._sessions()
        if len(sessions) != 1:
            return [*found, Finding("doubled", f"{len(sessions)} sessions instead of one")]
        with self.site.store() as store:
            bodies = [record.body for record in store.records(sessions[0])]
        events = [decode(body) for body in bodies]
        lost = set(self.acknowledged) - set(bodies)
        found += [Finding("lost", f"acknowledged and gone: {body!r}"[:300]) for body in lost]
        state = fold(events)
        if (state.state, state.reason) != ("dormant", "done"):
            found.append(Finding("lost", f"it ended {state.state}: {state.reason}"))
        if [item.status for item in state.checklist] != ["completed"] * MARKS:
            found.append(Finding("lost", "the list is not completed"))
        found += self._strokes(events)
        return [*found, *(Finding("broken", problem) for problem in self.site.problems())]

    def _strokes(self, events: Sequence[Any]) -> Iterator[Finding]:
        path = self.home.work / "marks"
        left = Counter(path.read_text().split() if path.exists() else ())
        for mark, count in left.items():
            if count > 1:
                yield Finding("doubled", f"mark {mark} was left {count} times")
        asked = {
            event.call: msgspec.to_builtins(event.arguments)["command"].split()[1]
            for event in events
            if isinstance(event, ToolStarted) and event.name == "shell"
        }
        finished = [event for event in events if isinstance(event, ToolFinished) and event.ok]
        for mark in (asked[event.call] for event in finished if event.call in asked):
            if not left[mark]:
                yield Finding("lost", f"mark {mark} is reported and not there")


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Freeze a process in the middle of whatever it does."""
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)
