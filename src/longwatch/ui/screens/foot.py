"""Below the panes: questions, search, message box and status line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from msgspec import UNSET
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical

from longwatch.session import AnyEvent
from longwatch.session.events import Failure
from longwatch.session.intents import Answer, Approve, Deny, Pause, Say
from longwatch.ui.dots.parsing import is_dot
from longwatch.ui.dotting import Dotting
from longwatch.ui.services import NewSession
from longwatch.ui.starting import Starting
from longwatch.ui.widgets.approval import ApprovalPanel
from longwatch.ui.widgets.checklist import ChecklistLine
from longwatch.ui.widgets.message_box import MessageBox
from longwatch.ui.widgets.question import QuestionPanel
from longwatch.ui.widgets.search_bar import SearchBar
from longwatch.ui.widgets.status import StatusLine
from longwatch.ui.words import one_line

if TYPE_CHECKING:
    from longwatch.ui.app import Dashboard
    from longwatch.ui.screens.main import MainScreen


class Foot(Vertical):
    """What a person answers, searches and writes."""

    def compose(self) -> ComposeResult:
        yield ApprovalPanel()
        yield QuestionPanel()
        yield SearchBar()
        yield ChecklistLine()
        yield MessageBox()
        yield StatusLine()

    def on_mount(self) -> None:
        self.dots = Dotting(cast("Dashboard", self.app), self.main, self)
        self.main.box.completions = self.dots.completions

    @property
    def main(self) -> "MainScreen":
        return cast("MainScreen", self.screen)

    @on(ApprovalPanel.Answered)
    def _answered(self, event: ApprovalPanel.Answered) -> None:
        if event.allow:
            self.main.wish(Approve(call=event.call, scope=event.scope))
        else:
            self.main.wish(Deny(call=event.call))

    @on(ApprovalPanel.EditWanted)
    def _edit(self, event: ApprovalPanel.EditWanted) -> None:
        """No, and the person says in the message box what to do instead."""
        self.main.wish(Deny(call=event.call))
        self.main.box.focus()

    @on(MessageBox.Submitted)
    def _submitted(self, event: MessageBox.Submitted) -> None:
        if is_dot(event.text):
            self.dots.run(event.text)
        else:
            self.send(event.text.strip(), interrupt=event.interrupt)

    def send(self, text: str, *, interrupt: bool = False) -> None:
        """Write to the shown session; with none shown, begin one."""
        main = self.main
        if main.watched.session is None:
            wanted = NewSession(task=text, cwd=main.services.folder)
            Starting(cast("Dashboard", self.app)).start(wanted)
            return
        if interrupt:
            main.wish(Pause())
        asked = main.watched.state.state == "awaiting_human"
        main.wish(Answer(text=text) if asked else Say(text=text))

    def hear(self, events: Sequence[AnyEvent]) -> None:
        """Tell a person whose wish was refused why."""
        for event in events:
            if isinstance(event, Failure) and event.intent is not UNSET:
                self.notify(one_line(event.message), severity="warning", markup=False)

    @on(MessageBox.TakeBack)
    def _take_back(self, event: MessageBox.TakeBack) -> None:
        self.main.services.withdraw(event.intent)

    @on(SearchBar.Searched)
    def _searched(self, event: SearchBar.Searched) -> None:
        self.main.search_bar.show_found(self.main.conversation.search(event.text))
        if event.text and self.main.watched.session is not None:
            self._search_afar(self.main.watched.session, event.text)

    @work(thread=True, exclusive=True, group="search")
    def _search_afar(self, session: str, text: str) -> None:
        """All of the session, beside the keys: what is at hand is searched already."""
        seqs = self.main.services.store.search_in(session, text)
        self.app.call_from_thread(self._found_afar, session, text, seqs)

    def _found_afar(self, session: str, text: str, seqs: Sequence[int]) -> None:
        if session == self.main.watched.session and self.main.search_bar.text == text:
            self.main.search_bar.show_found(self.main.conversation.found_afar(text, seqs))

    @on(SearchBar.Moved)
    def _moved(self, event: SearchBar.Moved) -> None:
        if event.forward:
            self.main.conversation.step(forward=True)
        else:
            self.main.conversation.step(forward=False)
