"""The palette: every action that can run, every session, every theme, safe with any title."""

import pytest
from textual.command import CommandInput, CommandList, CommandPalette
from textual.pilot import Pilot
from textual.theme import Theme
from ui_services import FakeServices, begun, resting, running

from longwatch.session.events import StateChanged
from longwatch.session.intents import Pause, Resume, Say
from longwatch.ui.actions import collect
from longwatch.ui.app import Dashboard
from longwatch.ui.looks import Looks
from longwatch.ui.palette import Everything, match
from longwatch.ui.places import places
from longwatch.ui.screens.help import HelpScreen
from longwatch.ui.screens.new_session import NewSessionScreen
from longwatch.ui.screens.settings import SettingsScreen

THEMES = {
    name: Theme(name=name, primary="#808080", foreground="#ffffff", background="#000000")
    for name in ("longwatch", "ember")
}


@pytest.fixture
def app(services: FakeServices) -> Dashboard:
    running(services, "s1", "auth")
    resting(services, "s2", "changelog")
    services.keep("s3", begun("pay [b]ments[/b]\x1b"))
    services.keep("s3", StateChanged(state="awaiting_approval", reason="approve: [red]push"))
    return Dashboard(services, session="s1", looks=Looks(themes=THEMES))


def names(app: Dashboard) -> list[str]:
    return [command.name for command in Everything(app.screen).commands()]


def lines(app: Dashboard) -> list[str]:
    return [str(option.prompt) for option in app.screen.query_one(CommandList).options]


async def opened(pilot: Pilot[None], app: Dashboard, text: str = "") -> None:
    """The palette with what it found; it gathers in a worker of its own."""
    app.action_command_palette()
    await app.workers.wait_for_complete()
    for _ in range(3):
        await pilot.pause()
    if text:
        app.screen.query_one(CommandInput).value = text
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()


async def run(pilot: Pilot[None], app: Dashboard, text: str) -> None:
    await opened(pilot, app, text)
    await pilot.press("enter")
    await pilot.pause()


async def test_every_action_of_what_is_to_be_seen(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)):
        offered = names(app)
        for action in collect(places(Dashboard)):
            if action.where == "Anywhere" and not action.id.startswith("approval."):
                assert action.description in offered or action.id == "app.palette"
            if action.where in ("Sessions", "Conversation") and "filter" not in action.id:
                assert f"{action.where}: {action.description}" in offered
        assert "Settings: Close" not in offered
        assert "Help: Close" not in offered
        assert "Palette" not in offered


async def test_it_opens_with_its_key(app: Dashboard) -> None:
    async with app.run_test() as pilot:
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, CommandPalette)


async def test_what_needs_a_person_comes_first(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)):
        offered = names(app)
        assert offered[0] == "Go to pay [b]ments[/b]␛"
        assert "Go to changelog" in offered
        assert "Go to auth" not in offered


async def test_titles_are_shown_as_they_are(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await opened(pilot, app)
        assert "Go to pay [b]ments[/b]␛" in lines(app)[0]
        assert "approve: [red]push" in lines(app)[0]
        assert any(line.startswith("ctrl+n") and "New session" in line for line in lines(app))


async def test_a_session_is_opened(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await run(pilot, app, "go changelog")
        assert app.main is not None
        assert app.main.watched.session == "s2"


@pytest.mark.parametrize(
    ("text", "screen"),
    [("help", HelpScreen), ("settings", SettingsScreen), ("new sess", NewSessionScreen)],
)
async def test_an_action_is_run(app: Dashboard, text: str, screen: type[object]) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await run(pilot, app, text)
        assert isinstance(app.screen, screen)


async def test_resume_is_asked_of_the_shown_session(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await run(pilot, app, "resume")
    assert services.posted == [("s1", Resume())]


async def test_an_action_of_a_pane_that_has_no_focus_is_run_there(
    app: Dashboard, services: FakeServices
) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await run(pilot, app, "checklist add")
        assert app.screen is not app.main
        await pilot.press(*"Test it", "enter")
        await pilot.pause()
    assert [type(intent).__name__ for _, intent in services.posted] == ["AddTodo"]


async def test_a_message_is_sent_at_once_without_the_key_that_few_terminals_have(
    app: Dashboard, services: FakeServices
) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press(*"Stop it")
        await run(pilot, app, "interrupt and send")
        await pilot.pause()
        assert app.main is not None
        assert app.main.box.text == ""
    assert services.posted == [("s1", Pause()), ("s1", Say(text="Stop it"))]


async def test_a_theme_is_put_on_and_remembered(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        assert app.theme == "longwatch"
        assert services.memory == {}
        await run(pilot, app, "theme ember")
        assert app.theme == "ember"
        await pilot.pause()
    assert services.memory == {"theme": "ember"}


async def test_a_remembered_theme_comes_back(services: FakeServices) -> None:
    services.memory["theme"] = "ember"
    app = Dashboard(services, looks=Looks(themes=THEMES))
    async with app.run_test():
        assert app.theme == "ember"
    assert services.memory == {"theme": "ember"}


async def test_a_remembered_theme_that_is_gone_is_no_harm(services: FakeServices) -> None:
    services.memory["theme"] = "nowhere"
    app = Dashboard(services, looks=Looks(themes=THEMES))
    async with app.run_test():
        assert app.theme == "longwatch"


async def test_keys_of_ones_own_are_shown(services: FakeServices) -> None:
    app = Dashboard(services, looks=Looks(keymap={"app.new": "f7"}))
    async with app.run_test(size=(160, 48)) as pilot:
        await opened(pilot, app, "new session")
        assert lines(app)[0].startswith("f7")


async def test_over_a_dialog_it_offers_the_dialogs_actions(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("ctrl+n")
        assert "New session: Start" in names(app)


# --- matching -------------------------------------------------------------------------------


def test_a_beginning_beats_a_middle_and_a_middle_beats_scattered_letters() -> None:
    texts = ["Settings", "Checklist: Reset", "Use the list"]
    scores = [match("set", text)[0] for text in texts]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3


@pytest.mark.parametrize(
    ("query", "text", "offsets"),
    [
        ("he", "Help", (0, 1)),
        ("add check", "Checklist: Add", (0, 1, 2, 3, 4, 11, 12, 13)),
        ("cla", "Checklist: Add", (0, 5, 11)),
        ("xyz", "Help", ()),
        ("", "Help", ()),
    ],
)
def test_what_fits(query: str, text: str, offsets: tuple[int, ...]) -> None:
    score, found = match(query, text)
    assert found == offsets
    assert bool(score) == bool(offsets)


def test_matching_takes_no_time_for_nasty_titles() -> None:
    score, found = match("a" * 40, "a" * 20_000 + "b")
    assert score > 0
    assert len(found) == 40
