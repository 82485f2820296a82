"""A checklist as rows of a given width: wrapped texts, badges, reasons, times."""

from collections.abc import Sequence

import msgspec
from rich.cells import cell_len, chop_cells

from longwatch.checklist import Checklist, Item, millis
from longwatch.engine.visible import printable
from longwatch.ui.words import LONGEST_LINE, cut, duration

FRESH_MS = 5_000
"""How long an item is shown as just completed."""
TIME_WIDTH = 6
"""A blank and the longest time, kept free on every first row so that no start moves a word."""
WIDE_ENOUGH_FOR_TIMES = 26
WIDEST_ID = 6
NARROWEST = 8
MOST_GOAL_LINES = 3
BY_PERSON = "✎"
DISPUTED = "≠ yours"


class Row(msgspec.Struct, frozen=True):
    """One line of an item. ``label`` is its id, on its first row; a badge ends its last one."""

    uid: str
    index: int
    text: str
    label: str = ""
    first: bool = False
    is_reason: bool = False
    badges: tuple[str, ...] = ()


class Layout(msgspec.Struct, frozen=True):
    """All rows of a list for one width, and where each item's begin and end."""

    rows: tuple[Row, ...] = ()
    spans: dict[str, tuple[int, int]] = {}
    indent: int = 0
    timed: bool = False


def one_line(text: str) -> str:
    """The whole text in one line, safe for a screen and cut where it is very long."""
    shown = text if len(text) <= LONGEST_LINE else text[:LONGEST_LINE] + "…"
    return printable(" ".join(shown.split()))


def wrapped(text: str, first: int, rest: int) -> list[str]:
    """The words in lines of at most ``rest`` cells, the first of at most ``first``."""
    lines: list[str] = []
    line, room = "", first
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= room:
            line = joined
            continue
        if line:
            lines.append(line)
            room = rest
        line = word
        if cell_len(word) > room:
            head = chop_cells(word, room)[0]
            *full, line = chop_cells(word[len(head) :], rest) or [""]
            lines += [head, *full]
        if lines:
            room = rest
    return [*lines, line] if line or not lines else lines


def goal_lines(goal: str, width: int, most: int = MOST_GOAL_LINES) -> list[str]:
    """The goal, at most so many lines of it."""
    lines = wrapped(one_line(goal), width, width) if goal.strip() else []
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), width)]


def lay_out(checklist: Checklist, disputed: frozenset[str], width: int) -> Layout:
    """The rows of all items."""
    labels = [cut(one_line(str(item.id)), WIDEST_ID) for item in checklist]
    widest = max((cell_len(label) for label in labels), default=0)
    indent = len("[ ] ") + widest + 1
    timed = width >= WIDE_ENOUGH_FOR_TIMES
    rest = max(NARROWEST, width - indent)
    first = max(NARROWEST, rest - TIME_WIDTH) if timed else rest
    rows: list[Row] = []
    spans: dict[str, tuple[int, int]] = {}
    for index, (item, label) in enumerate(zip(checklist, labels, strict=True)):
        begin = len(rows)
        aligned = " " * (widest - cell_len(label)) + label
        rows += _item_rows(item, index, aligned, _badges(item, disputed), first, rest)
        spans[item.uid] = (begin, len(rows))
    return Layout(tuple(rows), spans, indent, timed)


def _item_rows(
    item: Item, index: int, label: str, badges: tuple[str, ...], first: int, rest: int
) -> list[Row]:
    texts = wrapped(one_line(item.text), first, rest)
    needed = sum(cell_len(badge) + 1 for badge in badges)
    if badges and cell_len(texts[-1]) + needed > (first if len(texts) == 1 else rest):
        texts.append("")
    last = len(texts) - 1
    rows = [
        Row(
            item.uid,
            index,
            text,
            label=label if k == 0 else "",
            first=k == 0,
            badges=badges if k == last else (),
        )
        for k, text in enumerate(texts)
    ]
    if item.reason:
        reason = wrapped(one_line(item.reason), rest, rest)
        rows += [Row(item.uid, index, line, is_reason=True) for line in reason]
    return rows


def _badges(item: Item, disputed: frozenset[str]) -> tuple[str, ...]:
    if item.uid in disputed:
        return (DISPUTED,)
    changed = item.history.changed
    return (BY_PERSON,) if changed is not None and changed.by == "human" else ()


# --- time -----------------------------------------------------------------------------------


def spent_ms(item: Item, now: int) -> int:
    """Milliseconds worked on an item, those of the running interval too."""
    history = item.history
    if item.status == "in_progress" and history.started is not None:
        return history.active_ms + max(0, now - millis(history.started.at))
    return history.active_ms


def spent(item: Item, now: int) -> str:
    """The time worked on an item in at most five characters; nothing where there is none."""
    worked = spent_ms(item, now)
    if worked < 1_000 and item.status != "in_progress":
        return ""
    minutes = worked // 60_000
    if minutes < 60:
        return duration(worked / 1_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02d}" if hours < 100 else f"{hours}h"


def fresh(items: Sequence[Item], now: int) -> frozenset[str]:
    """Uids of the items that were completed a moment ago."""
    return frozenset(
        item.uid
        for item in items
        if item.history.completed is not None
        and abs(now - millis(item.history.completed.at)) < FRESH_MS
    )


def bar(done: int, total: int, width: int) -> tuple[str, str]:
    """A thin progress bar: what is done, and the rest of it."""
    if width <= 0 or total <= 0:
        return "", ""
    if done >= total:
        return "━" * width, ""
    # The half cell marks the end of what is done also where there are no colours.
    full = min(width - 1, int(width * done / total))
    return ("━" * full + "╸", "━" * (width - full - 1)) if done else ("", "━" * width)
