"""Someone reading a session: what is at hand, what is in sight, where the cursor is."""

from collections.abc import Sequence

from textual.strip import Strip

from longwatch.engine.storing import Draft
from longwatch.session import AnyEvent
from longwatch.ui.conversation.blocks import SUBS, can_open
from longwatch.ui.conversation.book import Book, Older
from longwatch.ui.conversation.finding import Finder, Match
from longwatch.ui.conversation.layout import Draw, Layout
from longwatch.ui.conversation.rows import Row
from longwatch.ui.conversation.streaming import KEY
from longwatch.ui.conversation.view import View

PAGES_AT_ONCE = 4
STEP = 3
"""Lines that a key scrolls when no block that opens is in sight."""


class Reader:
    """All that the pane knows, without the terminal."""

    def __init__(self, draw: Draw) -> None:
        self.layout = Layout(draw)
        self.view = View(self.layout)
        self.book = Book(self.layout)
        self.finder = Finder(self.layout)
        self.cursor: tuple[int, int] | None = None
        """The order of the row that enter opens."""
        self.new = 0
        """Blocks that came below while something else is read."""
        self.is_open = False

    def open(self, events: Sequence[AnyEvent], draft: Draft | None, older: Older) -> None:
        self.cursor, self.new, self.is_open = None, 0, True
        self.view.following = True
        self.book.open(events, draft, older)
        self.settle()

    def append(self, events: Sequence[AnyEvent]) -> None:
        following = self.view.following
        new = self.book.append(events, room=following)
        if not following:
            self.new += new
        self.settle()

    def stream(self, draft: Draft | None) -> int:
        """The reply so far; gives the line from which on something looks different."""
        rows = self.layout.rows
        before = rows[-1] if rows and rows[-1].live else None
        old = before.strips if before is not None else None
        start = self.book.stream(draft)
        if before is None and rows and rows[-1].live and not self.view.following:
            self.new += 1
        changed = self.layout.top(start)
        if old and before is not None and start < len(rows) and rows[start].order == before.order:
            changed += rows[start].gap + _same(old, self.layout.strips(start))
        self.settle()
        return changed

    def reset(self, draw: Draw, width: int, height: int) -> None:
        """Another size or another look; the reader's place stays."""
        self.layout.reset(draw, width)
        self.view.height = height
        self.settle()

    def settle(self) -> None:
        """Draw what is in sight, having fetched what is near."""
        view, book = self.view, self.book
        if not view.height:
            return
        view.settle()
        for _ in range(PAGES_AT_ONCE):
            if view.top >= view.height or not book.earlier():
                break
            view.settle()
        for _ in range(PAGES_AT_ONCE):
            if view.bottom + view.height < self.layout.total or not book.detached:
                break
            book.later()
            if view.following:
                # What looked like the end was only the end of a page.
                view.stay()
            view.settle()
        book.trim(view.held, following=view.following)
        view.settle()
        if view.following:
            self.new = 0

    def scroll(self, lines: int) -> None:
        self.view.scroll(lines)
        self.settle()

    def jump(self, line: int) -> None:
        self.view.jump(line)
        self.settle()

    def end(self) -> None:
        self.book.to_end()
        self.view.follow()
        self.settle()

    def home(self) -> None:
        """The first event, however far it is."""
        self.book.reach(1)
        self.view.jump(0)
        self.settle()

    def reach(self, seq: int) -> None:
        """Bring an event into sight, with the cursor on it if it opens."""
        index = self.book.reach(seq)
        if index < len(self.layout.rows):
            if _opens(row := self.layout.rows[index]):
                self.cursor = row.order
            self.view.show(index)
        self.settle()

    @property
    def marked(self) -> int | None:
        """The event under the cursor, else the last one in sight; None for the end."""
        first, last = self._in_sight()
        at = self.layout.index(self.cursor) if self.cursor is not None else -1
        if not first <= at <= last:
            if self.view.following:
                return None
            at = last
        if not 0 <= at < len(self.layout.rows) or self.layout.rows[at].block.key >= KEY:
            return None
        return self.layout.rows[at].block.seq

    def move(self, by: int) -> None:
        """The cursor to the next block in sight that opens; else the lines move."""
        first, last = self._in_sight()
        at = self.layout.index(self.cursor) if self.cursor is not None else -1
        if not first <= at <= last:
            at = first - 1 if by > 0 else last + 1
        index = at + by
        while first <= index <= last:
            if _opens(self.layout.rows[index]):
                self.cursor = self.layout.rows[index].order
                self.view.show(index)
                return
            index += by
        self.scroll(STEP * by)

    def toggle(self, index: int) -> bool:
        """Open or close the block of a row; False if it has nothing to open."""
        if not (0 <= index < len(self.layout.rows) and can_open(self.layout.rows[index].block)):
            return False
        block = self.layout.rows[index].block
        self.cursor = (block.key, 0)
        self.view.stay()
        self.book.toggle(index)
        head = self.layout.index(self.cursor)
        self.view.stay()
        self.view.show(head)
        self.view.show_all(*self.layout.span(block.key))
        self.settle()
        return True

    def find(self, *, forward: bool) -> None:
        """Go to a match, fetching what is far away and opening what hides it."""
        finder, layout = self.finder, self.layout
        found = finder.matches()
        beyond = finder.beyond(found, self.book.at_hand, forward=forward)
        if beyond is not None:
            self.reach(beyond)
            finder.current = None
            self._find_near(beyond)
            return
        index, _ = layout.at(self.view.top)
        near = layout.rows[min(index, len(layout.rows) - 1)].order if layout.rows else (0, 0)
        match = finder.next(found, forward=forward, near=near)
        if match is not None:
            self._show(match)

    def _find_near(self, seq: int) -> None:
        """Go to the first match of an event; the event itself is shown if its words are apart."""
        match = self.finder.next(self.finder.matches(), forward=True, near=(seq * SUBS, 0))
        if match is not None and match[0][0] // SUBS == seq:
            self._show(match)

    def _show(self, match: Match) -> None:
        finder, layout = self.finder, self.layout
        order, occurrence = match
        index = layout.index(order)
        if finder.is_folded(layout.rows[index], occurrence):
            self.book.toggle(index)
            after = [found for found in finder.matches() if found[0] > order]
            if after and after[0][0][0] == order[0]:
                order, occurrence = finder.current = after[0]
                index = layout.index(order)
        self.view.show(index, finder.line(index, occurrence))
        self.settle()

    def line(self, y: int) -> tuple[Row, int, Strip | None] | None:
        """A line of the stack: its row, which line of the row, and how it is drawn."""
        index, offset = self.layout.at(y)
        if index >= len(self.layout.rows):
            return None
        row = self.layout.rows[index]
        strips = self.layout.strips(index)
        inside = offset - row.gap
        return row, offset, strips[inside] if 0 <= inside < len(strips) else None

    def _in_sight(self) -> tuple[int, int]:
        first, offset = self.layout.at(self.view.top)
        rows = self.layout.rows
        if first < len(rows) and offset > rows[first].gap:
            first += 1
        last, _ = self.layout.at(min(self.view.bottom, self.layout.total) - 1)
        return first, min(last, len(rows) - 1)


def _opens(row: Row) -> bool:
    return row.is_head and can_open(row.block)


def _same(old: Sequence[Strip], new: Sequence[Strip]) -> int:
    """How many lines at the beginning are as they were."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count
