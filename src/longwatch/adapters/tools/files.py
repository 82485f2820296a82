"""The content of files: looked at with its digest, and replaced whole or not at all."""

import hashlib
import os
import secrets
import stat
from contextlib import suppress

import msgspec

from longwatch.adapters.tools.paths import (
    Spot,
    kind_of,
    open_file_in,
    open_folder,
    sync_folder,
    told,
)
from longwatch.engine.ports import ToolRefused

CHUNK = 1 << 20
# Reading more than this for one call takes longer than anyone waits.
LARGEST = 1 << 30


class ReadMemory:
    """What each session's model last saw of each file, as digests.

    One object serves all sessions of a process; it is empty after a restart.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], str] = {}

    def remember(self, session: str, path: str, digest: str) -> None:
        self._seen[session, path] = digest

    def recall(self, session: str, path: str) -> str | None:
        return self._seen.get((session, path))

    def forget(self, session: str) -> None:
        """Drop a session that is over."""
        for key in [key for key in self._seen if key[0] == session]:
            del self._seen[key]


class Current(msgspec.Struct, frozen=True):
    """A file as it is now. What is larger than asked for has no ``data``."""

    digest: str
    size: int
    mode: int
    uid: int
    gid: int
    data: bytes | None


def look(spot: Spot, keep: int) -> Current | None:
    """The file at the spot with up to ``keep`` bytes, or None if there is none yet."""
    try:
        folder = open_folder(spot.parent)
    except FileNotFoundError:
        return None
    try:
        return _look_in(folder, spot, keep)
    finally:
        os.close(folder)


def _look_in(folder: int, spot: Spot, keep: int) -> Current | None:
    try:
        fd = open_file_in(folder, spot)
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(fd)
        check_size(spot, status.st_size)
        hasher = hashlib.sha256()
        kept: list[bytes] | None = []
        size = 0
        while chunk := os.read(fd, CHUNK):
            hasher.update(chunk)
            size += len(chunk)
            check_size(spot, size)
            if size > keep:
                kept = None
            elif kept is not None:
                kept.append(chunk)
    finally:
        os.close(fd)
    data = None if kept is None else b"".join(kept)
    # As in a plain write: new content does not inherit the right to run as somebody else.
    mode = stat.S_IMODE(status.st_mode) & ~(stat.S_ISUID | stat.S_ISGID)
    return Current(hasher.hexdigest(), size, mode, status.st_uid, status.st_gid, data)


def check_size(spot: Spot, size: int) -> None:
    if size > LARGEST:
        raise ToolRefused(f"{spot.shown} is larger than {LARGEST:,} bytes; use the shell for it.")


def check_fresh(memory: ReadMemory, session: str, spot: Spot, current: Current) -> None:
    """Refuse to write over what the model has not seen since it changed."""
    seen = memory.recall(session, spot.path)
    if seen is not None and seen != current.digest:
        raise ToolRefused(
            f"{spot.shown} has changed on disk since you read it. Read it again, then repeat "
            "the change on what is there now."
        )


def replace(spot: Spot, data: bytes, expected: str | None) -> str:
    """Put the content there in one step, if the file still is what it was; gives its digest.

    ``expected`` is the digest of what is to be replaced, None if nothing is there.
    """
    with told(spot):
        folder = open_folder(spot.parent, make=True)
        try:
            current = _look_in(folder, spot, 0)
            if (current.digest if current else None) != expected:
                raise ToolRefused(
                    f"{spot.shown} changed after this call was shown and before it ran. Nothing "
                    "was written; read it again and repeat the change."
                )
            _put(folder, spot.name, data, current)
        finally:
            os.close(folder)
    return hashlib.sha256(data).hexdigest()


def _put(folder: int, name: str, data: bytes, current: Current | None) -> None:
    """Write beside it and rename over it: another hard link keeps the old content."""
    draft = f".longwatch-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(draft, flags, 0o666 if current is None else 0o600, dir_fd=folder)
    try:
        try:
            _write_all(fd, data)
            if current is not None:
                _take_over(fd, current)
            os.fsync(fd)
        finally:
            os.close(fd)
        _check_replaceable(folder, name)
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise
    sync_folder(folder)


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _take_over(fd: int, current: Current) -> None:
    # Only root can give a file away; anyone else's new file is their own.
    with suppress(PermissionError):
        os.fchown(fd, current.uid, current.gid)
    os.fchmod(fd, current.mode)


def _check_replaceable(folder: int, name: str) -> None:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise ToolRefused(f"{name!r} has just become {kind_of(status)}; nothing was written.")
