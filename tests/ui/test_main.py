"""The panes together: what gives way in a small terminal, and what is said with nothing open."""

import pytest
from ui_services import FakeServices, running

from longwatch.session.intents import AddTodo
from longwatch.ui.app import Dashboard
from longwatch.ui.screens.main import MainScreen
from longwatch.ui.widgets.conversation import Conversation
from longwatch.ui.widgets.header import HeaderLine
from longwatch.ui.widgets.status import StatusLine


def main_of(app: Dashboard) -> MainScreen:
    assert isinstance(app.screen, MainScreen)
    return app.screen


@pytest.mark.parametrize("size", [(20, 6), (60, 16), (80, 24), (110, 32), (160, 48)])
async def test_the_status_line_is_the_last_line_of_every_terminal(
    services: FakeServices, size: tuple[int, int]
) -> None:
    running(services, "s1", "auth")
    app = Dashboard(services)
    async with app.run_test(size=size):
        region = app.screen.query_one(StatusLine).region
        assert (region.y, region.height, region.width) == (size[1] - 1, 1, size[0])
        assert not app.screen.show_vertical_scrollbar


@pytest.mark.parametrize(("height", "seen"), [(7, False), (8, True)])
async def test_the_header_gives_way_in_a_low_terminal(
    services: FakeServices, height: int, seen: bool
) -> None:
    app = Dashboard(services)
    async with app.run_test(size=(80, height)):
        assert app.screen.query_one(HeaderLine).display is seen


async def test_a_wish_with_nothing_open_is_answered(services: FakeServices) -> None:
    app = Dashboard(services)
    async with app.run_test() as pilot:
        main_of(app).wish(AddTodo(text="more"))
        await pilot.pause()
        told = [notice.message for notice in app._notifications]
    assert told == ["No session is open: write what is to be done."]
    assert services.posted == []


async def test_a_second_that_brings_nothing_repaints_nothing_of_the_conversation(
    services: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    running(services, "s1", "auth")
    app = Dashboard(services, session="s1")
    async with app.run_test() as pilot:
        await pilot.pause()
        repainted: list[object] = []
        monkeypatch.setattr(
            Conversation, "refresh", lambda *regions, **_: repainted.append(regions)
        )
        main_of(app).tick()
    assert repainted == []
