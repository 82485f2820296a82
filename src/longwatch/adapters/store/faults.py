"""What SQLite complains of, told as errors of the store that a person can act on."""

import os
from pathlib import Path

import apsw

from longwatch.engine.storing import StoreError, StoreUnusable, StoreUnwritable

_CLOSED = (apsw.ConnectionClosedError, apsw.CursorClosedError)
_DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
_CHANGED = (apsw.SQLError, apsw.SchemaChangeError)
_CAUSES: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.FullError, "there is no space left"),
    (apsw.ReadOnlyError, "it is read-only"),
    (apsw.PermissionsError, "permission was denied"),
    (apsw.CantOpenError, "a file of it cannot be opened"),
    (apsw.BusyError, "another process keeps it locked"),
    (apsw.LockedError, "another process keeps it locked"),
    (apsw.ProtocolError, "another process keeps it locked"),
    (apsw.IOError, "reading or writing failed"),
    (apsw.NoMemError, "there is no memory left"),
)
FAULTS: tuple[type[Exception], ...] = (
    *_DAMAGED,
    *_CHANGED,
    *(kind for kind, _ in _CAUSES),
    *_CLOSED,
)


def told(error: Exception, path: Path) -> StoreError:
    """One of FAULTS, or an error of the file system, as an error of the store."""
    if isinstance(error, _CLOSED):
        return StoreUnusable(f"The store {path} was closed.")
    if isinstance(error, _DAMAGED):
        return damaged(path, str(error))
    if isinstance(error, _CHANGED):
        return StoreUnusable(
            f"The store {path} does not have the expected tables ({error}). Another version of "
            "longwatch may have changed it: restart longwatch, or run `longwatch fsck`."
        )
    cause = next((text for kind, text in _CAUSES if isinstance(error, kind)), "")
    detail = f"{cause} ({error})" if cause else _system_detail(error)
    return StoreUnwritable(f"The store {path} cannot be written: {detail}. Nothing was changed.")


def damaged(path: Path, detail: str) -> StoreUnusable:
    return StoreUnusable(
        f"The store {path} is damaged ({detail}). It was left as it is. Restore a copy of it, or "
        "move it away to begin with an empty one."
    )


def _system_detail(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno)
    return str(error)
