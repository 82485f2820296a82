"""The dashboard's app: it composes screens and nothing more."""

from collections.abc import Callable, Sequence
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
from longwatch.ui.looks import Looks
from longwatch.ui.screens.main import MainScreen
from longwatch.ui.services import Services
from longwatch.ui.starting import Starting
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
    # Textual reads the styles of screens that are pushed, not those of the first one.
    CSS_PATH = [Path(__file__).parent / name for name in ("app.tcss", "screens/main.tcss")]  # noqa: RUF012
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
        looks: Looks = Looks(),  # noqa: B008 - a frozen value, as are the whereabouts
        log_file: str = "",
        tmux: bool = False,
        whereabouts: Whereabouts = Whereabouts(),  # noqa: B008
        settled: Callable[[], Looks] | None = None,
    ) -> None:
        """``settled`` is called once, when the first screen stands, for all that can wait."""
        super().__init__()
        self.services = services
        self.tmux = tmux
        self.wants_demo = False
        self.keymap = looks.keymap
        self._session = session
        self._log_file = log_file
        self._harmless = Harmless()
        self._whereabouts = whereabouts
        self._settled = settled
        # Chosen before anything is styled, so that nothing is styled twice.
        self._wear(looks)
        remembered = services.recall().get("theme")
        if isinstance(remembered, str) and remembered in self.available_themes:
            self.theme = remembered
        elif DEFAULT_THEME in looks.themes:
            self.theme = DEFAULT_THEME

    def get_default_screen(self) -> MainScreen:
        return MainScreen(self.services, self._session, self._whereabouts)

    def on_mount(self) -> None:
        self.set_keymap(dict(self.keymap))
        self.theme_changed_signal.subscribe(self, self._remember_theme)
        self._warn()
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        if self._settled is not None:
            self._wear(self._settled())
            self._warn()
        from longwatch.ui.welcome import Welcome  # noqa: PLC0415 - the first screen comes first

        Welcome(self).ask()

    def _wear(self, looks: Looks) -> None:
        self._looks = looks
        for theme in looks.themes.values():
            self.register_theme(theme)

    def _warn(self) -> None:
        for warning in self._looks.complaints:
            self.notify(warning, severity="warning", timeout=15, markup=False)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Nothing blinks, and no text box keeps a key that a person gave to something else."""
        if isinstance(event.widget, Input):
            event.widget.cursor_blink = False
        if self.keymap and self.screen is self.main:
            from longwatch.ui.actions import give_up_keys  # noqa: PLC0415 - few have a keymap

            give_up_keys(event.widget, self.keymap)

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
        return sorted(self._looks.themes or self.available_themes)

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
        self.push_screen(SettingsScreen(self.services, session))

    def action_new_session(self) -> None:
        Starting(self).ask()

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
