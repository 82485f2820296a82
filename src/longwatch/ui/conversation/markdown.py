"""A growing Markdown text, split into pieces that are drawn once; only the last one is open.

A piece ends only where CommonMark ends every open block, so that pieces drawn one by one look
like the whole text drawn at once. Very long code, lists and tables are divided as well, so that
the open piece stays small however long a reply becomes.
"""

import re
from typing import Literal

import msgspec
from msgspec.structs import replace

MOST_LINES = 48
"""Lines of a list, table or paragraph after which it is divided."""
CODE_LINES = 32
MOST_CHARACTERS = 8_192
CERTAIN = 12
"""Characters after which the kind of an unfinished line is known: a list's number is shorter."""

_FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})([^`]*)$")
_HEADING = re.compile(r"^#{1,6}(?:[ \t]|$)")
_ITEM = re.compile(r"^(?:[-*+]|(\d{1,9})[.)])(?:[ \t]|$)")
_RULE = re.compile(r"^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_DELIMITER = re.compile(r"^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$")

Shape = Literal["text", "list", "code"]


class Piece(msgspec.Struct, frozen=True):
    """A part of a text that can be drawn alone."""

    shape: Shape
    text: str
    gap: bool = True
    """Whether an empty line goes before it."""
    language: str = ""
    number: int | None = None
    """What an ordered list begins with, where it goes on from the piece before."""


class Splitter:
    """Takes a clean text as it comes; ``finished`` pieces never change again."""

    def __init__(self) -> None:
        self.finished: list[Piece] = []
        self._lines: list[str] = []
        self._size = 0
        self._partial = ""
        self._next = Piece("text", "")
        self._fence: re.Match[str] | None = None
        self._items = 0
        self._blank = False

    def feed(self, more: str) -> None:
        """The next part of the text."""
        *whole, rest = (self._partial + more).split("\n")
        self._partial = ""
        for line in whole:
            self._take(line)
        self._partial = rest
        if self._fence is None and self._lines and self._known(rest) and self._divides(rest):
            self._close(rest)

    def open(self) -> Piece | None:
        """What may still change, if there is anything."""
        partial = self._partial
        if self._fence is not None and set(partial.strip()) == {self._fence.group(2)[0]}:
            # It is about to close.
            partial = ""
        lines = [*self._lines, partial] if partial else self._lines
        if self._fence is None and not any(line.strip() for line in lines):
            return None
        shape = self._next.shape
        if not self._lines and shape != "code":
            shape = "list" if _is_item(partial) else "text"
        return replace(self._next, text="\n".join(lines), shape=shape)

    def end(self) -> None:
        """Nothing more comes."""
        if self._partial:
            line, self._partial = self._partial, ""
            self._take(line)
        last = self.open()
        if last is not None:
            self.finished.append(last)
        self._lines, self._fence = [], None

    def _known(self, line: str) -> bool:
        return len(line) >= CERTAIN or line[:1].isalpha()

    def _take(self, line: str) -> None:
        if self._fence is not None:
            self._take_code(line)
            return
        fence = _FENCE.match(line)
        if fence is not None and not (fence.group(1) and self._next.shape == "list"):
            self._begin_code(fence)
            return
        if self._lines and self._divides(line):
            self._close(line)
        if not self._lines and not line.strip():
            self._blank = True
            return
        if _is_item(line.lstrip(" ")):
            # Whatever its indent: a list too many is only divided later.
            self._next = replace(self._next, shape="list")
        self._add(line)
        if _HEADING.match(line):
            self._finish()

    def _add(self, line: str) -> None:
        self._blank = not line.strip()
        self._items += _is_item(line)
        self._lines.append(line)
        self._size += len(line) + 1

    def _divides(self, line: str) -> bool:
        """Whether this line begins another piece."""
        if not line.strip() or line[0] in " \t":
            return False
        if _HEADING.match(line):
            return True
        if self._next.shape == "list" and _is_item(line):
            return len(self._lines) >= MOST_LINES
        return self._blank or len(self._lines) >= MOST_LINES or self._size >= MOST_CHARACTERS

    def _close(self, line: str) -> None:
        """End the piece before a line; what is only divided goes on in the next one."""
        blank, shape, lines = self._blank, self._next.shape, self._lines
        number = self._following() if shape == "list" and _is_item(line) else None
        table = len(lines) > 2 and _DELIMITER.match(lines[1]) is not None and "|" in lines[0]
        header = lines[:2] if table and not blank and not _HEADING.match(line) else []
        self._finish()
        heading = _HEADING.match(line) is not None
        self._next = replace(self._next, gap=blank or heading, number=number)
        if number is not None:
            self._next = replace(self._next, shape="list")
        self._lines = list(header)

    def _following(self) -> int | None:
        """The number that the list would give its next item."""
        first = _ITEM.match(self._lines[0])
        if first is None or first.group(1) is None:
            return None
        start = self._next.number if self._next.number is not None else int(first.group(1))
        return start + self._items

    def _finish(self) -> None:
        if self._lines:
            self.finished.append(replace(self._next, text="\n".join(self._lines).rstrip("\n")))
        self._next = Piece("text", "")
        self._lines, self._size, self._items, self._blank = [], 0, 0, False

    def _begin_code(self, fence: re.Match[str]) -> None:
        self._finish()
        self._fence = fence
        language = fence.group(3).strip().partition(" ")[0]
        self._next = Piece("code", "", language=language)

    def _take_code(self, line: str) -> None:
        assert self._fence is not None
        mark = self._fence.group(2)
        bare = line.strip()
        if set(bare) == {mark[0]} and len(bare) >= len(mark) and len(line) - len(bare) < 4:
            self._fence = None
            if self._lines or self._next.gap:
                self.finished.append(replace(self._next, text="\n".join(self._lines)))
                self._lines = []
            self._finish()
            return
        indent = len(self._fence.group(1))
        self._lines.append(line[indent:] if indent and not line[:indent].strip() else line)
        if len(self._lines) >= CODE_LINES:
            language = self._next.language
            self.finished.append(replace(self._next, text="\n".join(self._lines)))
            self._lines = []
            self._next = Piece("code", "", gap=False, language=language)


def pieces_of(text: str) -> list[Piece]:
    """The pieces of a text that is whole."""
    splitter = Splitter()
    splitter.feed(text)
    splitter.end()
    return splitter.finished


def _is_item(line: str) -> bool:
    return _ITEM.match(line) is not None and _RULE.match(line) is None
