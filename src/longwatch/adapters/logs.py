"""The log file: what went on, for whoever looks for a cause. It rotates, and holds no key."""

import fcntl
import logging
import os
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.writing import FILE_MODE, make_private_folder
from longwatch.engine.secrets import Redactor
from longwatch.engine.visible import visible_line

LOG_FILE = "longwatch.log"
LARGEST = 10 * 1024 * 1024
FILES = 3
"""The one that is written and those before it."""
LONGEST_LINE = 4096

OURS = logging.getLogger("longwatch")

Secrets = Callable[[], Iterable[str]]


def log_file(places: Places) -> Path:
    return places.data / LOG_FILE


@contextmanager
def logging_to(
    path: Path, secrets: Secrets, echo: TextIO | None = None, largest: int = LARGEST
) -> Iterator[None]:
    """Keep a log while this lasts; ``echo`` is also told of warnings."""
    handlers: list[logging.Handler] = [LogFile(path, largest)]
    handlers[0].setFormatter(_Line(secrets))
    if echo is not None:
        warnings = logging.StreamHandler(echo)
        warnings.setLevel(logging.WARNING)
        # What events say is shown as events already.
        warnings.addFilter(lambda record: record.name != f"{OURS.name}.events")
        warnings.setFormatter(_Warning(secrets))
        handlers.append(warnings)
    before = OURS.level, OURS.propagate
    OURS.setLevel(logging.INFO)
    OURS.propagate = False
    for handler in handlers:
        OURS.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            OURS.removeHandler(handler)
            handler.close()
        OURS.setLevel(before[0])
        OURS.propagate = before[1]


class LogFile(logging.Handler):
    """One file that several processes append to, whole lines at a time."""

    def __init__(self, path: Path, largest: int = LARGEST) -> None:
        super().__init__(logging.INFO)
        self._path = path
        self._largest = largest
        self._descriptor: int | None = None
        self._lost = 0

    def emit(self, record: logging.LogRecord) -> None:
        data = self.format(record).encode("utf-8", "replace") + b"\n"
        if self._lost:
            data = f"({self._lost} lines could not be written here)\n".encode() + data
        try:
            os.write(self._opened(len(data)), data)
        except OSError:
            # A full disk must not end what is logged about; it is told when there is room again.
            self._lost += 1
        else:
            self._lost = 0

    def close(self) -> None:
        self.acquire()
        try:
            self._shut()
        finally:
            self.release()
        super().close()

    def _opened(self, more: int) -> int:
        """The file's descriptor: another process may have moved the file, or it may be full."""
        if self._descriptor is None or not self._is_in_place(self._descriptor):
            self._reopen()
        assert self._descriptor is not None
        if os.fstat(self._descriptor).st_size + more > self._largest:
            self._rotate(self._descriptor)
        return self._descriptor

    def _reopen(self) -> None:
        self._shut()
        make_private_folder(self._path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(self._path, flags, FILE_MODE)
        os.fchmod(self._descriptor, FILE_MODE)

    def _rotate(self, descriptor: int) -> None:
        """Move the files on, unless another process has while we waited for it."""
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            if self._is_in_place(descriptor):
                names = [self._path, *(self._numbered(n) for n in range(1, FILES))]
                for newer, older in zip(names[-2::-1], names[:0:-1], strict=True):
                    with suppress(FileNotFoundError):
                        newer.replace(older)
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        self._reopen()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")

    def _is_in_place(self, descriptor: int) -> bool:
        try:
            there = self._path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(there, os.fstat(descriptor))

    def _shut(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class _Line(logging.Formatter):
    """A record as one line, and a traceback indented under it: nothing in it can pose as another.

    A message without arguments is the program's own words, and holds no secret.
    """

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        head = (
            f"{at} {record.levelname} [{record.process}] {record.name.removeprefix('longwatch.')}"
        )
        lines = [f"{head}: {self._words(record)}"]
        if record.exc_info and record.exc_info[1]:
            told = "".join(traceback.format_exception(record.exc_info[1])).splitlines()
            lines += [f"    {visible_line(line, LONGEST_LINE)}" for line in told]
        return self._masked(record, "\n".join(lines))

    def _words(self, record: logging.LogRecord) -> str:
        return visible_line(record.getMessage(), LONGEST_LINE)

    def _masked(self, record: logging.LogRecord, text: str) -> str:
        return Redactor(self._secrets()).text(text) if record.args or record.exc_info else text


class _Warning(_Line):
    def format(self, record: logging.LogRecord) -> str:
        return self._masked(record, f"longwatch: {self._words(record)}")
