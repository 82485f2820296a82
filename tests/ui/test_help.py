"""The help screen: every key, by place, and the person's own ones."""

import pytest
from rich.cells import cell_len
from textual.app import App
from ui_services import FakeServices, running

from longwatch.ui.actions import Action, collect
from longwatch.ui.app import Dashboard
from longwatch.ui.looks import Looks
from longwatch.ui.places import places
from longwatch.ui.screens.help import HelpScreen, KeysOf, balanced, table

ACTIONS = collect(places(Dashboard))


def sample(name: str, *keys: str, tooltip: str = "Do it", where: str = "Here") -> Action:
    return Action(id=name, keys=keys, description=name, tooltip=tooltip, where=where)


def shown(app: App[None]) -> str:
    return "\n".join(str(one.render()) for one in app.screen.query(KeysOf))


@pytest.mark.parametrize("size", [(160, 48), (110, 32), (80, 24), (60, 16)])
async def test_every_action_is_there(services: FakeServices, size: tuple[int, int]) -> None:
    app = Dashboard(services)
    async with app.run_test(size=size) as pilot:
        await pilot.press("f1")
        assert isinstance(app.screen, HelpScreen)
        told = shown(app)
        for action in ACTIONS:
            assert action.where in told
            assert " ".join(action.tooltip.split()[:2]) in told, action.id


@pytest.mark.parametrize("key", ["escape", "f1"])
async def test_it_closes(services: FakeServices, key: str) -> None:
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("f1", key)
        assert app.screen is app.main


async def test_a_question_mark_in_a_text_is_a_question_mark(services: FakeServices) -> None:
    running(services, "s1", "auth")
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.press("w", "h", "y", "question_mark")
        assert app.main is not None
        assert app.screen is app.main
        assert app.main.box.text == "why?"


async def test_it_scrolls(services: FakeServices) -> None:
    app = Dashboard(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f1")
        scroll = app.screen.query_one("VerticalScroll")
        await pilot.press("down", "down")
        assert scroll.scroll_y == 2
        await pilot.press("up", "pagedown")
        assert scroll.scroll_y > 10
        await pilot.press("end")
        assert scroll.scroll_y == scroll.max_scroll_y
        await pilot.press("home")
        assert scroll.scroll_y == 0


async def test_keys_of_ones_own_are_shown(services: FakeServices) -> None:
    app = Dashboard(services, looks=Looks(keymap={"app.new": "f7"}))
    async with app.run_test() as pilot:
        await pilot.press("f1")
        line = next(line for line in shown(app).splitlines() if "Start a new session" in line)
        assert line.split()[0] == "f7"


def test_what_a_key_does_stands_beside_it_also_when_it_is_long() -> None:
    long = "Word " * 20
    lines = str(table("Here", [sample("a", "x"), sample("b", "alt+x", tooltip=long)], 40)).split(
        "\n"
    )
    assert lines[0] == "Here"
    assert lines[1].index("Do it") == lines[2].index("Word")
    assert len(lines) > 4
    assert all(line.startswith(" " * 9) for line in lines[3:])
    assert all(cell_len(line) <= 40 for line in lines)


def test_columns_are_nearly_as_high_as_each_other() -> None:
    tables = [KeysOf(str(n), [sample(f"a.{n}", "x")] * n) for n in (3, 9, 4, 4, 4)]
    left, right = balanced(tables)
    assert left + right == tables
    heights = [sum(one.weight for one in column) for column in (left, right)]
    assert abs(heights[0] - heights[1]) <= 8
