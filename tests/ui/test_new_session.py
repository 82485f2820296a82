"""Starting a session: the task first, the rest as usual, nothing lost when it is refused."""

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Input, Select, Static, TextArea
from ui_services import FOLDER, FakeServices, running

from longwatch.ui.app import Dashboard
from longwatch.ui.screens.dialogs import Confirm
from longwatch.ui.screens.new_session import NewSessionScreen
from longwatch.ui.services import Choices, NewSession, Refused


def form(app: Dashboard) -> NewSessionScreen:
    assert isinstance(app.screen, NewSessionScreen)
    return app.screen


def hint(app: Dashboard) -> str:
    return str(form(app).query_one("#hint", Static).render())


@pytest.fixture
def app(services: FakeServices) -> Dashboard:
    return Dashboard(services)


@pytest.mark.parametrize("key", ["ctrl+enter", "ctrl+j", "f5"])
async def test_a_task_is_enough(app: Dashboard, services: FakeServices, key: str) -> None:
    async with app.run_test() as pilot:
        await pilot.press("ctrl+n", *"Do it", "enter", *"now", key)
        await pilot.pause()
        assert services.started == [NewSession(task="Do it\nnow", cwd=FOLDER)]
        assert app.main is not None
        assert app.screen is app.main
        assert app.main.watched.session == "new1"


async def test_the_task_has_the_focus(app: Dashboard) -> None:
    async with app.run_test() as pilot:
        await pilot.press("ctrl+n")
        assert isinstance(app.focused, TextArea)


async def test_everything_may_be_chosen_with_the_keyboard(
    app: Dashboard, services: FakeServices
) -> None:
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+n", *"Go", "tab")
        await pilot.press("enter", "down", "enter")
        await pilot.press("tab", "enter", "down", "down", "enter")
        await pilot.press("tab", *"openai:gpt", "right", "enter")
        await pilot.press("enter", "down", "down", "enter")
        await pilot.press("tab", "enter", "down", "enter")
        await pilot.press("tab", "end", *"/api", "enter")
        assert isinstance(app.focused, Button)
        await pilot.press("enter")
        await pilot.pause()
    [wanted] = services.started
    assert wanted.cwd == f"{FOLDER}/api"
    assert wanted.model == "openai:gpt-4o"
    assert wanted.agent in services.offered.agents
    assert wanted.role in services.offered.roles
    assert wanted.dialect in services.offered.dialects
    assert wanted.approval in services.offered.approvals


async def test_enter_in_a_line_moves_on(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        await pilot.press("ctrl+n", *"Go")
        form(app).query_one("#model", Input).focus()
        await pilot.press("enter")
        assert app.focused is form(app).query_one("#dialect", Select)
    assert services.started == []


@pytest.mark.parametrize("written", ["", "   "])
async def test_without_a_task_it_says_so(
    app: Dashboard, services: FakeServices, written: str
) -> None:
    async with app.run_test() as pilot:
        await pilot.press("ctrl+n", *["space"] * len(written), "f5")
        await pilot.pause()
        assert hint(app) == "Write what is to be done."
        assert isinstance(app.focused, TextArea)
    assert services.started == []


async def test_escape_starts_nothing(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        await pilot.press("ctrl+n", *"Go", "escape")
        assert app.screen is app.main
    assert services.started == []


async def test_escape_closes_an_open_menu_first(app: Dashboard) -> None:
    async with app.run_test() as pilot:
        await pilot.press("ctrl+n", "tab", "enter", "escape")
        assert isinstance(app.screen, NewSessionScreen)


async def test_what_was_written_is_kept_when_it_is_refused(
    app: Dashboard, services: FakeServices
) -> None:
    services.refuses = "no folder [b]x[/b]\x1b"
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+n", *"Go on", "f5")
        await pilot.pause()
        assert form(app).written.text == "Go on"
        assert hint(app) == "no folder [b]x[/b]␛"
        services.refuses = ""
        await pilot.press("f5")
        await pilot.pause()
        assert app.screen is app.main
    assert [one.task for one in services.started] == ["Go on", "Go on"]


class Misconfigured(FakeServices):
    def choices(self, cwd: str) -> Choices:
        raise Refused(f"config.yaml is wrong ({cwd})")


async def test_with_files_that_are_wrong_it_still_opens_and_says_so(tmp_path: Path) -> None:
    services = Misconfigured(tmp_path)
    app = Dashboard(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert hint(app) == f"config.yaml is wrong ({FOLDER})"
    services.close()


async def test_names_are_not_markup(app: Dashboard, services: FakeServices) -> None:
    services.offered = Choices(agents=("[bold]x[/bold]", "[/nothing]"), models=("[red]m",))
    async with app.run_test() as pilot:
        await pilot.press("ctrl+n", "tab", "enter", "down", "enter")
        await pilot.pause()
        assert form(app).query_one("#agent", Select).value in services.offered.agents


@pytest.mark.parametrize("size", [(160, 48), (110, 32), (80, 24), (60, 16)])
async def test_all_of_it_is_to_be_seen(
    app: Dashboard, services: FakeServices, size: tuple[int, int]
) -> None:
    running(services, "s1", "auth")
    async with app.run_test(size=size) as pilot:
        await pilot.press("ctrl+n")
        await pilot.pause()
        for name in ("task", "agent", "role", "model", "dialect", "approval", "folder", "start"):
            region = form(app).query_one(f"#{name}").region
            assert region.height >= 1, name
            assert region.bottom <= size[1], name


async def choose_auto(pilot: Pilot[None], app: Dashboard) -> None:
    await pilot.press("ctrl+n", *"Go")
    form(app).query_one("#approval", Select).value = "auto"
    await pilot.press("f5")
    await pilot.pause()


async def test_auto_without_a_sandbox_is_confirmed_once_for_a_folder(
    app: Dashboard, services: FakeServices
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await choose_auto(pilot, app)
        assert isinstance(app.screen, Confirm)
        question = str(app.screen.query_one(".dialog-question", Static).render())
        assert "bubblewrap is not installed" in question
        assert FOLDER in question
        assert services.started == []
        await pilot.press("y")
        await pilot.pause()
        assert services.allowed == [FOLDER]
        await choose_auto(pilot, app)
    wanted = NewSession(task="Go", cwd=FOLDER, approval="auto")
    assert services.started == [wanted, wanted]
    assert services.allowed == [FOLDER]


async def test_enter_leaves_the_commands_asking(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await choose_auto(pilot, app)
        await pilot.press("enter")
        await pilot.pause()
    assert services.started == [NewSession(task="Go", cwd=FOLDER, approval="auto")]
    assert services.allowed == []


async def test_escape_goes_back_to_what_was_written(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await choose_auto(pilot, app)
        await pilot.press("escape")
        await pilot.pause()
        assert form(app).written.text == "Go"
        assert form(app).query_one("#approval", Select).value == "auto"
    assert services.started == []
    assert services.allowed == []


async def test_what_was_written_in_the_message_box_is_not_lost_either(
    app: Dashboard, services: FakeServices
) -> None:
    services.refuses = "config.yaml is wrong"
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"Go", "enter")
        await pilot.pause()
        assert form(app).written.text == "Go"
        assert hint(app) == "config.yaml is wrong"
