"""Dot commands in place of a task, by the real command."""

import json

import pytest
from command_line import Home

SET = ("run", "--session", "work")


@pytest.fixture
def session(home: Home) -> str:
    """A session that has come to its end."""
    home.run("Do it.", "--session", "work", "--dialect", "loki", "--model", "rehearsal:loki")
    [one] = home.sessions()
    return str(one["session"])


def settings(home: Home, session: str) -> dict[str, object]:
    shown: dict[str, object] = json.loads(home.ok("show", session, "--json"))["settings"]
    return shown


def test_set_is_recorded_in_the_session_and_runs_nothing(home: Home, session: str) -> None:
    before = home.ok("export", session)
    assert home.ok(*SET, ".set max_auto_continues 3") == "Set for this session\n"
    assert home.ok(*SET, "/set continuation_prompt Go on,  please.") == "Set for this session\n"
    assert settings(home, session) == {
        "max_auto_continues": 3,
        "continuation_prompt": "Go on,  please.",
    }
    added = home.ok("export", session).removeprefix(before).splitlines()
    assert [json.loads(line)["type"] for line in added] == ["settings_changed"] * 2
    assert home.ok(*SET, ".set max_auto_continues null").startswith("Unset for this session")
    assert list(settings(home, session)) == ["continuation_prompt"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".set auto_continue", "usage: .set KEY VALUE"),
        (".set max_tood 3", "Unknown key 'max_tood'; did you mean 'max_todos'?"),
        (".set auto_continue maybe", "accepted true or false"),
        (".agent codre", "did you mean 'coder'?"),
        (".unod", "did you mean '.undo'?"),
        (".edit config", ".edit works in the dashboard only."),
        (".exit", ".exit works in the dashboard only."),
        (".continue", "use `longwatch resume SESSION --headless`"),
    ],
)
def test_what_cannot_be_done_is_told_with_code_2(
    home: Home, session: str, text: str, said: str
) -> None:
    before = home.ok("export", session)
    ran = home.command(*SET, text)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""
    assert home.ok("export", session) == before


def test_a_command_about_a_session_needs_one(home: Home) -> None:
    ran = home.command("run", ".set max_todos 3")
    assert ran.code == 2
    assert "--session NAME" in ran.err
    assert home.sessions() == []


def test_help_and_info(home: Home, session: str) -> None:
    assert ".set KEY VALUE" in home.ok("run", ".help")
    assert f"id        {session}" in home.ok(*SET, ".info")
    assert "dialect   longwatch" in home.ok("run", ".info session")


def test_agents_are_switched(home: Home, session: str) -> None:
    assert home.ok(*SET, ".agent coder") == "Agent 'coder' from now on\n"
    told = home.ok(*SET, ".set max_auto_continues 3")
    assert told == "Set for this session; agent 'coder' sets it to 40, which wins\n"
    assert home.ok(*SET, ".exit agent") == "No agent from now on\n"
    assert "agent " not in home.ok(*SET, ".info session")
    assert home.ok(*SET, ".rename Another") == "Renamed to Another\n"
    assert home.sessions()[0]["title"] == "Another"
    assert session == home.sessions()[0]["session"]


def test_with_a_space_in_front_or_from_a_pipe_it_is_a_task(home: Home) -> None:
    home.run(" .gitignore lacks node_modules")
    piped = home.command("run", "-", "--json", given=".help me with this")
    titles = sorted(str(one["title"]) for one in home.sessions())
    assert titles == [".gitignore lacks node_modules", ".help me with this"]
    assert piped.events
