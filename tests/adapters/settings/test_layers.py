"""Which layer wins, for every setting and every pair of layers; and where a value comes from."""

from itertools import combinations
from typing import Any

import pytest

from longwatch.adapters.settings.declared import SETTINGS
from longwatch.adapters.settings.kinds import (
    Amount,
    Choice,
    Count,
    Cron,
    Hosts,
    Selection,
    Several,
    Switch,
    Text,
)
from longwatch.adapters.settings.layers import (
    Given,
    Origin,
    accept,
    from_environment,
    from_flags,
    from_record,
    resolve,
)
from longwatch.adapters.settings.problems import BadSetting, Problems
from longwatch.adapters.settings.setting import LAYERS, STRICT_GROUPS, Layer, Setting
from longwatch.dialects import DIALECTS, LoopSettings

PAIRS = [
    pytest.param(name, high, low, id=f"{name}-{high}-{low}")
    for name, setting in SETTINGS.items()
    for high, low in combinations(setting.layers, 2)
]
BY_DIALECT: dict[str, tuple[Any, ...]] = {
    "auto_continue": (True, True, False, False, False),
    "max_auto_continues": (25, 25, 10, 10, 10),
    "stop_on_identical_reply": (True, False, True, False, False),
    "max_idle_continues": (3, 0, 0, 0, 0),
    "plan_nudge": (True, False, False, False, False),
    "nag_after": (3, 0, 0, 3, 0),
    "nag_without_list": (False, False, False, True, False),
    "stale_after": (0, 0, 0, 0, 5),
    "stale_interval": (0, 0, 0, 0, 5),
    "finalization_corrections": (0, 0, 0, 0, 1),
    "on_guard_exhausted": ("proceed",) * 5,
    "max_todos": (20, 0, 0, 20, 0),
    "max_turns": (1000,) * 5,
    "max_injected_turns": (None,) * 5,
}


def two_values(setting: Setting) -> tuple[Any, Any]:
    """Two different values, neither of them the default."""
    match setting.kind:
        case Switch():
            return (True, False)
        case Count():
            return (77, 78)
        case Amount():
            return (0.25, 0.5)
        case Choice(options):
            return (options[-1], options[-2])
        case Several(options):
            return (options[:1], options[:2])
        case Selection():
            return (("shell",), "none")
        case Hosts():
            return (("a",), ("b",))
        case Cron():
            return ("0 9 * * *", "0 8 * * *")
        case Text():
            return ("a:b", "c:d")
        case kind:
            raise AssertionError(kind)


@pytest.mark.parametrize(("name", "high", "low"), PAIRS)
def test_the_higher_layer_wins_and_null_falls_through(name: str, high: Layer, low: Layer) -> None:
    one, two = two_values(SETTINGS[name])
    given: dict[Layer, Given] = {
        high: Given({name: one}, f"{high}-file", f"{high}-name"),
        low: Given({name: two}, f"{low}-file", f"{low}-name"),
    }
    resolved = resolve(given)
    assert resolved[name] == one
    assert resolved.origin(name) == Origin(high, f"{high}-file", f"{high}-name")
    if name == "strict_agents":
        return
    given[high] = Given({name: None})
    assert resolve(given)[name] == two
    given[high] = Given()
    assert resolve(given).origin(name).layer == low


def test_the_order_of_all_layers() -> None:
    given: dict[Layer, Given] = {
        layer: Given({"max_turns": number}) for number, layer in enumerate(LAYERS, 1)
    }
    order = []
    while given:
        order.append(resolve(given).origin("max_turns").layer)
        del given[LAYERS[len(order) - 1]]
    order.append(resolve({}).origin("max_turns").layer)
    order.append(resolve({}).origin("highlight").layer)
    assert order == [
        *("flag", "agent", "session", "role", "project", "global"),
        *("dialect", "schema"),
    ]


@pytest.mark.parametrize("name", BY_DIALECT)
def test_defaults_by_dialect(name: str) -> None:
    for dialect, value in zip(DIALECTS, BY_DIALECT[name], strict=True):
        resolved = resolve({"global": Given({"dialect": dialect})})
        assert resolved[name] == value
        assert getattr(resolved.loop_settings(), name) == value
        if value is not None:
            assert resolved.origin(name) == Origin("dialect", "", dialect)


