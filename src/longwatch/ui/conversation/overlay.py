"""What lies over a drawn line and moves: the cursor, matches, the selection."""

import re

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


def painted(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """A strip with a style over some of its characters."""
    text = strip.text
    end = len(text) if end < 0 else min(end, len(text))
    if start >= end:
        return strip
    left, right = cell_len(text[:start]), cell_len(text[:end])
    before, middle, after = strip.divide([left, right, max(strip.cell_length, right)])
    over = Strip(Segment.apply_style(middle, post_style=style), middle.cell_length)
    return Strip.join([before, over, after])


def with_matches(
    strip: Strip, pattern: re.Pattern[str], style: Style, chosen: int, chosen_style: Style
) -> Strip:
    """Every match painted; one of them differently."""
    for k, match in enumerate(list(pattern.finditer(strip.text))):
        strip = painted(strip, match.start(), match.end(), chosen_style if k == chosen else style)
    return strip


def with_cursor(strip: Strip, width: int, style: Style, mark: Style) -> Strip:
    """The whole line behind the cursor, with a mark at its edge."""
    segments = [Segment("›", mark), *strip.crop(1, width)]
    return Strip(Segment.apply_style(segments, post_style=style), width)
