"""Search over all sessions: what was said, done and planned, and where."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from longwatch.engine.storing import Hit, Store, StoreError
from longwatch.engine.visible import visible_line
from longwatch.ui.words import age, cut, one_line, seconds_between

MOST = 100
TITLE_CELLS = 24
BEFORE, AFTER = "\x02", "\x03"
"""What a store puts around a match."""


def _key(keys: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    return Binding(keys, action, description, id=f"find.{name}", tooltip=tooltip, show=False)


class SearchScreen(ModalScreen[Hit | None]):
    """A line to write in and what was found, newest first; enter opens the session there."""

    DEFAULT_CSS = """
    SearchScreen {
        align: center middle;
        & > Vertical {
            width: 90%;
            max-width: 130;
            height: 80%;
            border: round $border;
            border-title-color: $foreground;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
            padding: 0 1;
        }
        & Input { border: none; height: 1; background: $surface; padding: 0; }
        & Input:focus { background-tint: transparent; }
        & OptionList { height: 1fr; border: none; background: $surface; padding: 0; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("escape", "close", "close", "Close", "Close the search"),
        _key("up", "move(-1)", "up", "Up", "The hit above"),
        _key("down", "move(1)", "down", "Down", "The hit below"),
    ]

    line = query_one(Input)
    found = query_one(OptionList)

    def __init__(self, store: Store, now: str) -> None:
        super().__init__()
        self._store = store
        self._now = now
        self._hits: Sequence[Hit] = ()

    def compose(self) -> ComposeResult:
        frame = Vertical()
        frame.border_title = "Search all sessions"
        frame.border_subtitle = "↑↓ choose   enter open   esc close"
        with frame:
            yield Input(placeholder="words", compact=True)
            yield OptionList(compact=True, markup=False)

    def on_mount(self) -> None:
        self.found.can_focus = False
        self.line.focus()

    def action_close(self) -> None:
        self.dismiss(None)

    def action_move(self, by: int) -> None:
        if self._hits:
            at = (self.found.highlighted or 0) + by
            self.found.highlighted = min(max(at, 0), len(self._hits) - 1)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._look(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._hits:
            self.dismiss(self._hits[self.found.highlighted or 0])

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._hits[event.option_index])

    @work(thread=True, exclusive=True, group="find")
    def _look(self, text: str) -> None:
        """Beside the keys: a common word in many sessions takes its time."""
        try:
            hits = self._store.search(text, MOST)
            titles = {one.session: one.title for one in self._store.summaries()}
        except StoreError as problem:
            self.app.call_from_thread(self.notify, str(problem), severity="error", markup=False)
            return
        self.app.call_from_thread(self._show, text, hits, titles)

    def _show(self, text: str, hits: Sequence[Hit], titles: dict[str, str]) -> None:
        if not self.is_attached or text != self.line.value:
            return
        self._hits = hits
        self.found.clear_options()
        self.found.add_options([Option(self._drawn(hit, titles)) for hit in hits])
        self.found.highlighted = 0 if hits else None
        frame = self.query_one(Vertical)
        count = f"{len(hits)}{'+' if len(hits) == MOST else ''} found"
        frame.border_title = (
            f"Search all sessions · {count}" if text.strip() else frame.border_title
        )

    def _drawn(self, hit: Hit, titles: dict[str, str]) -> Content:
        title = cut(one_line(titles.get(hit.session, "")) or hit.session, TITLE_CELLS)
        ago = age(seconds_between(hit.at, self._now)) if hit.at else ""
        parts: list[str | tuple[str, str]] = [
            (title.ljust(TITLE_CELLS), "bold"),
            (f" {ago:>4}  ", "$text-muted"),
        ]
        for n, piece in enumerate(hit.snippet.split(BEFORE)):
            match, _, rest = piece.partition(AFTER) if n else ("", "", piece)
            parts += [(visible_line(match), "bold $text-warning"), visible_line(rest)]
        return Content.assemble(*parts)
