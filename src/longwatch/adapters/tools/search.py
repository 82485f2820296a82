"""The tool that searches the text of files."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from longwatch.adapters.tools.environment import SYSTEM_PATH, minimal
from longwatch.adapters.tools.list_files import SKIPPED
from longwatch.adapters.tools.paths import (
    Spot,
    is_protected,
    open_file,
    open_folder,
    resolve,
    told,
)
from longwatch.adapters.tools.process import Ending, run_tree
from longwatch.adapters.tools.questions import fingerprint, question
from longwatch.adapters.tools.secret_names import looks_secret
from longwatch.adapters.tools.work import in_thread
from longwatch.dialects import ToolSpec
from longwatch.engine.ports import Place, Prepared, ToolOutput, ToolRefused
from longwatch.engine.visible import visible_line

SCAN = Path(__file__).with_name("scan.py")
LIMIT = 30.0
MOST_MATCHES = 200
LONGEST_TEXT = 400
LONGEST_PATTERN = 10_000
LONGEST_HELD = 20_000
LARGEST = 4 * 1024 * 1024
LARGEST_NAMED = 64 * 1024 * 1024


class SearchPlan(msgspec.Struct, frozen=True):
    """Where to search: below the folder, or the one file in it."""

    folder: Spot
    file: str
    pattern: str
    secret: bool


class Matches:
    """Reads PATH NUL LINE : TEXT as it comes, keeps so many, and remembers what it cannot read."""

    def __init__(self, plan: SearchPlan, place: Place) -> None:
        self.lines: list[str] = []
        self.secret: set[str] = set()
        self.complaint = b""
        self.more = False
        self._plan = plan
        self._place = place
        self._path: bytes | None = None
        self._last: Spot | None = None
        self._hidden = False
        self._held = bytearray()

    def feed(self, data: memoryview) -> bool:
        rest = bytes(data)
        while rest and not self.more:
            rest = self._text(rest) if self._path is not None else self._name(rest)
        return self.more

    def _name(self, data: bytes) -> bytes:
        name, found, rest = data.partition(b"\0")
        self._held += name[: max(0, LONGEST_HELD - len(self._held))]
        if not found:
            self.complaint = bytes(self._held)
            return b""
        self._path = bytes(self._held).rpartition(b"\n")[2]
        self._held.clear()
        self.complaint = b""
        return rest

    def _text(self, data: bytes) -> bytes:
        text, found, rest = data.partition(b"\n")
        # A line may be megabytes long; its start is all that is shown.
        self._held += text[: max(0, LONGEST_TEXT * 4 + 32 - len(self._held))]
        if found:
            self._match(self._path or b"", bytes(self._held))
            self._held.clear()
            self._path = None
        return rest

    def _match(self, path: bytes, numbered: bytes) -> None:
        number, _, text = numbered.partition(b":")
        below = os.fsdecode(path.removeprefix(b"./")).split("/")
        spot = Spot(self._plan.folder.root, (*self._plan.folder.parts, *below))
        if self._is_hidden(spot):
            self.secret.add(spot.relative)
        elif len(self.lines) == MOST_MATCHES:
            self.more = True
        else:
            shown = text.decode(errors="replace").rstrip("\r")
            if len(shown) > LONGEST_TEXT:
                shown = shown[:LONGEST_TEXT] + "…"
            self.lines.append(f"{visible_line(spot.relative)}:{number.decode()}:{shown}")

    def _is_hidden(self, spot: Spot) -> bool:
        """Not to be shown, unless it is what was asked for; matches of a file come together."""
        if spot != self._last:
            secret = looks_secret(spot.parts) or is_protected(spot, self._place)
            self._last, self._hidden = spot, secret and not self._plan.secret
        return self._hidden


class Search:
    """Searches with ripgrep if it is there, else with a Python program; both run apart."""

    spec = ToolSpec(
        name="search",
        description=(
            "Find lines that match a regular expression, in all files below a folder or in one "
            "file. Results are path:line:text. Binary files, large ones, secret-looking ones and "
            f"{', '.join(SKIPPED)} are left out."
        ),
        parameters={
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "A regular expression."},
                "path": {
                    "type": "string",
                    "description": "A folder or a file (default: the session's folder).",
                },
            },
            "required": ["pattern"],
            "additionalProperties": False,
        },
    )

    def __init__(
        self, environ: Mapping[str, str], *, ripgrep: bool = True, limit: float = LIMIT
    ) -> None:
        self._environ = environ
        self._ripgrep = ripgrep
        self._limit = limit

    def prepare(self, arguments: Mapping[str, Any], place: Place) -> Prepared:
        pattern: str = arguments["pattern"]
        _check(pattern)
        spot = resolve(arguments.get("path", "."), place)
        folder, file = _target(spot)
        secret = looks_secret(spot.parts) or is_protected(spot, place)
        what = f"search {spot.shown}" + (", which looks secret" if secret else "")
        return Prepared(
            effect="read_secret" if secret else "read",
            question=question(what, spot.root, f"for {visible_line(pattern)}"),
            fingerprint=fingerprint("search", arguments, spot.root, spot.parts),
            plan=SearchPlan(folder, file, pattern, secret),
        )

    async def run(self, prepared: Prepared, place: Place) -> ToolOutput:
        plan: SearchPlan = prepared.plan
        ripgrep = await in_thread(self._find_ripgrep)
        if ripgrep is not None and not plan.file:
            matches, ending = await self._search(_ripgrep(ripgrep, plan.pattern), plan, place)
            # What only one of the two understands is left to the other.
            if ending.why != "exit" or ending.code != 2 or matches.lines:
                return _answer(matches, ending, self._limit)
        matches, ending = await self._search(_python(plan), plan, place)
        if ending.why == "exit" and ending.code == 2:
            raise ToolRefused(_invalid(plan.pattern, matches.complaint))
        return _answer(matches, ending, self._limit)

    async def _search(
        self, command: list[str], plan: SearchPlan, place: Place
    ) -> tuple[Matches, Ending]:
        matches = Matches(plan, place)
        with told(plan.folder):
            folder = open_folder(plan.folder)
            try:
                ending = await run_tree(
                    command,
                    folder=folder,
                    environ=minimal(self._environ),
                    limit=self._limit,
                    sink=matches,
                )
            finally:
                os.close(folder)
        return matches, ending

    def _find_ripgrep(self) -> str | None:
        path = self._environ.get("PATH", SYSTEM_PATH)
        return shutil.which("rg", path=path) if self._ripgrep else None


def _check(pattern: str) -> None:
    if not pattern:
        raise ToolRefused("The pattern is empty.")
    if "\0" in pattern or len(pattern) > LONGEST_PATTERN:
        raise ToolRefused("The pattern is too long, or holds a NUL character.")
    try:
        pattern.encode()
    except UnicodeEncodeError:
        raise ToolRefused("The pattern is not valid Unicode.") from None


def _target(spot: Spot) -> tuple[Spot, str]:
    """The folder to search in and, if the spot is a file, its name."""
    with told(spot):
        try:
            os.close(open_folder(spot))
        except NotADirectoryError:
            os.close(open_file(spot))
            return spot.parent, spot.name
    return spot, ""


def _ripgrep(program: str, pattern: str) -> list[str]:
    options = ["--no-config", "--hidden", "--no-ignore", "--no-messages", "--no-mmap"]
    shape = ["--null", "--no-heading", "--with-filename", "--line-number", "--color=never"]
    bounds = [f"--max-filesize={LARGEST}", "--sort=path", "--encoding=none"]
    skipped = [f"--glob=!{name}" for name in SKIPPED]
    return [program, *options, *shape, *bounds, *skipped, f"--regexp={pattern}", "--", "./"]


def _python(plan: SearchPlan) -> list[str]:
    largest = LARGEST_NAMED if plan.file else LARGEST
    program = [sys.executable, "-I", "-S", str(SCAN)]
    return [*program, str(largest), "/".join(SKIPPED), plan.pattern, plan.file]


def _invalid(pattern: str, complaint: bytes) -> str:
    why = visible_line(complaint.decode(errors="replace").strip(), 300)
    return (
        f"'{visible_line(pattern, 200)}' is not a valid regular expression: {why}. To find "
        "special characters as they are, put a backslash before each."
    )


def _answer(matches: Matches, ending: Ending, limit: float) -> ToolOutput:
    notes = []
    if matches.more:
        notes.append(f"[there are more than {MOST_MATCHES}; give a narrower pattern or path]")
    elif ending.why == "time":
        notes.append(f"[stopped after {limit:g} s; give a simpler pattern or a narrower path]")
    elif ending.why != "exit":
        notes.append("[the search was ended from outside; there may be more]")
    if matches.secret:
        count = len(matches.secret)
        files = "1 secret-looking file" if count == 1 else f"{count} secret-looking files"
        notes.append(f"[{files} with matches left out]")
    lines = matches.lines or ([] if notes else ["No match."])
    return ToolOutput(
        ok=ending.why in {"exit", "enough"},
        output="\n".join([*lines, *notes]),
        truncated=matches.more or ending.why == "time",
    )
