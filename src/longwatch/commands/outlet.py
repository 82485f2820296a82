"""Standard output that cannot hold up a run: a thread writes, whoever prints never waits."""

import queue
import threading
from typing import BinaryIO


class Outlet:
    """Takes everything at once and writes it as fast as the reader reads.

    A terminal that stalls delays what is shown and nothing else; one that is gone ends the
    showing. What was printed is in the store anyway.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._drain, name="outlet", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def write_bytes(self, data: bytes) -> None:
        self._queue.put(data)

    def write(self, text: str) -> None:
        self._queue.put(text.encode("utf-8", "replace"))

    def flush(self) -> None:
        """Nothing to do: the thread writes all that there is and flushes when there is no more."""

    def close(self) -> None:
        """Wait until all of it is written, or nobody is left to read it."""
        self._queue.put(None)
        self._thread.join()

    def _drain(self) -> None:
        open_end = True
        while (data := self._queue.get()) is not None:
            parts = [data]
            while not self._queue.empty():
                more = self._queue.get()
                if more is None:
                    open_end = False
                    break
                parts.append(more)
            if not self._written(b"".join(parts)) or not open_end:
                return

    def _written(self, data: bytes) -> bool:
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError):
            return False
        return True
