"""Runs of the real command that stop at a gate until the test lets them through."""

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from command_line import Home

from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.fsck import check
from longwatch.session import AnyEvent, decode

PATIENCE = 30.0
FLAGS = ("--approval", "auto", "--set", "sandbox=off", "--json")
COMMAND = "echo > arrived; cat gate; echo >> passed"
AT_THE_GATE = {"name": "shell", "arguments": {"command": COMMAND}}


def until(condition: Callable[[], bool]) -> None:
    """Wait until something outside of this process is so."""
    pause = threading.Event()
    for _ in range(int(PATIENCE / 0.01)):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it did not happen in time")


def turn(*calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"pause": 0, "calls": list(calls), **fields}


PLAN = turn({"name": "todo_plan", "arguments": {"goal": "g", "items": ["one", "two"]}})
DONE = [
    turn({"name": "todo_done", "arguments": {"id": number}}, text=f"{number} is done.")
    for number in (1, 2)
]


@dataclass
class Running:
    """A command under way, read line by line."""

    process: "subprocess.Popen[bytes]"

    @property
    def pid(self) -> int:
        return self.process.pid

    def events(self) -> Iterator[dict[str, Any]]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield json.loads(line)

    def reach(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Read until it says that this happened."""
        for event in self.events():
            if event["type"] == kind and fields.items() <= event.items():
                return event
        raise AssertionError(f"it ended without {kind}: {self.complaint()}")

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def ended(self) -> int:
        """Its exit code, after all that it still says."""
        assert self.process.stdout is not None
        if not self.process.stdout.closed:
            self.process.stdout.read()
        return self.process.wait(PATIENCE)

    def complaint(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()


@dataclass
class Site:
    """A home with a rehearsal to play and a gate in the folder that it works in."""

    home: Home

    @property
    def model(self) -> str:
        return f"rehearsal:{self.home.base / 'play.yaml'}"

    def play(self, *turns: dict[str, Any]) -> None:
        """What the model says from now on; JSON is YAML too."""
        scenario = {"pace": 100_000, "turns": turns, "closing": "All is done."}
        (self.home.base / "play.yaml").write_bytes(msgspec.json.encode(scenario))

    def make_gate(self) -> None:
        os.mkfifo(self.home.work / "gate")

    def open_gate(self) -> None:
        """Let through whoever stands at the gate; waits for one to come."""
        os.close(os.open(self.home.work / "gate", os.O_WRONLY))

    @contextmanager
    def run(self, *words: str) -> Iterator[Running]:
        """A run of its own process, which is gone when the test is over."""
        process = self.home.popen("run", "Do it.", "--model", self.model, *FLAGS, *words)
        try:
            yield Running(process)
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdout, process.stderr):
                assert pipe is not None
                pipe.close()

    def wait_at_gate(self, run: Running) -> str:
        """Until the run's tool stands at the gate; returns its session."""
        session: str = run.reach("tool_started", name="shell")["session"]
        until((self.home.work / "arrived").exists)
        return session

    def passed(self) -> int:
        """How often somebody went through the gate."""
        marks = self.home.work / "passed"
        return len(marks.read_text().splitlines()) if marks.exists() else 0

    @property
    def database(self) -> Path:
        return self.home.data / "longwatch.db"

    @contextmanager
    def store(self, **options: Any) -> Iterator[SqliteStore]:
        store = SqliteStore.open(self.database, **options)
        try:
            yield store
        finally:
            store.close()

    def events(self, session: str) -> list[AnyEvent]:
        with self.store() as store:
            return [decode(record.body) for record in store.records(session)]

    def problems(self) -> list[str]:
        with self.store() as store:
            return check(store)


def site_in(folder: Path, **environ: str) -> Site:
    return Site(Home(folder, environ).made())
