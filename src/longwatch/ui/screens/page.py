"""A page of text over the panes: what `.info` and `.help` show."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Static

from longwatch.engine.visible import printable
from longwatch.ui.words import LONGEST_LINE, cut, one_line


def _key(keys: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    return Binding(keys, action, description, id=f"page.{name}", tooltip=tooltip, show=False)


class Page(ModalScreen[None]):
    """Text as it is, to be scrolled through and closed."""

    DEFAULT_CSS = """
    Page {
        align: center middle;
        & > VerticalScroll {
            width: 90%;
            max-width: 120;
            height: auto;
            max-height: 90%;
            border: round $border;
            border-title-color: $foreground;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
            padding: 1 2;
            scrollbar-size-vertical: 1;
            scrollbar-background: $surface;
            & > Static { width: 1fr; height: auto; }
        }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("escape,enter,q", "close", "close", "Close", "Close the page"),
        _key("up,k", "scroll('up')", "up", "Up", "A line up"),
        _key("down,j", "scroll('down')", "down", "Down", "A line down"),
        _key("pageup", "scroll('page_up')", "page_up", "Page up", "A page up"),
        _key("pagedown,space", "scroll('page_down')", "page_down", "Page down", "A page down"),
        _key("home", "scroll('home')", "first", "Top", "The first lines"),
        _key("end", "scroll('end')", "last", "End", "The last lines"),
    ]

    frame = query_one(VerticalScroll)

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        frame = VerticalScroll()
        frame.border_title = Content(cut(one_line(self._title), 60))
        frame.border_subtitle = "↑↓ scroll   esc close"
        lines = [printable(line[:LONGEST_LINE]) for line in self._text.splitlines()]
        with frame:
            yield Static(Content("\n".join(lines)), markup=False)

    def on_mount(self) -> None:
        self.frame.can_focus = False

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll(self, how: str) -> None:
        getattr(self.frame, f"scroll_{how}")(animate=False)
