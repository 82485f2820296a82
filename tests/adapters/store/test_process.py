"""Telling processes apart."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from longwatch.adapters.store import process
from longwatch.adapters.store.process import is_gone, this_process


def test_this_process_runs() -> None:
    me = this_process()
    assert me.pid == os.getpid()
    assert me.started
    assert me.boot
    assert me == this_process()
    assert not is_gone(me)


def test_another_start_or_boot_is_another_process() -> None:
    me = this_process()
    assert is_gone(replace(me, started=me.started + "0"))
    assert is_gone(replace(me, boot="before"))
    assert not is_gone(replace(me, boot="before", pid=1, host="another.host"))


@pytest.mark.parametrize("ask", [process._started, process._started_by_ps])
def test_a_child_lives_until_it_has_died(ask: Callable[[int], str | None]) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        began = ask(child.pid)
        assert began is not None
        assert ask(child.pid) == began
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert ask(child.pid) is None, "it is dead before anyone has collected it"
    assert ask(child.pid) is None


def test_a_program_s_name_may_hold_anything() -> None:
    after = " ".join(str(number) for number in range(4, 53))
    assert process._start_in(f"7 (python) S {after}\n") == "22"
    assert process._start_in(f"7 () Z 1 (2) 3) S {after}\n") == "22"
    assert process._start_in(f"7 (python) Z {after}\n") is None


def test_a_program_that_is_missing_says_nothing() -> None:
    assert process._said("/nowhere/sysctl", "-n") == ""
