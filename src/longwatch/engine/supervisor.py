"""Works many sessions in one process, with a heartbeat and an ear for intents beside it."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import msgspec

from longwatch.engine.calling import Caller
from longwatch.engine.calling_off import call_off
from longwatch.engine.conduct import Governor
from longwatch.engine.family import wanting
from longwatch.engine.holding import Holding
from longwatch.engine.intents import RESTARTED
from longwatch.engine.ledger import Listener
from longwatch.engine.ports import Clock
from longwatch.engine.reporting import DeltaListener
from longwatch.engine.storing import LeaseLost, Owner, Store, StoreError
from longwatch.engine.worker import Worker
from longwatch.session import KnownEvent, SessionState
from longwatch.session.events import ChildStarted, StateChanged

log = logging.getLogger(__name__)

BUSY_POLL = 1 / 30
IDLE_POLL = 0.25
HEARTBEAT = 3.0
SOON = 0.25
"""Seconds until a family is looked at again while nothing of it has ended."""
RETRY = 2.0
"""Seconds before a session that could not be worked on is tried again."""


class Rhythm(msgspec.Struct, frozen=True):
    """How often the supervisor looks, in seconds."""

    busy_poll: float = BUSY_POLL
    idle_poll: float = IDLE_POLL
    heartbeat: float = HEARTBEAT


def _deaf(event: KnownEvent, body: bytes) -> None:
    del event, body


class Supervisor:
    """Has each session that this process holds worked on, in a task of its own."""

    def __init__(
        self,
        store: Store,
        governor: Governor,
        caller: Caller,
        clock: Clock,
        owner: Owner,
        *,
        listener: Listener = _deaf,
        on_delta: DeltaListener | None = None,
        rhythm: Rhythm | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._listener = listener
        self._rhythm = rhythm or Rhythm()
        self._held = Holding(
            store, governor, caller, clock, owner, listener=self._hear, on_delta=on_delta
        )
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._not_before: dict[str, float] = {}
        """When a session that could not be worked on is tried again."""
        self._taken: set[str] = set()
        """Sessions that were found to be another process's."""

    @property
    def busy(self) -> bool:
        return any(not task.done() for task in self._tasks.values())

    @property
    def put_off(self) -> AbstractSet[str]:
        """Intents that wait for another one; no session is worked on for their sake."""
        return self._held.put_off

    # --- one session ------------------------------------------------------------------------

    async def start(self, session: str, events: Sequence[KnownEvent]) -> Worker:
        """Begin a new session with its first events."""
        return await self._held.begin(session, events)

    async def open(self, session: str) -> Worker:
        """Take a session that is in the store; raises LeaseHeld while another process has it."""
        return await self._held.take(session)

    async def work(self, worker: Worker) -> SessionState:
        """Work on one session and its children until all rest; then let go of them."""
        session = worker.ledger.lease.session
        self._taken.discard(session)
        self._tasks[session] = asyncio.ensure_future(worker.run())
        try:
            await self._alive(self._until_all_rest(worker))
        finally:
            for name in {session, *self._tasks}:
                await self._dismiss(name)
        return worker.state

    async def _until_all_rest(self, worker: Worker) -> None:
        """Work on what there is to do in a family, in whatever order it comes up."""
        session = worker.ledger.lease.session
        while True:
            await asyncio.wait(
                self._tasks.values(), timeout=SOON, return_when=asyncio.FIRST_COMPLETED
            )
            if self._tasks[session].done():
                if session in self._taken:
                    raise LeaseLost(f"Another process took over session {session}.")
                await self._tasks[session]
            if worker.state.children:
                self._go_on_with(worker)
            if not self.busy:
                return

    def _go_on_with(self, worker: Worker) -> None:
        """Whoever of a family has something to do and is not at it; the session stays ours."""
        session = worker.ledger.lease.session
        for name in wanting(self._store, session, self.put_off | worker.hearing.put_off):
            if name in self._not_before or (name in self._tasks and not self._tasks[name].done()):
                continue
            if name == session:
                self._tasks[session] = asyncio.ensure_future(worker.run())
            else:
                self._begin(name, resumed=True)

    async def answer(self, session: str) -> SessionState:
        """Answer what was asked of a session, and take no step."""
        worker = await self.open(session)
        try:
            await worker.hearing.answer_all()
        finally:
            await self._held.let_go(session)
        return worker.state

    async def close(self) -> None:
        """Cancel what is under way, let go of every session."""
        for session in {*self._held.sessions, *self._tasks}:
            await self._dismiss(session)
        await self._held.close()

    # --- many sessions ----------------------------------------------------------------------

    async def serve(self, wanted: Callable[[], Sequence[str]], done: Callable[[], bool]) -> None:
        """Work on whatever is wanted until it is said to be done."""
        await self._alive(self._begin_and_wait(wanted, done))

    async def _begin_and_wait(
        self, wanted: Callable[[], Sequence[str]], done: Callable[[], bool]
    ) -> None:
        while not done():
            now = self._clock.monotonic()
            for session in wanted():
                if session not in self._tasks and self._not_before.get(session, now) <= now:
                    self._not_before.pop(session, None)
                    self._begin(session)
            for session in [s for s, task in self._tasks.items() if task.done()]:
                del self._tasks[session]
            await self._clock.sleep(self._poll)

    def _begin(self, session: str, *, resumed: bool = False) -> None:
        self._tasks[session] = asyncio.ensure_future(self._work_alone(session, resumed=resumed))

    def _hear(self, event: KnownEvent, body: bytes) -> None:
        """Whoever works on a session works on the children that it starts."""
        if isinstance(event, ChildStarted) and event.child not in self._tasks:
            self._begin(event.child)
        self._listener(event, body)

    async def _work_alone(self, session: str, *, resumed: bool = False) -> None:
        """The boundary of one session's work: its failure is its own.

        What a person resumes goes on also after a reboot.
        """
        try:
            rebooted = self._held.rebooted_since(session)
            worker = await self.open(session)
            if rebooted and not resumed:
                await _wait_for_the_person(worker)
            try:
                await worker.run()
            except StoreError:
                raise
            except Exception as error:
                log.exception("session %s failed", session)
                await worker.fail(f"internal error ({error!r}): nothing is lost, resume to go on")
        except StoreError as error:
            log.warning("session %s: %s", session, error)
            self._not_before[session] = self._clock.monotonic() + RETRY
        finally:
            await self._held.let_go(session)

    async def _dismiss(self, session: str) -> None:
        task = self._tasks.pop(session, None)
        if task is not None:
            await call_off(task)
        await self._held.let_go(session)

    # --- heartbeats and intents -------------------------------------------------------------

    @property
    def _poll(self) -> float:
        return self._rhythm.busy_poll if self.busy else self._rhythm.idle_poll

    async def _alive(self, main: Coroutine[Any, Any, None]) -> None:
        """Await something with an ear for intents and a heartbeat beside it; all end together."""
        work = asyncio.ensure_future(main)
        beside = [asyncio.ensure_future(self._listen()), asyncio.ensure_future(self._beat())]
        try:
            await asyncio.wait({work, *beside}, return_when=asyncio.FIRST_COMPLETED)
            for task in beside:
                if task.done():
                    task.result()
            await work
        finally:
            for task in (work, *beside):
                task.cancel()
            await asyncio.wait({work, *beside})

    async def _listen(self) -> None:
        """Tell each worker when somebody may have asked something of its session."""
        version = -1
        while True:
            now = self._store.version()
            if now != version:
                version = now
                self._held.call()
            await self._clock.sleep(self._poll)

    async def _beat(self) -> None:
        """Say that we live; a session that was taken from us is dropped at once."""
        while True:
            for session in await self._held.renew():
                task = self._tasks.get(session)
                if task is not None:
                    log.warning("session %s was taken over by another process", session)
                    self._taken.add(session)
                    task.cancel()
            await self._clock.sleep(self._rhythm.heartbeat)


async def _wait_for_the_person(worker: Worker) -> None:
    """What ran when the machine went down goes on when somebody says so."""
    if worker.state.state in ("running", "waiting"):
        await worker.ledger.record(StateChanged(state="paused", reason=RESTARTED))
