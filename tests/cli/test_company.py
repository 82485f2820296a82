"""Sessions that talk, through the real command: questions, children, peers, kills."""

import json
import signal
from typing import Any

import pytest
from command_line import Home

TEAM = "rehearsal:team"
TASK = "Prepare the release with your team."


@pytest.fixture
def quick(home: Home) -> Home:
    home.environ["LONGWATCH_SPEED"] = "50"
    return home


def scenario(home: Home, turns: list[dict[str, Any]], **parts: list[dict[str, Any]]) -> str:
    """A rehearsal of the test's own; JSON is YAML too."""
    folder = home.config / "rehearsals"
    folder.mkdir(exist_ok=True)
    played = [{"task": task, "turns": said} for task, said in parts.items()]
    (folder / "own.yaml").write_text(json.dumps({"turns": turns, "parts": played}))
    return "rehearsal:own"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"name": name, "arguments": arguments}]}


def test_a_question_exits_5_and_is_the_last_thing_that_is_said(quick: Home) -> None:
    model = scenario(quick, [call("ask_user", question="Which region?"), {"text": "Thanks."}])
    ran = quick.command("run", "Deploy it.", "--model", model, "--session", "deploy")
    assert ran.code == 5
    assert ran.out.splitlines()[-1] == "? awaiting_human: Which region?"


def test_the_next_message_is_the_answer(quick: Home) -> None:
    model = scenario(quick, [call("ask_user", question="Which region?"), {"text": "Thanks."}])
    asked = quick.run("Deploy it.", "--model", model, "--session", "deploy")
    assert asked.code == 5
    assert asked.rest == ("awaiting_human", "Which region?")
    answered = quick.run("Frankfurt", "--session", "deploy")
    assert answered.code == 0
    (said,) = answered.of_type("user_message")
    assert (said["text"], said["source"]) == ("Frankfurt", "answer")


def test_a_run_works_on_its_children_and_prints_only_its_own_events(quick: Home) -> None:
    model = scenario(
        quick,
        [
            call("spawn_agent", task="count the files"),
            {"text": "I wait."},
            {"text": "Seven, then."},
        ],
        **{"count the files": [{"text": "There are seven."}]},
    )
    ran = quick.run("Lead.", "--model", model)
    assert ran.code == 0, ran.err
    assert ran.rest == ("dormant", "done")
    assert len({event["session"] for event in ran.events}) == 1
    (started,) = ran.of_type("child_started")
    (finished,) = ran.of_type("child_finished")
    assert (finished["child"], finished["outcome"]) == (started["child"], "done")
    (nudge,) = [event for event in ran.of_type("injected") if event["source"] == "subagent"]
    assert "There are seven." in nudge["text"]
    child = next(s for s in quick.sessions() if s["session"] == started["child"])
    assert (child["parent"], child["state"]) == (ran.events[0]["session"], "dormant")
    assert (child["cwd"], child["attended"]) == (str(quick.work.resolve()), False)


def test_a_child_that_asks_leaves_its_parent_waiting_and_exits_5(quick: Home) -> None:
    model = scenario(
        quick,
        [call("spawn_agent", task="find out"), {"text": "I wait."}],
        **{"find out": [call("ask_user", question="Where?")]},
    )
    ran = quick.command("run", "Lead.", "--model", model)
    assert ran.code == 5
    assert "? subagent find out asks: Where?" in ran.out.splitlines()
    assert ran.out.splitlines()[-1] == "⇄ awaiting_peer: waits for its child: find out"


def test_a_message_to_another_session_waits_for_whoever_works_on_it(quick: Home) -> None:
    model = scenario(quick, [{"text": "Ready."}])
    assert quick.run("Listen.", "--model", model, "--session", "listener").code == 0
    message = call("send_message", session="listener", text="Psst", expects_reply=True)
    model = scenario(quick, [message, {"text": "I wait."}])
    ran = quick.run("Speak.", "--model", model)
    assert ran.code == 5
    assert ran.rest[0] == "awaiting_peer"
    (sent,) = ran.of_type("message_sent")
    assert (sent["text"], sent["expects_reply"]) == ("Psst", True)
    heard = quick.command("resume", "listener", "--json").of_type("user_message")
    assert [(one["text"], one["source"], one["from"]) for one in heard] == [
        ("Psst", "peer", ran.events[0]["session"])
    ]


