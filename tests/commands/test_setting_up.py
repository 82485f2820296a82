"""What a person sets, reads and edits, on real files and a real store."""

from pathlib import Path

import pytest
from desks import Counter, keep

from longwatch.session.events import SettingsChanged
from longwatch.session.intents import Rename, Say, SetSetting
from longwatch.ui.services import NewSession, Refused


def agent(desk: Counter, name: str, text: str) -> Path:
    path = desk.wiring.places.config / "agents" / name / "config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def wish(key: str, value: str | None) -> SetSetting:
    return SetSetting(key=key, value=value)


# --- .set, .agent, .role --------------------------------------------------------------------


def test_what_is_set_is_asked_of_the_session(desk: Counter) -> None:
    keep(desk)
    assert desk.setup.change("s1", wish("max_todos", "7")) == "Set for this session"
    [asked] = desk.asked("s1")
    assert isinstance(asked, SetSetting)
    assert (asked.key, asked.value) == ("max_todos", "7")


def test_a_higher_layer_is_named(desk: Counter) -> None:
    agent(desk, "mine", "max_todos: 3\n")
    keep(desk, agent="mine")
    told = desk.setup.change("s1", wish("max_todos", "7"))
    assert told == "Set for this session; agent 'mine' sets it to 3, which wins"


def test_unsetting_says_what_holds_then(desk: Counter) -> None:
    keep(desk, SettingsChanged(key="max_auto_continues", value=3))
    told = desk.setup.change("s1", wish("max_auto_continues", "null"))
    assert told == "Unset for this session; it is 10 now (dialect loki)"


def test_mcp_settings_are_accepted_and_say_that_nothing_follows(desk: Counter) -> None:
    keep(desk)
    told = desk.setup.change("s1", wish("mcp_server_support", "false"))
    assert told.startswith("Set for this session; no MCP servers can be declared yet")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("max_tood", "7", "Unknown key 'max_tood'; did you mean 'max_todos'?"),
        ("max_todos", "many", "max_todos: found 'many', accepted a whole number from 0"),
        ("agent", "nobody", "agent: found 'nobody', accepted one of coder, "),
    ],
)
def test_what_is_refused_is_not_asked(desk: Counter, key: str, value: str, said: str) -> None:
    keep(desk)
    with pytest.raises(Refused) as refused:
        desk.setup.change("s1", wish(key, value))
    assert said in str(refused.value)
    assert desk.asked("s1") == []


def test_agents_and_roles(desk: Counter) -> None:
    keep(desk)
    assert desk.setup.change("s1", wish("agent", "coder")) == "Agent 'coder' from now on"
    assert desk.setup.change("s1", wish("role", None)) == "No role from now on"


def test_without_a_session_it_holds_for_those_that_are_started(desk: Counter) -> None:
    assert desk.setup.change(None, wish("max_todos", "7")) == "Set for this run"
    desk.setup.change(None, wish("agent", "coder"))
    desk.setup.change(None, wish("dialect", "parley"))
    rows = {row.key: (row.value, row.origin) for row in desk.settings(None)}
    assert rows["max_todos"] == ("7", "session")
    session = desk.start(NewSession(task="Do it.", cwd=desk.folder))
    profile = desk.configuring.state(session).profile
    assert (profile.agent, profile.dialect) == ("coder", "parley")
    first, second = desk.asked(session)
    assert isinstance(first, SetSetting)
    assert (first.key, first.value) == ("max_todos", 7)
    assert isinstance(second, Say)


# --- .info, .starter, .export, completion ---------------------------------------------------


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        (None, "title     t"),
        ("session", "set for this session:\n  max_todos: 7"),
        ("todo", "The todo system is off."),
        ("agent", "starter 1  Find out why the tests fail and fix the cause."),
        ("role", "No role is active; .role NAME takes one: coder, "),
        ("tools", "approval: ask"),
        ("settings", "max_todos"),
    ],
)
def test_info(desk: Counter, topic: str | None, said: str) -> None:
    settings = [SettingsChanged(key="max_todos", value=7), SettingsChanged(key="x", value=1)]
    keep(desk, *settings[:1], agent="coder" if topic == "agent" else None)
    assert said in desk.setup.info("s1", topic)


