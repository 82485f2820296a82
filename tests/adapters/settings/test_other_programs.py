"""The configuration in other programs' documents loads as it stands, and means what they say."""

from pathlib import Path

import pytest
from loki_examples import AGENT, GLOBAL, OLDER_AGENT, ROLE, SESSION, SETTABLE

from longwatch.adapters.settings.files import Library, load_global
from longwatch.adapters.settings.layers import Given, accept, from_record, resolve
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.sessions import parse_session
from longwatch.adapters.settings.setting import Layer
from longwatch.adapters.settings.shipped import Shipped


@pytest.fixture
def library(tmp_path: Path) -> Library:
    for path, text in (
        ("config.yaml", GLOBAL),
        ("roles/helper.md", ROLE),
        ("agents/my-agent/config.yaml", AGENT),
        ("agents/older/config.yaml", OLDER_AGENT),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    none = tmp_path / "none"
    return Library(Places(tmp_path, none), Shipped(none, none))


def test_loki_global(library: Library) -> None:
    assert load_global(library.places).given.values == {
        "auto_continue": True,
        "max_auto_continues": 15,
        "inject_todo_instructions": True,
    }


def test_loki_role(library: Library) -> None:
    role = library.load_role("helper")
    assert role.prompt == "You are a helpful coding assistant."
    assert role.given.values == {
        "auto_continue": True,
        "max_auto_continues": 5,
        "inject_todo_instructions": True,
        "continuation_prompt": "Continue with the next task.",
    }


def test_loki_session() -> None:
    read = parse_session(SESSION, "session.yaml")
    assert read.settings["max_auto_continues"] == 10
    assert "continuation_prompt" not in read.settings


@pytest.mark.parametrize("name", ["my-agent", "older"])
def test_loki_agent(library: Library, name: str) -> None:
    agent = library.load_agent(name)
    assert agent.given.values["model"] == "openai:gpt-4o"
    assert agent.given.values["max_auto_continues"] == 15
    assert agent.given.values["continuation_prompt"].startswith("[CONTINUE]\nYou have unfinished")


def test_loki_precedence(library: Library) -> None:
    """Agent config > Session config > Role config > Global config > Default (false)."""
    given: dict[Layer, Given] = {
        "agent": library.load_agent("my-agent").given,
        "session": from_record(parse_session(SESSION, "session.yaml").settings),
        "role": library.load_role("helper").given,
        "global": load_global(library.places).given,
    }
    seen = []
    for layer in ("agent", "session", "role", "global"):
        resolved = resolve(given)
        seen.append((resolved["max_auto_continues"], resolved.origin("max_auto_continues").layer))
        given = {key: value for key, value in given.items() if key != layer}
    assert seen == [(15, "agent"), (10, "session"), (5, "role"), (15, "global")]
    loki = resolve({"global": Given({"dialect": "loki"})}).loop_settings()
    assert (loki.auto_continue, loki.max_auto_continues) == (False, 10)
    assert (loki.inject_todo_instructions, loki.continuation_prompt) == (True, None)


def test_lokis_literal_reading_of_an_active_agent(library: Library) -> None:
    """An active agent takes full precedence, also where it says nothing."""
    others = from_record(
        parse_session("auto_continue: true\nmax_auto_continues: 99\n", "s").settings
    )
    given: dict[Layer, Given] = {
        "agent": Given({"model": "a:b"}, "file", "quiet"),
        "session": others,
        "role": library.load_role("helper").given,
        "global": Given({"dialect": "loki", "strict_agents": True, "auto_continue": True}),
    }
    loop = resolve(given).loop_settings()
    assert (loop.auto_continue, loop.max_auto_continues) == (False, 10)
    assert loop.continuation_prompt is None


@pytest.mark.parametrize("key", SETTABLE)
def test_loki_runtime_settings(key: str) -> None:
    text, value = SETTABLE[key]
    assert accept(key, text) == value
    assert accept(key, "null") is None


def test_agentparley_wake_budget(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("dialect: parley\nmaxWakeCycles: 30\n")
    resolved = resolve({"global": load_global(Places(tmp_path, tmp_path)).given})
    assert resolved.loop_settings().max_auto_continues == 30
    assert resolve({"global": Given({"dialect": "parley"})})["maxWakeCycles"] == 25


def test_cubepi_texts(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "dialect: cubepi\n"
        "tool_description: Maintain a checklist of steps for the current task.\n"
        'todo_system_prompt: "## Task tracking\\nUse write_todos for all multi-step work."\n'
    )
    loop = resolve({"global": load_global(Places(tmp_path, tmp_path)).given}).loop_settings()
    assert loop.tool_description == "Maintain a checklist of steps for the current task."
    assert loop.todo_system_prompt == "## Task tracking\nUse write_todos for all multi-step work."
    assert (loop.stale_after, loop.stale_interval, loop.finalization_corrections) == (5, 5, 1)


def test_todowrite_numbers() -> None:
    loop = resolve({"global": Given({"dialect": "todowrite"})}).loop_settings()
    assert (loop.max_todos, loop.nag_after) == (20, 3)
