"""What can be typed: every command with its options, and the help about them."""

import argparse
from collections.abc import Callable
from pathlib import Path

from longwatch import __version__

Add = Callable[..., argparse.ArgumentParser]

EXIT_CODES = """\
exit codes: 0 done; 1 failed; 2 usage or configuration, before a session starts; 3 idle or paused;
4 done except for blocked items; 5 it waits for a person; 130 and 143 after SIGINT and SIGTERM"""
SHOWN_AS_JSON = """\
--json prints one list with an object for each setting, in this order and with these keys:
  key    the setting's name
  value  its value; null is none
  layer  flag, agent, session, role, project, global, dialect or schema: where the value is from
  file   the file, variable or option that sets it; empty if none does
  name   the name of the agent, role, session or dialect; empty otherwise"""
DOCTORED_AS_JSON = """\
--json prints one object: usable (true or false), version, and checks, a list of objects with
  area    program, configuration, keys, providers, local servers, network, sandbox, terminal, store
  name    what was looked at
  status  ok, note (worth knowing) or problem
  detail  what was found
  remedy  what to do about it; empty if there is nothing to do

exit codes: 0 usable; 1 something is broken; 2 the configuration is wrong"""


def parser(default: str) -> argparse.ArgumentParser:
    """The whole command line; what it parses has the name of a command in ``command``."""
    whole = argparse.ArgumentParser(
        prog="longwatch",
        description="Run, watch and steer long LLM-agent runs. Without a command: the dashboard.",
    )
    _add_version(whole)
    whole.set_defaults(command=default, path=None)
    subparsers = whole.add_subparsers(title="commands", metavar="COMMAND")
    add = _adder(subparsers.add_parser)
    _add_dashboards(add)
    _add_running(add)
    _add_looking(add)
    _add_moving(add)
    _add_configuring(add)
    _add_keeping(add)
    return whole


