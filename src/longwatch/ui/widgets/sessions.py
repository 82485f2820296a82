"""The sidebar: every session at a glance, what needs a person marked and never moved."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input

from longwatch.engine.storing import Summary
from longwatch.session import Intent
from longwatch.session.intents import Archive, Fork, Pause, Resume
from longwatch.session.state import RESTING
from longwatch.ui.widgets.sessions_list import LINES, SessionsList
from longwatch.ui.widgets.sessions_rows import Listed, listed
from longwatch.ui.words import NEEDS_PERSON


def _key(key: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    return Binding(key, action, description, id=f"sessions.{name}", tooltip=tooltip, show=False)


class SessionsPane(Widget, can_focus=True):
    """Lists sessions, moves a cursor among them and says what a person wants of one.

    ``zone`` is the person's; None takes it from the system.
    """

    DEFAULT_CSS = """
    SessionsPane {
        width: 30;
        height: 1fr;
        border: round $border-blurred;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        layout: vertical;
        &.-narrow { width: 14; }
        &:focus-within { border: round $border; border-title-color: $foreground; }
        & > Input {
            display: none;
            height: 1;
            border: none;
            padding: 0 1;
            background: transparent;
        }
        & > Input:focus { border: none; background-tint: transparent; }
        &.-filtering > Input { display: block; }
        &:focus-within > SessionsList > .sessions--cursor {
            background: $block-cursor-blurred-background;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        _key("enter", "open", "open", "Open", "Show this session"),
        _key("up", "move(-1)", "up", "Up", "The session above"),
        _key("down", "move(1)", "down", "Down", "The session below"),
        _key("pageup", "move(-1, True)", "page_up", "Page up", "A page up"),
        _key("pagedown", "move(1, True)", "page_down", "Page down", "A page down"),
        _key("home", "move(-1000000)", "first", "First", "The first session"),
        _key("end", "move(1000000)", "last", "Last", "The last session"),
        _key("n", "new", "new", "New", "Start a new session"),
        _key("r", "rename", "rename", "Rename", "Give this session another title"),
        _key("p", "ask('pause')", "pause", "Pause / resume", "Pause this session, or let it go on"),
        _key("f", "ask('fork')", "fork", "Fork", "Start another session from where this one is"),
        _key(
            "x", "ask('archive')", "archive", "Archive", "Put this session away; a filter finds it"
        ),
        _key("slash", "filter", "filter", "Filter", "List only sessions that match"),
        _key("escape", "close_filter", "close_filter", "Close filter", "List all sessions again"),
    ]

    narrow: reactive[bool] = reactive(False)
    """Folded to marks and counts."""

    class Selected(Message):
        """A session is to be shown."""

        def __init__(self, session: str) -> None:
            super().__init__()
            self.session = session

    class Wanted(Message):
        """A person wants something of a session."""

        def __init__(self, session: str, intent: Intent) -> None:
            super().__init__()
            self.session = session
            self.intent = intent

    class NewWanted(Message):
        """A new session is to be started."""

    class RenameWanted(Message):
        """The session is to be given another title than this one; which one is to be asked."""

        def __init__(self, session: str, title: str) -> None:
            super().__init__()
            self.session = session
            self.title = title

    def __init__(
        self,
        *,
        zone: tzinfo | None = None,
        id: str | None = None,  # noqa: A002 - as every widget names it
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._list = SessionsList(zone)
        self._filter = Input(placeholder="filter", select_on_focus=False)
        self._summaries: Sequence[Summary] = ()
        self._listed: list[Listed] = []
        self._now = ""
        self._shown: str | None = None
        self._cursor: str | None = None
        self._unread: frozenset[str] = frozenset()

    def compose(self) -> ComposeResult:
        self.border_title = "Sessions"
        yield self._list

    def show(
        self,
        summaries: Sequence[Summary],
        shown: str | None,
        *,
        now: str,
        unread: frozenset[str] = frozenset(),
    ) -> None:
        """List these sessions, one of them as the one that is shown."""
        turned = shown != self._shown
        self._summaries, self._shown, self._now, self._unread = summaries, shown, now, unread
        if turned:
            self._cursor = shown
        self._draw()
        if turned:
            self._reveal()

    def next_needing(self) -> str | None:
        """The next session after the shown one that needs a person, the shown one last."""
        order = [one.summary for one in listed(self._summaries)]
        place = next((n for n, one in enumerate(order) if one.session == self._shown), -1)
        around = order[place + 1 :] + order[: place + 1]
        return next((one.session for one in around if one.state in NEEDS_PERSON), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is the filter's only while there is one."""
        del parameters
        return action != "close_filter" or self.has_class("-filtering")

    def watch_narrow(self, narrow: bool) -> None:
        self.set_class(narrow, "-narrow")
        self._draw()

    def action_open(self) -> None:
        if one := self._current():
            self.post_message(self.Selected(one.session))

    def action_move(self, by: int, by_page: bool = False) -> None:
        step = by * max(1, self._list.size.height // LINES - 1) if by_page else by
        index = min(max(self._index() + step, 0), len(self._listed) - 1)
        if index >= 0:
            self._cursor = self._listed[index].summary.session
            self._draw()
            self._reveal()

    def action_new(self) -> None:
        self.post_message(self.NewWanted())

    def action_rename(self) -> None:
        if one := self._current():
            self.post_message(self.RenameWanted(one.session, one.title))

    def action_ask(self, what: str) -> None:
        """Say what is wanted of the session under the cursor."""
        one = self._current()
        if one is None or (what == "archive" and one.archived):
            return
        wishes: dict[str, Intent] = {
            "pause": Resume() if one.state in RESTING else Pause(),
            "fork": Fork(),
            "archive": Archive(),
        }
        self.post_message(self.Wanted(one.session, wishes[what]))

    def action_filter(self) -> None:
        self.add_class("-filtering")
        if not self._filter.is_attached:
            # Few ever filter, and every start would wait for the box.
            self.mount(self._filter, before=0)
        self._filter.focus()

    def action_close_filter(self) -> None:
        self.remove_class("-filtering")
        self._filter.value = ""
        self.focus()

    @on(Input.Changed)
    def _filtered(self, event: Input.Changed) -> None:
        event.stop()
        self._draw()

    @on(Input.Submitted)
    def _chosen(self, event: Input.Submitted) -> None:
        event.stop()
        self.focus()
        self.action_open()

    @on(SessionsList.Clicked)
    def _clicked(self, event: SessionsList.Clicked) -> None:
        event.stop()
        self._cursor = event.session
        self._draw()
        self.action_open()

    def _current(self) -> Summary | None:
        return self._listed[self._index()].summary if self._listed else None

    def _index(self) -> int:
        """Of the row under the cursor; the first where there is none."""
        places = (n for n, one in enumerate(self._listed) if one.summary.session == self._cursor)
        return next(places, 0)

    def _draw(self) -> None:
        wanted = self._filter.value
        before = self._index()
        self._listed = listed(self._summaries, wanted)
        # A cursor whose session has gone stays where it was.
        if self._listed and all(one.summary.session != self._cursor for one in self._listed):
            self._cursor = self._listed[min(before, len(self._listed) - 1)].summary.session
        self._list.put(
            self._listed,
            now=self._now,
            shown=self._shown,
            cursor=self._cursor,
            unread=self._unread,
            narrow=self.narrow,
            filtered=bool(wanted.strip()),
        )

    def _reveal(self) -> None:
        if self._listed and self.is_mounted:
            self.call_after_refresh(self._list.reveal, self._index())


def main() -> None:
    """Open the sidebar alone, with a session in every state."""
    from longwatch.ui.widgets.sessions_sample import NOW, SAMPLE  # noqa: PLC0415

    class Alone(App[None]):
        def compose(self) -> ComposeResult:
            yield SessionsPane()

        def on_mount(self) -> None:
            pane = self.query_one(SessionsPane)
            pane.show(SAMPLE, SAMPLE[0].session, now=NOW, unread=frozenset({SAMPLE[2].session}))
            pane.focus()

    Alone().run()


if __name__ == "__main__":
    main()