def test_info_of_a_broken_agent_says_what_is_wrong(desk: Counter) -> None:
    agent(desk, "mine", "mdoel: x\n")
    keep(desk, agent="mine")
    with pytest.raises(Refused, match="did you mean 'model'"):
        desk.setup.info("s1", "tools")


def test_starters_are_the_agents(desk: Counter) -> None:
    keep(desk, agent="coder")
    assert desk.setup.starters("s1")[0].startswith("Find out why")
    with pytest.raises(Refused, match="No agent is active"):
        desk.setup.starters(None)


def test_export_goes_to_the_sessions_folder(desk: Counter) -> None:
    keep(desk)
    told = desk.setup.export("s1", "jsonl", "out.jsonl")
    path = Path(desk.folder) / "out.jsonl"
    assert told == f"Exported to {path}"
    assert path.read_bytes().count(b"\n") == 1
    with pytest.raises(Refused, match="is a folder"):
        desk.setup.export("s1", "jsonl", ".")


@pytest.mark.parametrize(
    ("kind", "given", "some"),
    [
        ("key", (), "max_auto_continues"),
        ("value", ("auto_continue",), "true"),
        ("value", ("max_wake_cycles",), "10"),
        ("value", ("dialect",), "parley"),
        ("value", ("enabled_tools",), "read_file"),
        ("value", ("model",), "rehearsal:tour"),
        ("value", ("notify",), "blocked"),
        ("agent", (), "coder"),
        ("role", (), "writer"),
        ("session", (), "other"),
        ("file", (), "notes.txt"),
    ],
)
def test_words(desk: Counter, kind: str, given: tuple[str, ...], some: str) -> None:
    keep(desk)
    keep(desk, session="s2", title="other")
    (Path(desk.folder) / "notes.txt").touch()
    words = [word.name for word in desk.setup.words("s1", kind, given)]  # type: ignore[arg-type]
    assert some in words
    assert kind != "value" or "null" in words


def test_keys_that_no_session_can_have_are_not_offered(desk: Counter) -> None:
    assert "strict_agents" not in [word.name for word in desk.setup.words(None, "key", ())]


def test_a_broken_configuration_offers_fewer_words_and_raises_nothing(desk: Counter) -> None:
    desk.wiring.places.config.mkdir()
    desk.wiring.places.config_file.write_text("mdoel: x\n")
    assert desk.setup.words(None, "value", ("dialect",)) == ()
    assert desk.setup.words(None, "value", ("nonsense",)) == ()
    assert desk.setup.words(None, "key", ())


# --- .edit ----------------------------------------------------------------------------------


def test_a_configuration_begins_as_the_template_and_is_kept_as_it_was_written(
    desk: Counter,
) -> None:
    draft = desk.setup.draft(None, "config", None)
    assert draft.text.startswith("# Longwatch: settings for every session.")
    written = "# mine\nmax_todos: 3\n"
    desk.setup.apply(None, draft, written)
    path = desk.wiring.places.config_file
    assert path.read_text() == written
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_configuration_that_is_wrong_changes_nothing(desk: Counter) -> None:
    path = desk.wiring.places.config_file
    path.parent.mkdir()
    path.write_text("max_todos: 3\n")
    draft = desk.setup.draft(None, "config", None)
    with pytest.raises(Refused) as refused:
        desk.setup.apply(None, draft, "max_tood: 3\nauto_continue: 7\n")
    first, second = str(refused.value).splitlines()
    assert first == f"{path}:1: max_tood: Unknown key 'max_tood'; did you mean 'max_todos'?"
    assert second.startswith(f"{path}:2: auto_continue: found the number 7, accepted true or false")
    assert path.read_text() == "max_todos: 3\n"