def _adder(add_parser: Add, prefix: str = "") -> Add:
    """Adds commands that know their own name, help and version."""

    def add(name: str, sentence: str, epilog: str = "") -> argparse.ArgumentParser:
        made = add_parser(
            name,
            help=sentence,
            description=sentence[0].upper() + sentence[1:] + ".",
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        _add_version(made)
        made.set_defaults(command=f"{prefix}{name}")
        return made

    return add


def _add_version(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--version", action="version", version=f"longwatch {__version__}")


def _add_dashboards(add: Add) -> None:
    opening = add("open", "the dashboard, in a folder")
    opening.add_argument("path", metavar="PATH", type=Path)
    demo = add("demo", "the dashboard playing a rehearsal; needs no key, no network")
    demo.add_argument(
        "--speed", metavar="N", type=_pace, default=1.0, help="2 is twice as fast; default 1"
    )


def _add_running(add: Add) -> None:
    run = add("run", "work on a task until the session rests, without the dashboard", EXIT_CODES)
    run.add_argument("task", nargs="?", metavar="TASK", help="what to do; - reads standard input")
    _add_choosing(run, "go on with this session, or start it")
    run.add_argument("--approval", metavar="MODE", help="ask, edits, auto or readonly")
    _add_showing(run)
    resume = add("resume", "go on with a session", EXIT_CODES)
    resume.add_argument(
        "session", nargs="?", metavar="SESSION", help="without one: the latest of this folder"
    )
    resume.add_argument("--headless", action="store_true", help="without the dashboard")
    _add_trust(resume)
    _add_showing(resume)
    worker = add("worker", "the background process that works on sessions")
    worker.add_argument("--status", action="store_true", help="say whether one is running")
    worker.add_argument("--stop", action="store_true", help="ask the one that is running to stop")
    worker.add_argument("--json", action="store_true", help="the status as JSON")


def _add_choosing(parser: argparse.ArgumentParser, session: str) -> None:
    """What decides about a session's settings."""
    parser.add_argument("--model", metavar="PROVIDER:NAME")
    parser.add_argument("--agent", metavar="NAME")
    parser.add_argument("--role", metavar="NAME")
    parser.add_argument("--dialect", metavar="NAME")
    parser.add_argument("--session", metavar="NAME", help=session)
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="set one setting; may be repeated",
    )
    parser.add_argument("--cwd", metavar="DIR", type=Path, default=None, help="instead of here")
    _add_trust(parser)


def _add_trust(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trust", action="store_true", help="read this folder's .longwatch/")


def _add_showing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print events, one JSON object a line")
    parser.add_argument("--deltas", action="store_true", help="with --json: streaming text too")
    parser.add_argument("--quiet", action="store_true", help="print the final checklist only")


def _add_looking(add: Add) -> None:
    sessions = add("sessions", "list the sessions")
    sessions.add_argument("--json", action="store_true", help="one list of JSON objects")
    sessions.add_argument("--search", metavar="TEXT", help="only those in which this was said")
    show = add("show", "one session: state, settings, checklist")
    _add_session(show)
    show.add_argument("--json", action="store_true", help="one JSON object")
    replay = add("replay", "play a stored session again, as text, at its own pace")
    _add_session(replay)
    replay.add_argument(
        "--speed",
        metavar="N",
        type=_pace_or_none,
        default=1.0,
        help="2 is twice as fast, 0 is at once; default 1. A pause is never longer than 5 s.",
    )
    replay.add_argument(
        "--json", action="store_true", help="the events themselves, one JSON object a line"
    )
    todo = add("todo", "the checklist from a shell")
    _add_session(todo)
    todo.add_argument("action", metavar="list|add|done|block|reopen|clear")
    todo.add_argument("words", nargs="*", metavar="…", help="an item's id, a text, a reason")
    todo.add_argument("--json", action="store_true", help="the list as JSON")


def _add_session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "session", metavar="SESSION", help="an id, a unique prefix of one, or a name"
    )


def _add_moving(add: Add) -> None:
    export = add("export", "a session as a file")
    _add_session(export)
    export.add_argument("--format", metavar="jsonl|yaml|md", default="jsonl", dest="form")
    export.add_argument("-o", "--output", metavar="FILE", type=Path, help="instead of printing it")
    importing = add("import", "make a session of an exported file")
    importing.add_argument("file", metavar="FILE", type=Path)


def _add_configuring(add: Add) -> None:
    config = add("config", "show, check and begin the configuration")
    inner = _adder(
        config.add_subparsers(title="commands", metavar="COMMAND", required=True).add_parser,
        "config ",
    )
    show = inner("show", "every setting: its value, and where that comes from", SHOWN_AS_JSON)
    show.add_argument("keys", nargs="*", metavar="KEY", help="only these settings")
    _add_choosing(show, "as it is for this session")
    show.add_argument("--approval", metavar="MODE", help="ask, edits, auto or readonly")
    show.add_argument("--json", action="store_true", help="see below")
    check = inner(
        "check",
        "look for mistakes in all configuration files",
        "exit codes: 0 all is well; 2 there are problems, each on a line of standard error",
    )
    check.add_argument("--cwd", metavar="DIR", type=Path, default=None, help="instead of here")
    _add_trust(check)
    init = inner("init", "copy the templates out for editing; what is there is left alone")
    init.add_argument(
        "--all", action="store_true", help="also the roles, agents, rehearsals and themes that ship"
    )
    path = inner("path", "the folders of configuration, data and project")
    path.add_argument("--json", action="store_true", help="one JSON object: config, data, project")
    schema = inner(
        "schema",
        "the JSON schema of a sort of file, for editors that check while one writes",
        "for yaml-language-server: longwatch config schema > config.schema.json, and\n"
        "# yaml-language-server: $schema=config.schema.json as the first line of config.yaml",
    )
    sorts = ("config", "role", "agent", "session", "project")
    schema.add_argument("sort", nargs="?", choices=sorts, default="config")
    doctor = add("doctor", "say what works here, what does not, and what to do", DOCTORED_AS_JSON)
    doctor.add_argument("--json", action="store_true", help="see below")


def _add_keeping(add: Add) -> None:
    _add_session(add("delete", "delete a session"))
    prune = add("prune", "delete sessions that have rested for long")
    prune.add_argument("--older-than", metavar="30d", required=True, help="in days, hours (h), m")
    prune.add_argument("--archived", action="store_true", help="only archived ones")
    add("fsck", "check the store; exit code 1 if something is wrong with it")


def _pace_or_none(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1e6:
        raise argparse.ArgumentTypeError(f"a number from 0 to 1000000, not {text!r}")
    return number


def _pace(text: str) -> float:
    number = _pace_or_none(text)
    if number == 0:
        raise argparse.ArgumentTypeError("a number above 0")
    return number
