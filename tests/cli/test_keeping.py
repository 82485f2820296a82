"""What a run leaves besides its session: replies in a file, a log, or nothing at all."""

import json
import stat

import pytest
from command_line import Home
from fault_server import FaultServer
from model_replies import Call, Said, error, stream

from longwatch.commands.upkeep import forget_temporary
from longwatch.wiring import Wiring

PLAN = Call("p", "todo_plan", '{"goal": "Ship", "items": ["one"]}')
DONE = Call("d", "todo_done", '{"id": 1}')


def say(server: FaultServer, *replies: Said) -> None:
    server.add(*(stream("openai", reply) for reply in replies))


def test_save_appends_each_reply_to_a_file(home: Home, server: FaultServer) -> None:
    key = home.environ["TEST_KEY"]
    say(server, Said("First.", calls=(PLAN,)), Said(calls=(DONE,)), Said(f"Key {key}."))
    assert home.run("Ship it.", "--set", "save=true").code == 0
    say(server, Said("Again.", calls=(PLAN,)), Said(calls=(DONE,)), Said("Last."))
    assert home.run("More.", "--set", "save=true").code == 0
    path = home.data / "messages.md"
    text = path.read_text()
    heads = [line for line in text.splitlines() if line.startswith("# ")]
    assert [head.split()[2] for head in heads] == ["Ship", "Ship", "More.", "More."]
    bodies = [part.split("\n\n")[1] for part in text.split("# ")[1:]]
    assert bodies == ["First.", "Key ***.", "Again.", "Last."]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_save_there_is_no_such_file(home: Home, server: FaultServer) -> None:
    say(server, Said("Hello."), Said("Yes."))
    home.run("x")
    assert not (home.data / "messages.md").exists()


def test_a_reply_that_cannot_be_appended_is_a_warning_and_no_failure(
    home: Home, server: FaultServer
) -> None:
    (home.data / "messages.md").mkdir(parents=True)
    say(server, Said(calls=(PLAN,)), Said("So far.", calls=(DONE,)), Said("Done."))
    ran = home.run("x", "--set", "save=true")
    assert ran.code == 0
    assert "longwatch: the reply was not appended to" in ran.err


def test_a_session_that_is_not_to_be_saved_is_gone_when_it_rests(
    home: Home, server: FaultServer
) -> None:
    say(server, Said(calls=(PLAN,)), Said(calls=(DONE,)), Said("Done."))
    ran = home.run("x", "--set", "save_session=false")
    assert ran.code == 0
    assert home.sessions() == []
    assert home.command("show", ran.events[0]["session"]).code == 2
    assert home.ok("fsck").strip() == "The store is in order."