def test_a_child_cannot_do_more_than_its_parent(quick: Home) -> None:
    agent = quick.config / "agents" / "bold"
    agent.mkdir(parents=True)
    (agent / "config.yaml").write_text("instructions: Dare.\napproval: auto\nsandbox: 'off'\n")
    model = scenario(
        quick, [call("spawn_agent", task="dare it", agent="bold"), {"text": "Not so."}]
    )
    ran = quick.run("Lead.", "--model", model, "--set", "plan_nudge=false")
    (finished,) = ran.of_type("tool_finished")
    assert not finished["ok"]
    assert "agent 'bold' is allowed more than this session" in finished["output"]
    assert ran.of_type("child_started") == []


def test_the_tools_are_offered_in_every_dialect_and_only_if_they_are_enabled(quick: Home) -> None:
    model = scenario(quick, [{"text": "Hm."}])
    names = ("ask_user", "spawn_agent", "send_message")
    for dialect in ("longwatch", "parley", "loki", "todowrite", "cubepi"):
        ran = quick.command(
            *("run", "x", "--model", model, "--dialect", dialect, "--set", "dry_run=true")
        )
        assert all(f'"{name}"' in ran.out for name in names)
    ran = quick.command(
        *("run", "x", "--model", model, "--set", "dry_run=true"),
        *("--set", "enabled_tools=shell,ask_user"),
    )
    assert [f'"{name}"' in ran.out for name in names] == [True, False, False]


def test_the_team_comes_to_its_question_and_to_its_end(quick: Home) -> None:
    ran = quick.run(TASK, "--model", TEAM, "--session", "team")
    assert ran.code == 5
    assert ran.rest == ("awaiting_human", "Is the release for staging or for production?")
    assert len(ran.of_type("child_started")) == 2
    ended = quick.run("staging", "--session", "team")
    heard = [m["text"] for m in ended.of_type("user_message") if m["source"] == "peer"]
    assert heard == ["It has three pages."]
    assert (ended.code, ended.rest) == (0, ("dormant", "done"))
    assert quick.ok("fsck").strip() == "The store is in order."


@pytest.mark.parametrize("events", range(3, 27, 4))
def test_a_team_that_was_killed_goes_on_and_nothing_is_lost_or_doubled(
    quick: Home, events: int
) -> None:
    process = quick.popen("run", TASK, "--model", TEAM, "--session", "team", "--json")
    assert process.stdout is not None
    for _ in range(events):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    ran = quick.command("resume", "team", "--json")
    assert ran.code == 5, ran.err
    ended = quick.run("staging", "--session", "team")
    assert (ended.code, ended.rest) == (0, ("dormant", "done"))
    parent, *children = sorted(quick.sessions(), key=lambda s: s["parent"] is not None)
    assert [child["state"] for child in children] == ["dormant", "dormant"]
    kept = quick.ok("export", parent["session"], "--format", "jsonl").splitlines()
    types = [json.loads(line)["type"] for line in kept]
    assert (types.count("child_started"), types.count("child_finished")) == (2, 2)
    assert types.count("message_sent") == 1
    heard = [json.loads(line) for line in kept if '"source":"peer"' in line]
    assert len(heard) == 1
    assert quick.ok("fsck").strip() == "The store is in order."


def test_a_parent_does_not_wait_for_a_child_that_was_deleted(quick: Home) -> None:
    model = scenario(
        quick,
        [call("spawn_agent", task="find out"), {"text": "I wait."}, {"text": "Without it, then."}],
        **{"find out": [call("ask_user", question="Where?")]},
    )
    ran = quick.run("Lead.", "--model", model, "--session", "lead")
    assert ran.code == 5
    quick.ok("delete", ran.of_type("child_started")[0]["child"])
    went_on = quick.command("resume", "lead", "--json")
    assert went_on.code == 0, went_on.err
    assert went_on.of_type("child_finished")[0]["outcome"] == "deleted"
