"""`save: true`: each reply is also appended to a file that a person can read."""

import logging
import os
from pathlib import Path

from longwatch.adapters.settings.writing import FILE_MODE, make_private_folder

MESSAGES_FILE = "messages.md"

log = logging.getLogger(__name__)


class MessagesFile:
    """One file for all sessions, for its owner only; written whole replies at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep(self, session: str, title: str, at: str, text: str) -> None:
        """Append a reply. The session goes on, also if that fails: the store has it anyway."""
        heading = " ".join(f"{title} ({session})".split())
        data = f"# {at} {heading}\n\n{text.strip()}\n\n".encode("utf-8", "replace")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            make_private_folder(self._path.parent)
            descriptor = os.open(self._path, flags, FILE_MODE)
            try:
                os.fchmod(descriptor, FILE_MODE)
                os.write(descriptor, data)
            finally:
                os.close(descriptor)
        except OSError as error:
            log.warning("the reply was not appended to %s: %s", self._path, error.strerror)