def test_it_stays_while_a_dashboard_watches(
    home: Home, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiring = Wiring(environ=home.env)
    wiring.store.seen("dashboard", wiring.clock.wall())
    say(server, Said(calls=(PLAN,)), Said(calls=(DONE,)), Said("Done."))
    session = home.run("x", "--set", "save_session=false").events[0]["session"]
    assert home.sessions() == []
    forget_temporary(wiring)
    assert home.inside("show", session).code == 0
    monkeypatch.setattr("longwatch.commands.upkeep.WATCHED", 0.0)
    forget_temporary(wiring)
    assert home.inside("show", session).code == 2
    wiring.store.close()


def test_the_log_tells_of_starts_faults_and_ends_without_keys(
    home: Home, server: FaultServer
) -> None:
    key = home.environ["TEST_KEY"]
    server.add(error("openai", 500, f"your key {key} \x1b[31m is nice"))
    say(server, Said("Hello."), Said("Yes."))
    ran = home.run("x")
    path = home.data / "longwatch.log"
    text = path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lines = [line.split("] ", 1)[1] for line in text.splitlines()]
    session = ran.events[0]["session"]
    assert lines[0].startswith("longwatch: run begins, version ")
    assert f"events: session {session} starts: longwatch, test:m" in lines
    assert any("server (attempt 1)" in line for line in lines)
    assert lines[-1] == "longwatch: run ends"
    assert key not in text
    assert "\x1b" not in text
    assert ran.err == ""


def test_the_worker_logs_too(home: Home) -> None:
    lone = home.having(LONGWATCH_LINGER="0.1")
    assert lone.command("worker").code == 0
    text = (home.data / "longwatch.log").read_text()
    assert "worker begins" in text
    assert "worker ends" in text


def test_a_configuration_that_is_wrong_makes_neither_log_nor_store(home: Home) -> None:
    (home.config / "config.yaml").write_text("nope: 1\n")
    for words in (["run", "x"], ["run", "x", "--session", "s"], ["config", "check"]):
        assert home.inside(*words).code == 2
    assert not home.data.exists()


def test_a_dry_run_of_a_session_that_is_there_prints_what_would_be_sent(
    home: Home, server: FaultServer
) -> None:
    say(server, Said(calls=(PLAN,)), Said("Later."))
    home.run("First.", "--session", "s", "--set", "auto_continue=false")
    dry = home.having(LONGWATCH_DRY_RUN="true")
    before, count = home.inside("export", "s").out, len(server.asked)
    for words in (["resume", "s", "--headless"], ["run", "More.", "--session", "s", "--json"]):
        ran = dry.command(*words)
        assert ran.code == 0, ran.err
        body = json.loads(ran.out.splitlines()[-1] if "--json" in words else ran.out)
        assert body["model"] == "m"
    assert len(server.asked) == count
    added = home.inside("export", "s").out.removeprefix(before).splitlines()
    assert [json.loads(line)["type"] for line in added] == ["user_message"]


def test_a_known_key_in_the_request_is_masked(home: Home, server: FaultServer) -> None:
    key = home.environ["TEST_KEY"]
    ran = home.command("run", f"Use {key} please", "--set", "dry_run=true")
    assert server.asked == []
    assert key not in ran.out
    assert "Use *** please" in ran.out


def test_another_agent_can_go_on_with_a_session(home: Home, server: FaultServer) -> None:
    say(server, Said(calls=(PLAN,)), Said("Later."))
    home.run("First.", "--session", "s", "--set", "auto_continue=false")
    say(server, Said(calls=(DONE,)), Said("Done."))
    wrong = home.command("run", "x", "--session", "s", "--agent", "nobody")
    assert wrong.code == 2
    ran = home.run("Look at it.", "--session", "s", "--agent", "reviewer")
    assert ran.code == 0, ran.err
    kinds = [json.loads(line)["type"] for line in home.inside("export", "s").out.splitlines()]
    assert kinds.count("agent_changed") == 1
    assert kinds.count("user_message") == 2
    assert json.loads(home.inside("show", "s", "--json").out)["agent"] == "reviewer"


COMMANDS = (
    *("open", "demo", "run", "resume", "worker", "sessions", "show", "replay", "todo", "export"),
    *("import", "delete", "prune", "fsck", "config", "config show", "config check", "config init"),
    *("config path", "config schema", "doctor"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_version(home: Home, command: str) -> None:
    shown = home.inside(*command.split(), "--help")
    assert shown.code == 0
    assert shown.out.startswith(f"usage: longwatch {command}")
    assert home.inside(*command.split(), "--version").out.startswith("longwatch 0.")


@pytest.mark.parametrize("speed", ["0", "-1", "nan", "inf", "fast"])
def test_a_demo_needs_a_speed_that_can_be_played(home: Home, speed: str) -> None:
    ran = home.inside("demo", "--speed", speed)
    assert ran.code == 2
    assert "argument --speed" in ran.err


def test_a_command_wins_over_a_folder_of_its_name(home: Home) -> None:
    (home.work / "sessions").mkdir()
    assert "longwatch run" in home.inside("sessions").out
    (home.work / "elsewhere").mkdir()
    assert "no terminal" in home.inside("elsewhere").err
