"""Output of any length in bounded memory: its head and its tail, and the middle counted."""

HEAD = 16 * 1024
TAIL = 16 * 1024


class HeadTail:
    """Keeps the first and the last bytes of what it is fed."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._head_limit = head
        self._tail_limit = tail
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def feed(self, data: memoryview) -> bool:
        """Take some more; it never has enough."""
        self._total += len(data)
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if len(data) >= self._tail_limit:
            self._tail[:] = data[len(data) - self._tail_limit :]
        elif data:
            self._tail += data
            # Dropping the front costs a copy, so it is done once in a while.
            if len(self._tail) > 2 * self._tail_limit:
                del self._tail[: -self._tail_limit]
        return False

    @property
    def left_out(self) -> int:
        return max(0, self._total - self._head_limit - self._tail_limit)

    def text(self) -> str:
        """All of it, or head and tail around a line that counts what is left out."""
        if not self.left_out:
            return (self._head + self._tail).decode(errors="replace")
        tail = self._tail[len(self._tail) - self._tail_limit :]
        head, split = _whole_start(bytes(self._head))
        rest = _whole_end(bytes(tail))
        gone = self.left_out + split + len(tail) - len(rest)
        note = f"… {gone:,} bytes left out …"
        return f"{head}\n{note}\n{rest.decode(errors='replace')}"


def _whole_start(data: bytes) -> tuple[str, int]:
    """The text without a character that the end cuts in two, and how many bytes that drops."""
    for drop in range(1, min(4, len(data) + 1)):
        lead = data[-drop]
        if lead & 0xC0 != 0x80:
            wanted = 2 if lead & 0xE0 == 0xC0 else 3 if lead & 0xF0 == 0xE0 else 4
            if lead >= 0xC0 and wanted > drop:
                return data[:-drop].decode(errors="replace"), drop
            break
    return data.decode(errors="replace"), 0


def _whole_end(data: bytes) -> bytes:
    """The bytes without the rest of a character that the start cuts in two."""
    for skip in range(min(4, len(data))):
        if data[skip] & 0xC0 != 0x80:
            return data[skip:]
    return data
