"""A line as it goes to the screen: drawn once, with what moves laid over it."""

import textwrap
from functools import lru_cache

import msgspec
from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from longwatch.ui.conversation.layout import FIRST_NUMBER
from longwatch.ui.conversation.overlay import painted, with_cursor, with_matches
from longwatch.ui.conversation.palette import Palette
from longwatch.ui.conversation.reader import Reader
from longwatch.ui.conversation.rows import Row

MOST_COPIED = 20_000
"""Lines that one selection takes along."""
BORDER = FIRST_NUMBER // 2
"""Smaller numbers are no lines of a session: a selection that began outside the text."""

NOTHING_OPEN = (
    "Nothing is open.",
    "",
    "Say below what is to be done: enter starts a session here.",
    "",
    "ctrl+n  start one with a choice of agent, model, folder",
    "ctrl+p  find all that can be done",
    "f1      see what each key does",
)


class Look(msgspec.Struct, frozen=True):
    """What a line's looks depend on, apart from what it says."""

    width: int
    palette: Palette
    focused: bool = False
    selection: Selection | None = None
    selected: Style = Style(reverse=True)


def paint(reader: Reader, y: int, look: Look) -> Strip:
    """The line that many lines below the upper edge."""
    if not reader.is_open:
        return _invitation(y, look)
    found = reader.line(reader.view.top + y)
    if found is None:
        return Strip.blank(look.width, look.palette.text)
    row, line, drawn = found
    number = reader.layout.base + reader.view.top + y
    strip = (Strip.blank(look.width, look.palette.text) if drawn is None else drawn).apply_offsets(
        0, number
    )
    if drawn is not None:
        strip = _matched(reader, row, line - row.gap, strip, look.palette)
        if look.focused and row.is_head and row.order == reader.cursor and line == row.gap:
            strip = with_cursor(strip, look.width, look.palette.cursor, look.palette.accent)
    span = look.selection.get_span(number) if look.selection is not None else None
    if span is not None:
        strip = painted(strip, *span, look.selected)
    return strip


def _invitation(y: int, look: Look) -> Strip:
    """What to do while no session is open."""
    lines, base = _wrapped(max(1, look.width - 3)), look.palette.text
    if y >= len(lines):
        return Strip.blank(look.width, base)
    words = f" {lines[y]}"
    return Strip([Segment(words, base + look.palette.muted)]).adjust_cell_length(look.width, base)


@lru_cache(maxsize=1)
def _wrapped(room: int) -> list[str]:
    """The invitation in so many cells; asked for line by line."""
    return [
        line
        for text in NOTHING_OPEN
        for line in textwrap.wrap(text, room, subsequent_indent=" " * _column(text)) or [""]
    ]


def _column(text: str) -> int:
    """Where the words after a key begin."""
    key, parted, words = text.partition("  ")
    return len(text) - len(words.lstrip()) if parted and key else 0


def _matched(reader: Reader, row: Row, line: int, strip: Strip, palette: Palette) -> Strip:
    finder = reader.finder
    if finder.pattern is None:
        return strip
    chosen = -1
    if finder.current is not None and finder.current[0] == row.order:
        above = sum(len(finder.pattern.findall(s.text)) for s in (row.strips or ())[:line])
        chosen = finder.current[1] - above
    return with_matches(strip, finder.pattern, palette.match, chosen, palette.found)


def selected_text(reader: Reader, selection: Selection) -> str:
    """The text of a selection, without the spaces that only fill lines."""
    layout = reader.layout
    first, last = 0, layout.total - 1
    if selection.start is not None:
        began = selection.start.y
        first = max(0, began - layout.base) if began > BORDER else reader.view.top
    if selection.end is not None:
        last = selection.end.y - layout.base
    lines = []
    for y in range(first, min(last + 1, first + MOST_COPIED)):
        found = reader.line(y)
        if found is None:
            break
        text = found[2].text if found[2] is not None else ""
        start, end = selection.get_span(layout.base + y) or (0, -1)
        # The first column belongs to the cursor.
        part = text[max(1, start) :] if end < 0 else text[max(1, start) : end]
        lines.append(part.rstrip())
    return "\n".join(lines)