@pytest.mark.parametrize("layer", SETTINGS["dialect"].layers)
def test_any_layers_dialect_brings_its_defaults(layer: Layer) -> None:
    resolved = resolve({layer: Given({"dialect": "cubepi"})})
    assert resolved.loop_settings() == DIALECTS["cubepi"].defaults


def test_without_anything_the_default_dialects_loop_holds() -> None:
    resolved = resolve({})
    assert resolved["dialect"] == "longwatch"
    assert resolved.loop_settings() == DIALECTS["longwatch"].defaults
    assert resolved["approval"] == "ask"
    assert list(resolved) == list(SETTINGS)


def test_the_loop_takes_every_setting_of_its_own() -> None:
    values = {name: two_values(SETTINGS[name])[0] for name in LoopSettings.__struct_fields__}
    assert resolve({"session": Given(values)}).loop_settings() == LoopSettings(**values)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("layer", ["session", "role", "project", "global"])
def test_a_strict_agent_hides_how_others_work_and_no_more(name: str, layer: Layer) -> None:
    setting = SETTINGS[name]
    value = two_values(setting)[0]
    given = {"agent": Given(name="a"), layer: Given({name: value})}
    given["flag"] = Given({"strict_agents": True})
    if name == "strict_agents" or layer not in setting.layers:
        return
    resolved = resolve(given)
    if setting.group in STRICT_GROUPS:
        assert resolved.origin(name).layer in ("dialect", "schema")
    else:
        assert (resolved[name], resolved.origin(name).layer) == (value, layer)
    assert resolve({**given, "agent": Given({name: value})})[name] == value


def test_strict_agents_keeps_the_persons_limits_model_and_safety() -> None:
    kept = {name for name, setting in SETTINGS.items() if setting.group not in STRICT_GROUPS}
    assert kept >= {"model", "dialect", "approval", "sandbox", "max_cost_per_run", "dry_run"}
    assert not kept & {"auto_continue", "max_auto_continues", "continuation_prompt"}


def test_strict_agents_means_nothing_without_an_agent() -> None:
    values = {"strict_agents": True, "max_auto_continues": 3}
    assert resolve({"global": Given(values)})["max_auto_continues"] == 3
    hidden = resolve({"global": Given(values), "agent": Given()})
    assert hidden["max_auto_continues"] == 25


def test_a_flag_beats_a_strict_agent() -> None:
    resolved = resolve(
        {
            "flag": Given({"max_todos": 1}),
            "agent": Given({"max_todos": 2}),
            "global": Given({"strict_agents": True}),
        }
    )
    assert resolved["max_todos"] == 1


def test_the_environment_is_over_the_global_file_and_names_its_variable() -> None:
    file = Given({"stream": True, "save": True, "model": "a:b"}, "config.yaml")
    environ = {
        "LONGWATCH_STREAM": "off",
        "LONGWATCH_MODEL": "null",
        "LONGWATCH_SAVE": "",
        "LONGWATCH_MAX_WAKE_CYCLES": "4",
        "LONGWATCH_CONFIG_DIR": "/x",
        "LONGWATCH_OTHER": "x",
        "STREAM": "x",
    }
    resolved = resolve({"global": file.under(from_environment(environ))})
    assert resolved["stream"] is False
    assert resolved.origin("stream") == Origin("global", "LONGWATCH_STREAM")
    assert resolved["max_auto_continues"] == 4
    assert resolved.origin("max_auto_continues").file == "LONGWATCH_MAX_WAKE_CYCLES"
    assert (resolved["save"], resolved["model"]) == (True, "a:b")
    assert resolved.origin("model") == Origin("global", "config.yaml")


def test_wrong_variables_are_all_told() -> None:
    environ = {"LONGWATCH_STREAM": "x", "LONGWATCH_TEMPERATURE": "9", "LONGWATCH_SCHEDULE": "x"}
    with pytest.raises(Problems) as refused:
        from_environment(environ)
    lines = str(refused.value).split("\n")
    assert sorted(line.split(":")[0] for line in lines) == sorted(environ)
    assert "LONGWATCH_STREAM: stream: found 'x', accepted true or false (or null)" in lines


