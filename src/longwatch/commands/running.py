"""`longwatch run` and `longwatch resume --headless`: the worker in the foreground."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longwatch.adapters.settings.problems import Problems
from longwatch.commands.choosing import chosen, latest_of
from longwatch.commands.failure import CommandFailed
from longwatch.commands.outlet import Outlet
from longwatch.commands.signals import until_a_signal
from longwatch.discipline import CallModel
from longwatch.engine.conduct import Misconfigured
from longwatch.engine.outcome import INTERRUPTED, TERMINATED, exit_code
from longwatch.engine.ports import LeaseHeld, LeaseLost, ReasoningDelta, StoreError, TextDelta
from longwatch.engine.worker import Worker
from longwatch.headless import JsonLines, Narration
from longwatch.session import EMPTY, KnownEvent, SessionState, advance
from longwatch.session.events import (
    ApprovalGiven,
    SessionStarted,
    StateChanged,
    UserMessage,
)
from longwatch.session.state import Profile
from longwatch.wiring import Wiring

LAST_WORDS = 1.0
"""Seconds that a run which was told to end waits for a reader that does not read."""


@dataclass(frozen=True)
class Showing:
    """How a run is shown."""

    json: bool = False
    deltas: bool = False
    quiet: bool = False


@dataclass(frozen=True)
class Task:
    """What a run is to do, and in which session."""

    text: str
    cwd: Path
    session: str | None = None
    agent: str | None = None
    role: str | None = None


def run(wiring: Wiring, task: Task, showing: Showing) -> int:
    """Work on a new session, or go on with a named one, until it rests."""
    return _in_the_foreground(wiring, showing, lambda shown: _run(wiring, task, shown))


def resume(wiring: Wiring, name: str | None, cwd: Path, showing: Showing) -> int:
    """Go on with a session until it rests."""
    session = chosen(wiring.store, name) if name else latest_of(wiring.store, cwd)
    return _in_the_foreground(wiring, showing, lambda shown: _resume(session, shown))


class Shown:
    """One run on screen: what it prints, and what of it decides the exit code."""

    def __init__(self, wiring: Wiring, showing: Showing, outlet: Outlet) -> None:
        self.wanted_approver = False
        self._outlet = outlet
        self._showing = showing
        self._narration = Narration(outlet, quiet=showing.quiet)
        self._printer = JsonLines(outlet.write_bytes) if showing.json else self._narration
        stream = (showing.json and showing.deltas) or (not showing.json and sys.stdout.isatty())
        self.session = ""
        self.supervisor = wiring.supervisor(self._event, self._delta if stream else None)

    def _event(self, event: KnownEvent, body: bytes) -> None:
        if event.session != self.session:
            return
        if isinstance(event, ApprovalGiven) and event.by == "system":
            self.wanted_approver = True
        self._printer.event(event, body)

    def _delta(self, session: str, delta: TextDelta | ReasoningDelta) -> None:
        if session != self.session:
            return
        if self._showing.json:
            kind = "text" if isinstance(delta, TextDelta) else "reasoning"
            line = {"type": "assistant_delta", "session": session, kind: delta.text}
            self._outlet.write(json.dumps(line, ensure_ascii=False) + "\n")
        elif isinstance(delta, TextDelta):
            self._narration.delta(delta.text)

    def preview(self, body: object) -> None:
        self._outlet.write(json.dumps(body, ensure_ascii=False, indent=2) + "\n")

    def closing(self, state: SessionState) -> None:
        if not self._showing.json:
            self._narration.closing(state)


Work = Callable[[Shown], Coroutine[Any, Any, int]]


def _in_the_foreground(wiring: Wiring, showing: Showing, work: Work) -> int:
    outlet = Outlet(sys.stdout.buffer)
    outlet.start()
    code = 1
    try:
        code = asyncio.run(_until_a_signal(wiring, showing, outlet, work))
    finally:
        outlet.close(LAST_WORDS if code in (INTERRUPTED, TERMINATED) else None)
    return code


async def _until_a_signal(wiring: Wiring, showing: Showing, outlet: Outlet, work: Work) -> int:
    """A hang-up is nothing to a run; the other signals end it cleanly and resumably."""
    shown = Shown(wiring, showing, outlet)
    task = asyncio.ensure_future(_guarded(shown, work))
    try:
        ended = await until_a_signal(task)
    finally:
        await shown.supervisor.close()
        await wiring.house.close()
    if ended is not None:
        return ended
    return task.result()


async def _guarded(shown: Shown, work: Work) -> int:
    """The boundary of a run: what the store has against it is told, not thrown."""
    try:
        return await work(shown)
    except LeaseHeld as held:
        raise CommandFailed(str(held)) from held
    except LeaseLost as lost:
        raise CommandFailed(f"{lost} This run ends here; nothing is lost.", 1) from lost
    except StoreError as error:
        raise CommandFailed(str(error), 1) from error


async def _run(wiring: Wiring, task: Task, shown: Shown) -> int:
    name = task.session
    found = wiring.store.find(name) if name else ()
    message = UserMessage(text=task.text, source="human")
    if name and len(found) > 1:
        chosen(wiring.store, name)
    if found:
        shown.session = found[0]
        worker = await shown.supervisor.open(found[0])
        await worker.ledger.record(message)
    else:
        shown.session = wiring.ids.new()
        started = first_event(wiring, task, attended=False)
        worker = await shown.supervisor.start(shown.session, [started, message])
    conduct = wiring.house.conduct(worker.state)
    if conduct.dry_run:
        shown.preview(conduct.model.preview(worker.request(CallModel(), conduct)))
        return 0
    return await _worked(shown, worker)


async def _resume(session: str, shown: Shown) -> int:
    shown.session = session
    worker = await shown.supervisor.open(session)
    if worker.state.state in ("paused", "idle", "dormant", "failed"):
        await worker.ledger.record(StateChanged(state="running", reason="resumed"))
    return await _worked(shown, worker)


async def _worked(shown: Shown, worker: Worker) -> int:
    state = await shown.supervisor.work(worker)
    shown.closing(state)
    return exit_code(state, wanted_approver=shown.wanted_approver)


def first_event(wiring: Wiring, task: Task, *, attended: bool) -> SessionStarted:
    """A new session as it is configured now; raises CommandFailed before anything is kept."""
    cwd = Path(os.path.realpath(task.cwd))
    if not cwd.is_dir():
        raise CommandFailed(f"{cwd} is not a folder.")
    profile = Profile(cwd=str(cwd), agent=task.agent, role=task.role, model="", dialect="")
    try:
        setup = wiring.house.setup(profile)
    except Problems as problems:
        raise CommandFailed(str(problems)) from problems
    started = SessionStarted(
        title=task.session or title_of(task.text),
        cwd=str(cwd),
        model=wiring.house.model_of(setup),
        dialect=setup.resolved["dialect"],
        agent=task.agent,
        role=task.role,
        attended=attended,
    )
    try:
        wiring.house.conduct(advance(EMPTY, started))
    except Misconfigured as problem:
        raise CommandFailed(str(problem)) from problem
    return started


def title_of(text: str) -> str:
    """A short name from the first words of a task."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "session")
    return line if len(line) <= 60 else line[:59].rstrip() + "…"
