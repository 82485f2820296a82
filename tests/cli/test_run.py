"""`longwatch run` from outside: events, exit codes, approval modes."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from command_line import Home
from fault_server import FaultServer
from model_replies import Call, Said, error, stream

PLAN = Call("p", "todo_plan", '{"goal": "g", "items": ["one", "two"]}')


def say(server: FaultServer, *replies: Said) -> None:
    server.add(*(stream("openai", reply) for reply in replies))


def done(number: int) -> Call:
    return Call(f"d{number}", "todo_done", json.dumps({"id": number}))


def shell(command: str, name: str = "s") -> Call:
    return Call(name, "shell", json.dumps({"command": command}))


def test_everything_done_exits_0_and_ends_with_the_resting_state(
    home: Home, server: FaultServer
) -> None:
    say(server, Said(calls=(PLAN,)), Said(calls=(done(1), done(2))), Said("All done."))
    ran = home.run("Do two things.")
    assert ran.code == 0, ran.err
    assert ran.rest == ("dormant", "done")
    assert [event["seq"] for event in ran.events] == list(range(1, len(ran.events) + 1))
    kinds = [event["type"] for event in ran.events]
    assert kinds[:4] == ["session_started", "user_message", "state_changed", "model_started"]
    assert ran.err == ""


def test_an_early_stop_is_continued_with_the_exact_words(home: Home, server: FaultServer) -> None:
    say(
        server,
        Said(calls=(PLAN,)),
        Said("I think I am done."),
        Said(calls=(done(1), done(2))),
        Said("Now."),
    )
    ran = home.run("Do two things.")
    (continuing,) = ran.of_type("auto_continuing")
    assert continuing["text"] == "Auto-continuing (1/25): 2 incomplete todo(s) remain"
    assert (continuing["n"], continuing["max"], continuing["remaining"]) == (1, 25, 2)
    kinds = [event["type"] for event in ran.events]
    at = kinds.index("auto_continuing")
    assert kinds[at : at + 3] == ["auto_continuing", "injected", "model_started"]
    last = server.asked[2]["messages"][-1]
    assert last["role"] == "user"
    assert last["content"].startswith("[SYSTEM REMINDER - TODO CONTINUATION]\n")


def test_idle_exits_3(home: Home, server: FaultServer) -> None:
    say(server, Said(calls=(PLAN,)), Said("Later."))
    ran = home.run("x", "--set", "auto_continue=false")
    assert ran.code == 3
    assert ran.rest == ("idle", "2 open, auto-continue is off")


def test_blocked_items_exit_4(home: Home, server: FaultServer) -> None:
    block = [Call(f"b{k}", "todo_block", json.dumps({"id": k, "reason": "ops"})) for k in (1, 2)]
    say(server, Said(calls=(PLAN,)), Said(calls=tuple(block)), Said("I need ops."))
    ran = home.run("x")
    assert ran.code == 4
    assert ran.rest == ("dormant", "only blocked todos left: one (ops); two (ops)")


def test_a_failed_provider_exits_1_and_says_what_to_change(home: Home, server: FaultServer) -> None:
    server.add(error("openai", 401, "bad key"))
    ran = home.run("x")
    assert ran.code == 1
    assert ran.rest[0] == "failed"
    assert "TEST_KEY" in ran.rest[1]


def test_unfinished_items_after_a_call_that_nobody_could_approve_exit_5(
    home: Home, server: FaultServer
) -> None:
    say(
        server,
        Said(calls=(PLAN,)),
        Said(calls=(shell("echo hi"),)),
        *[Said(f"{k}") for k in "abcd"],
    )
    ran = home.run("x")
    assert ran.code == 5
    (denied,) = ran.of_type("approval_given")
    assert (denied["answer"], denied["by"]) == ("deny", "system")
    results = [e["output"] for e in ran.of_type("tool_finished")]
    assert "Refused: no one is here to approve this call (approval mode: ask)." in results
    assert [e["name"] for e in ran.of_type("tool_started")] == ["todo_plan"]


@pytest.mark.parametrize(
    "words",
    [
        ["run"],
        ["run", ""],
        ["run", "x", "--set", "nope=1"],
        ["run", "x", "--set", "max_auto_continues=many"],
        ["run", "x", "--model", "nobody:m"],
        ["run", "x", "--model", "justaname"],
        ["run", "x", "--dialect", "klingon"],
        ["run", "x", "--role", "nosuchrole"],
        ["run", "x", "--agent", "nosuchagent"],
        ["run", "x", "--cwd", "/nosuchfolder"],
        ["run", "x", "--approval", "always"],
        ["show", "nosuch"],
        ["nosuchcommand"],
        [],
    ],
)
def test_usage_and_configuration_errors_exit_2_before_anything_is_kept(
    home: Home, words: list[str]
) -> None:
    ran = home.command(*words, given="" if words == ["run"] else None)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err
    assert "Traceback" not in ran.err
    assert home.sessions() == []


def test_the_task_may_come_from_standard_input(home: Home, server: FaultServer) -> None:
    say(server, Said("Hello."), Said("It is answered."))
    ran = home.command("run", "-", "--json", given="Say hello.\n")
    assert ran.code == 0
    assert ran.of_type("user_message")[0]["text"] == "Say hello."


MODES = {
    # mode: (read runs, write runs, shell runs)
    "readonly": (True, False, False),
    "ask": (True, False, False),
    "edits": (True, True, False),
    "auto": (True, True, True),
}


@pytest.mark.parametrize("mode", MODES)
def test_the_four_approval_modes(home: Home, server: FaultServer, mode: str) -> None:
    (home.work / "there.txt").write_text("content\n")
    say(
        server,
        Said(calls=(Call("r", "read_file", '{"path": "there.txt"}'),)),
        Said(calls=(Call("w", "write_file", '{"path": "new.txt", "content": "x"}'),)),
        Said(calls=(shell("echo ran > ran.txt", "x"),)),
        Said("That is all."),
    )
    ran = home.run("x", "--approval", mode)
    results = {e["call"]: e["ok"] for e in ran.of_type("tool_finished")}
    assert (results["r"], results["w"], results["x"]) == MODES[mode]
    assert (home.work / "new.txt").exists() == MODES[mode][1]
    assert (home.work / "ran.txt").exists() == MODES[mode][2]
    started = [e["call"] for e in ran.of_type("tool_started")]
    assert started == [call for call, allowed in zip("rwx", MODES[mode], strict=True) if allowed]


def test_the_mode_does_not_come_from_the_workspace(home: Home, server: FaultServer) -> None:
    (home.work / ".longwatch").mkdir()
    (home.work / ".longwatch" / "config.yaml").write_text("approval: auto\n")
    say(server, Said(calls=(shell("touch ran.txt"),)), Said("ok"))
    home.run("x")
    assert not (home.work / "ran.txt").exists()
    refused = home.run("x", "--trust")
    assert refused.code == 2
    assert "approval" in refused.err


def test_a_named_session_goes_on_with_the_task_as_a_message(
    home: Home, server: FaultServer
) -> None:
    say(server, Said("One."), Said("Yes."), Said("Two."), Said("Yes."))
    first = home.run("First.", "--session", "mine")
    second = home.run("Second.", "--session", "mine")
    assert second.events[0]["seq"] == len(first.events) + 1
    assert second.events[0]["type"] == "user_message"
    assert len(home.sessions()) == 1
    assert server.asked[-1]["messages"][1]["content"] == "First."


def test_each_request_begins_with_the_previous_one(home: Home, server: FaultServer) -> None:
    say(
        server,
        Said(calls=(PLAN,)),
        Said("hm"),
        Said(calls=(done(1),)),
        Said(calls=(done(2),)),
        Said("ok"),
    )
    home.run("x")
    bodies = server.asked
    for before, after in pairwise(bodies):
        assert after["messages"][: len(before["messages"])] == before["messages"]
        assert after["tools"] == before["tools"]


def test_a_dry_run_prints_the_request_and_sends_nothing(home: Home, server: FaultServer) -> None:
    ran = home.command("run", "Hello", "--json", "--set", "dry_run=true")
    assert ran.code == 0
    assert server.asked == []
    (session,) = home.sessions()
    kinds = [
        json.loads(line)["type"] for line in home.ok("export", session["session"]).splitlines()
    ]
    assert kinds == ["session_started", "user_message"]
    assert '"Hello"' in ran.out
    assert home.environ["TEST_KEY"] not in ran.out


def test_deltas_are_printed_when_asked_for(home: Home, server: FaultServer) -> None:
    say(server, Said("A whole sentence."), Said("Yes."))
    ran = home.run("x", "--deltas")
    text = "".join(e.get("text", "") for e in ran.of_type("assistant_delta"))
    assert text.startswith("A whole sentence.")
    assert all("seq" not in e for e in ran.of_type("assistant_delta"))


def test_text_output_reads_well(home: Home, server: FaultServer) -> None:
    say(
        server,
        Said("Planning.", calls=(PLAN,)),
        Said("hm"),
        Said(calls=(done(1), done(2))),
        Said("**Done.**"),
    )
    ran = home.command("run", "Two things, please.")
    lines = ran.out.splitlines()
    assert "❯ Two things, please." in lines
    assert "Planning." in lines
    assert "⟳ Auto-continuing (1/25): 2 incomplete todo(s) remain" in lines
    assert lines[-4:] == ["[x] 1 one", "[x] 2 two", "(2/2 completed)", "○ dormant: done"]


def test_quiet_prints_the_final_checklist_only(home: Home, server: FaultServer) -> None:
    say(server, Said("Talk.", calls=(PLAN,)), Said(calls=(done(1), done(2))), Said("More talk."))
    ran = home.command("run", "x", "--quiet")
    assert "alk" not in ran.out
    assert "[x] 1 one" in ran.out


def test_hostile_text_reaches_no_terminal_raw(home: Home, server: FaultServer) -> None:
    nasty = "\x1b]52;c;AAAA\x07 \x9b2J \x00 \u202e [/foo] [@click=quit]x[/]"
    plan = json.dumps({"goal": nasty, "items": [nasty]})
    say(
        server,
        Said(nasty, calls=(Call("p", "todo_plan", plan),)),
        *[Said(nasty + k) for k in "abcd"],
    )
    ran = home.command("run", nasty.replace("\x00", ""))
    assert ran.code == 3
    for raw in ("\x1b", "\x07", "\x9b", "\x00", "\u202e"):
        assert raw not in ran.out
        assert raw not in ran.err
    for command in (["sessions"], ["show", home.sessions()[0]["session"]]):
        assert "\x1b" not in home.ok(*command)


def test_the_key_appears_nowhere(home: Home, server: FaultServer, tmp_path: Path) -> None:
    key = home.environ["TEST_KEY"]
    say(
        server,
        Said(f"The key is {key}", calls=(shell(f"echo {key}; env"),)),
        Said("ok"),
    )
    server.add(error("openai", 500, f"broken for {key}"), error("openai", 401, f"bad key {key}"))
    ran = home.run("x", "--approval", "auto")
    again = home.run("y", "--session", "other")
    session = home.sessions()[0]["session"]
    printed = ran.out + ran.err + again.out + again.err
    printed += home.ok("export", session) + home.ok("export", session, "--format", "md")
    printed += home.ok("show", session, "--json")
    assert key not in printed
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert key.encode() not in path.read_bytes(), path
    assert server.requests[0].headers["authorization"] == f"Bearer {key}"
