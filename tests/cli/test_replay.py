"""`longwatch replay`: what was printed live is printed again, from the events alone."""

import json
from pathlib import Path

import pytest
from command_line import Home
from fault_server import FaultServer
from model_replies import Call, Said, stream

from longwatch.commands.replaying import LONGEST_PAUSE, pause, pieces, replay
from longwatch.wiring import Wiring

EARLY = "2026-01-01T00:00:00.000Z"
LATE = "2026-01-01T00:00:03.000Z"


@pytest.fixture
def live(home: Home, server: FaultServer) -> str:
    """What a run printed, in a session named `told`."""
    plan = Call("p", "todo_plan", '{"goal": "Ship", "items": ["one"]}')
    look = Call("l", "list_files", "{}")
    done = Call("d", "todo_done", '{"id": 1}')
    replies = (Said(calls=(plan,)), Said("I look.", calls=(look, done)), Said("All done."))
    server.add(*(stream("openai", said) for said in replies))
    ran = home.command("run", "Ship it.", "--session", "told")
    assert ran.code == 0, ran.err
    return ran.out


def test_it_prints_what_the_run_printed(home: Home, live: str) -> None:
    assert home.ok("replay", "told", "--speed", "0") == live


def test_the_events_themselves_are_those_that_are_kept(home: Home, live: str) -> None:
    assert live
    exported = home.inside("export", "told").out
    assert home.inside("replay", "told", "--speed", "0", "--json").out == exported


def test_it_keeps_the_pace_and_changes_nothing(
    home: Home, live: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An hour passes between two events: nobody waits that long, and nothing is lost."""
    session = later(home, seconds=3600)
    before = home.inside("export", session).out
    slept: list[float] = []
    wiring = Wiring(environ=home.env)
    assert replay(wiring, session, 2.0, as_json=False, sleep=slept.append) == 0
    wiring.store.close()
    assert sum(slept) == pytest.approx(LONGEST_PAUSE)
    shown = capsys.readouterr().out
    assert "All done." in shown
    assert shown.splitlines()[-1] == live.splitlines()[-1]
    assert home.inside("export", session).out == before


def later(home: Home, seconds: int) -> str:
    """The session again, with its last reply so many seconds later."""
    events = [json.loads(line) for line in home.inside("export", "told").out.splitlines()]
    home.inside("delete", "told")
    for event in events:
        event["at"] = EARLY
    last = max(k for k, event in enumerate(events) if event["type"] == "assistant_message")
    for event in events[last:]:
        event["at"] = f"2026-01-01T{seconds // 3600:02}:00:00.000Z"
    path = Path(home.base / "later.jsonl")
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return home.inside("import", str(path)).out.strip()


@pytest.mark.parametrize(
    ("before", "after", "speed", "seconds"),
    [
        (EARLY, LATE, 1.0, 3.0),
        (EARLY, LATE, 2.0, 1.5),
        (EARLY, LATE, 0.0, 0.0),
        (LATE, EARLY, 1.0, 0.0),
        (EARLY, LATE, 0.01, LONGEST_PAUSE),
    ],
)
def test_pauses(before: str, after: str, speed: float, seconds: float) -> None:
    assert pause(before, after, speed) == seconds


@pytest.mark.parametrize(("text", "seconds"), [("a", 5.0), ("abc def" * 100, 0.3), ("xy", 0.01)])
def test_a_reply_comes_in_pieces_and_whole(text: str, seconds: float) -> None:
    made = pieces(text, seconds)
    assert "".join(made) == text
    assert len(made) <= max(1, round(seconds * 20))


@pytest.mark.parametrize("words", [["nobody"], ["told", "--speed", "-1"], ["told", "--speed", "x"]])
def test_what_cannot_be_played_is_told(home: Home, words: list[str]) -> None:
    ran = home.inside("replay", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err
