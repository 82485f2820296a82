"""What ships is useful as it is: it loads, says the truth about defaults, and is harmless."""

import re
from pathlib import Path

import pytest

from longwatch.adapters.settings.declared import SETTINGS
from longwatch.adapters.settings.files import Library, load_global
from longwatch.adapters.settings.layers import resolve
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.shipped import find_shipped

SHIPPED = find_shipped()
TEMPLATE = (SHIPPED.config / "config.yaml").read_text(encoding="utf-8")
LIBRARY = Library(Places(Path("/none"), Path("/none")), SHIPPED)
NAMES = ("coder", "researcher", "reviewer", "writer")
TOOLS = {
    *("shell", "read_file", "write_file", "edit_file", "list_files", "search"),
    *("ask_user", "spawn_agent", "send_message"),
}


def load(folder: Path, text: str) -> Places:
    (folder / "config.yaml").write_text(text)
    return Places(folder, folder)


def test_the_template_sets_nothing(tmp_path: Path) -> None:
    loaded = load_global(load(tmp_path, TEMPLATE))
    assert (loaded.given.values, loaded.providers, loaded.models) == ({}, {}, {})


def test_the_template_shows_every_setting_with_its_default(tmp_path: Path) -> None:
    shown = re.findall(r"^# ((\w+): .+)$", TEMPLATE, re.MULTILINE)
    lines = [line for line, key in shown if key in SETTINGS]
    in_config = [name for name, setting in SETTINGS.items() if "global" in setting.layers]
    assert sorted(key for _, key in shown if key in SETTINGS) == sorted(in_config)
    given = load_global(load(tmp_path, "\n".join(lines))).given
    defaults = resolve({})
    assert resolve({"global": given}).values == defaults.values
    for key, value in given.values.items():
        assert value == defaults[key]


def test_the_templates_providers_can_be_uncommented(tmp_path: Path) -> None:
    section = TEMPLATE[TEMPLATE.index("# providers:") :]
    text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in section.split("\n"))
    loaded = load_global(load(tmp_path, text), ("openai", "anthropic", "rehearsal"))
    assert set(loaded.providers) == {"nearby", "router"}
    assert set(loaded.models) == {"openai:gpt-4o"}


def test_roles_and_agents_that_are_there() -> None:
    assert set(NAMES) <= set(LIBRARY.roles())
    assert set(NAMES) <= set(LIBRARY.agents())


@pytest.mark.parametrize("name", LIBRARY.roles())
def test_a_role_is_a_short_prompt(name: str) -> None:
    role = LIBRARY.load_role(name)
    assert role.title == name.capitalize()
    assert 200 < len(role.prompt) < 2000
    assert not any(SETTINGS[key].safety for key in role.given.values)
    assert not {"model", "dialect"} & set(role.given.values)


@pytest.mark.parametrize("name", LIBRARY.agents())
def test_an_agent_is_ready_for_use(name: str) -> None:
    agent = LIBRARY.load_agent(name)
    assert agent.title == name.capitalize()
    assert agent.description.endswith(".")
    assert 200 < len(agent.instructions) < 2000
    assert len(agent.conversation_starters) >= 3
    assert set(agent.given.values["enabled_tools"]) <= TOOLS
    assert agent.given.values["auto_continue"] is True
    assert not any(SETTINGS[key].safety for key in agent.given.values)
    assert not {"model", "dialect"} & set(agent.given.values)


def test_the_reviewer_can_change_nothing() -> None:
    tools = set(LIBRARY.load_agent("reviewer").given.values["enabled_tools"])
    assert not tools & {"shell", "write_file", "edit_file", "spawn_agent"}
