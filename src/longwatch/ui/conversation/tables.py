"""Tables that fit: columns as wide as they need, or as the pane allows."""

from collections.abc import Callable
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text

from longwatch.ui.conversation.palette import Palette

BETWEEN = " │ "
LEAST = 4

Wrap = Callable[[Text, int], list[Text]]


def table_lines(rows: list[list[Text]], width: int, palette: Palette, wrap: Wrap) -> list[Text]:
    """Header, a line, rows. What is too wide for its column goes on below."""
    columns = max(map(len, rows), default=0)
    if not columns:
        return []
    widths = _widths(rows, columns, width)
    lines: list[Text] = []
    for k, row in enumerate(rows):
        if k == 0:
            for cell in row:
                cell.stylize_before(palette.heading)
        cells = [wrap(cell, wide) for cell, wide in zip(row, widths, strict=False)]
        right = [cell.justify == "right" for cell in row]
        lines.extend(_joined(parts, right, widths, palette) for parts in zip_longest(*cells))
        if k == 0:
            lines.append(Text("─┼─".join("─" * each for each in widths), palette.border))
    for line in lines:
        line.truncate(width)
    return lines


def _joined(
    parts: tuple[Text | None, ...], right: list[bool], widths: list[int], palette: Palette
) -> Text:
    line = Text()
    for column, wide in enumerate(widths):
        part = parts[column] if column < len(parts) else None
        if column:
            line.append(BETWEEN, palette.border)
        if part is None:
            line.append(" " * wide)
            continue
        part.rstrip()
        gap = " " * (wide - cell_len(part.plain))
        line.append(gap if right[column] else "")
        line.append_text(part)
        line.append("" if right[column] else gap)
    return line


def _widths(rows: list[list[Text]], columns: int, width: int) -> list[int]:
    wanted = [
        max((cell_len(row[k].plain) for row in rows if k < len(row)), default=0) or 1
        for k in range(columns)
    ]
    room = width - len(BETWEEN) * (columns - 1)
    # The widest give way first, so that short columns stay whole.
    while sum(wanted) > room and max(wanted) > LEAST:
        widest = max(wanted)
        second = max((each for each in wanted if each < widest), default=LEAST)
        count = wanted.count(widest)
        over = sum(wanted) - room
        target = max(LEAST, second, widest - -(-over // count))
        target = min(target, widest - 1)
        wanted = [target if each == widest else each for each in wanted]
    return wanted
