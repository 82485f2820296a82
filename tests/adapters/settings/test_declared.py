"""The declaration: complete, in line with the loop and the dialects, and light to import."""

import re
import subprocess
import sys
from typing import Any

import pytest

from longwatch.adapters.settings.declared import ALIASES, SETTINGS, check, parse, setting_named
from longwatch.adapters.settings.problems import BadSetting, UnknownKey
from longwatch.adapters.settings.setting import GROUPS, LAYERS
from longwatch.dialects import LoopSettings

TABLE = {
    "model",
    "dialect",
    "auto_continue",
    "max_auto_continues",
    "inject_todo_instructions",
    "continuation_prompt",
    "stop_on_identical_reply",
    "max_idle_continues",
    "plan_nudge",
    "nag_after",
    "nag_without_list",
    "stale_after",
    "stale_interval",
    "finalization_corrections",
    "on_guard_exhausted",
    "max_todos",
    "max_turns",
    "max_injected_turns",
    "max_tokens_per_run",
    "max_cost_per_run",
    "max_minutes_per_run",
    "tool_description",
    "todo_system_prompt",
    "temperature",
    "top_p",
    "max_output_tokens",
    "reasoning_effort",
    "enabled_tools",
    "enabled_mcp_servers",
    "function_calling_support",
    "mcp_server_support",
    "stream",
    "approval",
    "sandbox",
    "sandbox_network",
    "save_session",
    "compression_threshold",
    "summarization_prompt",
    "summary_context_prompt",
    "dry_run",
    "save",
    "highlight",
    "notify",
    "insecure_http",
}
SAFETY = {"approval", "sandbox", "sandbox_network", "insecure_http"}


def test_every_setting_of_the_table_is_declared() -> None:
    assert set(SETTINGS) == {*TABLE, "strict_agents", "schedule"}


def test_the_loop_is_declared_whole_with_its_own_defaults() -> None:
    loop = LoopSettings()
    for name in LoopSettings.__struct_fields__:
        assert SETTINGS[name].default == getattr(loop, name)


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("model", None),
        ("dialect", "longwatch"),
        ("auto_continue", False),
        ("max_auto_continues", 10),
        ("inject_todo_instructions", True),
        ("continuation_prompt", None),
        ("enabled_tools", "all"),
        ("function_calling_support", True),
        ("approval", "ask"),
        ("sandbox", "auto"),
        ("sandbox_network", False),
        ("save_session", True),
        ("compression_threshold", None),
        ("dry_run", False),
        ("save", False),
        ("highlight", True),
        ("stream", True),
        ("notify", ("done", "blocked", "approval", "idle", "failed")),
        ("insecure_http", ()),
        ("temperature", None),
    ],
)
def test_defaults(name: str, default: Any) -> None:
    assert SETTINGS[name].default == default


@pytest.mark.parametrize("name", SETTINGS)
def test_each_is_described_once_and_its_default_is_accepted(name: str) -> None:
    setting = SETTINGS[name]
    assert re.fullmatch(r"[A-Z].*\.", setting.sentence)
    assert setting.group in GROUPS
    assert check(name, setting.default) == setting.default
    assert parse(name, "null") is None
    assert check(name, None) is None


def test_only_safety_is_kept_from_projects_and_all_of_it_is() -> None:
    assert {name for name, setting in SETTINGS.items() if setting.safety} == SAFETY
    assert all("project" not in SETTINGS[name].layers for name in SAFETY)
    kept = {name for name, setting in SETTINGS.items() if "project" not in setting.layers}
    assert kept == {*SAFETY, "strict_agents", "schedule"}
    assert set(SETTINGS["strict_agents"].layers) == {"flag", "global"}
    assert set(SETTINGS["schedule"].layers) == {"flag", "agent", "session"}
    assert SETTINGS["model"].layers == LAYERS


@pytest.mark.parametrize("alias", ["max_wake_cycles", "maxWakeCycles"])
def test_other_names_of_the_wake_budget(alias: str) -> None:
    assert ALIASES[alias] == "max_auto_continues"
    assert setting_named(alias) is SETTINGS["max_auto_continues"]
    assert check(alias, 7) == parse(alias, "7") == 7


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("auto_contineu", "Unknown key 'auto_contineu'; did you mean 'auto_continue'?"),
        ("maxWakeCycle", "Unknown key 'maxWakeCycle'; did you mean 'maxWakeCycles'?"),
        ("TEMPERATURE", "Unknown key 'TEMPERATURE'; did you mean 'temperature'?"),
        ("zzzzzz", "Unknown key 'zzzzzz'"),
        ("a\x1bb", r"Unknown key 'a\x1bb'"),
    ],
)
def test_an_unknown_key_names_the_nearest(name: str, said: str) -> None:
    for look in (check, parse):
        with pytest.raises(UnknownKey) as caught:
            look(name, "1")
        assert str(caught.value) == said


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("auto_continue", "maybe", "found 'maybe', accepted true or false (or null)"),
        ("max_auto_continues", "-1", "accepted a whole number from 0 to 1000000000 (or null)"),
        ("approval", "atuo", "did you mean 'auto'?"),
        ("dialect", "lokki", "did you mean 'loki'?"),
        ("temperature", "hot", "accepted a number from 0 to 2 (or null)"),
        ("model", "gpt-4o", "accepted provider:name, such as openai:gpt-4o (or null)"),
    ],
)
def test_a_bad_value_says_what_is_accepted(name: str, text: str, said: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parse(name, text)
    assert str(caught.value).startswith(f"{name}: found '{text}'")
    assert said in str(caught.value)


def test_text_is_taken_as_it_stands() -> None:
    assert parse("continuation_prompt", " go on, \n now ") == " go on, \n now "
    assert parse("continuation_prompt", "nullify") == "nullify"


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("declared", ["yaml", "platformdirs", "cronsim", "httpx", "asyncio", "difflib"]),
        ("layers", ["yaml", "platformdirs", "cronsim", "httpx", "asyncio", "difflib"]),
        ("files", ["yaml", "platformdirs", "cronsim", "httpx", "asyncio"]),
    ],
)
def test_importing_loads_nothing_that_is_slow(module: str, absent: list[str]) -> None:
    program = (
        f"import sys, longwatch.adapters.settings.{module}\n"
        f"print([name for name in {absent!r} if name in sys.modules])"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
