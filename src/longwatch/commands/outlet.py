"""Standard output that cannot hold up a run: a thread writes, whoever prints never waits."""

import queue
import select
import threading
from io import RawIOBase
from typing import BinaryIO


class Outlet:
    """Takes everything at once and writes it as fast as the reader reads.

    A terminal that stalls delays what is shown and nothing else; one that is gone ends the
    showing. What was printed is in the store anyway.
    """

    def __init__(self, stream: BinaryIO) -> None:
        # Past the buffer: what nobody reads must not be left in it for the process's end.
        self._stream: BinaryIO | RawIOBase = getattr(stream, "raw", stream)
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._drain, name="outlet", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def write_bytes(self, data: bytes) -> None:
        self._queue.put(data)

    def write(self, text: str) -> None:
        self._queue.put(text.encode("utf-8", "replace"))

    def flush(self) -> None:
        """Nothing to do: the thread writes all that there is, and past every buffer."""

    def close(self, patience: float | None = None) -> None:
        """Wait until all of it is written, or nobody is left to read it, or patience is over."""
        self._queue.put(None)
        self._thread.join(patience)

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
        left = memoryview(data)
        try:
            while left:
                if (count := self._stream.write(left)) is None:
                    # Somebody who shares the pipe has made it one that does not block.
                    select.select([], [self._stream], [])
                left = left[count or 0 :]
        except (OSError, ValueError):
            return False
        return True
