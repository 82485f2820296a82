"""Splits the bytes of a server-sent event stream into events, within limits."""

Event = tuple[bytes, bytes]
"""A name, empty unless the server gave one, and the data."""

BOM = b"\xef\xbb\xbf"


class LineTooLong(Exception):
    """More came without the end of a line, or of an event, than is read."""


class Splitter:
    """Fed with chunks as they arrive, it gives the events that they complete.

    Lines end at LF, CR or CRLF and nowhere else: a reply may hold U+2028. A field named ``error``
    is an event of that name, since some servers report a failure so. Comments are dropped.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._begun = False
        self._after_return = False
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._at_line_end = False

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that end in this chunk. What is unfinished is joined once, when it ends."""
        if not self._begun:
            chunk = self._without_mark(chunk)
        if self._after_return or b"\r" in chunk:
            chunk = self._with_plain_ends(chunk)
        ends = b"\n\n" in chunk or (self._at_line_end and chunk.startswith(b"\n"))
        if not ends:
            self._keep(chunk)
            return []
        if self._rest:
            chunk = b"".join((*self._rest, chunk))
            self._rest.clear()
            self._rest_size = 0
        blocks = chunk.split(b"\n\n")
        rest = blocks.pop()
        if len(chunk) > self._limit and max(map(len, blocks)) > self._limit:
            raise LineTooLong
        events: list[Event] = []
        for block in blocks:
            line_ends = block.count(b"\n")
            if line_ends == 0 and block[:6] == b"data: ":
                events.append((b"", block[6:]))
                continue
            if line_ends == 1 and block[:7] == b"event: ":
                name, _, data = block.partition(b"\ndata: ")
                if data:
                    events.append((name[7:], data))
                    continue
            event = _of_lines(block)
            if event is not None:
                events.append(event)
        self._at_line_end = False
        self._keep(rest)
        return events

    def _keep(self, rest: bytes) -> None:
        if rest:
            self._at_line_end = rest.endswith(b"\n")
            self._rest.append(rest)
            self._rest_size += len(rest)
            if self._rest_size > self._limit:
                raise LineTooLong

    def _without_mark(self, chunk: bytes) -> bytes:
        """Without a byte order mark at the very start, also one that comes in pieces."""
        chunk = b"".join((*self._rest, chunk))
        self._rest.clear()
        self._rest_size = 0
        if len(chunk) < len(BOM) and BOM.startswith(chunk):
            self._keep(chunk)
            return b""
        self._begun = True
        return chunk.removeprefix(BOM)

    def _with_plain_ends(self, chunk: bytes) -> bytes:
        if self._after_return and chunk:
            self._after_return = False
            chunk = chunk.removeprefix(b"\n")
        if chunk.endswith(b"\r"):
            self._after_return = True
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _of_lines(block: bytes) -> Event | None:
    """An event by the letter of the standard, from the lines before a blank one."""
    name, data = b"", []
    for line in block.split(b"\n"):
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value
        elif field == b"error":
            name = field
            data.append(value)
    return (name, b"\n".join(data)) if data else None
