"""What a command that is being typed may become, as a small list over the message box."""

from collections.abc import Callable, Sequence
from itertools import takewhile

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from longwatch.ui.dots.completing import Completion
from longwatch.ui.words import cut, fill, one_line

MOST_SHOWN = 8
"""Options that are listed at once; the list moves along with the one that is taken."""
WIDEST = 40

Completions = Callable[[str], Sequence[Completion]]
"""What a text that is being written may become."""


def no_completions(text: str) -> Sequence[Completion]:
    del text
    return ()


def agreement(options: Sequence[str]) -> str:
    """How all of them begin."""
    columns = zip(*options, strict=False)
    return "".join(column[0] for column in takewhile(lambda c: len(set(c)) == 1, columns))


class Offers(Static):
    """Hidden while there is nothing to choose."""

    DEFAULT_CSS = """
    Offers {
        max-height: 9;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def show(self, options: Sequence[Completion], taken: int = -1) -> None:
        """List the options around the one that is taken (-1: none is yet)."""
        first = max(0, min(taken - MOST_SHOWN // 2, len(options) - MOST_SHOWN))
        shown = options[first : first + MOST_SHOWN]
        width = min(WIDEST, max((cell_len(one_line(one.word)) for one in shown), default=0))
        lines = [_line(one, width, taken=first + place == taken) for place, one in enumerate(shown)]
        if len(options) > len(shown):
            lines.append(Content(f"  {len(options)} in all, tab takes the next"))
        self.set_class(bool(lines), "-filled")
        self.update(Content("\n").join(lines))


def _line(option: Completion, width: int, *, taken: bool) -> Content:
    word = fill(cut(one_line(option.word), width), width)
    return Content.assemble(
        ("▌ " if taken else "  ", "$accent"),
        (word, "bold $foreground" if taken else "$foreground"),
        f"  {one_line(option.about)}",
    )
