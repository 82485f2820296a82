"""Signals and bad readers: a run ends only when it is told to, and then it can be resumed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from longwatch.session.events import AssistantMessage, ToolFinished
from torture.gates import AT_THE_GATE, DONE, FLAGS, PLAN, Site, site_in, turn, until

WORDS = "one two three"
CODES = {signal.SIGTERM: 143, signal.SIGINT: 130}
LONG = "x" * 40_000
"""A few of these fill any pipe."""


@pytest.mark.parametrize("number", CODES)
def test_a_signal_ends_a_reply_and_keeps_what_came_of_it(
    tmp_path: Path, number: signal.Signals
) -> None:
    site = site_in(tmp_path)
    site.play(PLAN, turn(text=WORDS, pace=0.001), *DONE)
    with site.run("--deltas", "--session", "cut") as run:
        session = run.reach("assistant_delta")["session"]
        run.signal(number)
        assert run.ended() == CODES[number]
        assert run.complaint() == ""
    partial = [e for e in site.events(session) if isinstance(e, AssistantMessage) and e.partial]
    assert [message.text for message in partial] == ["one "]
    site.play(PLAN, turn(text=WORDS), *DONE)
    resumed = site.home.command("resume", "cut", "--headless", "--json")
    assert (resumed.code, resumed.rest) == (0, ("dormant", "done"))
    assert site.problems() == []


@pytest.mark.parametrize("number", CODES)
def test_a_signal_ends_a_tool_and_the_model_is_told(tmp_path: Path, number: signal.Signals) -> None:
    site = site_in(tmp_path)
    site.play(PLAN, turn(AT_THE_GATE), *DONE)
    site.make_gate()
    with site.run() as run:
        session = site.wait_at_gate(run)
        run.signal(number)
        run.signal(number)
        assert run.ended() == CODES[number]
        assert run.complaint() == ""
    resumed = site.home.command("resume", "--headless", "--json")
    assert (resumed.code, resumed.rest) == (0, ("dormant", "done"))
    results = [e.output for e in site.events(session) if isinstance(e, ToolFinished)]
    assert sum("outcome is unknown" in output for output in results) == 1
    assert site.passed() == 0
    assert site.problems() == []


def test_a_hang_up_stops_nothing(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    site.play(PLAN, turn(AT_THE_GATE), *DONE)
    site.make_gate()
    with site.run() as run:
        site.wait_at_gate(run)
        run.signal(signal.SIGHUP)
        site.open_gate()
        run.reach("state_changed", state="dormant", reason="done")
        assert run.ended() == 0
    assert site.passed() == 1


@pytest.mark.parametrize("words", [("--json",), ()], ids=["events", "text"])
def test_a_closed_pipe_stops_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    site = site_in(tmp_path)
    site.play(PLAN, turn(AT_THE_GATE), turn(text=LONG), *DONE)
    site.make_gate()
    run = site.home.popen(
        "run", "Do it.", "--model", site.model, "--approval", "auto", "--set", "sandbox=off", *words
    )
    with run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.readline()
        run.stdout.close()
        site.open_gate()
        assert run.wait(30) == 0
        assert run.stderr.read() == b""
    [summary] = site.home.sessions()
    assert (summary["state"], summary["reason"]) == ("dormant", "done")
    assert site.problems() == []


@pytest.mark.parametrize("blocking", [True, False])
def test_a_reader_that_stops_reading_delays_nothing(tmp_path: Path, *, blocking: bool) -> None:
    site = site_in(tmp_path)
    site.play(PLAN, *(turn(text=f"{number} {LONG}") for number in range(6)), *DONE)
    with _unread(site, blocking=blocking) as (run, reading):
        until(lambda: _is_done(site))
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(0)
        *_, last = reading
        assert (b'"dormant"' in last, run.wait(30)) == (True, 0)
    assert site.problems() == []


def test_a_run_that_is_told_to_end_does_not_wait_for_its_reader(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    site.play(PLAN, *(turn(text=f"{number} {LONG}") for number in range(6)), turn(AT_THE_GATE))
    site.make_gate()
    with _unread(site, blocking=True) as (run, _):
        until((site.home.work / "arrived").exists)
        os.kill(run.pid, signal.SIGTERM)
        assert run.wait(30) == 143
    assert site.problems() == []


@contextmanager
def _unread(site: Site, *, blocking: bool) -> Iterator[tuple["subprocess.Popen[bytes]", BinaryIO]]:
    """A run whose output fills its pipe, and the end of it that nobody reads."""
    reading, writing = os.pipe()
    os.set_blocking(writing, blocking)
    words = ("run", "Do it.", "--model", site.model, *FLAGS, "--set", "max_idle_continues=0")
    with (
        os.fdopen(reading, "rb") as lines,
        subprocess.Popen(
            [sys.executable, "-m", "longwatch", *words],
            env=site.home.env,
            cwd=site.home.work,
            stdin=subprocess.DEVNULL,
            stdout=writing,
        ) as run,
    ):
        os.close(writing)
        try:
            yield run, lines
        finally:
            run.kill()


def _is_done(site: Site) -> bool:
    if not site.database.exists():
        return False
    with site.store() as store:
        rested = [summary.session for summary in store.summaries() if summary.reason == "done"]
        return bool(rested) and store.holder(rested[0], 0.0) is None
