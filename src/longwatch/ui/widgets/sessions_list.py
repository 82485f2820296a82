"""The sidebar's list, drawn line by line: only what is visible costs anything."""

from collections.abc import Sequence
from datetime import tzinfo
from functools import lru_cache
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style

from longwatch.ui.widgets.sessions_rows import Listed, Row, note, row, title_of
from longwatch.ui.words import cut, fill

LINES = 2
"""Of each session."""
SHOWN, UNREAD = "▌", "•"
EMPTY = "No sessions yet: ctrl+n starts one, or run longwatch demo"
UNMATCHED = "No session matches."


@lru_cache(maxsize=2)
def _wrapped(text: str, width: int) -> list[Content]:
    return Content(text).wrap(width)


class SessionsList(ScrollView, can_focus=False):
    """Draws the rows that it is given and says which one was clicked."""

    DEFAULT_CSS = """
    SessionsList {
        height: 1fr;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-color: $foreground 20%;
        scrollbar-background: transparent;
        & > .sessions--muted { color: $text-muted; }
        & > .sessions--shown { color: $accent; }
        & > .sessions--running { color: $success; }
        & > .sessions--rest { color: $foreground 25%; }
        & > .sessions--needing { color: $text-warning; text-style: bold; }
        & > .sessions--failed { color: $text-error; text-style: bold; }
        & > .sessions--title { color: $foreground; }
        & > .sessions--strong { color: $foreground; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "sessions--muted",
        "sessions--shown",
        "sessions--running",
        "sessions--rest",
        "sessions--needing",
        "sessions--failed",
        "sessions--title",
        "sessions--strong",
        "sessions--cursor",
    }

    class Clicked(Message):
        """A row was clicked."""

        def __init__(self, session: str) -> None:
            super().__init__()
            self.session = session

    def __init__(self, zone: tzinfo | None = None) -> None:
        super().__init__()
        self._zone = zone
        self._listed: Sequence[Listed] = ()
        self._now = ""
        self._shown: str | None = None
        self._cursor: str | None = None
        self._unread: frozenset[str] = frozenset()
        self._narrow = False
        self._filtered = False
        self._drawn: dict[int, Row] = {}

    def put(
        self,
        rows: Sequence[Listed],
        *,
        now: str,
        shown: str | None,
        cursor: str | None,
        unread: frozenset[str],
        narrow: bool,
        filtered: bool,
    ) -> None:
        """Draw these; lines that look as before are not drawn again."""
        whole = (len(rows), narrow, filtered) != (len(self._listed), self._narrow, self._filtered)
        self._listed, self._now, self._shown = rows, now, shown
        self._cursor, self._unread = cursor, unread
        self._narrow, self._filtered = narrow, filtered
        if whole:
            self.virtual_size = Size(0, LINES * len(rows))
            self._drawn.clear()
            self.refresh()
            return
        first = self.scroll_offset.y // LINES
        last = (self.scroll_offset.y + self.size.height) // LINES
        for index in range(first, min(last + 1, len(rows))):
            if self._drawn.get(index) != self._row(index):
                self.refresh_lines(index * LINES, LINES)

    def reveal(self, index: int) -> None:
        """Scroll so far that a row is seen whole."""
        region = Region(0, index * LINES, 1, LINES)
        self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index, second = divmod(y + self.scroll_offset.y, LINES)
        if not self._listed:
            return self._strip(self._empty(y, width), width)
        if index >= len(self._listed):
            return Strip.blank(width, self.rich_style)
        drawn = self._drawn[index] = self._row(index)
        if self._narrow:
            content = self._narrow_second(drawn, width) if second else self._first(drawn, width)
        else:
            content = self._second(drawn, width) if second else self._first(drawn, width)
        return self._strip(content, width, cursor=drawn.cursor)

    def on_click(self, event: events.Click) -> None:
        one = self._at(event.y)
        if one is not None:
            self.post_message(self.Clicked(one.summary.session))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        one = self._at(event.y)
        told = (
            f"{title_of(one.summary)}\n{note(one.summary, self._now, self._zone)}" if one else None
        )
        self.tooltip = Content(cut(told, 400)) if told else None

    def _at(self, y: int) -> Listed | None:
        index = (y + self.scroll_offset.y) // LINES
        return self._listed[index] if 0 <= index < len(self._listed) else None

    def _row(self, index: int) -> Row:
        one = self._listed[index]
        session = one.summary.session
        return row(
            one,
            self._now,
            self._zone,
            shown=session == self._shown,
            cursor=session == self._cursor,
            unread=session in self._unread,
        )

    def _style(self, name: str, drawn: Row) -> Style:
        classes = (f"sessions--{name}",)
        return self.get_visual_style(*(("sessions--cursor",) if drawn.cursor else ()), *classes)

    def _strip(self, content: Content, width: int, *, cursor: bool = False) -> Strip:
        style = self.get_visual_style(*(("sessions--cursor",) if cursor else ()))
        segments = content.render_segments(style)
        return Strip(segments, content.cell_length).adjust_cell_length(width, style.rich_style)

    def _empty(self, y: int, width: int) -> Content:
        lines = _wrapped(UNMATCHED if self._filtered else EMPTY, max(1, width - 2))
        if y >= len(lines):
            return Content("")
        return Content.assemble(" ", (lines[y].plain, self.get_visual_style("sessions--muted")))

    def _edge(self, drawn: Row) -> tuple[str, Style]:
        if drawn.shown:
            return SHOWN, self._style("shown", drawn)
        return (UNREAD if drawn.unread else " "), self._style("shown", drawn)

    def _first(self, drawn: Row, width: int) -> Content:
        tone = {"resting": "muted"}.get(drawn.tone, drawn.tone)
        indent = 0 if self._narrow else drawn.depth * 2
        mark = " " * (2 - cell_len(drawn.mark)) + drawn.mark
        count = f" {drawn.count} " if drawn.count else " "
        room = width - 1 - indent - cell_len(mark) - 1 - cell_len(count)
        title = "" if self._narrow else drawn.title
        strong = drawn.shown or drawn.unread or drawn.tone in ("needing", "failed")
        return Content.assemble(
            self._edge(drawn),
            " " * indent,
            (mark, self._style(tone, drawn)),
            " ",
            (fill(title, room), self._style("strong" if strong else "title", drawn)),
            (count, self._style("muted", drawn)),
        )

    def _second(self, drawn: Row, width: int) -> Content:
        edge = self._edge(drawn) if drawn.shown else (" ", self._style("shown", drawn))
        indent = " " * (drawn.depth * 2 + 3)
        age = f" {drawn.age:>3} " if drawn.age else " "
        room = max(0, width - 1 - len(indent) - len(age))
        muted = self._style("muted", drawn)
        if not drawn.note:
            return Content.assemble(edge, indent, *self._bar(drawn, room), (age, muted))
        called = drawn.tone in ("needing", "failed")
        words = self._style(drawn.tone, drawn) if called else muted
        return Content.assemble(edge, indent, (fill(drawn.note, room), words), (age, muted))

    def _narrow_second(self, drawn: Row, width: int) -> Content:
        edge = self._edge(drawn) if drawn.shown else (" ", self._style("shown", drawn))
        called = drawn.tone in ("needing", "failed")
        style = drawn.tone if called else "strong" if drawn.shown or drawn.unread else "muted"
        return Content.assemble(
            edge, " ", (fill(drawn.title, width - 3), self._style(style, drawn)), " "
        )

    def _bar(self, drawn: Row, width: int) -> list[tuple[str, Style]]:
        halves = round(drawn.progress * width * 2)
        done, half = divmod(halves, 2)
        filled = "━" * done + ("╸" if half else "")
        return [
            (filled, self._style("running", drawn)),
            ("━" * (width - len(filled)), self._style("rest", drawn)),
        ]
