"""Works many sessions in one process: leases, heartbeats, and the ear for intents."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec

from longwatch.engine.calling import Caller
from longwatch.engine.conduct import Governor
from longwatch.engine.family import wanting
from longwatch.engine.intents import RESTARTED
from longwatch.engine.journal import Journal
from longwatch.engine.ledger import Ledger, Listener
from longwatch.engine.opening import Opened, open_session
from longwatch.engine.ports import Clock, Lease, LeaseLost, Owner, Store, StoreError
from longwatch.engine.reporting import DeltaListener
from longwatch.engine.secrets import Redactor
from longwatch.engine.worker import Worker
from longwatch.session import EMPTY, KnownEvent, SessionState, Transcript
from longwatch.session.events import AssistantMessage, ChildStarted, StateChanged

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
    """Holds the sessions that this process works on. Each has a task of its own."""

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
        self._governor = governor
        self._caller = caller
        self._clock = clock
        self._owner = owner
        self._listener = listener
        self._on_delta = on_delta
        self._rhythm = rhythm or Rhythm()
        self._journal = Journal(store)
        self._workers: dict[str, Worker] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._not_before: dict[str, float] = {}
        """When a session that could not be worked on is tried again."""
        self._taken: set[str] = set()
        """Sessions that were found to be another process's."""
        self.put_off: set[str] = set()
        """Intents that wait for another one; no session is worked on for their sake."""

    # --- one session ------------------------------------------------------------------------

    async def start(self, session: str, events: Sequence[KnownEvent]) -> Worker:
        """Begin a new session with its first events."""
        fresh = Opened(EMPTY, Transcript(), created="")
        worker = self._hire(await self._lease(session), fresh)
        await worker.ledger.record(*events)
        return worker

    async def open(self, session: str) -> Worker:
        """Take a session that is in the store; raises LeaseHeld while another process has it."""
        lease = await self._lease(session)
        try:
            opened = await asyncio.to_thread(open_session, self._store, session)
        except StoreError:
            await self._journal.do(lambda store: store.release(lease))
            raise
        worker = self._hire(lease, opened)
        await self._keep_draft(worker)
        return worker

    async def work(self, worker: Worker) -> SessionState:
        """Work on one session and its children until all rest; then let go of them."""
        session = worker.ledger.lease.session
        self._tasks[session] = asyncio.ensure_future(worker.run())
        try:
            await self._beside(self._until_all_rest(worker))
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
        for name in wanting(self._store, session, self.put_off | worker.put_off):
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
            await worker.answer()
        finally:
            await self._let_go(session)
        return worker.state

    async def close(self) -> None:
        """Cancel what is under way, let go of every session."""
        for session in {*self._workers, *self._tasks}:
            await self._dismiss(session)
        await self._journal.close()

    # --- many sessions ----------------------------------------------------------------------

    async def serve(self, wanted: Callable[[], Sequence[str]], done: Callable[[], bool]) -> None:
        """Work on whatever is wanted until it is said to be done."""
        await self._beside(self._hire_and_wait(wanted, done))

    @property
    def busy(self) -> bool:
        return any(not task.done() for task in self._tasks.values())

    async def _hire_and_wait(
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
            before = self._store.last_owner(session)
            worker = await self.open(session)
            if before is not None and before.boot != self._owner.boot and not resumed:
                await self._after_a_reboot(worker)
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
            await self._let_go(session)

    async def _after_a_reboot(self, worker: Worker) -> None:
        """What ran when the machine went down waits for the person."""
        if worker.state.state in ("running", "waiting"):
            await worker.ledger.record(StateChanged(state="paused", reason=RESTARTED))

    # --- leases, heartbeats, intents --------------------------------------------------------

    async def _lease(self, session: str) -> Lease:
        self._taken.discard(session)
        now = self._clock.wall()
        return await self._journal.do(lambda store: store.acquire(session, self._owner, now))

    def _hire(self, lease: Lease, opened: Opened) -> Worker:
        ledger = Ledger(
            opened,
            lease,
            self._journal,
            self._store,
            self._clock,
            Redactor(self._governor.secrets),
            self._hear,
        )
        worker = Worker(
            ledger,
            self._journal,
            self._store,
            self._governor,
            self._caller,
            self._clock,
            self._on_delta,
        )
        self._workers[lease.session] = worker
        return worker

    async def _keep_draft(self, worker: Worker) -> None:
        """A reply that a crash cut off is kept as far as it came."""
        draft = self._store.draft(worker.ledger.lease.session)
        if draft is not None:
            cut = AssistantMessage(
                text=draft.text,
                reasoning=draft.reasoning,
                finish="stop",
                tool_calls=(),
                partial=True,
            )
            await worker.ledger.record(cut, closes_draft=True)

    async def _dismiss(self, session: str) -> None:
        task = self._tasks.pop(session, None)
        if task is not None and not task.done():
            task.cancel()
            await asyncio.wait({task})
        await self._let_go(session)

    async def _let_go(self, session: str) -> None:
        worker = self._workers.pop(session, None)
        if worker is not None:
            self.put_off |= worker.put_off
            lease = worker.ledger.lease
            await self._journal.do(lambda store: store.release(lease))

    @property
    def _poll(self) -> float:
        return self._rhythm.busy_poll if self.busy else self._rhythm.idle_poll

    async def _beside(self, main: Coroutine[Any, Any, None]) -> None:
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
                for posted in self._store.unanswered():
                    worker = self._workers.get(posted.session)
                    if worker is not None:
                        worker.called.set()
            await self._clock.sleep(self._poll)

    async def _beat(self) -> None:
        """Say that we live; a session that was taken from us is dropped at once."""
        while True:
            leases = [worker.ledger.lease for worker in self._workers.values()]
            now = self._clock.wall()
            kept = await self._journal.do(lambda store: store.renew(leases, now))  # noqa: B023
            for lease, ours in zip(leases, kept, strict=True):
                task = self._tasks.get(lease.session)
                if not ours and task is not None:
                    log.warning("session %s was taken over by another process", lease.session)
                    self._taken.add(lease.session)
                    task.cancel()
            await self._clock.sleep(self._rhythm.heartbeat)
