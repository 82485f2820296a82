"""The tool that replaces an exact piece of a file."""

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from longwatch.adapters.tools.diffs import unified
from longwatch.adapters.tools.files import ReadMemory, check_fresh, look
from longwatch.adapters.tools.paths import Spot, check_writable, resolve_file, told
from longwatch.adapters.tools.questions import fingerprint, question
from longwatch.adapters.tools.write_file import MOST_BYTES, WritePlan, encoded, put
from longwatch.dialects import ToolSpec
from longwatch.engine.ports import Place, Prepared, ToolOutput, ToolRefused
from longwatch.engine.visible import visible_line

LINES_COMPARED = 5000
LINES_NAMED = 8
LIKE = 0.6


class EditFile:
    """Changes what is named exactly, in one place unless all are asked for."""

    spec = ToolSpec(
        name="edit_file",
        description=(
            "Replace a piece of a text file. `old` must be copied exactly, white space included, "
            "and occur once; with `all` every occurrence is replaced."
        ),
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Relative to the session's folder."},
                "old": {"type": "string", "description": "The exact text to replace."},
                "new": {"type": "string", "description": "What to put there."},
                "all": {"type": "boolean", "description": "Replace every occurrence."},
            },
            "required": ["path", "old", "new"],
            "additionalProperties": False,
        },
    )

    def __init__(self, memory: ReadMemory) -> None:
        self._memory = memory

    def prepare(self, arguments: Mapping[str, Any], place: Place) -> Prepared:
        old, new = encoded(arguments["old"], "old"), encoded(arguments["new"], "new")
        if not old:
            raise ToolRefused("old is empty. To create a file use write_file.")
        if old == new:
            raise ToolRefused("old and new are the same; there is nothing to change.")
        spot = resolve_file(arguments["path"], place)
        check_writable(spot, place)
        before, digest = self._content(spot, place)
        after, count = _changed(before, old, new, bool(arguments.get("all")), spot)
        if len(after) > MOST_BYTES:
            raise ToolRefused(f"{spot.shown} would grow over {MOST_BYTES:,} bytes.")
        places = "1 place" if count == 1 else f"{count:,} places"
        diff = unified(
            before.decode(errors="surrogateescape"),
            after.decode(errors="surrogateescape"),
            spot.relative,
        )
        return Prepared(
            effect="write",
            question=question(f"edit_file {spot.shown} ({places})", spot.root, diff),
            fingerprint=fingerprint("edit_file", arguments, spot.root, spot.parts, digest),
            plan=WritePlan(spot, after, digest, f"Changed {places} in {spot.shown}."),
        )

    async def run(self, prepared: Prepared, place: Place) -> ToolOutput:
        return await put(prepared.plan, self._memory, place)

    def _content(self, spot: Spot, place: Place) -> tuple[bytes, str]:
        with told(spot):
            current = look(spot, MOST_BYTES)
            if current is None:
                raise FileNotFoundError(spot.path)
        check_fresh(self._memory, place.session, spot, current)
        if current.data is None:
            raise ToolRefused(
                f"{spot.shown} is {current.size:,} bytes; up to {MOST_BYTES:,} can be edited here."
            )
        return current.data, current.digest


def _changed(
    text: bytes, old: bytes, new: bytes, everywhere: bool, spot: Spot
) -> tuple[bytes, int]:
    if old not in text and _as_crlf(old) in text:
        # Models write plain line feeds; the file keeps its own line ends.
        old, new = _as_crlf(old), _as_crlf(new)
    if old not in text:
        raise ToolRefused(_not_found(text, old, spot))
    if everywhere:
        return text.replace(old, new), text.count(old)
    at = text.index(old)
    if text.find(old, at + 1) != -1:
        raise ToolRefused(_too_many(text, old, spot))
    return text[:at] + new + text[at + len(old) :], 1


def _as_crlf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _too_many(text: bytes, old: bytes, spot: Spot) -> str:
    lines = [text.count(b"\n", 0, at) + 1 for at in _occurrences(text, old, LINES_NAMED + 1)]
    named = ", ".join(map(str, lines[:LINES_NAMED]))
    if len(lines) > LINES_NAMED:
        times, named = f"more than {LINES_NAMED}", f"{named}, …"
    else:
        times = str(len(lines))
    return (
        f"old occurs {times} times in {spot.shown} (lines {named}). Nothing was changed: add "
        "lines around it until it occurs once, or set all to true."
    )


def _occurrences(text: bytes, piece: bytes, most: int) -> Iterator[int]:
    """Where it begins, overlapping ones too."""
    at = text.find(piece)
    while at != -1 and most > 0:
        yield at
        most -= 1
        at = text.find(piece, at + 1)


def _not_found(text: bytes, old: bytes, spot: Spot) -> str:
    wanted = next((line for line in old.split(b"\n") if line.strip()), b"").decode(errors="replace")
    number, line = _nearest(text, wanted)
    near = ""
    if number:
        near = f" The nearest line is {number}: {visible_line(line, 200)}"
        if line.split() == wanted.split():
            near += " (it differs in white space)" if line != wanted else " (what follows differs)"
    return (
        f"old does not occur in {spot.shown}; nothing was changed. Read the file and copy the "
        f"text exactly.{near}"
    )


def _nearest(text: bytes, wanted: str) -> tuple[int, str]:
    """The line most like the wanted one, and its number; 0 if none is like it."""
    best, number, found = LIKE, 0, ""
    matcher = SequenceMatcher(None, b=wanted.strip()[:500], autojunk=False)
    lines = text.split(b"\n", LINES_COMPARED)[:LINES_COMPARED]
    for n, raw in enumerate(lines, 1):
        line = raw[:2000].decode(errors="replace")
        if line.split() == wanted.split() and line.strip():
            return n, line
        matcher.set_seq1(line.strip()[:500])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
            ratio = matcher.ratio()
            if ratio > best:
                best, number, found = ratio, n, line
    return number, found
