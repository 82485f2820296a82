"""Leaving: at once when nothing runs, else with a question."""

import pytest
from ui_services import FakeServices, resting, running

from longwatch.session.events import StateChanged
from longwatch.session.intents import Pause
from longwatch.ui.app import Dashboard
from longwatch.ui.screens.quitting import Quitting


def shown(app: Dashboard) -> str:
    return "\n".join(str(one.render()) for one in app.screen.query("Static, ChoiceLine"))


async def test_with_nothing_at_work_it_leaves_at_once(services: FakeServices) -> None:
    resting(services, "s1", "changelog")
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+q")
        assert app._exit
    assert services.posted == []


@pytest.mark.parametrize("state", ["running", "waiting"])
async def test_with_something_at_work_it_asks(services: FakeServices, state: str) -> None:
    running(services, "s1", "re[b]factor\x1b")
    services.keep("s1", StateChanged(state="waiting" if state == "waiting" else "running"))
    resting(services, "s2", "changelog")
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+q")
        assert isinstance(app.screen, Quitting)
        told = shown(app)
        assert "1 session is at work" in told
        assert "re[b]factor␛" in told
        assert "changelog" not in told
        assert not app._exit


@pytest.mark.parametrize("keys", [("enter",), ("l",), ("up", "down", "enter")])
async def test_they_may_be_left_running(services: FakeServices, keys: tuple[str, ...]) -> None:
    running(services, "s1", "auth")
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+q", *keys)
        assert app._exit
    assert services.posted == []


@pytest.mark.parametrize("keys", [("p",), ("down", "enter"), ("tab", "enter")])
async def test_they_may_all_be_paused(services: FakeServices, keys: tuple[str, ...]) -> None:
    running(services, "s1", "auth")
    running(services, "s2", "docs")
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+q", *keys)
        assert app._exit
    assert services.posted == [("s1", Pause()), ("s2", Pause())]


@pytest.mark.parametrize("key", ["escape", "s"])
async def test_one_may_stay(services: FakeServices, key: str) -> None:
    running(services, "s1", "auth")
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+q", key)
        assert app.screen is app.main
        assert not app._exit
    assert services.posted == []


async def test_it_asks_once_and_over_any_dialog(services: FakeServices) -> None:
    running(services, "s1", "auth")
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+n", "ctrl+q", "ctrl+q")
        assert sum(isinstance(screen, Quitting) for screen in app.screen_stack) == 1


async def test_a_choice_may_be_clicked(services: FakeServices) -> None:
    running(services, "s1", "auth")
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+q")
        await pilot.click(app.screen.query("ChoiceLine").last())
        assert app.screen is app.main


async def test_many_are_counted(services: FakeServices) -> None:
    for number in range(9):
        running(services, f"s{number}", f"task {number}")
    app = Dashboard(services)
    async with app.run_test(size=(60, 16)) as pilot:
        await pilot.press("ctrl+q")
        assert "9 sessions are at work" in shown(app)
        assert "and 3 more" in shown(app)