def test_a_link_stays_a_link(desk: Counter, tmp_path: Path) -> None:
    path, kept = desk.wiring.places.config_file, tmp_path / "dotfiles.yaml"
    path.parent.mkdir()
    kept.write_text("max_todos: 3\n")
    path.symlink_to(kept)
    desk.setup.apply(None, desk.setup.draft(None, "config", None), "max_todos: 4\n")
    assert path.is_symlink()
    assert kept.read_text() == "max_todos: 4\n"


@pytest.mark.parametrize(
    ("what", "written", "file"),
    [
        ("agent", "instructions: Be brief.\n", "agents/coder/config.yaml"),
        ("agent-config", "instructions: Be brief.\n", "agents/coder/config.yaml"),
        ("role", "---\nmax_todos: 3\n---\nBe brief.\n", "roles/coder.md"),
    ],
)
def test_what_ships_is_edited_as_a_copy(desk: Counter, what: str, written: str, file: str) -> None:
    shipped = desk.wiring.shipped.config / file
    before = shipped.read_text()
    keep(desk, agent="coder", role="coder")
    draft = desk.setup.draft("s1", what, None)
    assert draft.text == before
    desk.setup.apply("s1", draft, written)
    assert (desk.wiring.places.config / file).read_text() == written
    assert shipped.read_text() == before


def test_what_is_not_active_must_be_named(desk: Counter) -> None:
    with pytest.raises(Refused, match=r"No agent is active; name one: \.edit agent NAME"):
        desk.setup.draft(None, "agent", None)
    assert desk.setup.draft(None, "agent", "coder").name == "coder"
    with pytest.raises(Refused, match="No session is open"):
        desk.setup.draft(None, "session", None)


def test_a_session_is_edited_as_its_title_and_settings(desk: Counter) -> None:
    keep(
        desk,
        SettingsChanged(key="max_todos", value=3),
        SettingsChanged(key="notify", value=["done", "failed"]),
    )
    draft = desk.setup.draft("s1", "session", None)
    assert draft.text.endswith(
        "title: t\nmodel: rehearsal:tour\ndialect: loki\nmax_todos: 3\nnotify:\n- done\n- failed\n"
    )
    written = (
        "title: A better one\nmodel: rehearsal:tour\ndialect: loki\nnotify: [done, failed]\n"
        "auto_continue: true\napproval: edits\n"
    )
    assert desk.setup.apply("s1", draft, written) == "4 changed in this session."
    asked = [
        (one.key, one.value) if isinstance(one, SetSetting) else one.title
        for one in desk.asked("s1")
        if isinstance(one, SetSetting | Rename)
    ]
    assert asked == [
        ("max_todos", None),
        ("auto_continue", True),
        ("approval", "edits"),
        "A better one",
    ]


def test_nothing_of_a_session_changes_while_anything_is_wrong(desk: Counter) -> None:
    keep(desk)
    draft = desk.setup.draft("s1", "session", None)
    for written, said in (
        ("title: x\nmax_todos: many\n", "session.yaml:2: max_todos: found text 'many'"),
        ("max_todos: 3\nmodel: nobody:m\n", "unknown provider 'nobody'"),
        ("auto_continue: true\nfunction_calling_support: false\n", "needs function calling"),
        ("events: []\n", "events cannot be edited"),
        ("title: [\n", "session.yaml:1"),
    ):
        with pytest.raises(Refused) as refused:
            desk.setup.apply("s1", draft, written)
        assert said in str(refused.value)
    assert desk.asked("s1") == []


def test_turning_function_calling_on_and_continuing_can_come_together(desk: Counter) -> None:
    keep(desk, SettingsChanged(key="function_calling_support", value=False))
    draft = desk.setup.draft("s1", "session", None)
    written = "title: t\nauto_continue: true\nmodel: rehearsal:tour\ndialect: loki\n"
    assert desk.setup.apply("s1", draft, written) == "2 changed in this session."


def test_the_scratch_file_is_private(desk: Counter) -> None:
    draft = desk.setup.draft(None, "config", None)
    path = Path(desk.setup.scratch(draft))
    assert path.read_text() == draft.text
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.suffix == ".yaml"
