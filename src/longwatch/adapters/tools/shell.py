"""The shell tool: a command in the session's folder, bounded in time and in output."""

import os
import shutil
import signal
from collections.abc import Mapping
from typing import Any

import msgspec

from longwatch.adapters.tools.environment import SYSTEM_PATH, minimal
from longwatch.adapters.tools.output import HeadTail
from longwatch.adapters.tools.paths import Spot, open_folder, root_of, told
from longwatch.adapters.tools.process import Ending, run_tree
from longwatch.adapters.tools.questions import fingerprint, question, script
from longwatch.adapters.tools.sandbox import PROGRAM, wrapped
from longwatch.adapters.tools.work import in_thread
from longwatch.dialects import ToolSpec
from longwatch.engine.ports import Place, Prepared, ToolOutput, ToolRefused

DEFAULT_LIMIT = 120.0
LONGEST_LIMIT = 3600.0
# The system takes 128 KiB in one argument.
LONGEST_COMMAND = 120_000
SHELLS = ("/bin/bash", "/usr/bin/bash", "/bin/sh")


class ShellPlan(msgspec.Struct, frozen=True):
    command: str
    limit: float
    root: str


class Shell:
    """Runs a command; everything that it starts ends with it."""

    spec = ToolSpec(
        name="shell",
        description=(
            "Run a command with bash in the session's folder and return its output (stdout and "
            "stderr together) and its exit code if that is not 0. There is no terminal and no "
            "input. Each call starts afresh: cd and variables do not carry over, and background "
            "processes are ended when the command ends. Long output loses its middle."
        ),
        parameters={
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line or script."},
                "timeout": {
                    "type": "number",
                    "minimum": 0.1,
                    "maximum": LONGEST_LIMIT,
                    "description": f"Seconds until it is ended (default {DEFAULT_LIMIT:g}).",
                },
            },
            "required": ["command"],
            "additionalProperties": False,
        },
    )

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        default_limit: float = DEFAULT_LIMIT,
        sandbox_path: str = SYSTEM_PATH,
    ) -> None:
        self._environ = environ
        self._default_limit = default_limit
        self._sandbox_path = sandbox_path

    def prepare(self, arguments: Mapping[str, Any], place: Place) -> Prepared:
        command: str = arguments["command"]
        limit = min(float(arguments.get("timeout", self._default_limit)), LONGEST_LIMIT)
        _check(command)
        root = root_of(place)
        guard = [place.sandbox, place.sandbox_network, sorted(map(str, place.protected))]
        return Prepared(
            effect="execute",
            question=question(
                f"shell, at most {limit:g} s, {_sandbox_words(place)}", root, script(command)
            ),
            fingerprint=fingerprint("shell", arguments, root, limit, guard),
            plan=ShellPlan(command, limit, root),
        )

    async def run(self, prepared: Prepared, place: Place) -> ToolOutput:
        plan: ShellPlan = prepared.plan
        environ = minimal(self._environ)
        if place.sandbox == "bubblewrap":
            environ["TMPDIR"] = "/tmp"  # noqa: S108 - the sandbox's own
        command = await in_thread(self._command, plan.command, place)
        output = HeadTail()
        spot = Spot(plan.root, ())
        with told(spot):
            folder = open_folder(spot)
            try:
                ending = await run_tree(
                    command, folder=folder, environ=environ, limit=plan.limit, sink=output
                )
            finally:
                os.close(folder)
        return _answer(output, ending, plan.limit)

    def _command(self, script: str, place: Place) -> list[str]:
        shell = next((path for path in SHELLS if os.access(path, os.X_OK)), SHELLS[-1])
        command = [shell, "-c", script]
        if place.sandbox == "none":
            return command
        program = shutil.which(PROGRAM, path=self._sandbox_path)
        if program is None:
            raise ToolRefused("This command must run in the sandbox, and bubblewrap is not there.")
        home = os.path.realpath(self._environ.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111
        return wrapped(program, command, place, home)


def _check(command: str) -> None:
    if not command.strip():
        raise ToolRefused("The command is empty.")
    if "\0" in command:
        raise ToolRefused("The command holds a NUL character, which no command line can.")
    try:
        size = len(command.encode())
    except UnicodeEncodeError:
        raise ToolRefused("The command is not valid Unicode.") from None
    if size > LONGEST_COMMAND:
        raise ToolRefused(
            f"The command is {size:,} bytes long; at most {LONGEST_COMMAND:,} can be run. "
            "Write it to a file with write_file and run that."
        )


def _sandbox_words(place: Place) -> str:
    if place.sandbox == "none":
        return "no sandbox"
    return f"sandbox: {place.sandbox}, {'network' if place.sandbox_network else 'no network'}"


def _answer(output: HeadTail, ending: Ending, limit: float) -> ToolOutput:
    notes = list(_notes(ending, limit))
    text = output.text()
    if not text and not notes:
        text = "(no output)"
    if notes and text and not text.endswith("\n"):
        text += "\n"
    return ToolOutput(
        ok=ending.why == "exit" and ending.code == 0 and ending.signal == 0,
        output=text + "\n".join(notes),
        truncated=output.left_out > 0,
    )


def _notes(ending: Ending, limit: float) -> list[str]:
    notes: list[str] = []
    match ending.why:
        case "time":
            notes.append(
                f"[ended after {limit:g} s, its time limit; a longer one can be asked for]"
            )
        case "failed":
            notes.append(f"[the shell could not be started: {os.strerror(ending.errno)}]")
        case "lost":
            notes.append("[ended from outside; how is not known]")
        case _ if ending.signal:
            notes.append(f"[ended by signal {ending.signal} ({_signal_name(ending.signal)})]")
        case _ if ending.code:
            notes.append(f"[exit code {ending.code}]")
        case _:
            pass
    if ending.left:
        notes.append(f"[{_processes(ending.left)} in the background: ended with the command]")
    if ending.stuck:
        notes.append(f"[{_processes(ending.stuck)} of another user could not be ended]")
    return notes


def _processes(count: int) -> str:
    return "1 process" if count == 1 else f"{count} processes"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