@pytest.mark.parametrize("name", [n for n, s in SETTINGS.items() if "global" in s.layers])
def test_every_global_setting_has_a_variable(name: str) -> None:
    assert from_environment({f"LONGWATCH_{name.upper()}": "null"}).values == {name: None}


def test_flags() -> None:
    given = from_flags(
        ["continuation_prompt=a=b, c", "maxWakeCycles=3", " stream =no"], {"approval": "auto"}
    )
    assert given.values == {
        "continuation_prompt": "a=b, c",
        "max_auto_continues": 3,
        "stream": False,
        "approval": "auto",
    }
    assert given.place("stream") == "--set"
    assert given.place("approval") == "--approval"


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("stream", "--set: found 'stream', accepted KEY=VALUE"),
        ("steam=true", "--set: steam: Unknown key 'steam'; did you mean 'stream'?"),
        ("stream=7", "--set: stream: found '7', accepted true or false (or null)"),
        ("=x", "--set: Unknown key ''"),
    ],
)
def test_wrong_flags(pair: str, said: str) -> None:
    with pytest.raises(Problems) as refused:
        from_flags([pair])
    assert str(refused.value) == said


def test_recorded_settings_come_back_and_what_is_no_longer_accepted_falls_through() -> None:
    record = {
        "notify": ["done"],
        "enabled_tools": ["shell"],
        "gone": 1,
        "stream": "x",
        "save": None,
    }
    given = from_record(record)
    assert given.values == {"notify": ("done",), "enabled_tools": ("shell",), "save": None}
    assert resolve({"session": given})["save"] is False


@pytest.mark.parametrize(
    ("key", "value", "canonical"),
    [
        ("auto_continue", "yes", True),
        ("auto_continue", True, True),
        ("continuation_prompt", "null", None),
        ("max_wake_cycles", "9", 9),
        ("notify", ["idle"], ("idle",)),
        ("schedule", "0 9 * * *", "0 9 * * *"),
        ("approval", "edits", "edits"),
        ("model", None, None),
    ],
)
def test_values_for_a_session(key: str, value: Any, canonical: Any) -> None:
    assert accept(key, value) == canonical


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("strict_agents", "true", "found it in a session, accepted only in: a flag, config.yaml"),
        ("auto_continue", "perhaps", "accepted true or false"),
        ("autocontinue", "true", "Unknown key 'autocontinue'; did you mean 'auto_continue'?"),
    ],
)
def test_values_that_no_session_takes(key: str, value: Any, said: str) -> None:
    with pytest.raises(BadSetting) as refused:
        accept(key, value)
    assert said in str(refused.value)


def test_what_a_person_is_told_who_sets_something() -> None:
    session = Given({"stream": False, "max_todos": 3})
    agent = Given({"max_todos": 5}, "file", "ops")
    resolved = resolve({"session": session, "agent": agent})
    assert resolved.answer_to_set("stream") == "Set for this session"
    said = "Set for this session; agent 'ops' sets it to 5, which wins"
    assert resolved.answer_to_set("max_todos") == said
    flagged = resolve({"session": session, "flag": Given({"stream": True})})
    said = "Set for this session; a flag sets it to true, which wins"
    assert flagged.answer_to_set("stream") == said
    strict = Given({"strict_agents": True})
    hidden = resolve({"session": session, "agent": Given(name="ops"), "global": strict})
    said = "Set for this session; agent 'ops' hides it (strict_agents)"
    assert hidden.answer_to_set("max_todos") == said


def test_rows_for_showing() -> None:
    resolved = resolve({"role": Given({"top_p": 0.5}, "roles/x.md", "x")})
    rows = {row.key: row for row in resolved.as_rows()}
    assert list(rows) == list(SETTINGS)
    row = rows["top_p"]
    assert (row.value, row.layer, row.file, row.name) == (0.5, "role", "roles/x.md", "x")
    assert (rows["nag_after"].layer, rows["nag_after"].name) == ("dialect", "longwatch")
    assert rows["model"].layer == "schema"
