"""Starting a session: what is to be done, and by whom, with what, where."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Button, Input, Select, Static, TextArea

from longwatch.engine.visible import printable
from longwatch.ui.screens.dialogs import DialogBox
from longwatch.ui.services import Choices, NewSession, Refused, Services
from longwatch.ui.words import cut, one_line

HINT = "ctrl+enter start   esc cancel   tab next field"


def _key(keys: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    return Binding(keys, action, description, id=f"new.{name}", tooltip=tooltip, show=False)


class Field(Horizontal):
    """A label and what is chosen beside it."""

    DEFAULT_CSS = """
    Field {
        height: 1;
        & > Static {
            width: 10;
            color: $text-muted;
        }
        & > Input, & > Select {
            width: 1fr;
        }
        & > Input, & > Select > SelectCurrent {
            background: $foreground 6%;
            padding: 0 1;
        }
        & > Input:focus, & > Select:focus > SelectCurrent {
            background: $foreground 14%;
            background-tint: transparent;
        }
        &.-active > Static {
            color: $text-accent;
            text-style: bold;
        }
        & > Select > SelectOverlay {
            border: round $border;
        }
    }
    """

    def on_descendant_focus(self) -> None:
        # Textual does not style a pane's children again when the focus comes into it.
        self.add_class("-active")

    def on_descendant_blur(self) -> None:
        self.remove_class("-active")


class NewSessionScreen(ModalScreen[NewSession | None]):
    """Asks for a task and lets the rest be as it usually is."""

    DEFAULT_CSS = """
    NewSessionScreen {
        align: center middle;
        & > DialogBox {
            width: 84;
        }
        & TextArea {
            height: 8;
            margin-bottom: 1;
            padding: 0 1;
            background: $foreground 6%;
            scrollbar-size-vertical: 1;
            &:focus { background-tint: $foreground 4%; }
        }
        & #foot {
            height: 1;
            margin-top: 1;
            & > Static {
                width: 1fr;
                height: 1;
                margin: 0;
                &.-refused { color: $text-error; text-style: bold; }
            }
            & > Button {
                width: auto;
                min-width: 11;
            }
        }
        &.-low TextArea { height: 3; }
        &.-low > DialogBox { padding: 0 1; }
        &.-lowest TextArea { margin-bottom: 0; }
        &.-lowest #foot { margin-top: 0; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("ctrl+enter,ctrl+j,f5", "start", "start", "Start", "Start the session"),
        _key("escape", "cancel", "cancel", "Cancel", "Close it; nothing is started"),
    ]

    written = query_one("#task", TextArea)
    folder = query_one("#folder", Input)
    model = query_one("#model", Input)

    def __init__(
        self, services: Services, filled: NewSession | None = None, complaint: str = ""
    ) -> None:
        """``filled`` is what was chosen before, ``complaint`` why it could not be started."""
        super().__init__()
        self._services = services
        self._filled = filled or NewSession(task="", cwd=services.folder)
        self._complaint = complaint

    def compose(self) -> ComposeResult:
        choices, filled = self._choices(), self._filled
        frame = DialogBox()
        frame.border_title = "New session"
        with frame:
            yield TextArea(
                filled.task,
                id="task",
                compact=True,
                highlight_cursor_line=False,
                placeholder="What is to be done?",
            )
            with Field():
                yield Static("Agent", markup=False)
                yield _select("agent", choices.agents, filled.agent, "none")
            with Field():
                yield Static("Role", markup=False)
                yield _select("role", choices.roles, filled.role, "none")
            with Field():
                yield Static("Model", markup=False)
                yield Input(
                    filled.model or "",
                    id="model",
                    compact=True,
                    select_on_focus=False,
                    placeholder=_usual(choices.models),
                    suggester=SuggestFromList(choices.models, case_sensitive=False),
                )
            with Field():
                yield Static("Dialect", markup=False)
                yield _select("dialect", choices.dialects, filled.dialect, "as configured")
            with Field():
                yield Static("Approval", markup=False)
                yield _select("approval", choices.approvals, filled.approval, "as configured")
            with Field():
                yield Static("Folder", markup=False)
                yield Input(printable(filled.cwd), id="folder", compact=True, select_on_focus=False)
            with Horizontal(id="foot"):
                yield Static(HINT, classes="dialog-keys", id="hint", markup=False)
                yield Button("Start", id="start", variant="primary", compact=True)

    def on_mount(self) -> None:
        self.written.cursor_blink = False
        self.written.move_cursor(self.written.document.end)
        self.written.focus()
        if self._complaint:
            self._complain(self._complaint)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < 24, "-low")
        self.set_class(event.size.height < 18, "-lowest")

    @on(Input.Submitted)
    def _move_on(self, event: Input.Submitted) -> None:
        event.stop()
        self.focus_next()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_start()

    def action_start(self) -> None:
        task = self.written.text.strip()
        if not task:
            self._complain("Write what is to be done.")
            self.written.focus()
            return
        self.dismiss(
            NewSession(
                task=task,
                cwd=self._chosen_folder(),
                agent=self._chosen("agent"),
                role=self._chosen("role"),
                model=self.model.value.strip() or None,
                dialect=self._chosen("dialect"),
                approval=self._chosen("approval"),
            )
        )

    def action_cancel(self) -> None:
        self.dismiss(None)

    def _choices(self) -> Choices:
        try:
            return self._services.choices(self._filled.cwd)
        except Refused as refused:
            self._complaint = self._complaint or str(refused)
            return Choices()

    def _chosen_folder(self) -> str:
        written = self.folder.value.strip()
        if written == printable(self._filled.cwd).strip():
            # Its name may hold more than can be shown.
            return self._filled.cwd
        return written or self._services.folder

    def _chosen(self, field: str) -> str | None:
        value = self.query_one(f"#{field}", Select).value
        return value if isinstance(value, str) else None

    def _complain(self, text: str) -> None:
        hint = self.query_one("#hint", Static)
        hint.add_class("-refused")
        hint.tooltip = Content(printable(text))
        hint.update(Content(one_line(text)))


def _select(field: str, names: Sequence[str], chosen: str | None, blank: str) -> Select[str]:
    options = [(Content(cut(one_line(name), 60)), name) for name in names]
    return Select(
        options,
        prompt=blank,
        value=chosen if chosen is not None and chosen in names else Select.NULL,
        id=field,
        compact=True,
    )


def _usual(models: Sequence[str]) -> str:
    return one_line(models[0]) if models else "as configured"
