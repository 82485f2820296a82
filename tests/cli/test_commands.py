"""The commands around a session: list, show, edit, move, delete, check, work in the background."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Home
from fault_server import FaultServer
from model_replies import Call, Said, stream

PLAN = Call("p", "todo_plan", '{"goal": "Ship", "items": ["one", "two"]}')


@pytest.fixture
def session(home: Home, server: FaultServer) -> str:
    """A session at rest with two open items."""
    server.add(*(stream("openai", said) for said in (Said(calls=(PLAN,)), Said("Later."))))
    ran = home.run("Ship it.", "--session", "shipping", "--set", "auto_continue=false")
    assert ran.code == 3, ran.err
    return str(ran.events[0]["session"])


def items(home: Home, session: str) -> list[tuple[str, str]]:
    listed = json.loads(home.ok("todo", session, "list", "--json"))
    return [(item["text"], item["status"]) for item in listed["items"]]


def test_sessions_are_listed_for_people_and_for_scripts(home: Home, session: str) -> None:
    (row,) = home.sessions()
    assert (row["session"], row["title"], row["state"]) == (session, "shipping", "idle")
    assert (row["done"], row["total"], row["cwd"]) == (0, 2, str(home.work))
    line = home.ok("sessions")
    assert session in line
    assert "2 open, auto-continue is off" in line


def test_searching_finds_what_was_said(home: Home, session: str) -> None:
    assert session in home.ok("sessions", "--search", "Ship")
    assert "Nothing found." in home.ok("sessions", "--search", "unheard-of")
    for odd in ('"', "a AND", "*", "(", "NEAR/", "\\"):
        assert home.command("sessions", "--search", odd).code == 0


def test_an_empty_store_says_what_to_do(home: Home) -> None:
    assert "longwatch run" in home.ok("sessions")
    assert home.ok("fsck").strip() == "The store is in order."


def test_a_session_is_named_by_id_prefix_or_title(home: Home, session: str) -> None:
    for name in (session, session[:6], "shipping"):
        assert json.loads(home.ok("show", name, "--json"))["session"] == session
    assert "Goal: Ship" in home.ok("show", session)


def test_show_has_the_guards_state_under_extra(home: Home, session: str) -> None:
    extra = json.loads(home.ok("show", session, "--json"))["extra"]
    assert set(extra) == {
        "todos",
        "todo_guard_retries",
        "todo_guard_blocked",
        "todo_guard_suppressed",
        "todo_stale_iterations",
        "todo_finalization_correction",
    }


def test_the_checklist_can_be_steered_from_a_shell(home: Home, session: str) -> None:
    home.ok("todo", session, "add", "three", "and", "more")
    home.ok("todo", session, "done", "1")
    home.ok("todo", session, "block", "2", "waiting", "for", "ops")
    assert items(home, session) == [
        ("one", "completed"),
        ("two", "blocked"),
        ("three and more", "in_progress"),
    ]
    home.ok("todo", session, "reopen", "1")
    assert items(home, session)[0] == ("one", "pending")
    home.ok("todo", session, "clear")
    assert items(home, session) == []
    assert home.sessions()[0]["state"] == "dormant"


@pytest.mark.parametrize(
    "words", [["done", "99"], ["done"], ["add"], ["block", "1"], ["frobnicate"], ["done", "x"]]
)
def test_an_edit_that_cannot_be_made_says_why(home: Home, session: str, words: list[str]) -> None:
    ran = home.command("todo", session, *words)
    assert ran.code == 2
    assert ran.err.startswith("longwatch: ")
    assert items(home, session) == [("one", "in_progress"), ("two", "pending")]


def test_an_edit_is_told_to_the_model_when_the_session_goes_on(
    home: Home, session: str, server: FaultServer
) -> None:
    home.ok("todo", session, "block", "2", "waiting for ops")
    server.add(
        stream("openai", Said(calls=(Call("d", "todo_done", '{"id": 1}'),))),
        stream("openai", Said("Done what could be done.")),
    )
    ran = home.command("resume", session, "--headless", "--json")
    assert ran.code == 4, ran.err
    told = [e["text"] for e in ran.of_type("injected") if e["source"] == "human_edit"]
    assert told == ["The person changed the checklist:\n- #2 is now blocked (waiting for ops)"]


def test_resume_without_a_name_takes_the_latest_of_this_folder(
    home: Home, session: str, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    nothing = home.command("resume", "--headless", cwd=other)
    assert nothing.code == 2
    home.ok("todo", session, "clear")
    here = home.command("resume", "--headless", "--json")
    assert here.code == 0
    assert here.events[0]["session"] == session


def test_jsonl_moves_a_session_byte_for_byte(home: Home, session: str, tmp_path: Path) -> None:
    exported = home.ok("export", session)
    path = tmp_path / "session.jsonl"
    path.write_text(exported)
    assert home.command("import", str(path)).code == 2
    home.ok("delete", session)
    assert home.sessions() == []
    assert home.ok("import", str(path)).strip() == session
    assert home.ok("export", session) == exported
    assert home.ok("fsck").strip() == "The store is in order."


def test_yaml_moves_a_session_too(home: Home, session: str, tmp_path: Path) -> None:
    path = tmp_path / "session.yaml"
    home.ok("export", session, "--format", "yaml", "-o", str(path))
    before = [json.loads(line) for line in home.ok("export", session).splitlines()]
    home.ok("delete", session)
    home.ok("import", str(path))
    after = [json.loads(line) for line in home.ok("export", session).splitlines()]
    assert after == before


def test_a_session_file_without_events_makes_a_session(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    path.write_text("title: fresh\nmodel: rehearsal:loki\ndialect: loki\nauto_continue: true\n")
    session = home.ok("import", str(path)).strip()
    shown = json.loads(home.ok("show", session, "--json"))
    assert (shown["title"], shown["dialect"], shown["model"]) == (
        "fresh",
        "loki",
        "rehearsal:loki",
    )
    assert shown["settings"] == {"auto_continue": True}


def test_markdown_is_a_page_to_read(home: Home, session: str) -> None:
    page = home.ok("export", session, "--format", "md")
    assert page.startswith("# shipping\n")
    assert "## Person\n\nShip it." in page
    assert "[>] 1 one" in page


@pytest.mark.parametrize(
    "content", ["", "{}\n", "not json\n", '{"seq": 2}\n', '{"seq":1,"type":"x"}\n', "\x00\xff"]
)
def test_a_file_that_is_no_session_is_refused_whole(
    home: Home, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content.encode("latin-1"))
    ran = home.command("import", str(path))
    assert ran.code == 2
    assert "Traceback" not in ran.err
    assert home.sessions() == []


def test_prune_deletes_what_has_rested_for_long(home: Home, session: str) -> None:
    assert "0 session(s) deleted." in home.ok("prune", "--older-than", "1d")
    assert "0 session(s) deleted." in home.ok("prune", "--older-than", "0m", "--archived")
    assert "1 session(s) deleted." in home.ok("prune", "--older-than", "0m")
    assert home.sessions() == []
    assert home.command("prune", "--older-than", "soon").code == 2
    assert session


def test_the_worker_says_whether_it_runs_and_stops_when_asked(home: Home) -> None:
    assert json.loads(home.ok("worker", "--status", "--json")) == {"running": False}
    with home.popen("worker") as worker:
        try:
            while not json.loads(home.ok("worker", "--status", "--json"))["running"]:
                assert worker.poll() is None
            status = json.loads(home.ok("worker", "--status", "--json"))
            assert status["pid"] == worker.pid
            home.ok("worker", "--stop")
            assert worker.wait(timeout=20) == 0
        finally:
            worker.kill()
    assert json.loads(home.ok("worker", "--status", "--json")) == {"running": False}


def test_a_worker_with_nothing_to_do_ends_by_itself(home: Home) -> None:
    lone = Home(home.base, {**home.environ, "LONGWATCH_LINGER": "0.2"})
    with lone.popen("worker") as worker:
        assert worker.wait(timeout=20) == 0


def test_a_worker_ends_cleanly_on_a_signal(home: Home) -> None:
    with home.popen("worker") as worker:
        while not json.loads(home.ok("worker", "--status", "--json"))["running"]:
            assert worker.poll() is None
        os.kill(worker.pid, signal.SIGTERM)
        assert worker.wait(timeout=20) == 0
    assert json.loads(home.ok("worker", "--status", "--json")) == {"running": False}


def test_help_and_version_are_everywhere(home: Home) -> None:
    assert home.ok("--version").startswith("longwatch 0.")
    for command in ("run", "resume", "sessions", "show", "export", "import", "todo", "worker"):
        assert "usage: longwatch" in home.ok(command, "--help")


def test_a_reader_that_goes_away_is_no_error(home: Home, session: str) -> None:
    command = f"exec {sys.executable} -m longwatch export {session} | head -c 10"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        env=home.env,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr


def test_searching_lists_every_session_with_its_lines_and_their_times(
    home: Home, server: FaultServer, session: str
) -> None:
    talk = [Said(f"The needle, number {n}.") for n in range(2)]
    server.add(*(stream("openai", said) for said in talk))
    other = home.run("Look for a needle.", "--session", "needles", "--set", "plan_nudge=false")
    home.ok("todo", session, "add", "find the needle")
    found = json.loads(home.ok("sessions", "--search", "needle", "--json"))
    assert {row["session"] for row in found} == {session, other.events[0]["session"]}
    for row in found:
        for hit in row["found"]:
            assert set(hit) == {"seq", "at", "snippet"}
            assert "needle" in hit["snippet"]
    lines = home.ok("sessions", "--search", "needle").splitlines()
    assert any("find the needle" in line for line in lines)
    assert any(line.strip().startswith("20") and "number 0" in line for line in lines)
