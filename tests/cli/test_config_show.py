"""`config show` from outside: every setting from every layer that may set it, with its origin."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command_line import Home
from fault_server import FaultServer
from model_replies import Call, Said, stream

from longwatch.adapters.settings.declared import SETTINGS
from longwatch.adapters.settings.kinds import spell
from longwatch.adapters.settings.setting import LAYERS, Layer, Setting
from longwatch.dialects import DIALECTS

Rows = dict[str, dict[str, Any]]
FILE_LAYERS: tuple[Layer, ...] = ("agent", "role", "project", "global")
VARIABLE = "environment"
"""Where the global layer is set by the environment instead of its file."""


def value_for(setting: Setting, layer: str) -> Any:
    """A value that tells its layer from the layers beside it."""
    at = (*LAYERS, VARIABLE).index(layer)
    match type(setting.kind).__name__:
        case "Switch":
            return at % 2 == 0
        case "Count":
            return 11 + at
        case "Amount":
            return 0.25 + at / 16
        case "Choice":
            options = setting.kind.options  # type: ignore[attr-defined]
            return options[at % len(options)]
        case "Cron":
            return f"{at} 9 * * *"
        case "Several":
            return [setting.kind.options[at % 5]]  # type: ignore[attr-defined]
        case "Selection":
            return [f"tool_{at}", "shell"]
        case "Hosts":
            return [f"host-{at}"]
        case _:
            return f"rehearsal:m{at}" if setting.name == "model" else f"text of {layer}"


def settable(layer: Layer) -> list[Setting]:
    safe = layer == "project"
    return [s for s in SETTINGS.values() if layer in s.layers and not (safe and s.safety)]


def path_of(home: Home, layer: Layer) -> Path:
    return {
        "agent": home.config / "agents" / "a" / "config.yaml",
        "role": home.config / "roles" / "r.md",
        "project": home.work / ".longwatch" / "config.yaml",
        "global": home.config / "config.yaml",
    }[layer]


def write(home: Home, layer: Layer, values: dict[str, Any]) -> None:
    path = path_of(home, layer)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = msgspec.json.encode(values).decode()
    path.write_text(f"---\n{text}\n---\nYou are.\n" if layer == "role" else text)


def fill(home: Home, layer: Layer, names: frozenset[str] | None = None) -> list[str]:
    """Set everything that a layer may set; returns what must be said on the command line."""
    values = {
        s.name: value_for(s, layer) for s in settable(layer) if names is None or s.name in names
    }
    if layer in FILE_LAYERS:
        write(home, layer, values)
        return {"agent": ["--agent", "a"], "role": ["--role", "r"]}.get(layer, [])
    if layer == "flag":
        return [word for k, v in values.items() for word in ("--set", f"{k}={spell(v)}")]
    file = home.base / "session.yaml"
    safety = {name for name in values if SETTINGS[name].safety}
    told = {name: value for name, value in values.items() if name not in safety}
    file.write_bytes(msgspec.json.encode({"title": "mine", **told}))
    return ["--session", home.inside("import", str(file)).out.strip()]


def shown(home: Home, *words: str) -> Rows:
    ran = home.inside("config", "show", "--json", "--trust", *words)
    assert ran.code == 0, ran.err
    return {row["key"]: row for row in json.loads(ran.out)}


def without_safety(layer: Layer) -> frozenset[str]:
    """A session's safety settings are set by a person in it, never by a file."""
    names = (s.name for s in settable(layer) if layer != "session" or not s.safety)
    return frozenset(names)


@pytest.mark.parametrize("top", range(len(LAYERS)), ids=LAYERS)
def test_each_setting_comes_from_the_highest_layer_that_sets_it(home: Home, top: int) -> None:
    filled = LAYERS[top:]
    words = [word for layer in filled for word in fill(home, layer)]
    rows = shown(home, *words)
    for name, setting in SETTINGS.items():
        holding = [layer for layer in filled if name in without_safety(layer)]
        row = rows[name]
        if not holding:
            assert row["layer"] in ("dialect", "schema"), name
            continue
        assert (name, row["layer"]) == (name, holding[0])
        assert row["value"] == value_for(setting, holding[0]), name


def test_each_value_knows_the_file_option_or_variable_it_comes_from(home: Home) -> None:
    words = [word for layer in LAYERS for word in fill(home, layer, frozenset({"top_p"}))]
    for layer in LAYERS:
        row = shown(home, *words)["top_p"]
        assert row["layer"] == layer
        expected = {"flag": "--set", "session": ""}.get(layer)
        assert row["file"] == (str(path_of(home, layer)) if expected is None else expected)
        assert row["name"] == {"agent": "a", "role": "r", "session": "mine"}.get(layer, "")
        words = words_without(words, layer)
        if layer in ("project", "global"):
            path_of(home, layer).unlink()
    assert shown(home)["top_p"]["layer"] == "schema"


