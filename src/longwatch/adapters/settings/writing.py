"""Writing the program's own files: whole or not at all, and for their owner only."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def write_private(path: Path, data: bytes) -> None:
    """Put a file in place at once; whoever reads it sees the old one or the new one."""
    with _draft(path, data) as draft:
        draft.replace(path)


def write_new(path: Path, data: bytes) -> bool:
    """The same where nothing is yet; False, and nothing is changed, if something is."""
    if os.path.lexists(path):
        return False
    with _draft(path, data) as draft:
        try:
            # A link fails where a file has come in between; a rename would replace it.
            path.hardlink_to(draft)
        except FileExistsError:
            return False
    return True


@contextmanager
def _draft(path: Path, data: bytes) -> Iterator[Path]:
    """The file under another name beside its place; what is left of it goes."""
    make_private_folder(path.parent)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, FILE_MODE)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def make_private_folder(folder: Path) -> None:
    """Make what is missing of a folder's path; folders that exist keep their mode."""
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    # Set apart from mkdir, because the umask has no say in it.
    folder.chmod(FOLDER_MODE)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, so that two programs do not each write what the other has not read."""
    make_private_folder(folder)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
