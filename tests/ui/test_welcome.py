"""The questions of a dashboard's start: how to begin, and whether to trust the folder."""

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static
from ui_services import FOLDER, FakeServices, running

from longwatch.ui.app import Dashboard
from longwatch.ui.configuring import Server
from longwatch.ui.palette import Everything
from longwatch.ui.screens.dialogs import AskText, ChoiceLine, Confirm
from longwatch.ui.screens.main import MainScreen

OLLAMA = Server("Ollama", "http://127.0.0.1:11434/v1", ("qwen3", "llama4"))


@pytest.fixture
def new(services: FakeServices) -> FakeServices:
    services.welcoming.new = True
    return services


def lines(app: Dashboard) -> list[str]:
    """The choices of the dialog that is open."""
    assert isinstance(app.screen, Confirm)
    return [line.choice.label for line in app.screen.query(ChoiceLine)]


def question(app: Dashboard) -> str:
    return str(app.screen.query_one(".dialog-question", Static).render())


async def looked(pilot: Pilot[None]) -> None:
    """Until what was looked for in a thread is there."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def test_three_ways_on(new: FakeServices) -> None:
    new.welcoming.variables = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")
    app = Dashboard(new)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert lines(app) == [
            "Play the demo: no key, no network",
            "Use the key in ANTHROPIC_API_KEY",
            "Use the key in OPENAI_API_KEY",
            "Point to a local server, such as Ollama",
        ]
        await pilot.press("2")
        await pilot.pause()
        assert isinstance(app.screen, MainScreen)
    assert new.welcoming.used == ["OPENAI_API_KEY"]


async def test_without_a_key_the_variables_are_named(new: FakeServices) -> None:
    app = Dashboard(new)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "export ANTHROPIC_API_KEY or OPENAI_API_KEY" in question(app)
        assert len(lines(app)) == 2


async def test_escape_writes_nothing(new: FakeServices) -> None:
    app = Dashboard(new)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("escape")
        assert isinstance(app.screen, MainScreen)
    assert new.welcoming.used == []


async def test_the_demo_follows_the_dashboard(new: FakeServices) -> None:
    app = Dashboard(new)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("d")
    assert app.wants_demo
    assert new.welcoming.used == []


async def test_a_server_that_was_found(new: FakeServices) -> None:
    new.welcoming.answering = (OLLAMA,)
    app = Dashboard(new)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("s")
        await looked(pilot)
        assert lines(app) == [
            "Ollama at http://127.0.0.1:11434/v1 (2 models)",
            "Type an address",
        ]
        await pilot.press("1")
        assert lines(app) == ["qwen3", "llama4"]
        await pilot.press("2")
    assert new.welcoming.used == ["llama4 at http://127.0.0.1:11434/v1"]


async def test_an_address_that_is_typed_is_asked_for_until_it_answers(new: FakeServices) -> None:
    app = Dashboard(new)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("s")
        await looked(pilot)
        assert question(app) == "None answers on the usual ports."
        await pilot.press("a", "x", "enter")
        await looked(pilot)
        assert isinstance(app.screen, AskText)
        assert "x does not answer." in str(app.screen.query_one(".dialog-detail").render())
        new.welcoming.answering = (Server("box", "x", ()),)
        await pilot.press("x", "enter")
        await looked(pilot)
        assert isinstance(app.screen, AskText)
        app.screen.query_one(Input).value = "mine"
        await pilot.press("enter")
    assert new.welcoming.used == ["mine at x"]


# --- trust ----------------------------------------------------------------------------------


@pytest.fixture
def project(services: FakeServices) -> FakeServices:
    running(services, "s1", "auth")
    services.welcoming.bringing = (".longwatch/config.yaml", ".longwatch/roles/[b]x\x1b.md")
    return services


@pytest.mark.parametrize(("key", "trusted"), [("t", True), ("n", False), ("enter", False)])
async def test_the_answer_is_kept(project: FakeServices, key: str, trusted: bool) -> None:
    app = Dashboard(project)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert FOLDER in question(app)
        assert ".longwatch/roles/[b]x␛.md" in question(app)
        await pilot.press(key)
        await pilot.pause()
        assert isinstance(app.screen, MainScreen)
    assert project.welcoming.trusted == [(FOLDER, trusted)]


async def test_no_answer_is_none_and_the_next_session_asks_again(project: FakeServices) -> None:
    app = Dashboard(project)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("escape")
        assert project.welcoming.trusted == []
        assert app.main is not None
        app.main.open(None)
        app.main.box.text = "Do it."
        app.main.box.focus()
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, Confirm)
        assert project.started == []
        await pilot.press("t")
        await pilot.pause()
    assert project.welcoming.trusted == [(FOLDER, True)]
    assert [wanted.task for wanted in project.started] == ["Do it."]


async def test_with_nothing_to_ask_nothing_is_asked(services: FakeServices) -> None:
    app = Dashboard(services)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert isinstance(app.screen, MainScreen)


async def test_the_palette_asks_again_after_a_no(project: FakeServices) -> None:
    project.welcoming.trusted = [(FOLDER, False)]
    app = Dashboard(project)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, MainScreen)
        [again] = [c for c in Everything(app.screen).commands() if c.name.startswith("Trust")]
        again.run()
        await pilot.pause()
        await pilot.press("t")
    assert project.welcoming.trusted[-1] == (FOLDER, True)