def words_without(words: list[str], layer: Layer) -> list[str]:
    option = {"flag": "--set", "agent": "--agent", "session": "--session", "role": "--role"}
    if layer not in option:
        return words
    at = words.index(option[layer])
    return [*words[:at], *words[at + 2 :]]


@pytest.mark.parametrize("layer", FILE_LAYERS)
def test_null_falls_through_in_every_layer(home: Home, layer: Layer) -> None:
    write(home, layer, {s.name: None for s in settable(layer)})
    words = {"agent": ["--agent", "a"], "role": ["--role", "r"]}.get(layer, [])
    rows = shown(home, *words)
    assert {row["layer"] for row in rows.values()} == {"dialect", "schema"}


def test_null_on_the_command_line_falls_through_too(home: Home) -> None:
    home.configure(temperature=0.5)
    row = shown(home, "--set", "temperature=null")["temperature"]
    assert (row["value"], row["layer"]) == (0.5, "global")


def test_the_environment_is_over_the_global_file_and_under_the_project(home: Home) -> None:
    fill(home, "global")
    variables = {
        s.variable: spell(value_for(s, VARIABLE)) for s in SETTINGS.values() if "global" in s.layers
    }
    inside = home.having(**variables)
    rows = shown(inside)
    for setting in settable("global"):
        row = rows[setting.name]
        assert row["value"] == value_for(setting, VARIABLE), setting.name
        assert (row["layer"], row["file"]) == ("global", setting.variable)
    write(home, "project", {"top_p": 0.125})
    assert shown(inside)["top_p"]["layer"] == "project"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_dialects_defaults_come_before_the_schemas(home: Home, dialect: str) -> None:
    rows = shown(home, "--dialect", dialect)
    for name, row in rows.items():
        own = getattr(DIALECTS[dialect].defaults, name, None)
        if SETTINGS[name].by_dialect and own is not None:
            assert (row["value"], row["layer"], row["name"]) == (own, "dialect", dialect)
        elif name != "dialect":
            assert row["layer"] == "schema"


def test_strict_agents_hide_how_others_would_have_it_work(home: Home) -> None:
    home.configure(strict_agents=True, temperature=0.1, approval="edits", max_turns=7)
    write(home, "agent", {"top_p": 0.5})
    write(home, "role", {"temperature": 0.2, "auto_continue": False})
    rows = shown(home, "--agent", "a", "--role", "r")
    assert (rows["temperature"]["value"], rows["temperature"]["layer"]) == (None, "schema")
    assert rows["auto_continue"]["layer"] == "dialect"
    assert rows["top_p"]["layer"] == "agent"
    assert (rows["approval"]["value"], rows["max_turns"]["value"]) == ("edits", 7)
    flagged = shown(home, "--agent", "a", "--set", "strict_agents=false")
    assert flagged["temperature"]["layer"] == "global"


def test_other_names_of_a_setting_are_the_setting(home: Home) -> None:
    home.configure(maxWakeCycles=3)
    assert shown(home)["max_auto_continues"]["value"] == 3
    assert shown(home, "--set", "max_wake_cycles=4")["max_auto_continues"]["value"] == 4
    (row,) = json.loads(home.inside("config", "show", "--json", "max_wake_cycles").out)
    assert row["key"] == "max_auto_continues"


def test_a_project_counts_only_where_it_is_trusted(home: Home) -> None:
    write(home, "project", {"temperature": 0.7})
    (row,) = json.loads(home.inside("config", "show", "--json", "temperature").out)
    assert row["layer"] == "schema"
    assert shown(home)["temperature"]["layer"] == "project"


@pytest.mark.parametrize("name", [s.name for s in SETTINGS.values() if s.safety])
def test_a_project_has_no_say_in_safety(home: Home, name: str) -> None:
    write(home, "project", {name: value_for(SETTINGS[name], "global")})
    ran = home.inside("config", "show", "--trust")
    assert ran.code == 2
    assert f"{path_of(home, 'project')}:1: {name}: found it in a project" in ran.err


