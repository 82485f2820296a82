"""The sessions that this process has: each with its lease, its ledger and its worker."""

import asyncio
import logging
from collections.abc import Sequence

from longwatch.engine.calling import Caller
from longwatch.engine.conduct import Governor
from longwatch.engine.journal import Journal
from longwatch.engine.ledger import Ledger, Listener
from longwatch.engine.opening import Opened, open_session
from longwatch.engine.ports import Clock
from longwatch.engine.reporting import DeltaListener
from longwatch.engine.secrets import Redactor
from longwatch.engine.storing import Lease, Owner, Store, StoreError
from longwatch.engine.worker import Worker
from longwatch.session import EMPTY, KnownEvent, Transcript
from longwatch.session.events import AssistantMessage

log = logging.getLogger(__name__)


class Holding:
    """Takes sessions, keeps them while this process lives, and lets go of them."""

    def __init__(
        self,
        store: Store,
        governor: Governor,
        caller: Caller,
        clock: Clock,
        owner: Owner,
        *,
        listener: Listener,
        on_delta: DeltaListener | None,
    ) -> None:
        self._store = store
        self._governor = governor
        self._caller = caller
        self._clock = clock
        self._owner = owner
        self._listener = listener
        self._on_delta = on_delta
        self._journal = Journal(store)
        self._workers: dict[str, Worker] = {}
        self.put_off: set[str] = set()
        """Intents of sessions let go of that wait for another one."""

    @property
    def sessions(self) -> frozenset[str]:
        return frozenset(self._workers)

    async def begin(self, session: str, events: Sequence[KnownEvent]) -> Worker:
        """Take a new session, with its first events."""
        worker = self._hire(await self._lease(session), Opened(EMPTY, Transcript(), created=""))
        await worker.ledger.record(*events)
        return worker

    async def take(self, session: str) -> Worker:
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

    def rebooted_since(self, session: str) -> bool:
        """Whether the machine went down after a session was last held."""
        last = self._store.last_owner(session)
        return last is not None and last.boot != self._owner.boot

    async def let_go(self, session: str) -> None:
        """Nothing happens to one that is not held."""
        worker = self._workers.pop(session, None)
        if worker is not None:
            self.put_off |= worker.hearing.put_off
            lease = worker.ledger.lease
            try:
                await self._journal.do(lambda store: store.release(lease))
            except StoreError as error:
                # It runs out by itself; why the store failed is told by whoever worked on it.
                log.warning("session %s was not given back: %s", session, error)

    async def renew(self) -> list[str]:
        """Say that we live; the sessions that another process has taken meanwhile."""
        leases = [worker.ledger.lease for worker in self._workers.values()]
        now = self._clock.wall()
        kept = await self._journal.do(lambda store: store.renew(leases, now))
        return [lease.session for lease, ours in zip(leases, kept, strict=True) if not ours]

    def call(self) -> None:
        """Tell each worker of whose session something is asked."""
        for posted in self._store.unanswered():
            worker = self._workers.get(posted.session)
            if worker is not None:
                worker.hearing.called.set()

    async def close(self) -> None:
        """Write what is still to be written; no session may be held any more."""
        await self._journal.close()

    async def _lease(self, session: str) -> Lease:
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
            self._listener,
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
