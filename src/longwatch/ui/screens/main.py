"""The panes together: what one looks at all day."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.screen import Screen

from longwatch.engine.ports import Summary
from longwatch.session import Intent
from longwatch.session.intents import Pause, Resume
from longwatch.ui.feed import Feed, News
from longwatch.ui.notices import notice
from longwatch.ui.screens.foot import Foot
from longwatch.ui.screens.panes import Panes
from longwatch.ui.services import Limits, NewSession, Refused, Services
from longwatch.ui.watching import Unread, Watched
from longwatch.ui.widgets.approval import ApprovalPanel
from longwatch.ui.widgets.checklist import ChecklistLine, ChecklistPane
from longwatch.ui.widgets.conversation import Conversation
from longwatch.ui.widgets.header import HeaderLine, Whereabouts
from longwatch.ui.widgets.message_box import MessageBox
from longwatch.ui.widgets.search_bar import SearchBar
from longwatch.ui.widgets.sessions import SessionsPane
from longwatch.ui.widgets.status import StatusLine

LOOKS_A_SECOND = 30
FOLDED_SIDEBAR = 110
NO_CHECKLIST = 90


class MainScreen(Screen[None]):
    """Sessions, conversation and checklist side by side; message box and status line below."""

    CSS_PATH = "main.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+g",
            "next_needing",
            "Needs you",
            id="app.next_needing",
            tooltip="Go to the next session that needs a person",
        ),
        Binding(
            "ctrl+b",
            "toggle_sidebar",
            "Sidebar",
            id="app.sidebar",
            tooltip="Show or hide the sessions",
        ),
        Binding(
            "ctrl+t",
            "toggle_checklist",
            "Checklist",
            id="app.checklist",
            tooltip="Show or hide the checklist",
        ),
        Binding(
            "ctrl+f", "search", "Search", id="app.search", tooltip="Search in this conversation"
        ),
        Binding("escape", "pause", "Pause", id="app.pause", tooltip="Pause the shown session"),
        Binding(
            "ctrl+r", "resume", "Resume", id="app.resume", tooltip="Go on with the shown session"
        ),
        *ApprovalPanel.SCREEN_BINDINGS,
    ]

    header = query_one(HeaderLine)
    sessions = query_one(SessionsPane)
    conversation = query_one(Conversation)
    checklist = query_one(ChecklistPane)
    approval = query_one(ApprovalPanel)
    line = query_one(ChecklistLine)
    search_bar = query_one(SearchBar)
    box = query_one(MessageBox)
    status = query_one(StatusLine)

    def __init__(
        self,
        services: Services,
        session: str | None = None,
        whereabouts: Whereabouts = Whereabouts(),  # noqa: B008 - it is a frozen value
    ) -> None:
        super().__init__()
        self.services = services
        self.watched = Watched()
        self.summaries: list[Summary] = []
        self.limits = Limits()
        self._feed = Feed(services.store)
        self._unread = Unread()
        self._first = session
        self._whereabouts = whereabouts

    def compose(self) -> ComposeResult:
        yield HeaderLine(home=self._whereabouts.home, zone=self._whereabouts.zone)
        yield Panes()
        yield Foot()

    def on_mount(self) -> None:
        self.look()
        first = self._first or best_first(self.summaries, self.services.folder)
        if first is not None:
            self.open(first)
        else:
            self._show_session()
        self.set_interval(1 / LOOKS_A_SECOND, self.look)
        self.set_interval(1, self.tick)
        self.box.focus()

    def on_resize(self, event: events.Resize) -> None:
        width = event.size.width
        self.sessions.narrow = width <= FOLDED_SIDEBAR
        self.set_class(width < NO_CHECKLIST, "-narrow")

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Who was in a pane that is hidden now writes on in the message box."""
        if not event.widget.display and self.focused is None:
            self.box.focus()

    # --- looking ----------------------------------------------------------------------------

    def open(self, session: str) -> None:
        """Show a session."""
        self.checklist.forget()
        opened = self._feed.open(session)
        self.limits = Limits()
        self.watched.open(session, opened.state, opened.events)
        self.watched.stream(opened.draft, opened.queued)
        self.conversation.show(opened.events, opened.draft, self._feed.before)
        self._unread.take(self.summaries, session)
        self._show_session()
        self._show_summaries()
        # Reading a configuration takes longer than drawing: the session is shown first.
        self.call_after_refresh(self._measure, session)

    def _measure(self, session: str) -> None:
        """What the status line measures against, if the session is still the shown one."""
        if session == self.watched.session:
            self.limits = self.services.limits(session)
            self._show_session()

    def look(self) -> None:
        """What is new in the store goes to the panes; mostly nothing is."""
        news = self._feed.look()
        if news is None:
            return
        if news.summaries is not None:
            self.summaries = list(news.summaries)
            changed = self._unread.take(self.summaries, self.watched.session)
            self._notice(changed)
            self._show_summaries()
        if news.state is not None:
            self._show_news(news)

    def tick(self) -> None:
        """Ages and running times, once a second; nothing is laid out again."""
        self.services.store.seen("dashboard", self.services.clock.wall())
        self._show_summaries()
        self._show_session()

    def _show_news(self, news: News) -> None:
        if news.state is not None and news.events:
            self.watched.take(news.state, news.events)
            self.conversation.append(news.events)
        if news.draft != self.watched.draft:
            self.conversation.set_draft(news.draft)
        self.watched.stream(news.draft, news.queued)
        self._show_session()

    def _show_summaries(self) -> None:
        now = self.services.clock.now()
        shown = self.watched.session
        self.sessions.show(self.summaries, shown, now=now, unread=self._unread.sessions)
        self.header.show(self.services.folder, self.summaries, now=now)

    def _show_session(self) -> None:
        watched, now = self.watched, self.services.clock.now()
        state = watched.state
        self.checklist.show(
            state.checklist, watched.conventions, now=now, disputed=watched.disputed
        )
        self.line.show(state.checklist)
        self.approval.show(watched.waiting, now=self.services.clock.monotonic())
        self.box.show(state.profile.title, watched.queued)
        self.conversation.border_title = state.profile.title
        self.status.show(
            state,
            watched.activity,
            now=now,
            context=self.limits.context,
            max_wakes=self.limits.max_wakes,
        )

    def _notice(self, changed: list[Summary]) -> None:
        """Tell a person who looks elsewhere what has come to rest or to a question."""
        for summary in changed:
            notice(self.app, summary, shown=summary.session == self.watched.session)

    # --- actions ----------------------------------------------------------------------------

    def wish(self, intent: Intent, session: str | None = None) -> None:
        """Ask something of a session, the shown one if none is named."""
        target = session or self.watched.session
        if target is not None:
            self.services.post(target, intent)

    def start(self, task: str, **chosen: str | None) -> None:
        """Begin a session and show it."""
        try:
            session = self.services.start(
                NewSession(task=task, cwd=chosen.pop("cwd", None) or self.services.folder, **chosen)
            )
        except Refused as refused:
            self.notify(str(refused), severity="error", markup=False)
            return
        self.look()
        self.open(session)

    def action_next_needing(self) -> None:
        needing = self.sessions.next_needing()
        if needing is None:
            self.notify("Nothing needs you.", markup=False)
        else:
            self.open(needing)

    def action_toggle_sidebar(self) -> None:
        self.sessions.toggle_class("-hidden")

    def action_toggle_checklist(self) -> None:
        self.toggle_class("-checklist")

    def action_search(self) -> None:
        self.search_bar.open()

    def action_pause(self) -> None:
        """Close what is open; with nothing open, pause the shown session."""
        if self.search_bar.is_open:
            self.search_bar.action_close()
            self.box.focus()
        elif self.watched.state.state in ("running", "waiting", "awaiting_approval"):
            self.wish(Pause())

    def action_resume(self) -> None:
        self.wish(Resume())

    def action_approval(self, key: str) -> None:
        """Answer a question from anywhere but a text box."""
        self.approval.press(key)


def best_first(summaries: Sequence[Summary], folder: str) -> str | None:
    """The newest session of this folder, else the newest of all."""
    listed = [s for s in summaries if not s.archived and not s.temporary]
    here = [s for s in listed if s.cwd == folder]
    newest = max(here or listed, key=lambda s: s.updated, default=None)
    return None if newest is None else newest.session
