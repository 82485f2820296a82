"""All keys, place by place."""

import textwrap
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widget import Widget

from longwatch.ui.actions import Action, by_place, shown_key

LEAST_SAID = 16
"""Cells that what a key does is given at least."""
TWO_COLUMNS = 130
"""From this many cells on, the places stand in two columns."""


def _key(keys: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    return Binding(keys, action, description, id=f"help.{name}", tooltip=tooltip, show=False)


class KeysOf(Widget):
    """The keys of one place, as a table whose left column fits them."""

    DEFAULT_CSS = """
    KeysOf {
        width: 1fr;
        height: auto;
        margin-bottom: 1;
    }
    """

    def __init__(self, title: str, actions: Sequence[Action]) -> None:
        super().__init__()
        self._title = title
        self._actions = actions
        self.weight = len(actions) + 2

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        del container, viewport
        return len(table(self._title, self._actions, width).plain.split("\n"))

    def render(self) -> Content:
        return table(self._title, self._actions, self.size.width)


class HelpScreen(ModalScreen[None]):
    """Shows what each key does, with the person's own keys where they differ."""

    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        & > VerticalScroll {
            width: 90%;
            max-width: 140;
            height: 90%;
            border: round $border;
            border-title-color: $foreground;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
            padding: 1 2;
            scrollbar-size-vertical: 1;
            scrollbar-background: $surface;
            & > #columns {
                height: auto;
                layout: vertical;
                & > Vertical {
                    height: auto;
                    width: 1fr;
                }
            }
        }
        &.-wide #columns { layout: horizontal; }
        &.-wide #left { margin-right: 3; }
        &.-small > VerticalScroll {
            width: 100%;
            height: 100%;
            padding: 0 1;
        }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("escape,f1,q", "close", "close", "Close", "Close the help"),
        _key("up,k", "scroll(-1)", "up", "Up", "A line up"),
        _key("down,j", "scroll(1)", "down", "Down", "A line down"),
        _key("pageup", "scroll_page(-1)", "page_up", "Page up", "A page up"),
        _key("pagedown,space", "scroll_page(1)", "page_down", "Page down", "A page down"),
        _key("home", "scroll_edge(-1)", "first", "Top", "The first keys"),
        _key("end", "scroll_edge(1)", "last", "End", "The last keys"),
    ]

    def __init__(self, actions: Sequence[Action]) -> None:
        super().__init__()
        self._actions = tuple(actions)
        self._scroll = VerticalScroll(can_focus=False)

    def compose(self) -> ComposeResult:
        tables = [KeysOf(title, actions) for title, actions in by_place(self._actions).items()]
        left, right = balanced(tables)
        self._scroll.border_title = "Keys"
        self._scroll.border_subtitle = "↑↓ scroll   esc close"
        with self._scroll, Vertical(id="columns"):
            yield Vertical(*left, id="left")
            yield Vertical(*right, id="right")

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= TWO_COLUMNS, "-wide")
        self.set_class(event.size.width < 90 or event.size.height < 28, "-small")

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll(self, by: int) -> None:
        self._scroll.scroll_relative(y=by, animate=False)

    def action_scroll_page(self, by: int) -> None:
        self._scroll.scroll_relative(y=by * (self._scroll.size.height - 2), animate=False)

    def action_scroll_edge(self, to: int) -> None:
        if to < 0:
            self._scroll.scroll_home(animate=False)
        else:
            self._scroll.scroll_end(animate=False)


def balanced(tables: Sequence[KeysOf]) -> tuple[list[KeysOf], list[KeysOf]]:
    """Two columns of nearly the same height, in reading order."""
    half, taken = sum(table.weight for table in tables) / 2, 0
    for place, one in enumerate(tables):
        if taken + one.weight / 2 > half:
            return list(tables[:place]), list(tables[place:])
        taken += one.weight
    return list(tables), []


def table(title: str, actions: Sequence[Action], width: int) -> Content:
    """A title and each action: its keys, and what they do beside them."""
    keys = ["  ".join(map(shown_key, action.keys)) for action in actions]
    column = max((cell_len(key) for key in keys), default=0)
    room = max(LEAST_SAID, width - column - 4)
    parts: list[str | tuple[str, str]] = [(title, "bold $text-accent")]
    for key, action in zip(keys, actions, strict=True):
        first, *rest = textwrap.wrap(action.tooltip, room) or [""]
        pad = " " * (column - cell_len(key) + 2)
        parts += ["\n  ", (key, "bold"), pad, (first, "$foreground-muted")]
        for line in rest:
            parts += ["\n", " " * (column + 4), (line, "$foreground-muted")]
    return Content.assemble(*parts)


class _Alone(App[None]):
    """The screen with a few keys."""

    def on_mount(self) -> None:
        sample = [
            Action(id="app.quit", keys=("ctrl+q",), description="Quit", tooltip="Leave", where="A"),
            Action(id="list.up", keys=("up", "k"), description="Up", tooltip="Go up", where="B"),
        ]
        self.push_screen(HelpScreen(sample), lambda _: self.exit())


if __name__ == "__main__":
    _Alone().run()
