"""The way into the store: appends of all sessions, grouped into one durable commit each time."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from longwatch.engine.storing import Batch, Draft, Lease, StoreError, Writable

T = TypeVar("T")
log = logging.getLogger(__name__)


class Journal:
    """Writes for every session of a process from one thread of its own.

    While a commit is under way new batches gather; they are the next commit. So many sessions
    cost hardly more syncs than one, and nobody waits for a timer.
    """

    def __init__(self, store: Writable) -> None:
        self._store = store
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._batches: list[tuple[Batch, asyncio.Future[StoreError | None]]] = []
        self._drafts: dict[str, tuple[Lease, Draft]] = {}
        self._flushing: asyncio.Task[None] | None = None

    async def append(self, batch: Batch) -> None:
        """Return when the batch is durable; raise what the store has against it."""
        kept: asyncio.Future[StoreError | None] = asyncio.get_running_loop().create_future()
        if batch.closes_draft:
            self._drafts.pop(batch.lease.session, None)
        self._batches.append((batch, kept))
        self._wake()
        error = await kept
        if error is not None:
            raise error

    def draft(self, lease: Lease, draft: Draft) -> None:
        """Show a reply that is streaming in; the latest one wins, none is waited for."""
        self._drafts[lease.session] = (lease, draft)
        self._wake()

    async def do(self, work: Callable[[Writable], T]) -> T:
        """Something else that writes, in the same thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, work, self._store)

    async def take_ids(self, count: int) -> int:
        """The first of that many numbers of the store's own counter; for none it is not asked."""
        return await self.do(lambda store: store.take_ids(count)) if count else 1

    async def close(self) -> None:
        if self._flushing is not None:
            await self._flushing
        self._pool.shutdown()

    def _wake(self) -> None:
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.get_running_loop().create_task(self._flush())

    async def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        while self._batches or self._drafts:
            group, self._batches = self._batches, []
            drafts, self._drafts = list(self._drafts.values()), {}
            batches = [batch for batch, _ in group]
            try:
                results = await loop.run_in_executor(self._pool, self._write, batches, drafts)
            except StoreError as error:
                results = [error] * len(group)
            except Exception as error:
                # The boundary of the store's writer: nobody may wait for a batch for ever.
                log.exception("writing failed")
                results = [StoreError(f"The store failed: {error}")] * len(group)
            for (_, kept), result in zip(group, results, strict=True):
                if not kept.done():
                    kept.set_result(result)

    def _write(
        self, batches: Sequence[Batch], drafts: Sequence[tuple[Lease, Draft]]
    ) -> Sequence[StoreError | None]:
        results = self._store.append(batches) if batches else []
        for lease, draft in drafts:
            self._show(lease, draft)
        return results

    def _show(self, lease: Lease, draft: Draft) -> None:
        """A draft that cannot be shown fails no batch beside it; the next append says why."""
        try:
            self._store.put_draft(lease, draft)
        except StoreError as error:
            log.info("a draft of session %s was not kept: %s", lease.session, error)
