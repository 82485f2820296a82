"""Finding out what lies at a store's path before anything is changed: make, accept or refuse."""

import os
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import apsw
import msgspec

from longwatch.adapters.store.database import Database
from longwatch.adapters.store.faults import FAULTS, damaged, told
from longwatch.adapters.store.files import (
    alone_in,
    make_private_file,
    make_private_folder,
    sync,
    wal_of,
)
from longwatch.adapters.store.migrations import migrate
from longwatch.adapters.store.schema import APPLICATION_ID, CURRENT, Schema
from longwatch.engine.storing import StoreUnusable

QUICKLY_CHECKED = 1024 * 1024 * 1024
"""Bytes of a store that is looked through in passing; of a larger one only `fsck` reads all."""


class Condition(msgspec.Struct, frozen=True):
    """How a store is that can be used."""

    version: int
    size: int
    checked: bool


def open_database(path: Path, schema: Schema = CURRENT) -> Database:
    """Connect to the store at a path, or make one; raises StoreUnusable and StoreUnwritable.

    What is no store, is damaged or was made by a newer version is left byte for byte.
    """
    try:
        make_private_folder(path.parent)
        with alone_in(path.parent) as folder:
            if _is_there(path):
                _accept(path, schema)
            else:
                _make(path, schema, folder)
            return Database.open(path)
    except OSError as error:
        raise told(error, path) from error


def looked_at(path: Path, schema: Schema = CURRENT) -> Condition | None:
    """How a store is, or None if there is none; raises StoreError. Nothing is changed."""
    try:
        if not path.parent.is_dir():
            return None
        with alone_in(path.parent):
            if not _is_there(path):
                return None
            version = _examined(path, schema)
            if version > schema.version:
                raise _newer(path, version, schema)
            with _probe(path) as probe:
                small = path.stat().st_size <= QUICKLY_CHECKED
                lines = probe.execute("PRAGMA quick_check(1)") if small else ()
                damage = [str(line) for (line,) in lines if line != "ok"]
    except OSError as error:
        raise told(error, path) from error
    if damage:
        raise damaged(path, damage[0])
    size = sum(file.stat().st_size for file in (path, wal_of(path)) if file.exists())
    return Condition(version=version, size=size, checked=small)


def _accept(path: Path, schema: Schema) -> None:
    version = _examined(path, schema)
    if version > schema.version:
        raise _newer(path, version, schema)
    if version < schema.version:
        migrate(path, version, schema)


def _newer(path: Path, version: int, schema: Schema) -> StoreUnusable:
    return StoreUnusable(
        f"The store {path} was made by a newer longwatch (its version is {version}, this one "
        f"knows {schema.version}). It was left as it is. Use that newer longwatch, or choose "
        "another store."
    )


def _is_there(path: Path) -> bool:
    """Whether anything has to be looked into; an empty file is as good as none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        found = None
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise StoreUnusable(f"{path} is no file. Choose another place for the store.")
    if found is not None and found.st_size > 0:
        return True
    log = wal_of(path)
    if log.exists() and log.stat().st_size > 0:
        # A new database beside the log of another one would take that log for its own.
        raise StoreUnusable(
            f"The store {path} is gone or empty, but its log {log.name} is still there and may "
            "hold its last events. Put the store back beside it, or move the log away."
        )
    return False


def _make(path: Path, schema: Schema, folder: int) -> None:
    """Build the store beside its place and move it there whole, so that none is half made."""
    draft = path.with_name(path.name + ".new")
    _clear(draft)
    make_private_file(draft)
    try:
        made = apsw.Connection(str(draft), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            # Nothing depends on it before it is in place, so it waits for the disk only once.
            made.execute("PRAGMA synchronous = OFF")
            made.pragma("journal_mode", "memory")
            made.execute("BEGIN")
            made.execute(schema.tables)
            made.pragma("application_id", APPLICATION_ID)
            made.pragma("user_version", schema.version)
            made.execute("COMMIT")
            made.pragma("journal_mode", "wal")
        finally:
            made.close()
        sync(draft)
        draft.replace(path)
        os.fsync(folder)
    except FAULTS as error:
        raise told(error, path) from error
    finally:
        _clear(draft)


def _clear(draft: Path) -> None:
    """Remove what an interrupted making left; its journal would spoil the next one."""
    for ending in ("", "-journal", "-wal", "-shm"):
        draft.with_name(draft.name + ending).unlink(missing_ok=True)


def _examined(path: Path, schema: Schema) -> int:
    """The version of the store's schema; raises StoreUnusable for what is no sound store."""
    with _probe(path) as probe:
        return _version(probe, path, schema)


@contextmanager
def _probe(path: Path) -> Iterator[apsw.Connection]:
    """A connection that only looks; what goes wrong on it is told as an error of the store."""
    # Where there is no log, nobody has the store open, nor can while we are alone in its
    # folder. It can then be read without a trace.
    mode = "" if wal_of(path).exists() else "&immutable=1"
    try:
        probe = apsw.Connection(
            f"file:{quote(str(path))}?mode=ro{mode}",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        )
        with closing(probe):
            yield probe
    except apsw.NotADBError as error:
        raise StoreUnusable(
            f"{path} is no store of longwatch, or its beginning is damaged ({error}). It was left "
            "as it is. Choose another place, restore a copy, or move it away."
        ) from error
    except FAULTS as error:
        raise told(error, path) from error


def _version(probe: apsw.Connection, path: Path, schema: Schema) -> int:
    if probe.pragma("application_id") != APPLICATION_ID:
        raise StoreUnusable(
            f"{path} belongs to another program and is no store of longwatch. It was left as it "
            "is. Choose another place for the store."
        )
    version = probe.pragma("user_version")
    assert isinstance(version, int)
    tables = probe.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    if not tables:
        raise damaged(path, "it has no tables")
    if version <= schema.version:
        for (name,) in tables:
            probe.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchall()  # noqa: S608 - a name
    return version
