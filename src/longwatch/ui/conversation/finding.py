"""Searching in what is at hand, folded text included."""

import re
from collections.abc import Iterator, Sequence

from longwatch.ui.conversation.blocks import Note, Prose, Said, Tool
from longwatch.ui.conversation.layout import Layout
from longwatch.ui.conversation.rows import Head, Row, details
from longwatch.ui.conversation.telling import headline

Match = tuple[tuple[int, int], int]
"""A row by its order, and which of its occurrences."""


class Finder:
    """One search: its text and the match it stands at."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.pattern: re.Pattern[str] | None = None
        self.text = ""
        self.current: Match | None = None
        self.afar: Sequence[int] = ()
        """Events of the whole session that have the text, in order, as far as is known."""

    def begin(self, text: str) -> None:
        """Search for another text; an empty one ends it."""
        self.pattern = re.compile(re.escape(text), re.IGNORECASE) if text else None
        self.text, self.current, self.afar = text, None, ()

    def matches(self) -> list[Match]:
        """All of them, in order."""
        return list(self._found()) if self.pattern is not None else []

    def next(self, found: Sequence[Match], *, forward: bool, near: tuple[int, int]) -> Match | None:
        """Of all matches at hand the one after or before the current one, or the one nearest to a
        row; it goes round."""
        if not found:
            self.current = None
            return None
        if self.current is None:
            after = [match for match in found if match[0] >= near]
            self.current = after[0] if after else found[-1]
        elif forward:
            self.current = next((m for m in found if m > self.current), found[0])
        else:
            before = [match for match in found if match < self.current]
            self.current = before[-1] if before else found[-1]
        return self.current

    def beyond(
        self, found: Sequence[Match], at_hand: tuple[int, int], *, forward: bool
    ) -> int | None:
        """The event to fetch for the next match; None while there is one at hand, or none."""
        (first, last), current = at_hand, self.current
        if found and (current is None or (found[-1] > current if forward else found[0] < current)):
            return None
        # It goes round: past the last match the first one comes.
        before = [seq for seq in self.afar if seq < first]
        after = [seq for seq in self.afar if seq > last]
        if forward:
            return next(iter((*after, *before)), None)
        return next(iter((*reversed(before), *reversed(after))), None)

    def line(self, index: int, occurrence: int) -> int:
        """The line of a row where an occurrence is drawn."""
        assert self.pattern is not None
        for line, strip in enumerate(self._layout.strips(index)):
            occurrence -= len(self.pattern.findall(strip.text))
            if occurrence < 0:
                return line
        return 0

    def is_folded(self, row: Row, occurrence: int) -> bool:
        """Whether an occurrence shows only when the row's block is opened."""
        assert self.pattern is not None
        return row.is_head and occurrence >= len(self.pattern.findall(_head_text(row)))

    def _found(self) -> Iterator[Match]:
        assert self.pattern is not None
        rows = self._layout.rows
        for k, row in enumerate(rows):
            if row.text is None:
                row.text = _part_text(row)
                if row.is_head:
                    opened = k + 1 < len(rows) and rows[k + 1].block.key == row.block.key
                    row.text = _head_text(row) + ("" if opened else f"\n{_folded_text(row)}")
            for occurrence, _ in enumerate(self.pattern.finditer(row.text)):
                yield row.order, occurrence


def _part_text(row: Row) -> str:
    return "" if isinstance(row.part, Head) else row.part.text


def _folded_text(row: Row) -> str:
    if isinstance(row.block, Said | Prose):
        return ""
    return "\n".join(detail.text for detail in details(row.block))


def _head_text(row: Row) -> str:
    block = row.block
    if isinstance(block, Tool):
        told = headline(block)
        return f"{told.name} {told.subject} {told.result}"
    return block.text if isinstance(block, Note) else ""
