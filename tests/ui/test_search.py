"""Searching: all of the shown session, and all sessions."""

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Label, OptionList
from ui_services import FakeServices, begun

from longwatch.session import KnownEvent
from longwatch.session.events import AssistantMessage, UserMessage
from longwatch.ui.app import Dashboard
from longwatch.ui.screens.search import SearchScreen
from longwatch.ui.widgets.search_bar import SearchBar

LONG = 900


def told(text: str) -> AssistantMessage:
    return AssistantMessage(text=text, finish="stop", tool_calls=())


@pytest.fixture
def app(services: FakeServices) -> Dashboard:
    talk: list[KnownEvent] = [told(f"Line {k} of many.") for k in range(LONG)]
    talk[9] = told("A needle near the beginning.")
    talk[500] = told("A needle in the middle.")
    services.keep("s1", begun("auth"), *talk)
    services.keep(
        "s2", begun("pay"), UserMessage(text="Find the needle [b]here[/b].", source="human")
    )
    return Dashboard(services, session="s1")


async def settled(pilot: Pilot[None], app: Dashboard) -> None:
    await pilot.pause()
    await app.workers.wait_for_complete()
    await pilot.pause()


def on_screen(app: Dashboard) -> str:
    assert app.main is not None
    pane = app.main.conversation
    return "\n".join(pane.render_line(y).text for y in range(pane.size.height))


async def searched(pilot: Pilot[None], app: Dashboard, text: str) -> str:
    """What the bar says of it."""
    await pilot.press("ctrl+f")
    assert app.main is not None
    app.main.query_one(SearchBar).query_one(Input).value = text
    await settled(pilot, app)
    return str(app.main.query_one("#found", Label).content)


async def test_the_whole_session_is_searched_and_not_only_what_is_at_hand(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        assert await searched(pilot, app, "needle") == " 2 found"
        assert "A needle in the middle." in on_screen(app)


async def test_the_next_match_is_fetched_from_afar_and_goes_round(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await searched(pilot, app, "needle")
        for expected in ("beginning", "middle", "beginning"):
            await pilot.press("down")
            await settled(pilot, app)
            assert expected in on_screen(app)
        await pilot.press("up")
        await settled(pilot, app)
        assert "middle" in on_screen(app)


async def test_what_is_nowhere_is_not_found(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        assert await searched(pilot, app, "unheard-of") == " 0 found"
        await pilot.press("down", "up")
        assert f"Line {LONG - 1} of many." in on_screen(app)


async def find(pilot: Pilot[None], app: Dashboard, text: str) -> list[str]:
    await pilot.press("f3")
    assert isinstance(app.screen, SearchScreen)
    app.screen.query_one(Input).value = text
    await settled(pilot, app)
    return [str(option.prompt) for option in app.screen.query_one(OptionList).options]


async def test_all_sessions_are_searched_with_session_time_and_line(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        lines = await find(pilot, app, "needle")
        assert [line.split()[0] for line in lines] == ["pay", "auth", "auth"]
        assert "Find the needle [b]here[/b]." in lines[0]
        assert "59m" in lines[0]
        assert "middle" in lines[1]


async def test_enter_opens_the_session_there(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await find(pilot, app, "needle beginning")
        await pilot.press("enter")
        await settled(pilot, app)
        assert app.main is not None
        assert app.screen is app.main
        assert app.main.watched.session == "s1"
        assert "A needle near the beginning." in on_screen(app)


async def test_arrows_choose_and_escape_closes(app: Dashboard) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await find(pilot, app, "needle")
        await pilot.press("down", "down", "down", "up")
        assert app.screen.query_one(OptionList).highlighted == 1
        await pilot.press("escape")
        assert app.screen is app.main


@pytest.mark.parametrize("odd", ['"', "(", "a AND", "\x1b[31m", "", "  "])
async def test_any_text_can_be_searched_for(app: Dashboard, odd: str) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await find(pilot, app, odd)
        await pilot.press("enter", "escape")
