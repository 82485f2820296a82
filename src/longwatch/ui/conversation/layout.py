"""A stack of rows of which only those in sight are drawn; the others have a guessed height."""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence

from textual.strip import Strip

from longwatch.ui.conversation.rows import Row, gap_between, guessed_height

MOST_LINES = 2_000
"""Drawn lines that are kept."""

FIRST_NUMBER = 1_000_000_000
"""Far from 0, so that lines can be put in front for long."""

Draw = Callable[[Row, int], Sequence[Strip]]


class Layout:
    """Rows in order, where each begins, and the lines of those that were drawn last."""

    def __init__(self, draw: Draw, width: int = 80) -> None:
        self.rows: list[Row] = []
        self._draw = draw
        self._width = width
        self._tops: list[int] = [0]
        """Where the first rows begin, and where the last of them ends."""
        self._drawn: OrderedDict[int, Row] = OrderedDict()
        self._lines = 0
        self.pivot: Row | None = None
        """Lines from this row on keep their numbers when something above it changes."""
        self.base = FIRST_NUMBER
        """The number of the first line."""

    @property
    def total(self) -> int:
        """Lines in all."""
        return self.top(len(self.rows))

    def reset(self, draw: Draw, width: int) -> None:
        """Everything looks different now: another width, another theme."""
        self._draw, self._width = draw, width
        self._drawn.clear()
        self._lines = 0
        for row in self.rows:
            row.strips, row.exact = None, False
            row.height = guessed_height(row, width)
        self._tops = [0]

    def top(self, index: int) -> int:
        """The line at which a row begins, its gap included."""
        tops = self._tops
        while len(tops) <= index:
            row = self.rows[len(tops) - 1]
            tops.append(tops[-1] + row.gap + row.height)
        return tops[index]

    def at(self, line: int) -> tuple[int, int]:
        """The row that holds a line, and which of its lines it is; a gap's lines come first."""
        last = len(self.rows)
        if line >= self.total:
            return last, 0
        index = bisect_right(self._tops, line) - 1
        return index, line - self._tops[index]

    def index(self, order: tuple[int, int]) -> int:
        """Where a row of this order stands, or would stand."""
        return bisect_left(self.rows, order, key=lambda row: row.order)

    def span(self, key: int) -> tuple[int, int]:
        """The rows of one block."""
        return self.index((key, 0)), self.index((key + 1, 0))

    def splice(self, start: int, stop: int, rows: Sequence[Row]) -> None:
        """Put rows in the place of others."""
        above = self._is_above(start)
        before = sum(row.gap + row.height for row in self.rows[start : stop + 1])
        for row in self.rows[start:stop]:
            self._forget(row)
        self.rows[start:stop] = rows
        for row in rows:
            row.height = guessed_height(row, self._width)
        del self._tops[start + 1 :]
        changed = self.rows[start : start + len(rows) + 1]
        for k, row in enumerate(changed, start):
            row.gap = gap_between(self.rows[k - 1] if k else None, row)
        if above:
            self.base -= sum(row.gap + row.height for row in changed) - before

    def strips(self, index: int) -> Sequence[Strip]:
        """The lines of a row, drawn if they are not at hand."""
        row = self.rows[index]
        if row.strips is not None:
            self._drawn.move_to_end(id(row))
            return row.strips
        strips = self._draw(row, self._width)
        row.strips = strips
        self._drawn[id(row)] = row
        self._lines += len(strips)
        if len(strips) != row.height:
            if self._is_above(index):
                self.base -= len(strips) - row.height
            row.height = len(strips)
            del self._tops[index + 1 :]
        row.exact = True
        while self._lines > MOST_LINES and len(self._drawn) > 1:
            self._forget(next(iter(self._drawn.values())))
        return strips

    def settle(self, index: int) -> int:
        """The exact height of a row, its gap included."""
        row = self.rows[index]
        if not row.exact:
            self.strips(index)
        return row.gap + row.height

    def _is_above(self, index: int) -> bool:
        if self.pivot is None or index >= len(self.rows):
            return False
        return self.rows[index].order < self.pivot.order

    def _forget(self, row: Row) -> None:
        if row.strips is not None:
            del self._drawn[id(row)]
            self._lines -= len(row.strips)
            row.strips = None
