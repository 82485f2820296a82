"""The command line: from what is typed to the exit code that comes of it."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace as Arguments
from typing import TYPE_CHECKING

# Every command imports what it needs when it runs, so that none waits for another's libraries.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    from longwatch.commands.running import Showing
    from longwatch.wiring import Wiring


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = _parsed(sys.argv[1:] if argv is None else argv)
    from longwatch.adapters.settings.problems import Problems
    from longwatch.commands.failure import CommandFailed
    from longwatch.engine.outcome import INTERRUPTED
    from longwatch.engine.refusing import Misconfigured
    from longwatch.engine.storing import StoreError

    try:
        return COMMANDS[arguments.command](arguments)
    except CommandFailed as failed:
        return _complain(failed, failed.code)
    except (Problems, Misconfigured) as problem:
        return _complain(problem, 2)
    except StoreError as error:
        return _complain(error, 1)
    except KeyboardInterrupt:
        # It came before there was anything to close.
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has gone: there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _complain(error: Exception, code: int) -> int:
    from longwatch.engine.visible import printable

    sys.stderr.write(f"longwatch: {printable(str(error))}\n")
    return code


def _print(lines: Iterable[str]) -> int:
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()
    return 0


def _parsed(argv: Sequence[str]) -> Arguments:
    if not argv:
        # Nothing was typed: the dashboard need not wait for the parser.
        return Arguments(command="open", path=None)
    from longwatch.commands.parsing import parser

    return parser("open").parse_args(_with_path(argv), Arguments())


def _with_path(argv: Sequence[str]) -> list[str]:
    """`longwatch PATH` is `longwatch open PATH`, unless a command has that name."""
    if len(argv) == 1 and not argv[0].startswith("-") and Path(argv[0]).is_dir():
        known = {name.split()[0] for name in COMMANDS}
        return list(argv) if argv[0] in known else ["open", argv[0]]
    return list(argv)


# --- what is done ---------------------------------------------------------------------------


def _demand_terminal() -> None:
    from longwatch.commands.failure import CommandFailed

    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise CommandFailed("there is no terminal here; use `longwatch run TASK`.")


def _dashboard(arguments: Arguments) -> int:
    _demand_terminal()
    from longwatch.dashboard import open_dashboard

    def demo() -> int:
        from longwatch.demo import play

        return play(1.0)

    return open_dashboard(_wiring(), arguments.path or Path.cwd(), demo=demo)


def _demo(arguments: Arguments) -> int:
    _demand_terminal()
    from longwatch.demo import play

    return play(arguments.speed)


def _wiring(arguments: Arguments | None = None) -> "Wiring":
    from longwatch.wiring import Wiring

    if arguments is None:
        return Wiring()
    from longwatch.adapters.settings.layers import from_flags

    named = ("model", "dialect", "approval")
    options = {name: value for name in named if (value := getattr(arguments, name)) is not None}
    return Wiring(flags=from_flags(arguments.settings, options), trusts=arguments.trust)


def _showing(arguments: Arguments) -> "Showing":
    from longwatch.commands.running import Showing

    return Showing(json=arguments.json, deltas=arguments.deltas, quiet=arguments.quiet)


def _run(arguments: Arguments) -> int:
    from longwatch.commands.running import Task, run
    from longwatch.ui.dots.parsing import is_dot

    if is_dot(arguments.task or ""):
        return _carry_out(arguments)
    task = Task(
        text=_task(arguments.task),
        cwd=arguments.cwd or Path.cwd(),
        session=arguments.session,
        agent=arguments.agent,
        role=arguments.role,
    )
    return run(_wiring(arguments), task, _showing(arguments))


def _carry_out(arguments: Arguments) -> int:
    """A dot command in place of a task changes or tells something and runs nothing."""
    from longwatch.commands.dotting import carry_out

    cwd = arguments.cwd or Path.cwd()
    return _print(carry_out(_wiring(arguments), arguments.task, arguments.session, cwd))


def _task(given: str | None) -> str:
    from longwatch.commands.failure import CommandFailed

    if given is None and sys.stdin.isatty():
        raise CommandFailed("usage: longwatch run TASK (or pipe the task in)")
    text = sys.stdin.read() if given in (None, "-") else given
    if not text or not text.strip():
        raise CommandFailed("The task is empty. Say what is to be done.")
    return text.strip()


def _resume(arguments: Arguments) -> int:
    from longwatch.commands.running import resume

    if not (arguments.headless or arguments.json):
        return _resume_in_dashboard(arguments)
    wiring = replace(_wiring(), trusts=arguments.trust)
    return resume(wiring, arguments.session, Path.cwd().resolve(), _showing(arguments))


def _resume_in_dashboard(arguments: Arguments) -> int:
    _demand_terminal()
    from longwatch.commands.choosing import chosen, latest_of
    from longwatch.dashboard import open_dashboard

    wiring, here = _wiring(), Path.cwd().resolve()
    named = arguments.session
    session = chosen(wiring.store, named) if named else latest_of(wiring.store, here)
    return open_dashboard(wiring, here, session, resume=True)


def _worker(arguments: Arguments) -> int:
    from longwatch.commands import serving

    wiring = _wiring()
    if arguments.stop:
        wiring.store.stop_worker()
        return _print(["Asked the worker to stop."] if wiring.store.worker() else ["No worker."])
    if arguments.status or arguments.json:
        return _print(serving.status_lines(wiring, as_json=arguments.json))
    return serving.serve(replace(wiring, approver=True))


def _sessions(arguments: Arguments) -> int:
    from longwatch.commands.listing import sessions

    store = _wiring().store
    return _print(sessions(store, as_json=arguments.json, search=arguments.search))


def _show(arguments: Arguments) -> int:
    from longwatch.commands.listing import show

    return _print(show(_wiring().store, arguments.session, as_json=arguments.json))


def _replay(arguments: Arguments) -> int:
    from longwatch.commands.replaying import replay

    return replay(_wiring(), arguments.session, arguments.speed, as_json=arguments.json)


def _todo(arguments: Arguments) -> int:
    from longwatch.commands.todos import todo

    shown = todo(
        _wiring(), arguments.session, arguments.action, arguments.words, as_json=arguments.json
    )
    return _print([shown])


def _export(arguments: Arguments) -> int:
    from longwatch.adapters.settings.writing import write_private
    from longwatch.commands.transfer import export

    data = export(_wiring().store, arguments.session, arguments.form)
    if arguments.output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        write_private(arguments.output, data)
    return 0


def _import(arguments: Arguments) -> int:
    from longwatch.commands.transfer import import_file

    return _print([import_file(_wiring(), arguments.file)])


def _delete(arguments: Arguments) -> int:
    from longwatch.commands.upkeep import delete

    return _print([delete(_wiring(), arguments.session)])


def _prune(arguments: Arguments) -> int:
    from longwatch.commands.upkeep import prune

    return _print(prune(_wiring(), arguments.older_than, archived=arguments.archived))


def _fsck(arguments: Arguments) -> int:
    from longwatch.commands.upkeep import fsck

    del arguments
    problems = fsck(_wiring())
    _print(problems or ["The store is in order."])
    return 1 if problems else 0


def _config_show(arguments: Arguments) -> int:
    from longwatch.commands.configuring import Choice, show

    choice = Choice(
        cwd=arguments.cwd or Path.cwd(),
        session=arguments.session,
        agent=arguments.agent,
        role=arguments.role,
    )
    wiring = _wiring(arguments)
    return _print(show(wiring, choice, arguments.keys, as_json=arguments.json))


def _config_check(arguments: Arguments) -> int:
    from longwatch.commands.checking import report

    wiring = replace(_wiring(), trusts=arguments.trust)
    problems, told = report(wiring, arguments.cwd or Path.cwd())
    for problem in problems:
        sys.stderr.write(problem + "\n")
    _print(told)
    return 2 if problems else 0


def _config_init(arguments: Arguments) -> int:
    from longwatch.commands.configuring import init

    return _print(init(_wiring(), everything=arguments.all))


def _config_path(arguments: Arguments) -> int:
    from longwatch.commands.configuring import paths

    return _print(paths(_wiring(), Path.cwd(), as_json=arguments.json))


def _config_schema(arguments: Arguments) -> int:
    from longwatch.commands.configuring import schema

    return _print([schema(arguments.sort)])


def _doctor(arguments: Arguments) -> int:
    from longwatch.commands.doctoring import examine

    health = examine(_wiring(), Path.cwd())
    _print(health.lines(as_json=arguments.json))
    return health.code


COMMANDS: Mapping[str, Callable[[Arguments], int]] = {
    "open": _dashboard,
    "demo": _demo,
    "run": _run,
    "resume": _resume,
    "worker": _worker,
    "sessions": _sessions,
    "show": _show,
    "replay": _replay,
    "todo": _todo,
    "export": _export,
    "import": _import,
    "delete": _delete,
    "prune": _prune,
    "fsck": _fsck,
    "config show": _config_show,
    "config check": _config_check,
    "config init": _config_init,
    "config path": _config_path,
    "config schema": _config_schema,
    "doctor": _doctor,
}
