"""Two processes at one session: one works, and the other is told so or has taken over."""

import os
import signal
from pathlib import Path

import pytest

from longwatch.adapters.store.process import this_process
from longwatch.adapters.system import SystemClock
from longwatch.engine.storing import LeaseHeld
from longwatch.session.events import ToolFinished, UserMessage
from torture.gates import AT_THE_GATE, DONE, PLAN, Running, Site, site_in, turn, until

UNKNOWN = "outcome is unknown"
TINY_LEASE = "0.2"


def freeze(run: Running) -> None:
    """Stop a process in the middle of whatever it does, and wait until it is stopped."""
    run.signal(signal.SIGSTOP)
    os.waitid(os.P_PID, run.pid, os.WSTOPPED)


def test_the_other_one_is_told_who_works_and_changes_nothing(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    site.play(PLAN, turn(AT_THE_GATE), *DONE)
    site.make_gate()
    with site.run("--session", "busy") as first:
        session = site.wait_at_gate(first)
        told = f"Process {first.pid} is working on session {session}."
        again = site.home.run("More.", "--session", "busy")
        assert (again.code, again.out, again.err) == (2, "", f"longwatch: {told}\n")
        resumed = site.home.command("resume", "busy", "--headless")
        assert (resumed.code, resumed.out, resumed.err) == (2, "", f"longwatch: {told}\n")
        with site.store() as store, pytest.raises(LeaseHeld) as held:
            store.acquire(session, this_process(), SystemClock().wall())
        assert held.value.owner.pid == first.pid
        site.open_gate()
        assert first.ended() == 0
    said = [event.text for event in site.events(session) if isinstance(event, UserMessage)]
    assert said == ["Do it."]
    assert site.problems() == []


def test_what_a_killed_process_left_is_taken_over_at_once(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    site.play(PLAN, turn(AT_THE_GATE), *DONE)
    site.make_gate()
    with site.run("--session", "left") as first:
        session = site.wait_at_gate(first)
        first.signal(signal.SIGKILL)
        assert first.ended() == -signal.SIGKILL
    resumed = site.home.command("resume", "left", "--headless", "--json")
    assert (resumed.code, resumed.rest) == (0, ("dormant", "done"))
    assert _cut_off(site, session) == 1
    assert site.passed() == 0
    assert site.problems() == []


def _cut_off(site: Site, session: str) -> int:
    return sum(
        isinstance(event, ToolFinished) and UNKNOWN in event.output
        for event in site.events(session)
    )


@pytest.mark.parametrize("woken_by", ["its next event", "its heartbeat"])
def test_a_frozen_owner_finds_its_session_taken_and_adds_nothing(
    tmp_path: Path, woken_by: str
) -> None:
    site = site_in(tmp_path, LONGWATCH_LEASE_SECONDS=TINY_LEASE)
    site.play(PLAN, turn(AT_THE_GATE), *DONE)
    site.make_gate()
    with site.run("--session", "frozen") as first:
        session = site.wait_at_gate(first)
        freeze(first)
        with site.store(lease_seconds=float(TINY_LEASE)) as store:
            until(lambda: store.holder(session, SystemClock().wall()) is None)
        taken = site.home.command("resume", "frozen", "--headless", "--json")
        assert (taken.code, taken.rest) == (0, ("dormant", "done"))
        before = site.events(session)
        if woken_by == "its next event":
            site.open_gate()
            until(lambda: site.passed() == 1)
        first.signal(signal.SIGCONT)
        assert first.ended() == 1
        complaint = first.complaint()
    assert "took" in complaint
    assert complaint.endswith("This run ends here; nothing is lost.\n")
    assert "Traceback" not in complaint
    assert site.events(session) == before
    assert _cut_off(site, session) == 1
    assert site.problems() == []
