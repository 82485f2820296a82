"""The part of a session that is at hand: pages of events, as rows, with the draft at the end."""

from collections.abc import Callable, Iterable, Sequence

from longwatch.engine.storing import Draft
from longwatch.session import AnyEvent
from longwatch.session.events import AssistantMessage
from longwatch.ui.conversation.assembling import Assembler
from longwatch.ui.conversation.blocks import Block, Prose, Said, Thought, can_open
from longwatch.ui.conversation.layout import Layout
from longwatch.ui.conversation.rows import Row, rows_of
from longwatch.ui.conversation.streaming import KEY, Stream

MOST_ROWS = 3_000
"""Rows at hand before the far end is let go."""
KEPT_ROWS = 1_500
FAR = 400
"""Events that are paged through; what is farther away is jumped to."""

Older = Callable[[int], Sequence[AnyEvent]]


class Book:
    """Reads a session's events into a layout: the tail first, other pages when wanted."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._assembler = Assembler()
        self._older: Older = lambda _: ()
        self._first = 0
        self._last = 0
        self._latest = 0
        self._page = 60
        self._whole = False
        self._trim_at = 0
        self._stream: Stream | None = None
        self._draft: Draft | None = None
        self._opened: set[int] = set()

    @property
    def at_hand(self) -> tuple[int, int]:
        """The first and the last event that are at hand."""
        return self._first, self._last

    @property
    def detached(self) -> bool:
        """Whether events after those at hand are known of."""
        return self._last < self._latest

    def open(self, events: Sequence[AnyEvent], draft: Draft | None, older: Older) -> None:
        """Begin with the tail of a session."""
        self._older = older
        self._opened.clear()
        self._latest = events[-1].seq if events else 0
        self._begin(events)
        self._whole = not events
        self.stream(draft)

    def append(self, events: Sequence[AnyEvent], *, room: bool) -> int:
        """New events; says how many blocks are new. Without room they are only counted."""
        if not events:
            return 0
        attached = not self.detached
        self._latest = max(self._latest, events[-1].seq)
        if not attached or (not room and len(self._layout.rows) > 2 * MOST_ROWS):
            self._drop_draft()
            return len(events)
        self._last = self._latest
        adopted: set[int] = set()
        blocks: list[Block] = []
        for event in events:
            made = self._assembler.take((event,))
            if isinstance(event, AssistantMessage):
                adopted |= self._settle_draft(made)
            blocks.extend(made)
        return self._put(block for block in blocks if block.key not in adopted)

    def stream(self, draft: Draft | None) -> int:
        """The reply so far; says from which row on something changed."""
        self._draft = draft
        layout = self._layout
        if draft is None or self.detached:
            start = layout.index((KEY, 0))
            self._drop_draft()
            return start
        stream = self._stream
        if stream is None or not stream.continues(draft.text):
            self._drop_draft()
            stream = self._stream = Stream()
        start = layout.index((KEY + 1, 0)) + stream.placed
        stream.feed(draft.text)
        layout.splice(start, len(layout.rows), stream.rows())
        thought = stream.thought(draft)
        first, after = layout.span(KEY)
        if [row.live for row in layout.rows[first:after]] == [row.live for row in thought] and (
            draft.reasoning == stream.reasoning or not any(row.live for row in thought)
        ):
            return start
        stream.reasoning = draft.reasoning
        layout.splice(first, after, thought)
        return first

    def earlier(self) -> bool:
        """Put an older page in front; False at the beginning."""
        if self._whole:
            return False
        events = self._older(self._first)
        if not events:
            self._whole = True
            return False
        found = self._assembler.before(events)
        for key in found.gone:
            self._layout.splice(*self._layout.span(key), ())
        self._put(found.renewed)
        self._put(found.blocks)
        self._first = events[0].seq
        self._page = max(self._page, len(events))
        return True

    def later(self) -> bool:
        """Put a newer page behind; False at the end."""
        if not self.detached:
            return False
        page = self._older(self._last + self._page + 1)
        events = [event for event in page if event.seq > self._last]
        self._put(self._assembler.take(events))
        self._last = events[-1].seq if events else self._latest
        self._show_draft()
        return True

    def reach(self, seq: int) -> int:
        """Have an event at hand; gives the row where it is shown."""
        if self._first - seq > FAR or seq - self._last > FAR:
            self._jump(seq)
        while seq < self._first and self.earlier():
            pass
        while seq > self._last and self.later():
            pass
        layout = self._layout
        index = layout.index(((seq + 1) * 4, 0)) - 1
        if index < 0:
            return 0
        return layout.span(layout.rows[index].block.key)[0]

    def to_end(self) -> None:
        """Have the tail at hand."""
        if self.detached:
            self._jump(self._latest)
            while self.later():
                pass

    def trim(self, seq: int, *, following: bool) -> None:
        """Let go of what is far from an event, if there is too much."""
        layout = self._layout
        if len(layout.rows) <= MOST_ROWS:
            return
        if not following:
            if len(layout.rows) > 2 * MOST_ROWS:
                self._jump(seq)
            return
        if len(layout.rows) < self._trim_at:
            return
        cut = len(layout.rows) - KEPT_ROWS
        # A page begins with a turn, so that no call loses its result.
        while cut > 0 and not _begins_turn(layout.rows[cut]):
            cut -= 1
        # One reply may be longer than all that is kept: it is not asked again at every frame.
        self._trim_at = 0 if cut else len(layout.rows) + KEPT_ROWS
        if cut:
            self._first = min(layout.rows[cut].block.seq, self._last + 1)
            self._whole = False
            layout.splice(0, cut, ())

    def toggle(self, index: int) -> None:
        """Open or close the block of a row."""
        block = self._layout.rows[index].block
        if not can_open(block):
            return
        self._opened ^= {block.key}
        self._renew(block)

    def is_open(self, block: Block) -> bool:
        return block.key in self._opened

    def _begin(self, events: Sequence[AnyEvent]) -> None:
        self._assembler = Assembler()
        self._stream = None
        self._layout.splice(0, len(self._layout.rows), ())
        self._first = events[0].seq if events else 1
        self._last = events[-1].seq if events else self._latest
        self._whole = False
        self._trim_at = 0
        self._put(self._assembler.take(events))

    def _jump(self, seq: int) -> None:
        self._begin(self._older(min(self._latest, seq + self._page // 2) + 1))
        self._show_draft()

    def _put(self, blocks: Iterable[Block]) -> int:
        """Place blocks, new ones and new looks of known ones; counts the new."""
        layout = self._layout
        latest = {block.key: block for block in blocks}
        new = 0
        run: list[Row] = []
        at = 0
        for key, block in latest.items():
            start, stop = layout.span(key)
            if start != stop:
                self._renew(block)
                continue
            if run and start != at:
                layout.splice(at, at, run)
                start += len(run)
                run = []
            at = start
            run.extend(rows_of(block, opened=key in self._opened))
            new += 1
        if run:
            layout.splice(at, at, run)
        return new

    def _renew(self, block: Block) -> None:
        rows = rows_of(block, opened=block.key in self._opened)
        self._layout.splice(*self._layout.span(block.key), rows)

    def _settle_draft(self, made: Sequence[Block]) -> set[int]:
        """The reply is whole: rows that were drawn as it came stay as they are."""
        stream, layout = self._stream, self._layout
        prose = next((block for block in made if isinstance(block, Prose)), None)
        if stream is None or prose is None or not stream.continues(prose.text):
            self._drop_draft()
            return set()
        layout.splice(*layout.span(KEY), ())
        start = layout.index((KEY + 1, 0))
        done = start + stream.placed
        rows = [
            Row(prose, stream.placed + k, piece) for k, piece in enumerate(stream.end(prose.text))
        ]
        # The open one too, although it is drawn anew: someone may be reading it.
        for k, row in enumerate(layout.rows[start:]):
            row.block, row.order = prose, (prose.key, k)
        layout.splice(done, len(layout.rows), rows)
        self._stream = None
        return {prose.key}

    def _show_draft(self) -> None:
        if not self.detached:
            self.stream(self._draft)

    def _drop_draft(self) -> None:
        layout = self._layout
        layout.splice(layout.index((KEY, 0)), len(layout.rows), ())
        self._stream = None


def _begins_turn(row: Row) -> bool:
    return row.order[1] == 0 and isinstance(row.block, Said | Prose | Thought)
