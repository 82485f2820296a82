"""What the pane stacks: rows, each a part of a block that is drawn and forgotten by itself."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from textual.strip import Strip

from longwatch.ui.conversation.blocks import Block, Divider, Note, Prose, Said, Thought, Told, Tool
from longwatch.ui.conversation.cleaning import clean
from longwatch.ui.conversation.markdown import Piece, pieces_of
from longwatch.ui.conversation.telling import Kind, sections

CHUNK = 40
"""Lines of a plain text that are drawn together."""


class Head(msgspec.Struct, frozen=True):
    """The one line of a block that opens, or of a status."""


class Speech(msgspec.Struct, frozen=True):
    """Lines of a message from outside."""

    text: str


class Detail(msgspec.Struct, frozen=True):
    """Lines that show while a block is open."""

    kind: Kind | Literal["prose"]
    text: str


Part = Head | Speech | Detail | Piece
HEAD = Head()


class Row:
    """A part of a block, its place, and how high it is as far as is known."""

    __slots__ = ("block", "exact", "gap", "height", "live", "order", "part", "strips", "text")

    def __init__(self, block: Block, index: int, part: Part, *, live: bool = False) -> None:
        self.block = block
        self.order = (block.key, index)
        self.part = part
        self.live = live
        """Whether the end of a streaming reply is marked in it."""
        self.gap = 0
        self.height = 1
        self.exact = False
        self.strips: Sequence[Strip] | None = None
        self.text: str | None = None
        """What a search looks through, made when one does."""

    @property
    def is_head(self) -> bool:
        return isinstance(self.part, Head)


def rows_of(block: Block, *, opened: bool) -> list[Row]:
    """The rows of a block."""
    parts: list[Part] = []
    match block:
        case Said():
            parts.extend(Speech(chunk) for chunk in _chunks(clean(block.text)))
        case Prose():
            parts.extend(pieces_of(clean(block.text)))
        case Tool() | Thought() | Told() | Note() | Divider():
            parts.append(HEAD)
            if opened:
                parts.extend(details(block))
    return [Row(block, k, part) for k, part in enumerate(parts)]


def details(block: Tool | Thought | Told | Note | Divider) -> list[Detail]:
    """What shows below a block's line while it is open."""
    match block:
        case Tool():
            return [
                Detail(section.kind, chunk)
                for section in sections(block)
                for chunk in _chunks(clean(section.text))
            ]
        case Thought() | Told():
            return [Detail("prose", chunk) for chunk in _chunks(clean(block.text))]
        case Note() | Divider():
            return [Detail("prose", chunk) for chunk in _chunks(clean(block.more))]


def gap_between(above: Row | None, below: Row) -> int:
    """Empty lines between two rows: talk stands apart, work stands together."""
    if above is None:
        return 0
    if above.block.key == below.block.key:
        return int(isinstance(below.part, Piece) and below.part.gap)
    if isinstance(below.block, Tool | Thought):
        return int(not isinstance(above.block, Tool | Thought | Prose))
    if isinstance(below.block, Note | Told):
        return int(not isinstance(above.block, Note | Told))
    return 0 if isinstance(above.block, Thought) and isinstance(below.block, Prose) else 1


def guessed_height(row: Row, width: int) -> int:
    """About how high a row is, without drawing it."""
    part = row.part
    if isinstance(part, Head):
        return 1
    return sum(1 + len(line) // max(1, width) for line in part.text.split("\n"))


def _chunks(text: str) -> list[str]:
    lines = text.strip("\n").split("\n")
    return ["\n".join(lines[k : k + CHUNK]) for k in range(0, len(lines), CHUNK)]
