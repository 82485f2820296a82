"""A checklist on screen: goal and progress stay on top, the items scroll, one row is marked."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from longwatch.checklist import Checklist, Conventions, Item, millis
from longwatch.checklist.model import MARKS
from longwatch.ui.widgets import checklist_rows as rows
from longwatch.ui.words import cut

NO_TODOS = (
    "No todos yet.",
    "",
    "The agent writes its plan here as it starts to work.",
    "",
    "a  add a todo yourself",
    "g  set the goal",
)
BOX = range(1, 4)
"""Columns of the box that a click ticks."""
GUTTER = 1
Line = list[tuple[str, str]]
"""Style names with their texts."""


class ChecklistView(ScrollView):
    """Draws the list and keeps the marked row and the current item in view."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "checklist--goal",
        "checklist--done-bar",
        "checklist--rest-bar",
        "checklist--muted",
        "checklist--pending",
        "checklist--current-box",
        "checklist--current",
        "checklist--completed-box",
        "checklist--completed",
        "checklist--fresh",
        "checklist--blocked-box",
        "checklist--blocked",
        "checklist--reason",
        "checklist--by-person",
        "checklist--disputed",
        "checklist--pinned",
        "checklist--marked",
        "checklist--marker",
    }

    DEFAULT_CSS = """
    ChecklistView {
        height: 1fr;
        border: round $border-blurred;
        border-title-color: $text-muted;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size: 0 1;
        scrollbar-gutter: stable;
        scrollbar-background: $background;
        scrollbar-color: $foreground 20%;
        & > .checklist--goal { text-style: bold; }
        & > .checklist--done-bar { color: $primary; }
        & > .checklist--rest-bar { color: $foreground 25%; }
        & > .checklist--muted { color: $text-muted; }
        & > .checklist--current-box { color: $text-primary; text-style: bold; }
        & > .checklist--current { text-style: bold; }
        & > .checklist--completed-box { color: $text-success; }
        & > .checklist--completed { color: $text-muted; }
        & > .checklist--fresh { color: $text-success; text-style: bold; }
        & > .checklist--blocked-box { color: $text-warning; text-style: bold; }
        & > .checklist--reason { color: $text-warning; }
        & > .checklist--by-person { color: $text-primary; }
        & > .checklist--disputed { color: $text-warning; text-style: bold; }
        & > .checklist--pinned { background: $primary 15%; }
        & > .checklist--marked { background: $foreground 10%; }
        & > .checklist--marker { color: $primary; }
    }
    ChecklistView:focus {
        border: round $border;
        border-title-color: $foreground;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.border_title = "Checklist"
        self._checklist = Checklist()
        self._conventions = Conventions("kept", "session")
        self._disputed: frozenset[str] = frozenset()
        self._now = 0
        self._fresh: frozenset[str] = frozenset()
        self._clock = ""
        self._marked = ""
        self._place = 0
        self._layout_rows = rows.Layout()
        self._head: list[Line] = []

    # --- data in ----------------------------------------------------------------------------

    def show(
        self,
        checklist: Checklist,
        conventions: Conventions,
        *,
        now: str,
        disputed: frozenset[str] = frozenset(),
    ) -> None:
        """Draw this list as it is at an event time. Cheap where nothing changed."""
        self._now = millis(now)
        self._conventions = conventions
        is_new = checklist is not self._checklist or disputed != self._disputed
        # Only a changed list has something just completed; later it only wears off.
        fresh = rows.fresh(checklist.items, self._now) if is_new or self._fresh else self._fresh
        current = checklist.current
        clock = "" if current is None else rows.spent(current, self._now)
        if is_new:
            self._checklist, self._disputed = checklist, disputed
            self._keep_mark()
            self.lay_out()
        elif (fresh, clock) == (self._fresh, self._clock):
            return
        self._fresh, self._clock = fresh, clock
        self.refresh()

    # --- the marked row ---------------------------------------------------------------------

    @property
    def marked(self) -> Item | None:
        """The item that the keys act on."""
        return self._checklist.by_uid(self._marked)

    def mark(self, uid: str) -> None:
        """Put the mark on an item and bring it into view."""
        self._marked = uid
        self._keep_mark()
        self._reveal(self._marked)
        self.refresh()

    def step(self, by: int) -> None:
        """Move the mark, as far as the list goes."""
        items = self._checklist.items
        if items:
            self.mark(items[max(0, min(len(items) - 1, self._place + by))].uid)

    def _keep_mark(self) -> None:
        """On the same item; where that is gone, on the one in its place; at first, the current."""
        items = self._checklist.items
        for place, item in enumerate(items):
            if item.uid == self._marked:
                self._place = place
                return
        if not items:
            self._marked, self._place = "", 0
            return
        if not self._marked and (current := self._checklist.current) is not None:
            self._place = items.index(current)
        self._place = min(self._place, len(items) - 1)
        self._marked = items[self._place].uid

    # --- layout -----------------------------------------------------------------------------

    def lay_out(self) -> None:
        """Wrap everything for the present width."""
        size = self.scrollable_content_region.size
        if not size:
            return
        width = size.width - GUTTER
        self._layout_rows = rows.lay_out(self._checklist, self._disputed, width)
        self._head = self._head_lines(width, size.height)
        height = len(self._head) + len(self._layout_rows.rows)
        self.virtual_size = Size(size.width, height)
        current = self._checklist.current
        if self.has_focus or current is None:
            self._reveal(self._marked)
        else:
            self._reveal(current.uid)
        self.refresh()

    def _head_lines(self, width: int, height: int) -> list[Line]:
        roomy = height >= 12
        goal = rows.goal_lines(self._checklist.goal, width, rows.MOST_GOAL_LINES if roomy else 1)
        head: list[Line] = [[("goal", line)] for line in goal]
        total = len(self._checklist.items)
        if not total:
            texts = [line for text in NO_TODOS for line in rows.wrapped(text, width, width)]
            return [*head, *([[]] if head else []), *([("muted", text)] for text in texts)]
        count = f"{self._checklist.done_count}/{total}"
        done, rest = rows.bar(self._checklist.done_count, total, width - len(count) - 2)
        head.append([("done-bar", done), ("rest-bar", rest), ("pending", f"  {count}")])
        return [*head, []] if roomy else head

    def _reveal(self, uid: str) -> None:
        """Scroll so far that an item and its neighbouring rows are seen."""
        span = self._layout_rows.spans.get(uid)
        room = self.scrollable_content_region.height - len(self._head)
        if span is None or room <= 0:
            return
        begin, end = max(0, span[0] - 1), min(len(self._layout_rows.rows), span[1] + 1)
        top = round(self.scroll_y)
        if end > top + room:
            top = end - room
        # The neighbouring rows leave room for the current item, which may stand at an edge.
        self.scroll_to(y=min(top, begin), animate=False, force=True, immediate=True)

    def on_resize(self) -> None:
        self.lay_out()

    def on_focus(self) -> None:
        self._reveal(self._marked)
        self.refresh()

    def on_blur(self) -> None:
        if (current := self._checklist.current) is not None:
            self._reveal(current.uid)
        self.refresh()

    # --- drawing ----------------------------------------------------------------------------

    def row_at(self, y: int) -> rows.Row | None:
        """What is drawn on a line of the pane, if that is part of an item."""
        top, all_rows = len(self._head), self._layout_rows.rows
        if not top <= y < self.scrollable_content_region.height:
            return None
        if (pinned := self._pinned(y)) is not None:
            return pinned
        index = round(self.scroll_y) + y - top
        return all_rows[index] if index < len(all_rows) else None

    def _pinned(self, y: int) -> rows.Row | None:
        """The current item where it is out of view: at the edge behind which it is."""
        top, height = len(self._head), self.scrollable_content_region.height
        current = self._checklist.current
        if current is None or current.uid not in self._layout_rows.spans or height - top < 3:
            return None
        first, _ = self._layout_rows.spans[current.uid]
        begin = round(self.scroll_y)
        above, below = first < begin, first >= begin + height - top
        edge = (above and y == top) or (below and y == height - 1)
        return self._layout_rows.rows[first] if edge else None

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        line: Line = []
        under = marker = ""
        if y < len(self._head):
            line = self._head[y]
        elif (row := self.row_at(y)) is not None:
            line = self._row_line(row)
            if self.has_focus and row.uid == self._marked:
                under, marker = "marked", "▌"
            elif self._pinned(y) is not None:
                under = "pinned"
        line = [("marker" if marker else "pending", marker or " "), *line]
        segments = [Segment(text, self._style(name, under)) for name, text in line]
        return Strip(segments).adjust_cell_length(width, self._style("pending", under))

    def _row_line(self, row: rows.Row) -> Line:
        item = self._checklist.items[row.index]
        indent = self._layout_rows.indent
        if row.is_reason:
            return [("pending", " " * indent), ("reason", row.text)]
        status = "current" if item.status == "in_progress" else item.status
        style = "fresh" if item.uid in self._fresh else status
        box = "pending" if status == "pending" else f"{status}-box"
        badges: Line = [
            ("disputed" if badge == rows.DISPUTED else "by-person", f" {badge}")
            for badge in row.badges
        ]
        if not row.first:
            return [("pending", " " * indent), (style, row.text), *badges]
        line: Line = [(box, MARKS[item.status]), ("muted", f" {row.label} "), (style, row.text)]
        line += badges
        time = rows.spent(item, self._now) if self._layout_rows.timed else ""
        if not time:
            return line
        used = sum(Segment(text).cell_length for _, text in line)
        room = self.scrollable_content_region.width - GUTTER - used
        return [*line, ("muted", cut(time, room).rjust(room))]

    def _style(self, name: str, under: str) -> Style:
        names = [f"checklist--{part}" for part in (under, name) if part]
        return self.get_visual_style(*names).rich_style
