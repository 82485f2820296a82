"""Which lines of the stack are in sight: held to a row, so that nothing above moves the reader."""

from longwatch.ui.conversation.layout import Layout


class View:
    """A window of some lines on a layout. It follows the end or stays with what is read."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.height = 0
        self.top = 0
        self.following = True
        self._offset = 0
        """How many lines of the held row, which is the layout's pivot, are above the edge."""

    @property
    def bottom(self) -> int:
        return self.top + self.height

    @property
    def held(self) -> int:
        """The seq of the event at the upper edge."""
        return self._layout.rows[self._index()].block.seq if self._layout.rows else 0

    def settle(self) -> None:
        """Draw what is in sight, and find where it is now."""
        if self.following:
            self._settle_end()
            return
        layout = self._layout
        if not layout.rows:
            self.top = 0
            return
        index = self._index()
        offset = min(self._offset, layout.settle(index) - 1)
        found, below = -offset, index
        while found < self.height and below < len(layout.rows):
            found += layout.settle(below)
            below += 1
        self.top = layout.top(index) + offset
        if found < self.height:
            self._settle_end()

    def scroll(self, lines: int) -> None:
        """Move by lines that are really there, not by guessed ones."""
        layout = self._layout
        if not layout.rows:
            return
        index, offset = layout.at(self.top)
        offset += lines
        while offset < 0 and index > 0:
            index -= 1
            offset += layout.settle(index)
        while index < len(layout.rows) - 1 and offset >= layout.settle(index):
            offset -= layout.settle(index)
            index += 1
        self._hold(index, max(0, offset))

    def jump(self, line: int) -> None:
        """Move to a line, as far as its place is known."""
        index, offset = self._layout.at(max(0, line))
        self._hold(index, offset)

    def show(self, index: int, line: int = 0) -> None:
        """Bring a line of a row into sight, a third from the upper edge if it is not."""
        layout = self._layout
        layout.settle(index)
        y = layout.top(index) + layout.rows[index].gap + line
        if self.top <= y < self.bottom:
            return
        self._hold(index, layout.rows[index].gap + line)
        self.scroll(-(self.height // 3))

    def show_all(self, first: int, stop: int) -> None:
        """Bring rows into sight down to the last one, as far as the first one stays in sight."""
        layout = self._layout
        end = layout.top(first)
        most = end + layout.rows[first].gap - self.top
        for index in range(first, stop):
            if end >= self.bottom + most:
                break
            end += layout.settle(index)
        if end > self.bottom:
            self.scroll(min(most, end - self.bottom))

    def stay(self) -> None:
        """Hold what is at the upper edge, also if something grows below."""
        index, offset = self._layout.at(self.top)
        self._hold(index, offset)

    def follow(self) -> None:
        self.following = True
        self.settle()

    def _hold(self, index: int, offset: int) -> None:
        rows = self._layout.rows
        if not rows:
            return
        index = min(index, len(rows) - 1)
        self._layout.pivot, self._offset = rows[index], offset
        self.following = False
        self.settle()
        self.following = self.bottom >= self._layout.total

    def _settle_end(self) -> None:
        layout = self._layout
        index, missing = len(layout.rows), self.height
        while index > 0 and missing > 0:
            index -= 1
            missing -= layout.settle(index)
        self.top = max(0, layout.total - self.height)
        if layout.rows:
            index, self._offset = layout.at(self.top)
            layout.pivot = layout.rows[index]

    def _index(self) -> int:
        """Where the held row is now; if it is gone, where it would be."""
        layout = self._layout
        order = layout.pivot.order if layout.pivot is not None else (0, 0)
        return min(layout.index(order), len(layout.rows) - 1)