def test_the_table_for_people_has_a_line_for_each_setting(home: Home) -> None:
    home.configure(temperature=0.5, continuation_prompt="two\nlines \u202e" + "x" * 200)
    ran = home.command("config", "show")
    lines = ran.out.splitlines()
    assert [line.split()[0] for line in lines] == list(SETTINGS)
    temperature = lines[list(SETTINGS).index("temperature")]
    assert temperature.split()[1:] == ["0.5", "global", str(path_of(home, "global"))]
    assert "two␊lines ⟨U+202E⟩xxx" in ran.out
    assert "null (now rehearsal:tour)" in lines[0]


def test_a_key_that_stands_in_a_setting_is_not_shown(home: Home) -> None:
    key = home.environ["TEST_KEY"]
    home.serve_from("http://127.0.0.1:9", continuation_prompt=f"say {key}")
    for words in (["config", "show"], ["config", "show", "--json"], ["config", "check"]):
        ran = home.inside(*words)
        assert ran.code == 0, ran.err
        assert key not in ran.out
    assert "say ***" in home.inside("config", "show", "continuation_prompt").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["config", "show", "temprature"], "did you mean 'temperature'?"),
        (["config", "show", "--set", "temprature=1"], "did you mean 'temperature'?"),
        (["config", "show", "--set", "temperature=warm"], "accepted a number from 0 to 2"),
        (["config", "show", "--session", "nobody"], "There is no session 'nobody'"),
        (["config", "show", "--agent", "codr"], "did you mean 'coder'?"),
        (["config", "show", "--cwd", "/nowhere/at/all"], "is not a folder"),
    ],
)
def test_what_cannot_be_shown_is_told(home: Home, words: list[str], said: str) -> None:
    ran = home.inside(*words)
    assert ran.code == 2
    assert said in ran.err


# --- what a run does with it ------------------------------------------------------------------


def request(home: Home, *words: str) -> Any:
    """The body that a run would send."""
    ran = home.command("run", "x", "--json", "--trust", "--set", "dry_run=true", *words)
    assert ran.code == 0, ran.err
    return ran.events[-1]


@pytest.mark.parametrize("top", range(len(LAYERS)), ids=LAYERS)
def test_a_run_sends_what_the_highest_layer_says(home: Home, top: int) -> None:
    sent = frozenset({"temperature", "top_p", "max_output_tokens", "stream"})
    filled = LAYERS[top:]
    words = [word for layer in reversed(filled[1:]) for word in fill(home, layer, sent)]
    home_words = fill(home, filled[0], sent)
    serve(home)
    body = request(home, "--model", "test:m", *words, *home_words)
    told = {name: body.get("max_tokens" if name == "max_output_tokens" else name) for name in sent}
    assert told == {name: value_for(SETTINGS[name], filled[0]) for name in sent}


def serve(home: Home) -> None:
    """Declare a provider beside whatever the file sets."""
    path = path_of(home, "global")
    values = json.loads(path.read_text()) if path.exists() else {}
    provider = {"type": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key_env": "TEST_KEY"}
    path.write_text(json.dumps({**values, "providers": {"test": provider}}))


def test_a_run_takes_tools_prompts_and_dialect_from_the_files(home: Home) -> None:
    write(home, "role", {"enabled_tools": "read_file, search", "dialect": "todowrite"})
    write(home, "agent", {"instructions": "You are the agent.", "inject_todo_instructions": False})
    (home.work / "AGENTS.md").write_text("Mind the gap.")
    serve(home)
    body = request(home, "--model", "test:m", "--role", "r", "--agent", "a")
    names = [tool["function"]["name"] for tool in body["tools"]]
    todowrite = DIALECTS["todowrite"]
    offered = {spec.name for spec in todowrite.tools(todowrite.defaults)}
    assert set(names) == {"read_file", "search"} | offered
    system = body["messages"][0]["content"]
    for words in ("You are.", "You are the agent.", "Mind the gap."):
        assert words in system


def test_a_run_is_continued_as_often_as_its_layers_say(home: Home, server: FaultServer) -> None:
    write(home, "role", {"max_auto_continues": 1, "continuation_prompt": "Go on, please."})
    plan = Call("p", "todo_plan", '{"goal": "g", "items": ["one"]}')
    for words, most in ((["--role", "r"], 1), (["--role", "r", "--set", "maxWakeCycles=2"], 2)):
        replies = [Said(calls=(plan,)), *(Said(f"Said {k}.") for k in range(most + 1))]
        server.add(*(stream("openai", said) for said in replies))
        ran = home.run("x", *words)
        assert [event["max"] for event in ran.of_type("auto_continuing")] == [most] * most
        assert ran.rest[0] == "idle"
        assert server.asked[-1]["messages"][-1]["content"].startswith("Go on, please.")
