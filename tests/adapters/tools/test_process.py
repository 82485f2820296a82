"""Whatever a command starts, nothing of it is left: the reaper and the side that drives it."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from adapters.tools.tool_stage import Mailbox, alive, mailbox, numbers, python, wait_gone

from longwatch.adapters.tools.output import HeadTail
from longwatch.adapters.tools.process import Ending, Scope, run_tree
from longwatch.adapters.tools.reaper import descendants

ENVIRON = {"PATH": os.environ["PATH"]}


class Stage:
    """Runs scripts in a folder and keeps their output."""

    def __init__(self, path: Path, box: Mailbox) -> None:
        self.folder = os.open(path, os.O_RDONLY)
        self.box = box
        self.output = HeadTail()

    async def run(
        self, script: str, limit: float = 20.0, within: Scope | None = None
    ) -> tuple[Ending, str]:
        self.output = HeadTail()
        ending = await run_tree(
            ["/bin/bash", "-c", script],
            folder=self.folder,
            environ={**ENVIRON, "BOX": str(self.box.path)},
            limit=limit,
            sink=self.output,
            within=within,
            grace=0.3,
        )
        return ending, self.output.text()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with mailbox(tmp_path) as box:
        stage = Stage(tmp_path, box)
        before = len(list(Path("/proc/self/fd").iterdir()))
        yield stage
        assert len(list(Path("/proc/self/fd").iterdir())) == before
        os.close(stage.folder)
        assert descendants(os.getpid()) == []


async def test_code_signal_and_output(stage: Stage, tmp_path: Path) -> None:
    assert await stage.run("pwd; echo err >&2") == (Ending(), f"{tmp_path}\nerr\n")
    assert (await stage.run("exit 7"))[0] == Ending(code=7)
    assert (await stage.run("kill -9 $$"))[0] == Ending(signal=9)


async def test_a_program_that_is_not_there(stage: Stage) -> None:
    ending = await run_tree(
        ["/nowhere/program"], folder=stage.folder, environ={}, limit=20, sink=HeadTail()
    )
    assert (ending.why, ending.errno) == ("failed", 2)


LEAVERS = {
    "background": "sleep 1000 & echo $!",
    "several": "for n in 1 2 3 4 5; do sleep 1000 & echo $!; done",
    "own session": "setsid sh -c 'echo $$ >$BOX; exec sleep 1000' & head -1 <$BOX",
    "nohup": "nohup sleep 1000 >/dev/null 2>&1 & echo $!",
    "double fork": (
        "(setsid sh -c 'sh -c \"echo \\$\\$ >$BOX; exec sleep 1000\" &' &); head -1 <$BOX"
    ),
    "disowned": "sleep 1000 & disown; echo $!",
    "deaf": (
        "bash -c \"trap '' TERM INT; echo \\$\\$ >$BOX; while :; do sleep 1000; done\" & "
        "head -1 <$BOX"
    ),
    "stopped": "sleep 1000 & kill -STOP $!; echo $!",
}


@pytest.mark.parametrize("script", LEAVERS.values(), ids=LEAVERS)
async def test_what_is_left_in_the_background_is_ended(stage: Stage, script: str) -> None:
    begun = time.monotonic()
    ending, output = await stage.run(script)
    assert time.monotonic() - begun < 5
    assert ending.code == 0
    assert ending.stuck == 0
    pids = numbers(output)
    assert pids
    assert not any(alive(pid) for pid in pids)
    assert ending.left >= len(pids)


async def test_a_child_that_keeps_the_output_open_holds_nobody_up(stage: Stage) -> None:
    begun = time.monotonic()
    ending, output = await stage.run("(while :; do sleep 0.01; echo noise; done) & echo done")
    assert time.monotonic() - begun < 3
    assert ending.why == "exit"
    assert output.startswith("done\n") or "done\n" in output


async def test_what_ends_soon_after_the_command_may_finish(stage: Stage) -> None:
    ending, output = await stage.run("exec 3> >(read line; echo got $line); echo word >&3")
    assert output == "got word\n"
    assert ending.left == 0


STUBBORN = {
    "plain": "echo $$ >$BOX; sleep 1000",
    "deaf": "trap '' TERM HUP INT; echo $$ >$BOX; while :; do sleep 1000; done",
    "own session": "setsid sh -c 'echo $$ >$BOX; exec sleep 1000' & wait",
    "deaf in its own session": (
        "setsid bash -c \"trap '' TERM; echo \\$\\$ >$BOX; while :; do sleep 1000; done\" & wait"
    ),
}


@pytest.mark.parametrize("script", STUBBORN.values(), ids=STUBBORN)
async def test_the_time_limit_ends_all_of_it(stage: Stage, script: str) -> None:
    begun = time.monotonic()
    ending, _ = await stage.run(script, limit=0.3)
    assert ending.why == "time"
    assert time.monotonic() - begun < 5
    assert not alive(*stage.box.pids(1))


@pytest.mark.parametrize("script", STUBBORN.values(), ids=STUBBORN)
async def test_cancelling_ends_all_of_it(stage: Stage, script: str) -> None:
    task = asyncio.create_task(stage.run(script))
    [pid] = await asyncio.to_thread(stage.box.pids, 1)
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < 5
    assert not alive(pid)


async def test_cancelling_again_while_it_ends(stage: Stage) -> None:
    task = asyncio.create_task(stage.run(STUBBORN["deaf"]))
    [pid] = await asyncio.to_thread(stage.box.pids, 1)
    for _ in range(5):
        task.cancel()
        await asyncio.wait({task}, timeout=0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(pid)


async def test_cancelling_at_once(stage: Stage) -> None:
    task = asyncio.create_task(stage.run("sleep 1000"))
    await asyncio.wait({task}, timeout=0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_many_that_fork_are_all_ended(stage: Stage) -> None:
    script = "f() { setsid sleep 1000 & echo $! ; }; for n in {1..20}; do f; done; sleep 1000"
    ending, output = await stage.run(script, limit=0.5)
    assert ending.why == "time"
    pids = numbers(output)
    assert len(pids) == 20
    assert not any(alive(pid) for pid in pids)


async def test_forking_on_does_not_help(stage: Stage) -> None:
    """Each one starts the next in a new session and goes, so that no one process is it."""
    script = "echo 'exec setsid -f sh ./relay' > relay; setsid -f sh ./relay; echo $$; sleep 1000"
    ending, _ = await stage.run(script, limit=0.3)
    assert ending.why == "time"
    assert ending.stuck == 0


async def test_a_command_that_kills_its_reaper(stage: Stage) -> None:
    ending, output = await stage.run("echo $$; kill -9 $PPID; sleep 1000")
    assert ending.why == "lost"
    assert wait_gone(*numbers(output))


async def test_a_command_that_stops_its_reaper(stage: Stage) -> None:
    begun = time.monotonic()
    script = "setsid sh -c 'echo $$ >$BOX; exec sleep 1000' & kill -STOP $PPID; sleep 1000"
    ending, _ = await stage.run(script, limit=0.3)
    assert ending.why == "time"
    assert time.monotonic() - begun < 6
    assert wait_gone(*stage.box.pids(1))


async def test_only_the_group_where_there_is_no_subreaper(stage: Stage) -> None:
    ending, output = await stage.run("sleep 1000 & echo $!", within="group")
    assert ending.code == 0
    assert wait_gone(*numbers(output))
    ending, _ = await stage.run(STUBBORN["deaf"], limit=0.3, within="group")
    assert ending.why == "time"
    assert wait_gone(*stage.box.pids(1))


class Enough:
    """Has enough at the first byte."""

    def feed(self, data: memoryview) -> bool:
        return len(data) > 0


async def test_a_sink_that_has_enough_ends_the_command(stage: Stage) -> None:
    ending = await run_tree(
        ["/bin/sh", "-c", "yes"], folder=stage.folder, environ=ENVIRON, limit=20, sink=Enough()
    )
    assert ending.why == "enough"


async def test_several_at_once(stage: Stage) -> None:
    async def one(n: int) -> tuple[Ending, str]:
        output = HeadTail()
        ending = await run_tree(
            ["/bin/sh", "-c", f"echo {n}; exit {n}"],
            folder=stage.folder,
            environ=ENVIRON,
            limit=20,
            sink=output,
        )
        return ending, output.text()

    done = await asyncio.gather(*(one(n) for n in range(12)))
    assert done == [(Ending(code=n), f"{n}\n") for n in range(12)]


async def test_signals_are_as_a_command_expects_them(stage: Stage) -> None:
    _, output = await stage.run("grep -E 'Sig(Ign|Blk)' /proc/self/status; yes | head -1")
    *masks, last = [line.split()[-1] for line in output.splitlines()]
    # The C library keeps a few numbers for itself and lets nobody set them.
    settable = sum(1 << (number - 1) for number in signal.valid_signals())
    assert [int(mask, 16) & settable for mask in masks] == [0, 0]
    assert last == "y"


async def test_no_descriptor_but_the_usual_three(stage: Stage) -> None:
    _, output = await stage.run(
        "cd /proc/self/fd && exec python3 -I -S -c 'import os; print(*os.listdir())'"
    )
    assert set(output.split()) - {"3"} == {"0", "1", "2"}


WORKER = """
    import asyncio, os, sys
    from longwatch.adapters.tools.output import HeadTail
    from longwatch.adapters.tools.process import run_tree

    async def main():
        folder = os.open(sys.argv[1], os.O_RDONLY)
        await run_tree(["/bin/bash", "-c", sys.argv[2]], folder=folder,
                       environ=dict(os.environ), limit=100, sink=HeadTail(), grace=0.3)

    asyncio.run(main())
"""


@pytest.mark.parametrize("script", STUBBORN.values(), ids=STUBBORN)
def test_a_killed_worker_takes_the_tree_with_it(tmp_path: Path, script: str) -> None:
    with mailbox(tmp_path) as box:
        full = f"export BOX={box.path}; echo $PPID >$BOX; {script}"
        with python(WORKER, tmp_path, full) as worker:
            reaper, tool = box.pids(2)
            assert alive(reaper)
            assert alive(tool)
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
            assert wait_gone(tool, 5)
            assert wait_gone(reaper, 5)
