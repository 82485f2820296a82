"""Loki's documented files through the command line: they load as they stand and mean the same."""

import json
from typing import Any

import pytest
from command_line import Home
from fault_server import FaultServer
from loki_examples import AGENT, GLOBAL, OLDER_AGENT, ROLE, SESSION, SETTABLE
from model_replies import Call, Said, stream

FOUR = ("auto_continue", "max_auto_continues", "inject_todo_instructions", "continuation_prompt")


@pytest.fixture
def loki(home: Home) -> Home:
    for path, text in (
        ("config.yaml", GLOBAL),
        ("roles/helper.md", ROLE),
        ("agents/my-agent/config.yaml", AGENT),
        ("agents/older/config.yaml", OLDER_AGENT),
    ):
        (home.config / path).parent.mkdir(parents=True, exist_ok=True)
        (home.config / path).write_text(text, encoding="utf-8")
    (home.base / "session.yaml").write_text(SESSION)
    return home


def four(home: Home, *words: str) -> list[tuple[Any, str]]:
    ran = home.inside("config", "show", "--json", "--dialect", "loki", *words, *FOUR)
    assert ran.code == 0, ran.err
    rows = {row["key"]: row for row in json.loads(ran.out)}
    return [(rows[key]["value"], rows[key]["layer"]) for key in FOUR]


def test_all_of_them_are_right(loki: Home) -> None:
    ran = loki.command("config", "check")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("All is well: 4 files checked")


def test_without_any_the_defaults_are_lokis(home: Home) -> None:
    assert four(home) == [
        (False, "dialect"),
        (10, "dialect"),
        (True, "dialect"),
        (None, "schema"),
    ]


def test_the_global_file(loki: Home) -> None:
    assert four(loki) == [(True, "global"), (15, "global"), (True, "global"), (None, "schema")]


def test_the_role(loki: Home) -> None:
    assert four(loki, "--role", "helper") == [
        (True, "role"),
        (5, "role"),
        (True, "role"),
        ("Continue with the next task.", "role"),
    ]


@pytest.mark.parametrize("name", ["my-agent", "older"])
def test_the_agent(loki: Home, name: str) -> None:
    rows = four(loki, "--agent", name)
    assert rows[:3] == [(True, "agent"), (15, "agent"), (True, "agent")]
    assert rows[3][0].startswith("[CONTINUE]\nYou have unfinished tasks.")
    (model,) = json.loads(loki.inside("config", "show", "--json", "model", "--agent", name).out)
    assert model["value"] == "openai:gpt-4o"


def test_agent_over_session_over_role_over_global(loki: Home) -> None:
    session = loki.inside("import", str(loki.base / "session.yaml")).out.strip()
    words = ["--agent", "my-agent", "--session", session, "--role", "helper"]
    seen = [four(loki, *words[2 * layer :])[1] for layer in range(4)]
    assert seen == [(15, "agent"), (10, "session"), (5, "role"), (15, "global")]


def test_everything_that_can_be_set_at_run_time_can_be_set_by_a_flag(home: Home) -> None:
    words = [word for key, (text, _) in SETTABLE.items() for word in ("--set", f"{key}={text}")]
    ran = home.inside("config", "show", "--json", *words, *SETTABLE)
    rows = {row["key"]: row["value"] for row in json.loads(ran.out)}
    wanted = {k: list(v) if isinstance(v, tuple) else v for k, (_, v) in SETTABLE.items()}
    assert rows == wanted


def test_the_role_continues_as_loki_does(loki: Home, server: FaultServer) -> None:
    """The fixture's server is declared in the global file; Loki's role stays as it stands."""
    calls = (
        Call("i", "todo__init", '{"goal": "Refactor"}'),
        Call("a", "todo__add", '{"task": "Extract"}'),
    )
    done = Call("d", "todo__done", '{"id": 1}')
    replies = (Said(calls=calls), Said("Later."), Said(calls=(done,)), Said("Done."))
    server.add(*(stream("openai", said) for said in replies))
    ran = loki.run("x", "--dialect", "loki", "--role", "helper")
    assert ran.code == 0, ran.err
    (continuing,) = ran.of_type("auto_continuing")
    assert (continuing["n"], continuing["max"]) == (1, 5)
    asked = server.asked[2]["messages"]
    assert asked[-1]["content"].startswith("Continue with the next task.")
    assert "Refactor" in asked[-1]["content"]
    assert "You are a helpful coding assistant." in asked[0]["content"]
    assert {"todo__init", "todo__add", "todo__done", "todo__list", "todo__clear"} <= {
        tool["function"]["name"] for tool in server.asked[0]["tools"]
    }
