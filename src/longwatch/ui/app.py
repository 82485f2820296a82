"""The dashboard's app: it composes screens and nothing more."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.theme import Theme

from longwatch.ui.screens.main import MainScreen
from longwatch.ui.screens.quitting import Quitting
from longwatch.ui.services import Services


class Dashboard(App[None]):
    """`longwatch`: the panes on one store."""

    TITLE = "longwatch"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", "Quit", id="app.quit", tooltip="Leave the dashboard"),
        Binding(
            "ctrl+n", "new_session", "New session", id="app.new", tooltip="Start a new session"
        ),
        Binding("f1,question_mark", "help", "Help", id="app.help", tooltip="What each key does"),
        Binding(
            "ctrl+s", "picture", "Screenshot", id="app.screenshot", tooltip="Save the screen as SVG"
        ),
    ]

    def __init__(
        self,
        services: Services,
        *,
        session: str | None = None,
        themes: Mapping[str, Theme] | None = None,
        keymap: Mapping[str, str] | None = None,
        tmux: bool = False,
    ) -> None:
        super().__init__()
        self.services = services
        self.tmux = tmux
        self._session = session
        self._themes = themes or {}
        self._keymap = keymap or {}

    def on_mount(self) -> None:
        for theme in self._themes.values():
            self.register_theme(theme)
        remembered = self.services.recall().get("theme")
        if isinstance(remembered, str) and remembered in self.available_themes:
            self.theme = remembered
        elif "longwatch" in self._themes:
            self.theme = "longwatch"
        self.set_keymap(dict(self._keymap))
        self.push_screen(MainScreen(self.services, self._session))
        self.theme_changed_signal.subscribe(self, self._remember_theme)

    def _remember_theme(self, theme: Theme) -> None:
        self.services.remember(theme=theme.name)

    @property
    def main(self) -> MainScreen | None:
        return next((s for s in self.screen_stack if isinstance(s, MainScreen)), None)

    def action_leave(self) -> None:
        main = self.main
        running = [s for s in main.summaries if s.state == "running"] if main is not None else []
        if not running:
            self.exit()
            return
        self.push_screen(Quitting([s.session for s in running], self.services))

    def action_picture(self) -> None:
        path = self.save_screenshot(path=str(Path(self.services.folder)))
        self.notify(f"Saved {path}", markup=False)
