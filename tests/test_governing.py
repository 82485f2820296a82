"""Changing a session's settings, agent and role: what is granted, refused and told."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.shipped import find_shipped
from longwatch.engine.refusing import ChangeRefused
from longwatch.governing import House, Outside
from longwatch.session import SessionState, advance
from longwatch.session.events import AgentChanged, RoleChanged, SettingsChanged
from longwatch.session.intents import SetSetting
from longwatch.session.state import Profile


@pytest.fixture
def house(tmp_path: Path) -> House:
    places = Places(tmp_path / "config", tmp_path / "data")
    places.config.mkdir()
    return House(Outside(places=places, shipped=find_shipped(), environ={}))


def begun(dialect: str = "loki", **profile: Any) -> SessionState:
    return SessionState(
        session="s1",
        at="2026-11-18T08:00:00.000Z",
        profile=Profile(cwd="/", model="rehearsal:tour", dialect=dialect, **profile),
    )


def change(house: House, state: SessionState, key: str, value: Any) -> SessionState:
    event = house.change(state, SetSetting(key=key, value=value))
    return advance(state, replace(event, at=state.at))


def tools(house: House, state: SessionState) -> frozenset[str]:
    return house.conduct(state).rules.todo_tools


def test_in_loki_the_todo_tools_come_and_go_with_auto_continue(house: House) -> None:
    off = begun()
    on = change(house, off, "auto_continue", "true")
    again = change(house, on, "auto_continue", "null")
    assert tools(house, off) == frozenset()
    assert {"todo__init", "todo__add"} <= tools(house, on)
    assert tools(house, again) == frozenset()
    assert "todo__init" in house.conduct(on).rules.system_prompt
    assert "todo__init" not in house.conduct(again).rules.system_prompt


def test_text_is_read_as_on_a_command_line_and_recorded_as_its_value(house: House) -> None:
    event = house.change(begun(), SetSetting(key="max_wake_cycles", value="20"))
    assert event == SettingsChanged(key="max_auto_continues", value=20, by="human")


def test_null_unsets(house: House) -> None:
    event = house.change(begun(), SetSetting(key="max_todos", value="null"))
    assert event == SettingsChanged(key="max_todos", value=None, by="human")


@pytest.mark.parametrize(("key", "value"), [("model", "rehearsal:tour"), ("dialect", "longwatch")])
def test_a_session_without_its_own_takes_what_holds_below(
    house: House, key: str, value: str
) -> None:
    event = house.change(begun(), SetSetting(key=key, value="null"))
    assert event == SettingsChanged(key=key, value=value, by="human")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("max_tood", "3", "Unknown key 'max_tood'; did you mean 'max_todos'?"),
        ("auto_continue", "maybe", "auto_continue: found 'maybe', accepted true or false"),
        ("dialect", "lokey", "did you mean 'loki'?"),
        ("strict_agents", "true", "strict_agents: found it in a session"),
        ("model", "nobody:m", "unknown provider 'nobody'"),
        ("agent", "codre", "did you mean 'coder'?"),
        ("role", "../etc", "a name of letters, digits"),
    ],
)
def test_what_cannot_be_worked_with_is_refused(
    house: House, key: str, value: str, said: str
) -> None:
    with pytest.raises(ChangeRefused) as refused:
        house.change(begun(), SetSetting(key=key, value=value))
    assert said in str(refused.value)


def test_agent_and_role_are_changes_of_their_own(house: House) -> None:
    state = begun()
    assert house.change(state, SetSetting(key="agent", value="coder")) == AgentChanged(name="coder")
    assert house.change(state, SetSetting(key="role", value=None)) == RoleChanged(name=None)


def test_continuing_without_function_calling_is_refused_with_what_to_set_first(
    house: House,
) -> None:
    off = change(house, begun(), "function_calling_support", "false")
    with pytest.raises(ChangeRefused, match=r"first: \.set function_calling_support true"):
        house.change(off, SetSetting(key="auto_continue", value="true"))
    house.change(off, SetSetting(key="auto_continue", value="false"))


def test_where_an_agent_turned_it_off_the_agent_is_named(house: House) -> None:
    folder = house.outside.places.config / "agents" / "quiet"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("function_calling_support: false\n")
    with pytest.raises(ChangeRefused, match="agent 'quiet' sets function_calling_support to false"):
        house.change(begun(agent="quiet"), SetSetting(key="auto_continue", value="true"))
