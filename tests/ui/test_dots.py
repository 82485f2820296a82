"""Dot commands typed into the dashboard."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from ui_services import FakeServices, begun, resting, running

from longwatch.engine.forking import fork_id
from longwatch.session import Intent
from longwatch.session.events import Failure
from longwatch.session.intents import (
    ClearTodos,
    Compact,
    Fork,
    Rename,
    Resume,
    Say,
    SetSetting,
    Undo,
)
from longwatch.ui.app import Dashboard
from longwatch.ui.palette import Everything
from longwatch.ui.screens.dialogs import AskText, Confirm
from longwatch.ui.screens.main import MainScreen
from longwatch.ui.screens.page import Page
from longwatch.ui.screens.quitting import Quitting
from longwatch.ui.screens.settings import SettingsScreen
from longwatch.ui.widgets.offers import Offers


class Suspending(Dashboard):
    """A dashboard on a terminal that can be given to an editor."""

    @contextmanager
    def suspend(self) -> Iterator[None]:
        yield


@pytest.fixture
def app(services: FakeServices, tmp_path: Path) -> Dashboard:
    services.configuring.folder = tmp_path
    running(services, "s1", "auth")
    resting(services, "s2", "changelog")
    return Suspending(services, session="s1")


def main(app: Dashboard) -> MainScreen:
    assert app.main is not None
    return app.main


async def typed(pilot: Pilot[None], text: str) -> None:
    """Written and sent."""
    app = pilot.app
    assert isinstance(app, Dashboard)
    main(app).box.text = text
    await pilot.press("enter")
    await pilot.pause()


def told(app: Dashboard) -> list[str]:
    return [notice.message for notice in app._notifications]


def page(app: Dashboard) -> str:
    assert isinstance(app.screen, Page)
    return str(app.screen.query_one("Page Static").render())


async def test_set_asks_for_it_and_says_the_answer(app: Dashboard, services: FakeServices) -> None:
    services.configuring.said = "Set for this session; agent 'coder' sets it to 40, which wins"
    async with app.run_test() as pilot:
        await typed(pilot, ".set max_auto_continues 20")
        assert told(app) == [services.configuring.said]
        assert main(app).box.text == ""
    wish = SetSetting(key="max_auto_continues", value="20")
    assert services.configuring.changed == [("s1", wish)]
    assert services.posted == []


async def test_what_is_refused_is_told_and_can_be_mended(
    app: Dashboard, services: FakeServices
) -> None:
    services.configuring.refuses = "Unknown key 'max_todo'; did you mean 'max_todos'?"
    async with app.run_test() as pilot:
        await typed(pilot, ".set max_todo 3")
        assert told(app) == [services.configuring.refuses]
        assert main(app).box.text == ".set max_todo 3"


async def test_a_usage_line_instead_of_half_a_command(
    app: Dashboard, services: FakeServices
) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, "/set auto_continue")
        assert told(app) == ["usage: .set KEY VALUE"]
    assert services.posted == []


async def test_an_unknown_command_is_not_sent(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".unod")
        assert "did you mean '.undo'?" in told(app)[0]
    assert services.posted == []


async def test_with_a_space_in_front_it_is_a_message(
    app: Dashboard, services: FakeServices
) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, " .undo is a word")
    assert services.posted == [("s1", Say(text=".undo is a word"))]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        (".clear todo", ClearTodos()),
        (".compact", Compact()),
        (".fork", Fork()),
        (".retry", Undo(retry=True)),
        (".undo", Undo()),
        (".continue", Resume()),
        (".rename Another title", Rename(title="Another title")),
    ],
)
async def test_wishes(app: Dashboard, services: FakeServices, text: str, intent: Intent) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, text)
    assert services.posted == [("s1", intent)]


async def test_a_wish_that_the_worker_refuses_is_told(
    app: Dashboard, services: FakeServices
) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".clear todo")
        words = "The todo list is already empty."
        services.keep(
            "s1", Failure(kind="nothing_changed", message=words, intent="i1"), answered=["i1"]
        )
        main(app).look()
        await pilot.pause()
        assert told(app) == [words]


async def test_a_fork_is_shown_when_it_is_there(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".fork")
        assert main(app).watched.session == "s1"
        services.keep(fork_id("i1"), begun("auth, forked"))
        main(app).look()
        assert main(app).watched.session == fork_id("i1")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        (".agent coder", "agent", "coder"),
        (".role writer", "role", "writer"),
        (".exit agent", "agent", None),
        (".exit role", "role", None),
    ],
)
async def test_agents_and_roles_are_set(
    app: Dashboard, services: FakeServices, text: str, key: str, value: str | None
) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, text)
    assert services.configuring.changed == [("s1", SetSetting(key=key, value=value))]


async def test_going_to_another_session(app: Dashboard) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".session changelog")
        assert main(app).watched.session == "s2"
        await typed(pilot, ".session chanelog")
        assert told(app) == ["There is no session 'chanelog'; 'changelog'?"]
        assert main(app).watched.session == "s2"


async def test_leaving_the_session_starts_another(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".exit session")
        assert main(app).watched.session is None
        assert main(app).conversation.border_title == ""
        main(app).look()
        await typed(pilot, ".undo")
        assert told(app) == ["No session is open, and .undo is about one."]
        await typed(pilot, ".set max_todos 3")
        await typed(pilot, "Something else.")
    assert services.configuring.changed == [(None, SetSetting(key="max_todos", value="3"))]
    assert [wanted.task for wanted in services.started] == ["Something else."]


async def test_exit_alone_quits_and_asks_where_something_runs(app: Dashboard) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".exit")
        assert isinstance(app.screen, Quitting)


async def test_info_is_a_page_of_plain_text(app: Dashboard) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".info tools")
        assert page(app) == "[red]tools of s1␛"
        await pilot.press("escape")
        assert app.screen is main(app)


async def test_info_settings_is_the_settings_screen(app: Dashboard) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".info settings")
        assert isinstance(app.screen, SettingsScreen)


async def test_help_lists_the_commands(app: Dashboard) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await typed(pilot, ".help")
        assert ".export FORMAT FILE" in page(app)


async def test_a_starter_is_sent(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".starter 2")
        await typed(pilot, ".starter 9")
        assert told(app) == ["There is no starter 9; there are 2."]
        await typed(pilot, ".starter")
        assert isinstance(app.screen, Confirm)
        await pilot.press("1")
    texts = [intent.text for _, intent in services.posted if isinstance(intent, Say)]
    assert texts == ["Write the tests.", "Find the bug."]


async def test_rename_alone_asks_for_the_title(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".rename")
        assert isinstance(app.screen, AskText)
        await pilot.press("2", "enter")
    assert services.posted == [("s1", Rename(title="auth2"))]


async def test_export(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        await typed(pilot, ".export yaml out.yaml")
        assert told(app) == ["Exported to out.yaml"]
    assert services.configuring.exported == [("s1", "yaml", "out.yaml")]


# --- editing --------------------------------------------------------------------------------


def editor(services: FakeServices, script: str) -> None:
    """An editor that does this to the file."""
    path = services.configuring.folder / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    services.configuring.command = (str(path),)


async def test_an_edited_text_is_applied(app: Dashboard, services: FakeServices) -> None:
    editor(services, 'echo after > "$1"')
    async with app.run_test() as pilot:
        await typed(pilot, ".edit config")
        assert told(app) == ["Saved."]
    assert services.configuring.applied == ["after\n"]
    assert list(services.configuring.folder.glob("scratch*")) == []


async def test_nothing_is_applied_that_was_not_changed(
    app: Dashboard, services: FakeServices
) -> None:
    editor(services, "true")
    async with app.run_test() as pilot:
        await typed(pilot, ".edit session")
        assert told(app) == ["Nothing was changed."]
    assert services.configuring.applied == []


async def test_what_is_wrong_can_be_edited_again_and_is_not_lost(
    app: Dashboard, services: FakeServices
) -> None:
    services.configuring.wrong = "config.yaml:1: Unknown key 'mdoel'; did you mean 'model'?"
    editor(services, 'echo more >> "$1"')
    async with app.run_test() as pilot:
        await typed(pilot, ".edit config")
        assert isinstance(app.screen, Confirm)
        assert services.configuring.applied == []
        await pilot.press("e")
        await pilot.pause()
        assert told(app) == ["Saved."]
    assert services.configuring.applied == ["before\nmore\nmore\n"]


@pytest.mark.parametrize(("key", "left"), [("d", 0), ("escape", 1)])
async def test_what_is_wrong_can_be_dropped_or_kept(
    app: Dashboard, services: FakeServices, key: str, left: int
) -> None:
    services.configuring.wrong = "wrong"
    editor(services, 'echo more >> "$1"')
    async with app.run_test() as pilot:
        await typed(pilot, ".edit config")
        await pilot.press(key)
        await pilot.pause()
    assert services.configuring.applied == []
    assert len(list(services.configuring.folder.glob("scratch*"))) == left


async def test_an_editor_that_fails_applies_nothing(app: Dashboard, services: FakeServices) -> None:
    editor(services, 'echo more >> "$1"; exit 3')
    async with app.run_test() as pilot:
        await typed(pilot, ".edit config")
        assert "ended with code 3" in told(app)[0]
    assert services.configuring.applied == []


async def test_an_editor_that_is_not_there_is_told(app: Dashboard, services: FakeServices) -> None:
    services.configuring.command = ("/nowhere/ed",)
    async with app.run_test() as pilot:
        await typed(pilot, ".edit config")
        assert told(app)[0].startswith("It cannot be edited here")


# --- completion and palette -----------------------------------------------------------------


async def test_tab_completes_names_keys_and_values(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        await pilot.press(*".set a", "tab")
        assert main(app).box.text == ".set auto_continue"
        await pilot.press("space", "t", "tab", "enter")
        await pilot.pause()
    wish = SetSetting(key="auto_continue", value="true")
    assert services.configuring.changed == [("s1", wish)]


async def test_the_list_follows_what_is_typed(app: Dashboard) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*".agent ", "tab")
        await pilot.pause()
        offers = main(app).box.query_one(Offers)
        assert offers.display
        assert [line.strip() for line in str(offers.render()).splitlines()] == [
            "coder",
            "researcher",
            "reviewer",
        ]
        await pilot.press("r")
        await pilot.pause()
        assert "coder" not in str(offers.render())
        await pilot.press("escape")
        await pilot.pause()
        assert str(offers.render()) == ""
        assert main(app).box.text == ".agent r"


async def test_the_palette_has_the_same_words(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test() as pilot:
        commands = {command.name: command for command in Everything(app.screen).commands()}
        commands[".undo"].run()
        await pilot.pause()
        assert services.posted == [("s1", Undo())]
        commands[".set KEY VALUE"].run()
        assert main(app).box.text == ".set "
