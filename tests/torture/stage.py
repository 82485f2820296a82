"""One process of a scripted run: the real commands on the real store, wired to the cast."""

import asyncio
import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import replace as with_fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec

from longwatch.adapters.settings.layers import from_flags
from longwatch.adapters.system import RandomIds, SystemClock
from longwatch.commands import running, serving
from longwatch.commands.running import Showing, Task
from longwatch.engine.conduct import Conduct
from longwatch.engine.ledger import Listener
from longwatch.engine.opening import events_of
from longwatch.engine.reporting import DeltaListener
from longwatch.engine.storing import Summary
from longwatch.engine.supervisor import Supervisor
from longwatch.governing import House, Outside
from longwatch.session import KnownEvent, SessionState
from longwatch.session.events import AssistantMessage
from longwatch.wiring import Wiring
from torture.cast import SESSION, Actor, Chisel, Person
from torture.scripts import TASK, Script
from torture.traps import Point, Trap, TrappedDisk, TrappedStore

HASTE = 0.1
LONGEST_WAIT = 0.05
STORE = "longwatch.db"
MARKS = "marks"


class HastyClock(SystemClock):
    """Nobody waits long, and whoever looks at it again finds it moved on."""

    def __init__(self) -> None:
        self._ticks = itertools.count(1.0)
        self._skipped = 0.0

    def monotonic(self) -> float:
        return next(self._ticks) + self._skipped

    async def sleep(self, seconds: float) -> None:
        self._skipped += seconds
        loop = asyncio.get_running_loop()
        over = asyncio.Event()
        timer = loop.call_later(min(seconds * HASTE, LONGEST_WAIT), over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()


class OneName(RandomIds):
    """There is one session, and its name is known."""

    def new(self) -> str:
        return SESSION


class Playhouse(House):
    """The usual governor with another model and another tool."""

    def __init__(self, outside: Outside, actor: Actor, chisel: Chisel) -> None:
        super().__init__(outside)
        self._actor = actor
        self._tools = {chisel.name: chisel}

    def conduct(self, state: SessionState) -> Conduct:
        return with_fields(super().conduct(state), model=self._actor)


@dataclass(frozen=True)
class Stage(Wiring):
    """A process put together as the program does it, with the cast in place of the world."""

    script: Script = field(kw_only=True)
    folder: Path = field(kw_only=True)
    trap: Trap = field(kw_only=True)
    report: int = field(kw_only=True)
    """Where acknowledged events and what else is known at the time are written to."""

    @cached_property
    def clock(self) -> HastyClock:
        return HastyClock()

    @cached_property
    def ids(self) -> OneName:
        return OneName()

    @cached_property
    def person(self) -> Person:
        return Person(self.script.wishes, self.clock)

    @cached_property
    def actor(self) -> Actor:
        return Actor(
            {TASK: self.script.lines, **self.script.parts},
            self.trap,
            self._answered,
            self._said,
            lambda call: self._tell("heard", call),
        )

    @cached_property
    def store(self) -> TrappedStore:
        return TrappedStore.trapped(
            self.store_path, self.trap, self.person.appended, self.actor.drafted
        )

    @cached_property
    def house(self) -> Playhouse:
        chisel = Chisel(self.folder / MARKS, self.trap, self._answered)
        return Playhouse(super().house.outside, self.actor, chisel)

    def supervisor(
        self, listener: Listener | None = None, on_delta: DeltaListener | None = None
    ) -> Supervisor:
        def told(event: KnownEvent, body: bytes) -> None:
            os.write(self.report, b"event " + body + b"\n")
            self.trap.passing("told")
            if listener is not None:
                listener(event, body)

        return super().supervisor(told, on_delta)

    def find_draft(self) -> None:
        """Tell of the replies that a killed process was in the middle of."""
        for one in self.store.summaries():
            draft = self.store.draft(one.session)
            if draft is not None:
                self._tell("draft", (draft.text, draft.reasoning))

    def finished(self, code: int) -> None:
        self._tell("code", code)
        self._tell("counts", dict(self.trap.counts))

    def _tell(self, what: str, value: Any) -> None:
        os.write(self.report, f"{what} ".encode() + msgspec.json.encode(value) + b"\n")

    async def _answered(self, wish: str) -> None:
        while any(posted.id == wish for posted in self.store.unanswered(SESSION)):
            await self.clock.sleep(0.01)

    async def _said(self, line: str) -> None:
        while not any(map(partial(self._has_said, line), self.store.summaries())):
            await self.clock.sleep(0.01)

    def _has_said(self, line: str, one: Summary) -> bool:
        events = events_of(self.store, one.session)
        return any(isinstance(e, AssistantMessage) and e.text == line for e in events)


def environment(folder: Path) -> Mapping[str, str]:
    return {
        "LONGWATCH_DATA_DIR": str(folder),
        "LONGWATCH_CONFIG_DIR": str(folder / "config"),
        "LONGWATCH_PATIENCE": "0.01",
        "LONGWATCH_LINGER": "0",
    }


def play(script: Script, folder: Path, kill_at: Point | None, report: int) -> int:
    """Start the run or go on with it, as the command line does, until it rests."""
    trap = Trap(kill_at)
    disk = TrappedDisk(trap)
    stage = Stage(
        environ=environment(folder),
        flags=from_flags(
            (*script.settings, "sandbox=off"),
            {"dialect": script.dialect, "approval": script.approval},
        ),
        approver=True,
        script=script,
        folder=folder,
        trap=trap,
        report=report,
    )
    stage.find_draft()
    stage.person.watch(stage.store)
    code = _act(stage)
    # What is asked of a run in the moment when it comes to rest is left to the next one.
    for _ in range(len(script.wishes)):
        if stage.store.unanswered():
            code = _act(stage)
    stage.store.close()
    disk.unregister()
    stage.finished(code)
    return code


def _act(stage: Stage) -> int:
    task = Task(TASK, stage.folder)
    begun = bool(stage.store.find(SESSION))
    if stage.script.through == "worker":
        if not begun:
            asyncio.run(_create(stage, task))
        return serving.serve(stage)
    if begun:
        return running.resume(stage, SESSION, stage.folder, Showing(json=True))
    return running.run(stage, task, Showing(json=True))


async def _create(stage: Stage, task: Task) -> None:
    """A session as a dashboard makes it, left to the background worker."""
    supervisor = stage.supervisor()
    await supervisor.start(SESSION, [running.first_event(stage, task, attended=True)])
    await supervisor.close()
