"""`longwatch demo` from its first picture to the last: nothing is left of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Home
from terminals import Terminal, end_worker, poll

from longwatch.adapters.store.process import is_gone
from longwatch.engine.storing import WorkerInfo
from longwatch.wiring import Wiring


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """Where the demo makes its folder."""
    made = tmp_path / "scratch"
    made.mkdir()
    yield made
    for data in made.glob("*/data"):
        end_worker({"LONGWATCH_DATA_DIR": str(data)})


def demo(home: Home, scratch: Path, speed: int = 8) -> Terminal:
    environ = {"TMPDIR": str(scratch)}
    return Terminal(home, "demo", "--speed", str(speed), size=(160, 48), environ=environ)


def worker_of(scratch: Path) -> WorkerInfo:
    (data,) = scratch.glob("*/data")
    store = Wiring(environ={"LONGWATCH_DATA_DIR": str(data)}).store
    try:
        worker = store.worker()
        assert worker is not None
        return worker
    finally:
        store.close()


def test_three_sessions_come_to_a_question_and_nothing_is_left(home: Home, scratch: Path) -> None:
    with demo(home, scratch) as terminal:
        terminal.see("Sort my notes into", "Write the release", "Build a small to-do")
        terminal.see("? Approve shell", "$ python3 -m unittest -v", "need you", within=60)
        worker = worker_of(scratch)
        assert terminal.leave() == 0
    poll(lambda: is_gone(worker.owner), "the worker has ended")
    assert list(scratch.iterdir()) == []
    assert not home.data.exists()


def test_it_can_be_left_in_the_middle(home: Home, scratch: Path) -> None:
    # Slow enough that nothing has come to rest before a busy machine asks.
    with demo(home, scratch, speed=2) as terminal:
        terminal.see("3 running", "A to-do program that works", "0/7")
        worker = worker_of(scratch)
        terminal.press("ctrl+q")
        terminal.see("at work", "Leave them running")
        terminal.press("enter")
        assert terminal.exited() == 0
        assert b"Traceback" not in terminal.raw
    poll(lambda: is_gone(worker.owner), "the worker has ended")
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("words", [[], ["demo"]])
def test_without_a_terminal_it_exits_2_and_names_run(home: Home, words: list[str]) -> None:
    ran = home.command(*words)
    assert ran.code == 2
    assert "longwatch run" in ran.err
    assert ran.out == ""
    assert not home.data.exists()
