"""A line for what to search in the conversation."""

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label


class SearchBar(Horizontal):
    """Opens over the message box; enter goes on to the next match, escape closes it."""

    DEFAULT_CSS = """
    SearchBar {
        height: 1;
        display: none;
        background: $panel;
        padding: 0 1;
    }
    SearchBar.-open { display: block; }
    SearchBar Input { border: none; height: 1; width: 1fr; background: $panel; padding: 0; }
    SearchBar Input:focus { background-tint: transparent; }
    SearchBar Label { width: auto; color: $text-muted; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="search.close", tooltip="Close the search"),
        Binding("up", "previous", "Previous", id="search.previous", tooltip="Previous match"),
        Binding("down", "next", "Next", id="search.next", tooltip="Next match"),
    ]

    class Searched(Message):
        """Another text is searched for; an empty one ends the search."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Moved(Message):
        """To the next match, or to the previous one."""

        def __init__(self, *, forward: bool) -> None:
            super().__init__()
            self.forward = forward

    def __init__(self) -> None:
        super().__init__()
        self._box = Input(placeholder="text", compact=True)
        self._found = Label("", id="found", markup=False)

    def open(self) -> None:
        if not self.children:
            # Not before somebody searches: every start would wait for it.
            self.mount(Label("Search: ", markup=False), self._box, self._found)
        self.add_class("-open")
        self._box.focus()

    def show_found(self, count: int) -> None:
        self._found.update(f" {count} found" if self.text else "")

    @property
    def text(self) -> str:
        return self._box.value

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def action_close(self) -> None:
        self.remove_class("-open")
        self._box.value = ""
        self.post_message(self.Searched(""))

    def action_next(self) -> None:
        self.post_message(self.Moved(forward=True))

    def action_previous(self) -> None:
        self.post_message(self.Moved(forward=False))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Searched(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_next()
