"""The tool that reads text files, a bounded window of lines at a time."""

import hashlib
import os
import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from longwatch.adapters.tools.files import CHUNK, ReadMemory, check_size
from longwatch.adapters.tools.paths import Spot, is_protected, open_file, resolve_file, told
from longwatch.adapters.tools.questions import fingerprint, question
from longwatch.adapters.tools.secret_names import looks_secret
from longwatch.adapters.tools.work import in_thread_until
from longwatch.dialects import ToolSpec
from longwatch.engine.ports import Place, Prepared, ToolOutput, ToolRefused

MOST_LINES = 2000
MOST_BYTES = 64 * 1024

KINDS = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ", "xz data"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)


class ReadPlan(msgspec.Struct, frozen=True):
    spot: Spot
    offset: int
    limit: int


class Window:
    """The lines from ``first`` on, as many as fit, of a file that is fed in pieces."""

    def __init__(self, first: int, count: int) -> None:
        self.first = first
        self.after = first + count
        self.kept = bytearray()
        self.full = False
        self._line = 1
        self._open = False

    @property
    def total(self) -> int:
        """How many lines were fed, an unfinished last one included."""
        return self._line - 1 + self._open

    def feed(self, chunk: bytes) -> None:
        breaks = chunk.count(b"\n")
        self._open = not chunk.endswith(b"\n")
        if self.full or self._line >= self.after or self._line + breaks < self.first:
            self._line += breaks
            return
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            self._keep(line + b"\n")
            self._line += 1
        self._keep(rest)

    def _keep(self, piece: bytes) -> None:
        if self.full or not self.first <= self._line < self.after:
            return
        room = MOST_BYTES - len(self.kept)
        self.full = len(piece) > room
        self.kept += piece[:room]

    def shown(self) -> tuple[bytes, int, bool]:
        """The text, the last line in it, and whether that one is cut: only a first one can be."""
        text = bytes(self.kept)
        if self.full and b"\n" in text:
            text = text[: text.rindex(b"\n") + 1]
        lines = text.count(b"\n") + (not text.endswith(b"\n") and bool(text))
        return text, self.first + lines - 1, self.full and not text.endswith(b"\n")


class ReadFile:
    """Reads, and remembers for the session what was read."""

    spec = ToolSpec(
        name="read_file",
        description=(
            f"Read a text file. At most {MOST_LINES:,} lines or {MOST_BYTES // 1024} KiB are "
            "returned at a time; the last line of the result says how to go on."
        ),
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Relative to the session's folder."},
                "offset": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The first line to return, counted from 1 (default 1).",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "description": f"How many lines (default and most {MOST_LINES:,}).",
                },
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    )

    def __init__(self, memory: ReadMemory) -> None:
        self._memory = memory

    def prepare(self, arguments: Mapping[str, Any], place: Place) -> Prepared:
        spot = resolve_file(arguments["path"], place)
        with told(spot):
            os.close(open_file(spot))
        offset = int(arguments.get("offset", 1))
        limit = min(int(arguments.get("limit", MOST_LINES)), MOST_LINES)
        secret = looks_secret(spot.parts) or is_protected(spot, place)
        what = f"read_file {spot.shown}" + (", which looks secret" if secret else "")
        return Prepared(
            effect="read_secret" if secret else "read",
            question=question(what, spot.root),
            fingerprint=fingerprint("read_file", arguments, spot.root, spot.parts),
            plan=ReadPlan(spot, offset, limit),
        )

    async def run(self, prepared: Prepared, place: Place) -> ToolOutput:
        plan: ReadPlan = prepared.plan
        stop = threading.Event()
        window, digest = await in_thread_until(stop, partial(_read, plan, stop))
        self._memory.remember(place.session, plan.spot.path, digest)
        return _answer(plan, window)


def _read(plan: ReadPlan, stop: threading.Event) -> tuple[Window, str]:
    window = Window(plan.offset, plan.limit)
    hasher = hashlib.sha256()
    start = b""
    with told(plan.spot):
        fd = open_file(plan.spot)
        try:
            size = os.fstat(fd).st_size
            check_size(plan.spot, size)
            while not stop.is_set() and (chunk := os.read(fd, CHUNK)):
                start = start or chunk[:64]
                if b"\0" in chunk:
                    raise ToolRefused(_binary(plan.spot, size, start))
                hasher.update(chunk)
                window.feed(chunk)
        finally:
            os.close(fd)
    return window, hasher.hexdigest()


def _binary(spot: Spot, size: int, start: bytes) -> str:
    kind = next((name for magic, name in KINDS if start.startswith(magic)), "a binary file")
    return f"{spot.shown} is {kind} of {size:,} bytes, not text that can be read here."


def _answer(plan: ReadPlan, window: Window) -> ToolOutput:
    total = window.total
    if total == 0:
        return ToolOutput(ok=True, output=f"({plan.spot.shown} is empty)")
    if plan.offset > total:
        lines = "1 line" if total == 1 else f"{total:,} lines"
        return ToolOutput(
            ok=False, output=f"{plan.spot.shown} has {lines}; offset {plan.offset} is past its end."
        )
    data, last, cut = window.shown()
    text = data.decode(errors="replace")
    notes = []
    if cut:
        notes.append(
            f"[line {last} is longer than {MOST_BYTES:,} bytes and is cut; "
            f"use the shell for the rest of it]"
        )
    if last < total:
        notes.append(f"[lines {plan.offset}-{last} of {total:,}; go on with offset {last + 1}]")
    if "�" in text and "�".encode() not in data:
        notes.append("[bytes that are not UTF-8 are shown as �]")
    if notes and not text.endswith("\n"):
        text += "\n"
    # A part that was asked for is no truncation.
    truncated = window.full or (last < total and plan.limit == MOST_LINES)
    return ToolOutput(ok=True, output=text + "\n".join(notes), truncated=truncated)
