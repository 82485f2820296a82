"""Folders and files that only their owner can read, and one opener of a store at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def make_private_folder(folder: Path) -> None:
    """Make what is missing of a folder's path; folders that exist keep their mode."""
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir()
        # Set apart from mkdir, because the umask has no say in it.
        folder.chmod(FOLDER_MODE)
    if not folder.is_dir():
        raise NotADirectoryError(20, "Not a folder", str(folder))


def make_private_file(path: Path) -> None:
    """Make an empty file; raises FileExistsError rather than touch one that is there."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE)
    try:
        os.fchmod(descriptor, FILE_MODE)
    finally:
        os.close(descriptor)


def sync(path: Path) -> None:
    """Wait until a file is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_private(path: Path) -> None:
    """Take from everyone else what rights they have to a store's files, where we may."""
    for file in (path, wal_of(path), shm_of(path)):
        with suppress(FileNotFoundError, PermissionError):
            if file.stat().st_mode & 0o077:
                file.chmod(FILE_MODE)


def wal_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def shm_of(path: Path) -> Path:
    return path.with_name(path.name + "-shm")


@contextmanager
def alone_in(folder: Path) -> Iterator[int]:
    """Hold a folder's lock; yields its descriptor. Others who ask for it wait meanwhile.

    The folder is locked and not the store, because closing any descriptor of a database file
    drops every lock that this process has on it.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)
