"""The command line: what is typed, and the exit code that comes of it."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from longwatch import __version__

# Every command imports what it needs when it runs, so that none waits for another's libraries.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    from longwatch.commands.running import Showing
    from longwatch.wiring import Wiring

Arguments = argparse.Namespace


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = _parser().parse_args(_with_path(sys.argv[1:] if argv is None else argv))
    from longwatch.adapters.settings.problems import Problems
    from longwatch.commands.failure import CommandFailed
    from longwatch.engine.conduct import Misconfigured
    from longwatch.engine.ports import StoreError

    try:
        command: Callable[[Arguments], int] = arguments.command
        return command(arguments)
    except CommandFailed as failed:
        return _complain(failed, failed.code)
    except (Problems, Misconfigured) as problem:
        return _complain(problem, 2)
    except StoreError as error:
        return _complain(error, 1)
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


# --- what is typed --------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="longwatch", description="Run, watch and steer long LLM-agent runs."
    )
    parser.add_argument("--version", action="version", version=f"longwatch {__version__}")
    parser.set_defaults(command=_dashboard, path=None)
    add = parser.add_subparsers(title="commands", metavar="COMMAND").add_parser
    _add_running(add)
    _add_looking(add)
    _add_moving(add)
    _add_keeping(add)
    return parser


def _with_path(argv: Sequence[str]) -> list[str]:
    """`longwatch PATH` is `longwatch open PATH`: a folder's name is no command."""
    if len(argv) == 1 and not argv[0].startswith("-") and Path(argv[0]).is_dir():
        return ["open", argv[0]]
    return list(argv)


def _add_running(add: Callable[..., argparse.ArgumentParser]) -> None:
    opening = add("open", help="the dashboard, in a folder")
    opening.add_argument("path", metavar="PATH", type=Path)
    opening.set_defaults(command=_dashboard)
    demo = add("demo", help="the dashboard playing a rehearsal; needs no key, no network")
    demo.add_argument("--speed", metavar="N", type=float, default=1.0)
    demo.set_defaults(command=_demo)
    run = add("run", help="work on a task until the session rests, without the dashboard")
    run.add_argument("task", nargs="?", metavar="TASK", help="what to do; - reads standard input")
    run.add_argument("--model", metavar="PROVIDER:NAME")
    run.add_argument("--agent", metavar="NAME")
    run.add_argument("--role", metavar="NAME")
    run.add_argument("--dialect", metavar="NAME")
    run.add_argument("--session", metavar="NAME", help="go on with this session, or start it")
    run.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="settings")
    run.add_argument("--cwd", metavar="DIR", type=Path, default=None)
    run.add_argument("--approval", metavar="MODE", help="ask, edits, auto or readonly")
    run.add_argument("--trust", action="store_true", help="read this folder's .longwatch/")
    _add_showing(run)
    run.set_defaults(command=_run)
    resume = add("resume", help="go on with a session")
    resume.add_argument("session", nargs="?", metavar="SESSION")
    resume.add_argument("--headless", action="store_true", help="without the dashboard")
    _add_showing(resume)
    resume.set_defaults(command=_resume)
    worker = add("worker", help="the background process that works on sessions")
    worker.add_argument("--status", action="store_true")
    worker.add_argument("--stop", action="store_true")
    worker.add_argument("--json", action="store_true")
    worker.set_defaults(command=_worker)


def _add_showing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print events, one JSON object a line")
    parser.add_argument("--deltas", action="store_true", help="with --json: streaming text too")
    parser.add_argument("--quiet", action="store_true", help="print the final checklist only")


def _add_looking(add: Callable[..., argparse.ArgumentParser]) -> None:
    sessions = add("sessions", help="list the sessions")
    sessions.add_argument("--json", action="store_true")
    sessions.add_argument("--search", metavar="TEXT")
    sessions.set_defaults(command=_sessions)
    show = add("show", help="one session: state, settings, checklist")
    show.add_argument("session", metavar="SESSION")
    show.add_argument("--json", action="store_true")
    show.set_defaults(command=_show)
    todo = add("todo", help="the checklist from a shell")
    todo.add_argument("session", metavar="SESSION")
    todo.add_argument("action", metavar="list|add|done|block|reopen|clear")
    todo.add_argument("words", nargs="*", metavar="…")
    todo.add_argument("--json", action="store_true")
    todo.set_defaults(command=_todo)


def _add_moving(add: Callable[..., argparse.ArgumentParser]) -> None:
    export = add("export", help="a session as a file")
    export.add_argument("session", metavar="SESSION")
    export.add_argument("--format", metavar="jsonl|yaml|md", default="jsonl", dest="form")
    export.add_argument("-o", "--output", metavar="FILE", type=Path)
    export.set_defaults(command=_export)
    importing = add("import", help="make a session of an exported file")
    importing.add_argument("file", metavar="FILE", type=Path)
    importing.set_defaults(command=_import)


def _add_keeping(add: Callable[..., argparse.ArgumentParser]) -> None:
    delete = add("delete", help="delete a session")
    delete.add_argument("session", metavar="SESSION")
    delete.set_defaults(command=_delete)
    prune = add("prune", help="delete sessions that have rested for long")
    prune.add_argument("--older-than", metavar="30d", required=True)
    prune.add_argument("--archived", action="store_true", help="only archived ones")
    prune.set_defaults(command=_prune)
    fsck = add("fsck", help="check the store")
    fsck.set_defaults(command=_fsck)


# --- what is done ---------------------------------------------------------------------------


def _demand_terminal() -> None:
    from longwatch.commands.failure import CommandFailed

    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise CommandFailed("there is no terminal here; use `longwatch run TASK`.")


def _dashboard(arguments: Arguments) -> int:
    _demand_terminal()
    from longwatch.dashboard import open_dashboard

    return open_dashboard(_wiring(), arguments.path or Path.cwd())


def _demo(arguments: Arguments) -> int:
    _demand_terminal()
    from longwatch.demo import play

    return play(arguments.speed)


def _wiring(arguments: Arguments | None = None) -> "Wiring":
    from longwatch.adapters.settings.layers import from_flags
    from longwatch.wiring import Wiring

    if arguments is None:
        return Wiring()
    named = ("model", "dialect", "approval")
    options = {name: value for name in named if (value := getattr(arguments, name)) is not None}
    return Wiring(flags=from_flags(arguments.settings, options), trusts=arguments.trust)


def _showing(arguments: Arguments) -> "Showing":
    from longwatch.commands.running import Showing

    return Showing(json=arguments.json, deltas=arguments.deltas, quiet=arguments.quiet)


def _run(arguments: Arguments) -> int:
    from longwatch.commands.running import Task, run

    task = Task(
        text=_task(arguments.task),
        cwd=arguments.cwd or Path.cwd(),
        session=arguments.session,
        agent=arguments.agent,
        role=arguments.role,
    )
    return run(_wiring(arguments), task, _showing(arguments))


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
    return resume(_wiring(), arguments.session, Path.cwd().resolve(), _showing(arguments))


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
