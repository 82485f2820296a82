"""The shell tool as a model uses it."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest
from adapters.tools.tool_stage import CANARIES, alive, call, mailbox, numbers, python

from longwatch.adapters.tools.output import HEAD, TAIL
from longwatch.adapters.tools.shell import LONGEST_COMMAND, Shell
from longwatch.engine.ports import Place, ToolOutput, ToolRefused

TOOL = Shell(os.environ)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(root=tmp_path, session="s")


async def sh(place: Place, command: str, **more: Any) -> ToolOutput:
    return await call(TOOL, place, command=command, **more)


@pytest.mark.parametrize(
    ("command", "ok", "output"),
    [
        ("echo one; echo two >&2", True, "one\ntwo\n"),
        (":", True, "(no output)"),
        ("printf x", True, "x"),
        ("printf x; exit 3", False, "x\n[exit code 3]"),
        ("false", False, "[exit code 1]"),
        ("kill -TERM $$", False, "[ended by signal 15 (SIGTERM)]"),
        ("printf 'a\\xff\\xfeb\\303\\251'", True, "a��bé"),
        ("cat", True, "(no output)"),
        ("read line || echo end of input", True, "end of input\n"),
        ("tty", False, "not a tty\n[exit code 1]"),
        ("exec 2>/dev/null; : </dev/tty || echo no terminal", True, "no terminal\n"),
        ("[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo none", True, "none\n"),
        ("echo $0 | grep -o sh", True, "sh\n"),
    ],
)
async def test_what_comes_back(place: Place, command: str, ok: bool, output: str) -> None:
    assert await sh(place, command) == ToolOutput(ok=ok, output=output)


async def test_it_runs_in_the_sessions_folder(place: Place) -> None:
    assert (await sh(place, "pwd -P")).output == f"{place.root}\n"
    await sh(place, "cd /; export X=1")
    assert (await sh(place, "pwd -P; echo $X")).output == f"{place.root}\n\n"


async def test_it_leads_its_own_session_and_group(place: Place) -> None:
    output = await sh(place, "ps -o pid=,pgid=,sid= -p $$")
    assert len(set(output.output.split())) == 1


def test_the_question(place: Place) -> None:
    prepared = TOOL.prepare({"command": "rm -rf x\n\u202eevil\x1b[8m", "timeout": 5}, place)
    assert prepared.effect == "execute"
    assert prepared.question.split("\n") == [
        "shell, at most 5 s, no sandbox",
        f"in {place.root}",
        "$ rm -rf x",
        "> ⟨U+202E⟩evil␛[8m",
    ]
    assert TOOL.prepare({"command": "x"}, place).question.startswith("shell, at most 120 s")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("a\0b", "NUL"),
        ("a\ud800", "not valid Unicode"),
        ("x" * (LONGEST_COMMAND + 1), "Write it to a file"),
    ],
)
def test_commands_that_cannot_be_run(place: Place, command: str, reason: str) -> None:
    with pytest.raises(ToolRefused, match=reason):
        TOOL.prepare({"command": command}, place)


async def test_the_longest_command_runs(place: Place) -> None:
    command = "echo ok #".ljust(LONGEST_COMMAND, "x")
    assert (await sh(place, command)).output == "ok\n"


async def test_the_environment_is_minimal(place: Place) -> None:
    tool = Shell({**os.environ, **CANARIES})
    output = await call(tool, place, command="env; tr '\\0' '\\n' </proc/$PPID/environ")
    assert "canary" not in output.output
    names = {line.split("=")[0] for line in output.output.splitlines()}
    assert {"PATH", "TERM"} <= names
    assert not any(word in name for name in names for word in ("KEY", "TOKEN", "SECRET"))
    assert not any(name.startswith(("LD_", "GIT_", "PYTHON", "LONGWATCH_")) for name in names)
    assert "TERM=dumb" in output.output


async def test_a_time_limit(place: Place) -> None:
    begun = time.monotonic()
    output = await sh(place, "echo begun; trap '' TERM; sleep 1000; sleep 1000", timeout=0.2)
    assert time.monotonic() - begun < 5
    assert not output.ok
    assert output.output.startswith("begun\n[ended after 0.2 s, its time limit")


async def test_the_default_limit_is_a_setting(place: Place) -> None:
    output = await call(Shell(os.environ, default_limit=0.2), place, command="sleep 1000")
    assert "[ended after 0.2 s" in output.output


async def test_background_processes_are_ended_and_told(place: Place) -> None:
    output = await sh(place, "setsid sleep 1000 & sleep 1000 & echo $!")
    assert output.ok
    assert output.output.endswith("[2 processes in the background: ended with the command]")
    assert not any(alive(pid) for pid in numbers(output.output))


async def test_cancelling(place: Place) -> None:
    with mailbox(place.root) as box:
        task = asyncio.create_task(sh(place, f"echo $$ >{box.path}; setsid sleep 1000"))
        [pid] = await asyncio.to_thread(box.pids, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not alive(pid)


async def test_long_output_keeps_head_and_tail(place: Place) -> None:
    output = await sh(place, "echo first; seq 1 1000000; echo last")
    assert output.ok
    assert output.truncated
    assert output.output.startswith("first\n1\n2\n")
    assert output.output.endswith("\n1000000\nlast\n")
    assert " bytes left out …\n" in output.output
    assert len(output.output) < HEAD + TAIL + 100


async def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    place = Place(root=tmp_path / "here")
    place.root.mkdir()
    prepared = TOOL.prepare({"command": "echo x"}, place)
    place.root.rmdir()
    with pytest.raises(ToolRefused):
        await TOOL.run(prepared, place)
    with pytest.raises(ToolRefused, match="is not there"):
        TOOL.prepare({"command": "echo x"}, place)


GIGABYTE = """
    import asyncio, os, re, sys
    from pathlib import Path
    from longwatch.adapters.tools.shell import Shell
    from longwatch.engine.ports import Place

    def peak():
        return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

    async def main():
        tool, place = Shell(os.environ), Place(root=Path(sys.argv[1]))
        async def run(command):
            return await tool.run(tool.prepare({"command": command}, place), place)
        await run("echo warm")
        before = peak()
        output = await run("head -c 1073741824 /dev/zero | tr '\\\\0' x")
        print(peak() - before, len(output.output), "1,073,709,056 bytes left out" in output.output)

    asyncio.run(main())
"""


def test_a_gigabyte_in_one_line_costs_little_memory(tmp_path: Path) -> None:
    with python(GIGABYTE, tmp_path) as process:
        said, _ = process.communicate(timeout=60)
    growth, length, counted = said.split()
    assert int(growth) <= 16 * 1024
    assert int(length) < HEAD + TAIL + 100
    assert counted == b"True"
