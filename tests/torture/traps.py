"""Where a process can be killed: every point it passes is counted, and one of them is the last."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import apsw
import msgspec

from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import Batch, Draft, Lease, Owner, PostedIntent, StoreError


class Point(msgspec.Struct, frozen=True, order=True):
    """The so-many-th time that a process passes a place of one kind."""

    kind: str
    ordinal: int

    def __str__(self) -> str:
        return f"{self.kind} #{self.ordinal}"


class Trap:
    """Counts the points of a process, and kills it at one of them."""

    def __init__(self, at: Point | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self._at = at
        self._counting = threading.Lock()

    def passing(self, kind: str) -> None:
        if self._reached(kind):
            os.kill(os.getpid(), signal.SIGKILL)

    def _reached(self, kind: str) -> bool:
        with self._counting:
            self.counts[kind] += 1
            return self._at == Point(kind, self.counts[kind])

    def tearing(self, kind: str, half: Callable[[], object]) -> None:
        """Like passing, with half of something done before the end."""
        if self._reached(kind):
            half()
            os.kill(os.getpid(), signal.SIGKILL)


class TrappedStore(SqliteStore):
    """The real store, with a trap before, within and after everything that a worker writes."""

    trap: Trap
    appended: Callable[[Sequence[Batch]], None]
    drafted: Callable[[], None]

    @classmethod
    def trapped(
        cls,
        path: Path,
        trap: Trap,
        appended: Callable[[Sequence[Batch]], None],
        drafted: Callable[[], None],
    ) -> Self:
        """``appended`` and ``drafted`` are told in the writing thread, after the commit."""
        store = cls.open(path)
        store.trap, store.appended, store.drafted = trap, appended, drafted
        store._doing = threading.local()
        for connection in (store._database.writer, store._database.passing):
            connection.set_commit_hook(store._committing)
        return store

    _doing: threading.local

    def _committing(self) -> bool:
        """All statements of a transaction are executed and none of it is kept yet."""
        self.trap.passing(f"{getattr(self._doing, 'what', 'other')}: within")
        return False

    @contextmanager
    def _surrounded(self, what: str) -> Iterator[None]:
        self.trap.passing(f"{what}: before")
        self._doing.what = what
        try:
            yield
        finally:
            self._doing.what = "other"
        self.trap.passing(f"{what}: after")

    def append(self, batches: Sequence[Batch]) -> Sequence[StoreError | None]:
        with self._surrounded("append"):
            outcomes = super().append(batches)
        kept = [batch for batch, error in zip(batches, outcomes, strict=True) if error is None]
        self.appended(kept)
        return outcomes

    def put_draft(self, lease: Lease, draft: Draft) -> None:
        try:
            with self._surrounded("draft"):
                super().put_draft(lease, draft)
        finally:
            self.drafted()

    def acquire(self, session: str, owner: Owner, now: float) -> Lease:
        with self._surrounded("acquire"):
            return super().acquire(session, owner, now)

    def renew(self, leases: Sequence[Lease], now: float) -> Sequence[bool]:
        with self._surrounded("renew"):
            return super().renew(leases, now)

    def release(self, lease: Lease) -> None:
        """The lease and the search index are steps of their own, and each has a commit."""
        with self._surrounded("release"):
            super().release(lease)

    def take_ids(self, count: int) -> int:
        with self._surrounded("ids"):
            return super().take_ids(count)

    def post(self, intent: PostedIntent) -> None:
        with self._surrounded("post"):
            super().post(intent)


class _TrappedFile(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], trap: Trap) -> None:
        super().__init__("unix", name, flags)
        self._trap = trap
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self._part = "log" if path.endswith("-wal") else "file"

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802 - SQLite's name
        def half() -> None:
            super(_TrappedFile, self).xWrite(bytes(data)[: len(data) // 2], offset)

        self._trap.tearing(f"{self._part}: half a write", half)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        self._trap.passing(f"{self._part}: sync")
        super().xSync(flags)

    def xLock(self, level: int) -> None:  # noqa: N802 - SQLite's name
        try:
            super().xLock(level)
        except apsw.IOError as error:
            # A reader that closes last tries for a lock that it cannot have, and SQLite takes no
            # notice of it; only busy is a refusal that reaches SQLite without an exception.
            raise apsw.BusyError from error

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        self._trap.passing(f"{self._part}: truncate")
        super().xTruncate(newsize)


class TrappedDisk(apsw.VFS):
    """The file system as SQLite sees it, with a trap in every write. For the whole process."""

    def __init__(self, trap: Trap) -> None:
        super().__init__("trapped", "unix", makedefault=True)
        self._trap = trap

    def xOpen(  # noqa: N802 - SQLite's name
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        return _TrappedFile(name, flags, self._trap)
