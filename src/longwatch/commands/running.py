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
from longwatch.commands.upkeep import forget_temporary
from longwatch.engine.family import descent
from longwatch.engine.outcome import INTERRUPTED, TERMINATED, exit_code
from longwatch.engine.ports import ReasoningDelta, TextDelta
from longwatch.engine.refusing import ChangeRefused, Misconfigured
from longwatch.engine.secrets import Redactor
from longwatch.engine.storing import LeaseHeld, LeaseLost, StoreError
from longwatch.engine.summary import title_of
from longwatch.engine.worker import Worker
from longwatch.headless import JsonLines, Narration
from longwatch.session import EMPTY, KnownEvent, SessionState, advance
from longwatch.session.events import (
    ApprovalGiven,
    SessionStarted,
    StateChanged,
    UserMessage,
)
from longwatch.session.intents import SetSetting
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
    # Looked up first: where the configuration is wrong, not even a store is made.
    found = _found(wiring, task.session)
    if found is not None:
        return _in_the_foreground(wiring, showing, lambda shown: _go_on(found, task, shown))
    started = first_event(wiring, task, attended=False)
    return _in_the_foreground(wiring, showing, lambda shown: _begin(started, task, shown))


def resume(wiring: Wiring, name: str | None, cwd: Path, showing: Showing) -> int:
    """Go on with a session until it rests."""
    session = chosen(wiring.store, name) if name else latest_of(wiring.store, cwd)
    return _in_the_foreground(wiring, showing, lambda shown: _resume(session, shown))


class Shown:
    """One run on screen: what it prints, and what of it decides the exit code."""

    def __init__(self, wiring: Wiring, showing: Showing, outlet: Outlet) -> None:
        self.wiring = wiring
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
        """The request that would be sent, without keys."""
        redactor = Redactor(self.wiring.house.secrets)
        indent = None if self._showing.json else 2
        data = json.dumps(body, ensure_ascii=False, indent=indent).encode("utf-8", "replace")
        self._outlet.write_bytes(redactor.encoded(data) + b"\n")

    def closing(self, state: SessionState) -> None:
        if not self._showing.json:
            below = descent(self.session, self.wiring.store.summaries())[1:]
            asking = {s.title: s.reason for s in below if s.state == "awaiting_human"}
            self._narration.closing(state, asking)


Work = Callable[[Shown], Coroutine[Any, Any, int]]


def _in_the_foreground(wiring: Wiring, showing: Showing, work: Work) -> int:
    outlet = Outlet(sys.stdout.buffer)
    outlet.start()
    code = 1
    try:
        with wiring.logging("run", sys.stderr):
            code = asyncio.run(_until_a_signal(wiring, showing, outlet, work))
            forget_temporary(wiring)
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


def _found(wiring: Wiring, name: str | None) -> str | None:
    """The session of that name, if there is one already."""
    if name is None or not wiring.store_path.exists() or not wiring.store.find(name):
        return None
    return chosen(wiring.store, name)


async def _begin(started: SessionStarted, task: Task, shown: Shown) -> int:
    shown.session = shown.wiring.ids.new()
    worker = await shown.supervisor.start(shown.session, [started, _message(task, EMPTY)])
    return await _worked(shown, worker)


async def _go_on(session: str, task: Task, shown: Shown) -> int:
    """Work on in a session, as another agent or role if one is named."""
    shown.session = session
    worker = await shown.supervisor.open(session)
    state, house = worker.state, shown.wiring.house
    wishes: list[SetSetting] = []
    if task.agent not in (None, state.profile.agent):
        wishes.append(SetSetting(key="agent", value=task.agent))
    if task.role not in (None, state.profile.role):
        wishes.append(SetSetting(key="role", value=task.role))
    try:
        # Everything that can be wrong is told before the message is kept.
        changes = [house.change(state, wish) for wish in wishes]
        if not changes:
            house.conduct(state)
    except (ChangeRefused, Misconfigured) as problem:
        raise CommandFailed(str(problem)) from problem
    await worker.ledger.record(*changes, _message(task, state))
    return await _worked(shown, worker)


def _message(task: Task, state: SessionState) -> UserMessage:
    """What is said to a session that asked something is the answer."""
    asked = state.state == "awaiting_human"
    return UserMessage(text=task.text, source="answer" if asked else "human")


async def _resume(session: str, shown: Shown) -> int:
    shown.session = session
    worker = await shown.supervisor.open(session)
    dry = shown.wiring.house.conduct(worker.state).dry_run
    if not dry and worker.state.state in ("paused", "idle", "dormant", "failed"):
        await worker.ledger.record(StateChanged(state="running", reason="resumed"))
    return await _worked(shown, worker)


async def _worked(shown: Shown, worker: Worker) -> int:
    conduct = shown.wiring.house.conduct(worker.state)
    if conduct.dry_run:
        shown.preview(worker.preview(conduct))
        return 0
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
        model=setup.model,
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
