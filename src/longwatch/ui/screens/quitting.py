"""Leaving while sessions run: leave them running, pause them, or stay."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from longwatch.session.intents import Pause
from longwatch.ui.screens.dialogs import Choice, ChoiceLine, DialogBox
from longwatch.ui.services import Services
from longwatch.ui.words import STATE_MARKS, cut, one_line

MOST_LISTED = 6
"""Running sessions that are named; more are counted."""

CHOICES = (
    Choice("leave", "l", "Leave them running; come back any time"),
    Choice("pause", "p", "Pause them all, then quit"),
    Choice("stay", "s", "Stay"),
)


def _key(keys: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    return Binding(keys, action, description, id=f"quit.{name}", tooltip=tooltip, show=False)


class Quitting(ModalScreen[None]):
    """Asks what becomes of the running sessions. Enter takes the marked choice."""

    DEFAULT_CSS = """
    Quitting {
        align: center middle;
        & .quitting-running {
            width: 1fr;
            height: auto;
            margin-bottom: 1;
        }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("enter", "take", "take", "Take", "Take the marked choice"),
        _key("l", "choose('leave')", "leave", "Leave running", "Quit; the sessions run on"),
        _key("p", "choose('pause')", "pause", "Pause all", "Pause the sessions and quit"),
        _key("escape,s", "choose('stay')", "stay", "Stay", "Do not quit"),
        _key("down,tab", "mark(1)", "next", "Next choice", "Mark the next choice"),
        _key("up,shift+tab", "mark(-1)", "previous", "Previous choice", "Mark the choice before"),
    ]

    def __init__(self, running: Sequence[str], services: Services) -> None:
        super().__init__()
        self._sessions = tuple(running)
        self._services = services
        self._marked = 0

    def compose(self) -> ComposeResult:
        frame = DialogBox()
        frame.border_title = "Quit"
        with frame:
            yield Static(self._told(), classes="quitting-running", markup=False)
            for choice in CHOICES:
                yield ChoiceLine(choice)
            yield Static("↑↓ choose   enter ok   esc stay", classes="dialog-keys", markup=False)

    def on_mount(self) -> None:
        self._mark(0)

    @on(ChoiceLine.Picked)
    def _picked(self, event: ChoiceLine.Picked) -> None:
        self.action_choose(event.choice.name)

    def action_take(self) -> None:
        self.action_choose(CHOICES[self._marked].name)

    def action_choose(self, name: str) -> None:
        if name == "stay":
            self.dismiss(None)
            return
        if name == "pause":
            for session in self._sessions:
                self._services.post(session, Pause())
        self.app.exit()

    def action_mark(self, by: int) -> None:
        self._mark((self._marked + by) % len(CHOICES))

    def _mark(self, place: int) -> None:
        self._marked = place
        for index, line in enumerate(self.query(ChoiceLine)):
            line.chosen = index == place

    def _told(self) -> Content:
        count = len(self._sessions)
        lines = [f"{count} session{' is' if count == 1 else 's are'} at work:"]
        for session in self._sessions[:MOST_LISTED]:
            summary = self._services.store.summary(session)
            title = one_line(summary.title) if summary is not None else ""
            mark = STATE_MARKS[summary.state] if summary is not None else STATE_MARKS["running"]
            lines.append(f"  {mark} {cut(title or session, 50)}")
        if count > MOST_LISTED:
            lines.append(f"  and {count - MOST_LISTED} more")
        return Content("\n".join(lines))
