"""Where keys apply in the dashboard: every class that binds some, under the name of its place."""

from textual.app import App

from longwatch.ui.actions import Place

ANYWHERE = "Anywhere"


def places(app: type[App[None]]) -> tuple[Place, ...]:
    """In the order in which the help screen tells them."""
    # What is only looked at when a person asks for help is not loaded at the start.
    from longwatch.ui.screens.dialogs import AskText, Confirm  # noqa: PLC0415
    from longwatch.ui.screens.help import HelpScreen  # noqa: PLC0415
    from longwatch.ui.screens.main import MainScreen  # noqa: PLC0415
    from longwatch.ui.screens.new_session import NewSessionScreen  # noqa: PLC0415
    from longwatch.ui.screens.page import Page  # noqa: PLC0415
    from longwatch.ui.screens.quitting import Quitting  # noqa: PLC0415
    from longwatch.ui.screens.search import SearchScreen  # noqa: PLC0415
    from longwatch.ui.screens.settings import SettingsScreen  # noqa: PLC0415
    from longwatch.ui.widgets.approval import ApprovalPanel  # noqa: PLC0415
    from longwatch.ui.widgets.checklist import ChecklistPane  # noqa: PLC0415
    from longwatch.ui.widgets.conversation import Conversation  # noqa: PLC0415
    from longwatch.ui.widgets.message_box import MessageEditor  # noqa: PLC0415
    from longwatch.ui.widgets.search_bar import SearchBar  # noqa: PLC0415
    from longwatch.ui.widgets.sessions import SessionsPane  # noqa: PLC0415

    return (
        Place(ANYWHERE, (app, MainScreen)),
        Place("Message box", (MessageEditor,)),
        Place("Sessions", (SessionsPane,)),
        Place("Conversation", (Conversation,)),
        Place("Checklist", (ChecklistPane,)),
        Place("An approval", (ApprovalPanel,)),
        Place("Search", (SearchBar,)),
        Place("Search all sessions", (SearchScreen,)),
        Place("New session", (NewSessionScreen,)),
        Place("Settings", (SettingsScreen,)),
        Place("Help", (HelpScreen,)),
        Place("A page", (Page,)),
        Place("A question", (AskText, Confirm)),
        Place("Quitting", (Quitting,)),
    )
