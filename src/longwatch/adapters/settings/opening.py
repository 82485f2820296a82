"""Opening what should be a small text file, and saying what it is when it is something else."""

import errno
import os
import stat
from pathlib import Path

from longwatch.adapters.settings.problems import Problem, Problems

LIMIT = 1024 * 1024
ACCEPTED = "a regular file with UTF-8 text"

_SORTS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_FAILURES = {
    errno.EACCES: "a file that may not be read",
    errno.EPERM: "a file that may not be read",
    errno.ELOOP: "a link that leads to itself",
    errno.ENOTDIR: "a file where a folder on its path should be",
    errno.ENAMETOOLONG: "a name that is too long",
    errno.EISDIR: "a folder",
    errno.ENXIO: "a socket or device",
}
_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def read_text(path: Path, limit: int = LIMIT) -> str | None:
    """A file's text, or None if there is none of that name; raises Problems for anything else."""
    data = _read(path, limit)
    return None if data is None else decode(data, str(path))


def decode(data: bytes, file: str) -> str:
    """UTF-8 text, without a byte order mark; raises Problems."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            raise Problems([Problem(file, 1, found=f"{name} text", accepted="UTF-8 text")])
    nul = data.find(b"\0")
    if nul >= 0:
        raise Problems([Problem(file, _line(data, nul), found="a NUL byte", accepted="UTF-8 text")])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"the byte 0x{data[error.start]:02x}, which is not UTF-8"
        line = _line(data, error.start)
    raise Problems([Problem(file, line, found=found, accepted="UTF-8 text")])


def _read(path: Path, limit: int) -> bytes | None:
    try:
        # Looked at before it is opened, because opening a device can already do something.
        _demand_file(path.stat().st_mode, path)
        # Without waiting, because somebody may have put a FIFO there since.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        with os.fdopen(descriptor, "rb") as file:
            _demand_file(os.fstat(descriptor).st_mode, path)
            data = file.read(limit + 1)
    except FileNotFoundError:
        if not path.is_symlink():
            return None
        raise _refused(path, "a link that leads nowhere") from None
    except OSError as error:
        known = _FAILURES.get(error.errno or 0)
        found = known or f"a file that cannot be read ({error.strerror or error})"
        raise _refused(path, found) from None
    except ValueError:
        raise _refused(path, "a name that no file can have") from None
    if len(data) > limit:
        found = f"more than {limit} bytes"
        raise Problems([Problem(str(path), found=found, accepted=f"at most {limit} bytes")])
    return data


def _demand_file(mode: int, path: Path) -> None:
    if not stat.S_ISREG(mode):
        sort = next((name for test, name in _SORTS if test(mode)), "something else")
        raise _refused(path, sort)


def _refused(path: Path, found: str) -> Problems:
    return Problems([Problem(str(path), found=found, accepted=ACCEPTED)])


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1
