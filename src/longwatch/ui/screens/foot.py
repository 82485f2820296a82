"""Below the panes: questions, search, message box and status line."""

from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from longwatch.session.intents import Answer, Approve, Deny, Pause, Say
from longwatch.ui.widgets.approval import ApprovalPanel
from longwatch.ui.widgets.checklist import ChecklistLine
from longwatch.ui.widgets.message_box import MessageBox
from longwatch.ui.widgets.search_bar import SearchBar
from longwatch.ui.widgets.status import StatusLine

if TYPE_CHECKING:
    from longwatch.ui.screens.main import MainScreen


class Foot(Vertical):
    """What a person answers, searches and writes."""

    def compose(self) -> ComposeResult:
        yield ApprovalPanel()
        yield SearchBar()
        yield ChecklistLine()
        yield MessageBox()
        yield StatusLine()

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
        main = self.main
        if main.watched.session is None:
            main.start(event.text)
            return
        if event.interrupt:
            main.wish(Pause())
        asked = main.watched.state.state == "awaiting_human"
        main.wish(Answer(text=event.text) if asked else Say(text=event.text))

    @on(MessageBox.TakeBack)
    def _take_back(self, event: MessageBox.TakeBack) -> None:
        self.main.services.withdraw(event.intent)

    @on(SearchBar.Searched)
    def _searched(self, event: SearchBar.Searched) -> None:
        self.main.search_bar.show_found(self.main.conversation.search(event.text))

    @on(SearchBar.Moved)
    def _moved(self, event: SearchBar.Moved) -> None:
        if event.forward:
            self.main.conversation.next_match()
        else:
            self.main.conversation.previous_match()
