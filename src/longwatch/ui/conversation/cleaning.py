"""Text from outside made fit for a screen, a piece at a time."""

from longwatch.engine.visible import printable
from longwatch.ui.words import LONGEST_LINE

TAB = 4


def clean(text: str) -> str:
    """Nothing in it steers a terminal, no tabs, no line beyond the longest."""
    return Cleaner().feed(text)


def safe(text: str) -> str:
    """Printable, at little cost where it is so already."""
    return text if text.isascii() and text.isprintable() else printable(text)


class Cleaner:
    """Cleans a growing text; what it gave out is never taken back."""

    def __init__(self) -> None:
        self._column = 0
        self._held = ""

    def feed(self, more: str) -> str:
        """The next part, clean."""
        text = self._held + more
        # Half of a line end waits for the other half.
        self._held = "\r" if text.endswith("\r") else ""
        text = text.removesuffix("\r").replace("\r\n", "\n")
        if not text:
            return ""
        lines = text.split("\n")
        out = [self._line(lines[0])]
        for line in lines[1:]:
            self._column = 0
            out.append(self._line(line))
        return "\n".join(out)

    def _line(self, line: str) -> str:
        room = LONGEST_LINE - self._column
        if room < 0:
            return ""
        self._column += len(line)
        if len(line) > room:
            self._column = LONGEST_LINE + 1
            line = line[:room] + "…"
        if "\t" in line:
            line = line.replace("\t", " " * TAB)
        return safe(line)
