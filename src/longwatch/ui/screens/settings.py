"""All settings of a session: their values, where each comes from, and what each means."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from longwatch.session.intents import SetSetting
from longwatch.ui.screens.dialogs import AskText
from longwatch.ui.services import Refused, Services, SettingRow
from longwatch.ui.words import cut, fill, one_line

LOOKS_A_SECOND = 4
GAP = "  "
LEAST_ROOM = 40
"""Cells in which the three columns are laid out at least."""


def _key(keys: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    return Binding(keys, action, description, id=f"settings.{name}", tooltip=tooltip, show=False)


class SettingsScreen(ModalScreen[None]):
    """A table to look through by typing; enter sets the marked one for this session."""

    DEFAULT_CSS = """
    SettingsScreen {
        align: center middle;
        & > Vertical {
            width: 90%;
            max-width: 130;
            height: 90%;
            border: round $border;
            border-title-color: $foreground;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
            padding: 1 2;
            & > Input {
                background: $foreground 8%;
                padding: 0 1;
            }
            & > #columns {
                height: 1;
                margin-top: 1;
                color: $text-muted;
                text-wrap: nowrap;
            }
            & > OptionList {
                height: 1fr;
                background: transparent;
                border: none;
                padding: 0;
                scrollbar-size-vertical: 1;
                scrollbar-background: $surface;
                text-wrap: nowrap;
                & > .option-list--option { padding: 0; }
                & > .option-list--option-highlighted {
                    background: $block-cursor-blurred-background;
                    color: $foreground;
                    text-style: bold;
                }
            }
            & > #sentence {
                height: 3;
                padding-top: 1;
                color: $text-muted;
            }
        }
        &.-small > Vertical {
            width: 100%;
            height: 100%;
            padding: 0 1;
            & > #columns { margin-top: 0; }
            & > #sentence { padding-top: 0; height: 2; }
        }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("escape,f2", "close", "close", "Close", "Close the settings"),
        _key("enter", "change", "change", "Set", "Set it for this session"),
        _key("up", "move('cursor_up')", "up", "Up", "The setting above"),
        _key("down", "move('cursor_down')", "down", "Down", "The setting below"),
        _key("pageup", "move('page_up')", "page_up", "Page up", "A page up"),
        _key("pagedown", "move('page_down')", "page_down", "Page down", "A page down"),
    ]

    filter = query_one(Input)
    table = query_one(OptionList)

    def __init__(self, services: Services, session: str | None = None) -> None:
        """Without a session, what is set counts for those that are started from now on."""
        super().__init__()
        self._services = services
        self._session = session
        self._rows: Sequence[SettingRow] = ()
        self._shown: list[SettingRow] = []
        self._version = -1

    def compose(self) -> ComposeResult:
        frame = Vertical()
        frame.border_title = "Settings"
        frame.border_subtitle = "type to filter   ↑↓ choose   enter set   esc close"
        with frame:
            yield Input(placeholder="Filter", compact=True, select_on_focus=False)
            yield Static(id="columns", markup=False)
            yield OptionList(compact=True, markup=False)
            yield Static(id="sentence", markup=False)

    def on_mount(self) -> None:
        self.table.can_focus = False
        self.filter.focus()
        self._read()
        self.set_interval(1 / LOOKS_A_SECOND, self.look)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < 90 or event.size.height < 28, "-small")
        self.call_after_refresh(self._list)

    def look(self) -> None:
        """What was asked for may have been granted; then the table is read again."""
        version = self._services.store.version()
        if version != self._version:
            self._version = version
            self._read()

    @on(Input.Changed)
    def _filtered(self, event: Input.Changed) -> None:
        event.stop()
        self._list()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_change()

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_change()

    @on(OptionList.OptionHighlighted)
    def _marked(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        row = self._row
        self.query_one("#sentence", Static).update(Content(one_line(row.sentence) if row else ""))

    def action_close(self) -> None:
        self.dismiss(None)

    def action_move(self, how: str) -> None:
        getattr(self.table, f"action_{how}")()

    def action_change(self) -> None:
        """Ask for another value, as `.set` does."""
        row = self._row
        if row is None:
            return

        def chosen(value: str | None) -> None:
            if value is not None and value != row.value:
                self._set(SetSetting(key=row.key, value=value))

        whose = "this session" if self._session else "the sessions started from now on"
        detail = f"{row.sentence}\nFor {whose}; null unsets it."
        self.app.push_screen(AskText(row.key, row.value, detail=detail), chosen)

    def _set(self, wish: SetSetting) -> None:
        try:
            told = self._services.configuring.change(self._session, wish)
        except Refused as refused:
            self.notify(one_line(str(refused)), severity="error", markup=False)
            return
        self.notify(one_line(told), markup=False)
        self._read()

    @property
    def _row(self) -> SettingRow | None:
        place = self.table.highlighted
        return None if place is None or place >= len(self._shown) else self._shown[place]

    def _read(self) -> None:
        try:
            self._rows = self._services.settings(self._session)
        except Refused as refused:
            self._rows = ()
            self.query_one("#sentence", Static).update(Content(one_line(str(refused))))
            return
        self._list()

    def _list(self) -> None:
        """The rows that match, as wide as there is room; the marked one stays marked."""
        marked = self._row
        words = self.filter.value.lower().split()
        self._shown = [row for row in self._rows if matches(row, words)]
        widths = column_widths(self._rows, max(LEAST_ROOM, self.table.size.width - 1))
        self.query_one("#columns", Static).update(line(("setting", "value", "from"), widths))
        table = self.table
        table.clear_options()
        table.add_options([Option(drawn(row, widths)) for row in self._shown])
        keys = [row.key for row in self._shown]
        if keys:
            table.highlighted = keys.index(marked.key) if marked and marked.key in keys else 0
        elif self._rows:
            self.query_one("#sentence", Static).update("Nothing matches.")


def matches(row: SettingRow, words: Sequence[str]) -> bool:
    text = f"{row.key} {row.value} {row.origin} {row.sentence}".lower()
    return all(word in text for word in words)


def column_widths(rows: Sequence[SettingRow], room: int) -> tuple[int, int, int]:
    """Keys whole if there is room, values a quarter at least, origins as far as they fit."""
    key = min(max((len(row.key) for row in rows), default=8), room // 2)
    value = max(6, room // 4)
    longest = max((len(row.origin) for row in rows), default=4)
    origin = min(longest, max(8, room - key - value - 2 * len(GAP)))
    return key, room - key - origin - 2 * len(GAP), origin


def line(cells: tuple[str, str, str], widths: tuple[int, int, int]) -> Content:
    return Content(GAP.join(fill(cell, width) for cell, width in zip(cells, widths, strict=True)))


def drawn(row: SettingRow, widths: tuple[int, int, int]) -> Content:
    """One setting; what is its default is quiet, what somebody set stands out."""
    key, value, origin = widths
    quiet = "$foreground-muted" if is_default(row) else ""
    shown = cut(one_line(row.value), value)
    return Content.assemble(
        fill(one_line(row.key), key),
        GAP,
        (fill(shown, value), quiet or "bold"),
        GAP,
        (fill(one_line(row.origin), origin), "$foreground-muted"),
    )


def is_default(row: SettingRow) -> bool:
    return row.origin.startswith(("default", "dialect", "schema"))
