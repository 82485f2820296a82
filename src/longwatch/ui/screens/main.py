"""The panes together: what one looks at all day."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.screen import Screen

from longwatch.discipline.pause import AT_WORK
from longwatch.engine.storing import Hit, Summary
from longwatch.session import Intent
from longwatch.session.events import AgentChanged, RoleChanged, SettingsChanged
from longwatch.session.intents import Fork, Pause, Resume
from longwatch.ui.feed import Feed, News
from longwatch.ui.notices import notice
from longwatch.ui.screens.foot import Foot
from longwatch.ui.screens.panes import Panes
from longwatch.ui.services import Limits, Services
from longwatch.ui.watching import Unread, Watched
from longwatch.ui.widgets.approval import ApprovalPanel
from longwatch.ui.widgets.checklist import ChecklistLine, ChecklistPane
from longwatch.ui.widgets.conversation import Conversation
from longwatch.ui.widgets.header import HeaderLine, Whereabouts
from longwatch.ui.widgets.message_box import MessageBox
from longwatch.ui.widgets.question import QuestionPanel
from longwatch.ui.widgets.search_bar import SearchBar
from longwatch.ui.widgets.sessions import SessionsPane
from longwatch.ui.widgets.status import StatusLine

LOOKS_A_SECOND = 30
FOLDED_SIDEBAR = 110
NO_CHECKLIST = 90
CHANGES = (SettingsChanged, AgentChanged, RoleChanged)
"""Events after which other limits may hold."""
NO_HEADER = 8
"""Lines below which the header gives way to the status line."""


class MainScreen(Screen[None], inherit_bindings=False):
    """Sessions, conversation and checklist side by side; message box and status line below.

    A screen's own keys are not taken over: tab would move the focus whatever a keymap says.
    """

    CSS_PATH = "main.tcss"
    AUTO_FOCUS = "MessageEditor"

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
            "app.toggle_class('SessionsPane', '-hidden')",
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
        Binding(
            "f3",
            "find",
            "Search all sessions",
            id="app.find",
            tooltip="Find words in every session",
        ),
        Binding("escape", "pause", "Pause", id="app.pause", tooltip="Pause the shown session"),
        Binding(
            "ctrl+r", "resume", "Resume", id="app.resume", tooltip="Go on with the shown session"
        ),
        Binding(
            "ctrl+c,super+c",
            "screen.copy_text",
            "Copy",
            id="app.copy",
            tooltip="Copy what is selected",
        ),
        *ApprovalPanel.SCREEN_BINDINGS,
    ]

    header = query_one(HeaderLine)
    sessions = query_one(SessionsPane)
    conversation = query_one(Conversation)
    checklist = query_one(ChecklistPane)
    approval = query_one(ApprovalPanel)
    question = query_one(QuestionPanel)
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
        self._title = ""
        self._first = session
        self._awaited: str | None = None
        """A fork that was asked for; it is shown when it is there."""
        self._whereabouts = whereabouts

    def compose(self) -> ComposeResult:
        yield HeaderLine(home=self._whereabouts.home, zone=self._whereabouts.zone)
        yield Panes(self._whereabouts.zone)
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

    def on_resize(self, event: events.Resize) -> None:
        width = event.size.width
        self.sessions.narrow = width <= FOLDED_SIDEBAR
        self.set_class(width < NO_CHECKLIST, "-narrow")
        self.set_class(event.size.height < NO_HEADER, "-low")

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Who was in a pane that is hidden now writes on in the message box."""
        if not event.widget.display and self.focused is None:
            self.box.focus()

    # --- looking ----------------------------------------------------------------------------

    def open(self, session: str | None) -> None:
        """Show a session; without one, what is written next begins one."""
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

    def _measure(self, session: str | None) -> None:
        """What the status line measures against, if the session is still the shown one."""
        if session is not None and session == self.watched.session:
            self.limits = self.services.limits(session)
            self._show_session()

    def look(self) -> None:
        """What is new in the store goes to the panes; mostly nothing is."""
        news = self._feed.look()
        if news is None:
            return
        if news.summaries is not None:
            self.summaries = list(news.summaries)
            for changed in self._unread.take(self.summaries, self.watched.session):
                notice(
                    self.app,
                    changed,
                    self.services.announced,
                    shown=changed.session == self.watched.session,
                )
            self._show_summaries()
        if news.state is not None:
            self._show_news(news)
        if self._awaited in [summary.session for summary in self.summaries]:
            awaited, self._awaited = self._awaited, None
            self.open(awaited)

    def tick(self) -> None:
        """Ages and running times, once a second; nothing is laid out again."""
        self.services.store.seen("dashboard", self.services.clock.wall())
        self._show_summaries()
        self._show_session()

    def _show_news(self, news: News) -> None:
        if news.state is not None and news.events:
            self.watched.take(news.state, news.events)
            self.conversation.append(news.events)
            self.query_one(Foot).hear(news.events)
            if any(isinstance(event, CHANGES) for event in news.events):
                self.call_after_refresh(self._measure, self.watched.session)
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
        asked = state.reason if state.state == "awaiting_human" else ""
        self.question.show(state.profile.title, asked)
        self.box.show(state.profile.title, watched.queued)
        if self._title != state.profile.title:
            # Textual repaints the whole pane for a title, also for the same one.
            self._title = self.conversation.border_title = state.profile.title
        self.status.show(
            state,
            watched.activity,
            now=now,
            context=self.limits.context,
            max_wakes=self.limits.max_wakes,
            sandbox=self.limits.sandbox,
        )

    # --- actions ----------------------------------------------------------------------------

    def wish(self, intent: Intent, session: str | None = None) -> None:
        """Ask something of a session, the shown one if none is named."""
        target = session or self.watched.session
        if target is not None:
            number = self.services.post(target, intent)
            if isinstance(intent, Fork):
                from longwatch.engine.forking import fork_id  # noqa: PLC0415 - few ever fork

                self._awaited = fork_id(number)
        else:
            self.notify("No session is open: write what is to be done.", markup=False)

    def action_next_needing(self) -> None:
        needing = self.sessions.next_needing()
        if needing is None:
            self.notify("Nothing needs you.", markup=False)
        else:
            self.open(needing)

    def action_toggle_checklist(self) -> None:
        self.toggle_class("-checklist")

    def action_search(self) -> None:
        self.search_bar.open()

    def action_find(self) -> None:
        from longwatch.ui.screens.search import SearchScreen  # noqa: PLC0415 - when it is wanted

        def found(hit: Hit | None) -> None:
            if hit is not None:
                self.open(hit.session)
                self.conversation.go_to(hit.seq)

        search = SearchScreen(self.services.store, self.services.clock.now())
        self.app.push_screen(search, found)

    def action_pause(self) -> None:
        """Close what is open; with nothing open, pause the shown session."""
        if self.search_bar.is_open:
            self.search_bar.action_close()
            self.box.focus()
        elif self.watched.state.state in AT_WORK:
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
