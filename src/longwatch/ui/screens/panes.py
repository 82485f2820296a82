"""The three panes side by side, and where their wishes go."""

from datetime import tzinfo
from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from longwatch.session.intents import Rename
from longwatch.ui.screens.dialogs import AskText
from longwatch.ui.widgets.checklist import ChecklistPane
from longwatch.ui.widgets.conversation import Conversation
from longwatch.ui.widgets.sessions import SessionsPane

if TYPE_CHECKING:
    from longwatch.ui.screens.main import MainScreen


class Panes(Horizontal):
    """Sessions, conversation, checklist."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        super().__init__()
        self._zone = zone

    def compose(self) -> ComposeResult:
        yield SessionsPane(zone=self._zone)
        yield Conversation()
        yield ChecklistPane()

    @property
    def main(self) -> "MainScreen":
        return cast("MainScreen", self.screen)

    @on(SessionsPane.Selected)
    def _open(self, event: SessionsPane.Selected) -> None:
        self.main.open(event.session)

    @on(SessionsPane.Wanted)
    def _wish_of_session(self, event: SessionsPane.Wanted) -> None:
        self.main.wish(event.intent, event.session)

    @on(Conversation.Wanted)
    def _wish_of_conversation(self, event: Conversation.Wanted) -> None:
        self.main.wish(event.intent)

    @on(SessionsPane.NewWanted)
    async def _new(self) -> None:
        await self.app.run_action("new_session")

    @on(SessionsPane.RenameWanted)
    def _rename(self, event: SessionsPane.RenameWanted) -> None:
        def renamed(title: str | None) -> None:
            if title:
                self.main.wish(Rename(title=title), event.session)

        self.app.push_screen(AskText("Rename the session", event.title), renamed)

    @on(ChecklistPane.Wanted)
    def _wish_of_list(self, event: ChecklistPane.Wanted) -> None:
        self.main.wish(event.intent)

    @on(ChecklistPane.GoTo)
    def _go_to(self, event: ChecklistPane.GoTo) -> None:
        """Where the item was worked on last."""
        seq = self.main.watched.worked_on.get(event.uid)
        if seq is None:
            self.main.notify("Nothing was done for this item yet.", markup=False)
        else:
            self.main.conversation.go_to(seq)
