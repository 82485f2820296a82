"""The connections to one store: for durable writing, for writing that may be lost, for reading."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextlib import closing as closed_after
from pathlib import Path
from typing import Any, Self

import apsw

from longwatch.adapters.store.faults import FAULTS, told
from longwatch.adapters.store.files import make_private
from longwatch.engine.storing import StoreUnwritable

_BUSY_MILLISECONDS = 10_000
_WAL_BYTES_KEPT = 16 * 1024 * 1024


class Database:
    """Connections that any thread may use, each for its purpose.

    Both writing connections share one lock, so that threads of one process queue for it in
    order; only processes meet at SQLite's own.
    """

    def __init__(
        self, path: Path, writer: apsw.Connection, passing: apsw.Connection, reader: apsw.Connection
    ) -> None:
        self.path = path
        self.writer = writer
        self.passing = passing
        self.reader = reader
        self._polling = reader.cursor()
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        self._searcher: apsw.Connection | None = None
        self._searching = threading.Lock()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Connect to a store that is known to be sound."""
        try:
            with ExitStack() as closing:
                writer = closing.enter_context(closed_after(connection(path)))
                writer.execute("PRAGMA synchronous = FULL")
                if writer.pragma("journal_mode", "wal") != "wal":
                    raise StoreUnwritable(f"The store {path} lies where no log can be kept.")
                passing = closing.enter_context(closed_after(connection(path)))
                passing.execute("PRAGMA synchronous = NORMAL")
                reader = closing.enter_context(closed_after(connection(path, readonly=True)))
                database = cls(path, writer, passing, reader)
                # The first look makes the log, which tells others that the store is in use.
                database.version()
                closing.pop_all()
        except FAULTS as error:
            raise told(error, path) from error
        make_private(path)
        return database

    def durably(self) -> AbstractContextManager[apsw.Cursor]:
        """A write transaction that is on the disk when it ends."""
        return self._transaction(self.writer, self._writing, "BEGIN IMMEDIATE")

    def in_passing(self) -> AbstractContextManager[apsw.Cursor]:
        """A write transaction that waits for no disk: the machine's crash may undo it."""
        return self._transaction(self.passing, self._writing, "BEGIN IMMEDIATE")

    def snapshot(self) -> AbstractContextManager[apsw.Cursor]:
        """A read transaction: all of it sees the same moment."""
        return self._transaction(self.reader, self._reading, "BEGIN")

    @contextmanager
    def search(self) -> Iterator[apsw.Connection]:
        """A read transaction for what may take long: on its own connection, so that nobody who
        only wants to look waits for it."""
        with self._searching:
            if self._searcher is None:
                self._searcher = connection(self.path, readonly=True)
            with self._transaction(self._searcher, threading.Lock(), "BEGIN"):
                yield self._searcher

    def rows(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """All rows of one query."""
        with self._reading:
            try:
                return list(self.reader.execute(query, values))
            except FAULTS as error:
                raise told(error, self.path) from error

    def version(self) -> int:
        """A number that changes when any other connection, also one of ours, has written."""
        with self._reading:
            try:
                version: int = self._polling.execute("PRAGMA data_version").get
            except FAULTS as error:
                raise told(error, self.path) from error
        return version

    def close(self) -> None:
        """The writer goes last: it moves what is left in the log into the database."""
        with self._writing, self._reading, self._searching:
            searcher = () if self._searcher is None else (self._searcher,)
            for one in (*searcher, self.reader, self.passing, self.writer):
                one.close()

    @contextmanager
    def _transaction(
        self, connection: apsw.Connection, lock: threading.Lock, begin: str
    ) -> Iterator[apsw.Cursor]:
        with lock:
            try:
                cursor = connection.cursor()
                cursor.execute(begin)
                try:
                    yield cursor
                    cursor.execute("COMMIT")
                finally:
                    # Some faults end the transaction by themselves, and some leave it open.
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
            except FAULTS as error:
                raise told(error, self.path) from error


def connection(path: Path, *, readonly: bool = False) -> apsw.Connection:
    """A connection that waits for others, for any purpose."""
    flags = apsw.SQLITE_OPEN_READONLY if readonly else apsw.SQLITE_OPEN_READWRITE
    made = apsw.Connection(str(path), flags=flags)
    made.set_busy_timeout(_BUSY_MILLISECONDS)
    made.execute("PRAGMA temp_store = MEMORY")
    if not readonly:
        made.pragma("journal_size_limit", _WAL_BYTES_KEPT)
        if made.readonly("main"):
            made.close()
            raise StoreUnwritable(f"The store {path} cannot be written: it is read-only.")
    return made
