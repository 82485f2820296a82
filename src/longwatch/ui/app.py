"""The dashboard's app: it composes screens and nothing more."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.events import DescendantFocus
from textual.filter import LineFilter
from textual.theme import Theme
from textual.widgets import Input

from longwatch.ui.crash import crash_text, record
from longwatch.ui.harmless import Harmless
from longwatch.ui.screens.main import MainScreen
from longwatch.ui.services import NewSession, Refused, Services
from longwatch.ui.widgets.header import Whereabouts

DEFAULT_THEME = "longwatch"
AT_WORK = ("running", "waiting")


def _palette() -> type[Provider]:
    """Loaded when the palette is first opened."""
    from longwatch.ui.palette import Everything  # noqa: PLC0415

    return Everything


def _key(keys: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    # Quitting and the palette work wherever the focus is, in a dialog too.
    urgent = name in ("quit", "palette")
    return Binding(
        keys, action, description, id=f"app.{name}", tooltip=tooltip, show=False, priority=urgent
    )


class Dashboard(App[None]):
    """`longwatch`: the panes on one store."""

    TITLE = "longwatch"
    CSS_PATH = Path(__file__).with_name("app.tcss")
    COMMANDS = {_palette}  # noqa: RUF012 - Textual declares it so

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("ctrl+p", "command_palette", "palette", "Palette", "Find any action, session, theme"),
        _key("f1,question_mark", "help", "help", "Help", "What each key does"),
        _key("ctrl+n", "new_session", "new", "New session", "Start a new session"),
        _key("f2", "settings", "settings", "Settings", "All settings and where each comes from"),
        _key("tab", "focus_next", "next_pane", "Next pane", "Go to the next pane"),
        _key("shift+tab", "focus_previous", "previous_pane", "Previous pane", "Go one pane back"),
        _key("ctrl+s", "picture", "screenshot", "Screenshot", "Save the screen as SVG"),
        _key("ctrl+q", "leave", "quit", "Quit", "Leave the dashboard"),
    ]

    def __init__(
        self,
        services: Services,
        *,
        session: str | None = None,
        themes: Mapping[str, Theme] | None = None,
        keymap: Mapping[str, str] | None = None,
        warnings: Sequence[str] = (),
        log_file: str = "",
        tmux: bool = False,
        whereabouts: Whereabouts = Whereabouts(),  # noqa: B008 - it is a frozen value
    ) -> None:
        """``keymap`` holds the keys that differ from the default, ``warnings`` what to tell."""
        super().__init__()
        self.services = services
        self.tmux = tmux
        self.keymap: Mapping[str, str] = keymap or {}
        self._session = session
        self._themes = themes or {}
        self._warnings = tuple(warnings)
        self._log_file = log_file
        self._harmless = Harmless()
        self._whereabouts = whereabouts

    def on_mount(self) -> None:
        for theme in self._themes.values():
            self.register_theme(theme)
        remembered = self.services.recall().get("theme")
        if isinstance(remembered, str) and remembered in self.available_themes:
            self.theme = remembered
        elif DEFAULT_THEME in self._themes:
            self.theme = DEFAULT_THEME
        self.set_keymap(dict(self.keymap))
        self.push_screen(MainScreen(self.services, self._session, self._whereabouts))
        self.theme_changed_signal.subscribe(self, self._remember_theme)
        for warning in self._warnings:
            self.notify(warning, severity="warning", timeout=15, markup=False)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Nothing blinks."""
        if isinstance(event.widget, Input):
            event.widget.cursor_blink = False

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self._harmless]

    def _remember_theme(self, theme: Theme) -> None:
        # What was read at the start is told as a change too, and is no news.
        if theme.name != self.services.recall().get("theme", DEFAULT_THEME):
            self.services.remember(theme=theme.name)

    @property
    def main(self) -> MainScreen | None:
        return next((s for s in self.screen_stack if isinstance(s, MainScreen)), None)

    @property
    def theme_names(self) -> Sequence[str]:
        """Ours and the person's; Textual's own only where there are none."""
        return sorted(self._themes or self.available_themes)

    def pop_screen(self) -> AwaitComplete:
        """A dialog that is dismissed twice, by two quick enters, does not take the panes along."""
        return AwaitComplete() if self.screen is self.main else super().pop_screen()

    def back_to_main(self) -> None:
        """Close what is open over the panes."""
        while self.main is not None and self.screen is not self.main:
            self.pop_screen()

    def action_help(self) -> None:
        from longwatch.ui.actions import collect  # noqa: PLC0415 - not needed at the start
        from longwatch.ui.places import places  # noqa: PLC0415
        from longwatch.ui.screens.help import HelpScreen  # noqa: PLC0415

        self.push_screen(HelpScreen(collect(places(type(self)), self.keymap)))

    def action_settings(self) -> None:
        from longwatch.ui.screens.settings import SettingsScreen  # noqa: PLC0415

        session = self.main.watched.session if self.main is not None else None
        if session is None:
            self.push_screen(SettingsScreen(self.services))
            return
        self.push_screen(
            SettingsScreen(
                self.services, session, lambda intent: self.services.post(session, intent)
            )
        )

    def action_new_session(self) -> None:
        self._ask_for_session(None, "")

    def _ask_for_session(self, filled: NewSession | None, complaint: str) -> None:
        from longwatch.ui.screens.new_session import NewSessionScreen  # noqa: PLC0415

        self.push_screen(NewSessionScreen(self.services, filled, complaint), self._start)

    def _start(self, wanted: NewSession | None) -> None:
        """Start it and show it; if that is refused, nothing that was written is lost."""
        main = self.main
        if wanted is None or main is None:
            return
        try:
            session = self.services.start(wanted)
        except Refused as refused:
            self._ask_for_session(wanted, str(refused))
            return
        main.look()
        main.open(session)

    def action_leave(self) -> None:
        from longwatch.ui.screens.quitting import Quitting  # noqa: PLC0415

        if isinstance(self.screen, Quitting):
            return
        main = self.main
        running = [s.session for s in main.summaries if s.state in AT_WORK] if main else []
        if running:
            self.push_screen(Quitting(running, self.services))
        else:
            self.exit()

    def action_picture(self) -> None:
        try:
            path = self.save_screenshot(path=str(Path(self.services.folder)))
        except OSError as error:
            self.notify(f"No picture was saved: {error}", severity="error", markup=False)
        else:
            self.notify(f"Saved {path}", markup=False)

    def _fatal_error(self) -> None:
        """Our own few lines in place of Textual's crash screen, which prints local variables."""
        if self._exception is None or self._exit_renderables:
            # What fails on the way out adds nothing to what failed first.
            self._close_messages_no_wait()
            return
        record(self._exception)
        self.panic(crash_text(self._exception, self._log_file))
