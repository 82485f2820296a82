"""The settings screen: values with their origins, found by typing, set for a session."""

from pathlib import Path

import pytest
from textual.widgets import Input, OptionList, Static
from ui_services import SETTINGS, FakeServices, running

from longwatch.session.events import SettingsChanged
from longwatch.session.intents import SetSetting
from longwatch.ui.app import Dashboard
from longwatch.ui.screens.dialogs import AskText
from longwatch.ui.screens.settings import SettingsScreen, column_widths, matches
from longwatch.ui.services import Refused, SettingRow


@pytest.fixture
def app(services: FakeServices) -> Dashboard:
    running(services, "s1", "auth")
    return Dashboard(services)


def settings(app: Dashboard) -> SettingsScreen:
    assert isinstance(app.screen, SettingsScreen)
    return app.screen


def rows(app: Dashboard) -> list[str]:
    return [str(option.prompt) for option in settings(app).query_one(OptionList).options]


def sentence(app: Dashboard) -> str:
    return str(settings(app).query_one("#sentence", Static).render())


async def test_every_setting_has_its_value_and_origin(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("f2")
        await pilot.pause()
        told = rows(app)
        assert len(told) == len(SETTINGS)
        for line, row in zip(told, SETTINGS, strict=True):
            assert line.split()[:2] == [row.key, row.value]
            assert line.rstrip().endswith(row.origin)


async def test_the_marked_one_is_explained(app: Dashboard) -> None:
    async with app.run_test() as pilot:
        await pilot.press("f2", "down", "down")
        await pilot.pause()
        assert sentence(app) == SETTINGS[2].sentence
        await pilot.press("up")
        await pilot.pause()
        assert sentence(app) == SETTINGS[1].sentence


async def test_typing_filters(app: Dashboard) -> None:
    async with app.run_test() as pilot:
        await pilot.press("f2", *"auto cont")
        await pilot.pause()
        assert [line.split()[0] for line in rows(app)] == ["auto_continue", "max_auto_continues"]
        await pilot.press(*" coder")
        await pilot.pause()
        assert [line.split()[0] for line in rows(app)] == ["max_auto_continues"]
        await pilot.press("x")
        await pilot.pause()
        assert rows(app) == []
        assert sentence(app) == "Nothing matches."


async def test_enter_asks_and_sets_for_this_session(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        await pilot.press("f2", *"max_auto", "enter")
        assert isinstance(app.screen, AskText)
        assert app.screen.query_one(Input).value == "40"
        await pilot.press("backspace", "backspace", "7", "enter")
        wish = SetSetting(key="max_auto_continues", value="7")
        assert services.configuring.changed == [("s1", wish)]
        [notice] = app._notifications
        assert notice.message == "Set for this session"


async def test_the_table_is_read_again_when_the_store_changes(
    app: Dashboard, services: FakeServices
) -> None:
    async with app.run_test() as pilot:
        await pilot.press("f2")
        settings(app).look()
        services.rows = [SettingRow("max_auto_continues", "7", "session", "How many.")]
        services.keep("s1", SettingsChanged(key="max_auto_continues", value=7))
        settings(app).look()
        await pilot.pause()
        assert rows(app)[0].split() == ["max_auto_continues", "7", "session"]


async def test_a_refusal_is_told(app: Dashboard, services: FakeServices) -> None:
    services.configuring.refuses = "approval: found 'askx', accepted ask, edits"
    async with app.run_test() as pilot:
        await pilot.press("f2", *"approval", "enter", "x", "enter")
        [notice] = app._notifications
        assert notice.message == "approval: found 'askx', accepted ask, edits"
        assert notice.severity == "error"


@pytest.mark.parametrize("keys", [("escape",), ("enter",)])
async def test_what_is_not_changed_is_not_set(
    app: Dashboard, services: FakeServices, keys: tuple[str, ...]
) -> None:
    async with app.run_test() as pilot:
        await pilot.press("f2", "enter", *keys)
        assert isinstance(app.screen, SettingsScreen)
    assert services.configuring.changed == []


@pytest.mark.parametrize("key", ["escape", "f2"])
async def test_it_closes(app: Dashboard, key: str) -> None:
    async with app.run_test() as pilot:
        await pilot.press("f2", key)
        assert app.screen is app.main


async def test_without_a_session_it_is_set_for_those_to_come(services: FakeServices) -> None:
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("f2", *"max_auto", "enter", "0", "enter")
    wish = SetSetting(key="max_auto_continues", value="400")
    assert services.configuring.changed == [(None, wish)]


class Misconfigured(FakeServices):
    def settings(self, session: str | None) -> list[SettingRow]:
        raise Refused(f"config.yaml:3: found a [b]tab\x1b of {session}, accepted spaces")


async def test_what_is_wrong_in_the_files_is_told(tmp_path: Path) -> None:
    services = Misconfigured(tmp_path)
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("f2", "down", "enter")
        await pilot.pause()
        assert sentence(app).startswith("config.yaml:3: found a [b]tab␛ of None")
    services.close()


@pytest.mark.parametrize("room", [40, 56, 70, 100, 124])
def test_columns_fit(room: int) -> None:
    widths = column_widths(SETTINGS, room)
    assert sum(widths) + 4 == room
    assert min(widths) >= 6


def test_all_words_must_match() -> None:
    row = SETTINGS[3]
    assert matches(row, ["wakes", "coder"])
    assert not matches(row, ["wakes", "writer"])
    assert matches(row, [])
