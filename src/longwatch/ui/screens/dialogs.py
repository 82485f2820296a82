"""Small questions in the middle of the screen: a line of text, or one of a few choices."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from longwatch.engine.visible import printable
from longwatch.ui.words import LONGEST_LINE, cut

CANCEL = Binding(
    "escape", "cancel", "Cancel", id="dialog.cancel", tooltip="Close it; nothing is changed"
)


def _shown(text: str) -> Content:
    """Text from anywhere, as it may stand on a screen."""
    return Content("\n".join(printable(line[:LONGEST_LINE]) for line in text.splitlines()))


class DialogBox(Vertical):
    """The frame of a dialog."""

    DEFAULT_CSS = """
    DialogBox {
        width: 64;
        max-width: 94%;
        height: auto;
        max-height: 94%;
        padding: 1 2;
        background: $surface;
        border: round $border;
        border-title-color: $foreground;
        border-title-style: bold;
    }
    DialogBox .dialog-detail {
        width: 1fr;
        height: auto;
        max-height: 40vh;
        margin-bottom: 1;
        color: $text-muted;
    }
    DialogBox .dialog-keys {
        width: 1fr;
        height: 1;
        margin-top: 1;
        color: $text-muted;
    }
    """


class AskText(ModalScreen[str | None]):
    """Asks for one line of text. Escape gives None; a blank answer counts only where it may."""

    DEFAULT_CSS = """
    AskText {
        align: center middle;
    }
    AskText Input {
        width: 1fr;
        padding: 0 1;
        background: $foreground 8%;
    }
    AskText .dialog-keys.-refused {
        color: $text-error;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [CANCEL]

    box = query_one(Input)

    def __init__(
        self,
        prompt: str,
        value: str = "",
        *,
        detail: str = "",
        placeholder: str = "",
        blank_ok: bool = False,
    ) -> None:
        super().__init__()
        self._prompt = prompt
        self._value = value
        self._detail = detail
        self._placeholder = placeholder
        self._blank_ok = blank_ok

    def compose(self) -> ComposeResult:
        frame = DialogBox()
        frame.border_title = Content(cut(printable(self._prompt.replace("\n", " ")), 56))
        with frame:
            if self._detail:
                yield Static(_shown(self._detail), classes="dialog-detail", markup=False)
            yield Input(
                printable(self._value),
                placeholder=self._placeholder,
                select_on_focus=False,
                compact=True,
            )
            yield Static("enter ok   esc cancel", classes="dialog-keys", markup=False)

    def on_mount(self) -> None:
        self.box.focus()

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        if text or self._blank_ok:
            self.dismiss(text)
            return
        keys = self.query_one(".dialog-keys", Static)
        keys.update("Write something, or esc to cancel")
        keys.add_class("-refused")

    def action_cancel(self) -> None:
        self.dismiss(None)


class Choice(msgspec.Struct, frozen=True):
    """One answer: what is returned, the key that gives it, and what it says."""

    name: str
    key: str
    label: str


class ChoiceLine(Widget):
    """One choice of a dialog, as its key and its words."""

    DEFAULT_CSS = """
    ChoiceLine {
        width: 1fr;
        height: 1;
    }
    """

    chosen: reactive[bool] = reactive(False)
    """Whether enter gives this one."""

    class Picked(Message):
        """A person clicked on a choice."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self, choice: Choice) -> None:
        super().__init__()
        self.choice = choice

    def render(self) -> Content:
        key = printable(self.choice.key)
        label = printable(self.choice.label)
        if not self.chosen:
            return Content.assemble("  ", (key, "$text-primary"), f"  {label}")
        return Content.assemble(
            ("▌ ", "$text-primary"),
            (key, "bold $text-primary"),
            (f"  {label}", "bold"),
            ("  ⏎", "dim"),
        )

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Picked(self.choice))


class Confirm(ModalScreen[str | None]):
    """A question with a few named choices. Enter gives the marked one, escape gives None."""

    DEFAULT_CSS = """
    Confirm {
        align: center middle;
    }
    Confirm .dialog-question {
        width: 1fr;
        height: auto;
        max-height: 40vh;
        margin-bottom: 1;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        CANCEL,
        Binding("enter", "accept", "Accept", id="dialog.accept", tooltip="Take the marked choice"),
        Binding(
            "down,right,tab",
            "mark(1)",
            "Next choice",
            id="dialog.next",
            tooltip="Mark the next choice",
            show=False,
        ),
        Binding(
            "up,left,shift+tab",
            "mark(-1)",
            "Previous choice",
            id="dialog.previous",
            tooltip="Mark the choice before",
            show=False,
        ),
    ]

    def __init__(
        self,
        question: str,
        choices: Sequence[Choice],
        *,
        default: str | None = None,
        title: str = "",
    ) -> None:
        super().__init__()
        self._question = question
        self._choices = tuple(choices)
        self._title = title
        names = [choice.name for choice in self._choices]
        self._marked = 0 if default is None else names.index(default)

    def compose(self) -> ComposeResult:
        frame = DialogBox()
        frame.border_title = Content(cut(printable(self._title), 56))
        with frame:
            yield Static(_shown(self._question), classes="dialog-question", markup=False)
            for choice in self._choices:
                yield ChoiceLine(choice)
            yield Static("↑↓ choose   enter ok   esc cancel", classes="dialog-keys", markup=False)

    def on_mount(self) -> None:
        self._mark(self._marked)

    def on_key(self, event: events.Key) -> None:
        for choice in self._choices:
            if choice.key in (event.key, event.character):
                event.stop()
                event.prevent_default()
                self.dismiss(choice.name)
                return

    @on(ChoiceLine.Picked)
    def _picked(self, event: ChoiceLine.Picked) -> None:
        self.dismiss(event.choice.name)

    def action_cancel(self) -> None:
        self.dismiss(None)

    def action_accept(self) -> None:
        self.dismiss(self._choices[self._marked].name)

    def action_mark(self, by: int) -> None:
        self._mark((self._marked + by) % len(self._choices))

    def _mark(self, place: int) -> None:
        self._marked = place
        for index, line in enumerate(self.query(ChoiceLine)):
            line.chosen = index == place


class _Alone(App[None]):
    """Both dialogs, one after the other."""

    def on_mount(self) -> None:
        self.push_screen(AskText("Why is it blocked?", detail="Rotate the keys"), self._ask)

    def _ask(self, reason: str | None) -> None:
        choices = (
            Choice("leave", "l", "Leave them running"),
            Choice("pause", "p", "Pause all"),
            Choice("stay", "s", "Stay"),
        )
        question = f"3 sessions are running. Quit? ({reason})"
        self.push_screen(Confirm(question, choices, title="Quit"), lambda _: self.exit())


if __name__ == "__main__":
    _Alone().run()
