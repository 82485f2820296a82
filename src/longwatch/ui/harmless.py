"""The last gate before the terminal: no line carries a character that could steer it."""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from longwatch.engine.visible import without_steering


class Harmless(LineFilter):
    """Takes out of every drawn line what no widget has made visible.

    Such characters have no width, so nothing moves. Boxes that hold what a person pasted or a
    folder's name draw their text as it is.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        del background
        return [
            segment if clean is segment.text else Segment(clean, segment.style, segment.control)
            for segment in segments
            for clean in (without_steering(segment.text),)
        ]
