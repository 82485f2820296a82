"""The tool that lists a folder, or finds files by their names."""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from longwatch.adapters.tools.paths import FOLDER_FLAGS, Spot, open_folder, resolve, told
from longwatch.adapters.tools.questions import fingerprint, question
from longwatch.adapters.tools.work import in_thread_until
from longwatch.dialects import ToolSpec
from longwatch.engine.ports import Place, Prepared, ToolOutput, ToolRefused
from longwatch.engine.visible import visible_line

MOST_SHOWN = 1000
MOST_LOOKED_AT = 200_000
DEEPEST = 50
LONGEST_PATTERN = 500
# Full of files that nobody wrote.
SKIPPED = (".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox")


class ListPlan(msgspec.Struct, frozen=True):
    spot: Spot
    pattern: tuple[str, ...]


class Entry(msgspec.Struct, frozen=True):
    """Something in a folder: its parts below the listed one, and how its name is marked."""

    parts: tuple[str, ...]
    mark: str = ""


class ListFiles:
    """Lists one level, or every level if there is a pattern; links are shown, not followed."""

    spec = ToolSpec(
        name="list_files",
        description=(
            "List a folder, or with a pattern find files below it: *.py matches names at any "
            "depth, src/**/test_*.py whole paths. Folders end in /; links show where they point. "
            f"With a pattern, {', '.join(SKIPPED)} are left out."
        ),
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The folder (default: the session's)."},
                "pattern": {"type": "string", "description": "A glob: * ? [abc] and **."},
            },
            "required": [],
            "additionalProperties": False,
        },
    )

    def prepare(self, arguments: Mapping[str, Any], place: Place) -> Prepared:
        spot = resolve(arguments.get("path", "."), place)
        with told(spot):
            os.close(open_folder(spot))
        pattern = _parsed(arguments.get("pattern", ""))
        what = f"list_files {spot.shown}"
        if pattern:
            what += f", pattern {visible_line(arguments['pattern'])}"
        return Prepared(
            effect="read",
            question=question(what, spot.root),
            fingerprint=fingerprint("list_files", arguments, spot.root, spot.parts),
            plan=ListPlan(spot, pattern),
        )

    async def run(self, prepared: Prepared, place: Place) -> ToolOutput:  # noqa: ARG002
        plan: ListPlan = prepared.plan
        stop = threading.Event()
        return await in_thread_until(stop, partial(_listed, plan, stop))


def _parsed(pattern: str) -> tuple[str, ...]:
    if len(pattern) > LONGEST_PATTERN or "\0" in pattern:
        raise ToolRefused("The pattern is too long, or holds a NUL character.")
    parts = tuple(part for part in pattern.split("/") if part not in {"", "."})
    if ".." in parts:
        raise ToolRefused("A pattern matches below the folder; put .. into path instead.")
    return ("**", *parts) if len(parts) == 1 and parts != ("**",) else parts


def _listed(plan: ListPlan, stop: threading.Event) -> ToolOutput:
    shown: list[str] = []
    looked_at = 0
    more = ""
    with told(plan.spot):
        for entry in _walk(plan.spot, deep=bool(plan.pattern)):
            looked_at += 1
            if stop.is_set() or looked_at > MOST_LOOKED_AT:
                more = f"[only {MOST_LOOKED_AT:,} entries were looked at; give a narrower path]"
                break
            if not matches(entry.parts, plan.pattern):
                continue
            if len(shown) == MOST_SHOWN:
                more = f"[there are more than {MOST_SHOWN:,}; give a narrower path or pattern]"
                break
            path = "/".join((*plan.spot.parts, *entry.parts))
            shown.append(visible_line(path) + entry.mark)
    if not shown and not more:
        nothing = "Nothing matches the pattern" if plan.pattern else "(empty folder)"
        return ToolOutput(ok=True, output=nothing)
    lines = [*shown, more] if more else shown
    return ToolOutput(ok=True, output="\n".join(lines), truncated=bool(more))


def matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a path fits a glob, part by part, ** standing for any number of parts."""
    if not pattern:
        return True
    # Which lengths of the pattern can have been used up; never more than there are parts in it.
    used = {0}
    for name in parts:
        used = _skipping(used, pattern)
        used = {n if pattern[n] == "**" else n + 1 for n in used if _fits(name, pattern, n)}
    return len(pattern) in _skipping(used, pattern)


def _skipping(used: set[int], pattern: Sequence[str]) -> set[int]:
    """With every ** also taken as standing for nothing."""
    found = set(used)
    for n in sorted(used):
        end = n
        while end < len(pattern) and pattern[end] == "**":
            end += 1
            found.add(end)
    return found


def _fits(name: str, pattern: Sequence[str], n: int) -> bool:
    return n < len(pattern) and (pattern[n] == "**" or fnmatchcase(name, pattern[n]))


def _walk(spot: Spot, *, deep: bool) -> Iterator[Entry]:
    fd = open_folder(spot)
    try:
        yield from _below(fd, (), deep)
    finally:
        os.close(fd)


def _below(folder: int, above: tuple[str, ...], deep: bool) -> Iterator[Entry]:
    with os.scandir(folder) as found:
        entries = sorted(islice(found, MOST_LOOKED_AT), key=lambda one: os.fsencode(one.name))
    for entry in entries:
        parts = (*above, entry.name)
        if entry.is_symlink():
            yield Entry(parts, f" -> {_target(folder, entry.name)}")
        elif not entry.is_dir(follow_symlinks=False):
            yield Entry(parts)
        elif not deep:
            yield Entry(parts, "/")
        elif entry.name not in SKIPPED:
            yield Entry(parts, "/")
            yield from _inside(folder, parts)


def _inside(folder: int, parts: tuple[str, ...]) -> Iterator[Entry]:
    if len(parts) > DEEPEST:
        return
    try:
        fd = os.open(parts[-1], FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=folder)
    except OSError:
        # Gone meanwhile, or not for us to read: the rest is still worth listing.
        return
    try:
        yield from _below(fd, parts, True)
    finally:
        os.close(fd)


def _target(folder: int, name: str) -> str:
    try:
        return visible_line(os.readlink(name, dir_fd=folder), 200)
    except OSError:
        return "?"
