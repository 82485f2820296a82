"""Hostile text in every field of every event: shown harmlessly, and kept byte for byte."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from command_line import Home
from terminal.test_hostile import EVERY_EVENT, FORBIDDEN, found_in, hostile, keep_hostile
from terminals import Terminal, end_worker
from ui_services import FakeServices

from longwatch.session import KnownEvent
from longwatch.session.events import SessionStarted
from torture.oracle import Finding
from torture.trials import Case, Kind

SHOWN: tuple[tuple[str, ...], ...] = (
    ("sessions",),
    ("show", "s1"),
    ("todo", "s1", "list"),
    ("replay", "s1", "--speed", "0"),
)
MACHINES: tuple[tuple[str, ...], ...] = (("show", "s1", "--json"), ("sessions", "--json"))
ESCAPED = re.compile(rb"[\x00-\x09\x0b-\x1f]")
"""What JSON never holds as it is; the rest is its reader's affair."""
SESSION = re.compile(rb'"session":"[^"]*"')


def printed(kind: type[KnownEvent], folder: Path) -> Sequence[Finding]:
    """What is printed for people holds no control characters; what is for programs is JSON."""
    home = _kept(kind, folder)
    found = []
    for words in (*SHOWN, *MACHINES):
        ran = home.command(*words)
        said = (ran.out + ran.err).encode()
        if ran.code not in (0, 1, 2) or "Traceback" in ran.err:
            found.append(Finding("broken", f"{words}: exit code {ran.code}: {ran.err[-300:]}"))
        elif hit := (ESCAPED if words in MACHINES else FORBIDDEN).search(said):
            near = said[max(0, hit.start() - 40) : hit.end() + 20]
            found.append(Finding("broken", f"{words} prints {near!r}"))
        elif words in MACHINES and ran.code == 0:
            json.loads(ran.out)
    return found


def moved(kind: type[KnownEvent], folder: Path) -> Sequence[Finding]:
    """Exported and imported elsewhere, it is the same."""
    home, other = _kept(kind, folder), Home(folder / "other").made()
    out = home.command("export", "s1", "--format", "jsonl", "-o", str(folder / "out.jsonl"))
    brought = other.command("import", str(folder / "out.jsonl"))
    if out.code or brought.code:
        return [Finding("lost", f"it cannot be moved: {out.err} {brought.err}"[:400])]
    [summary] = other.sessions()
    again = other.command("export", summary["session"], "--format", "jsonl").out.encode()
    if SESSION.sub(b"", again) != SESSION.sub(b"", (folder / "out.jsonl").read_bytes()):
        return [Finding("lost", "it is not the same after export and import")]
    return []


def seen(size: tuple[int, int], folder: Path) -> Sequence[Finding]:
    """A dashboard that shows all of it."""
    home = Home(folder, {"LONGWATCH_LINGER": "1"}).made()
    keep_hostile(home)
    try:
        with Terminal(home, size=size) as terminal:
            terminal.see("PWNED")
            terminal.ready()
            terminal.press("shift+tab", *["pagedown"] * 30, *["home", "end"] * 5)
            code = terminal.leave()
            raw = bytes(terminal.raw)
    finally:
        end_worker(home.env)
    found = [Finding("broken", f"drawn: {hit!r}") for hit in found_in(raw)[:3]]
    if code or b"Traceback" in raw:
        found.append(Finding("broken", f"the dashboard ended with {code}"))
    return found


def _kept(kind: type[KnownEvent], folder: Path) -> Home:
    """A store with one session that holds an event of this kind."""
    home = Home(folder).made()
    home.data.mkdir(mode=0o700)
    services = FakeServices(home.data)
    first = () if kind is SessionStarted else (hostile(SessionStarted),)
    services.keep("s1", *first, hostile(kind))
    services.close()
    return home


def cases() -> Iterator[Case]:
    for kind in EVERY_EVENT:
        yield Case(f"{kind.__name__} printed", partial(printed, kind))
        yield Case(f"{kind.__name__} moved", partial(moved, kind))
    for size in ((160, 48), (80, 24), (60, 16)):
        yield Case(f"a dashboard of {size[0]}x{size[1]}", partial(seen, size))


TEXTS = Kind("hostile text in every field", cases)
