"""The tool that writes a whole file, new or over an old one."""

from collections.abc import Mapping
from typing import Any

import msgspec

from longwatch.adapters.tools.diffs import unified
from longwatch.adapters.tools.files import Current, ReadMemory, check_fresh, look, replace
from longwatch.adapters.tools.paths import Spot, check_writable, resolve_file, told
from longwatch.adapters.tools.questions import fingerprint, question
from longwatch.adapters.tools.work import in_thread
from longwatch.dialects import ToolSpec
from longwatch.engine.ports import Place, Prepared, ToolOutput, ToolRefused

MOST_BYTES = 8 * 1024 * 1024


class WritePlan(msgspec.Struct, frozen=True):
    """What replaces what: ``before`` is the digest of the file as the question showed it."""

    spot: Spot
    data: bytes
    before: str | None
    done: str


class WriteFile:
    """Writes by rename; the file that was there is replaced whole or stays."""

    spec = ToolSpec(
        name="write_file",
        description=(
            "Write a text file, creating it and its folders or replacing all of its content. To "
            "change a part of a file use edit_file."
        ),
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Relative to the session's folder."},
                "content": {"type": "string", "description": "The whole content."},
            },
            "required": ["path", "content"],
            "additionalProperties": False,
        },
    )

    def __init__(self, memory: ReadMemory) -> None:
        self._memory = memory

    def prepare(self, arguments: Mapping[str, Any], place: Place) -> Prepared:
        data = encoded(arguments["content"], "content")
        spot = resolve_file(arguments["path"], place)
        check_writable(spot, place)
        with told(spot):
            current = look(spot, MOST_BYTES)
        if current is not None:
            check_fresh(self._memory, place.session, spot, current)
        before = current.digest if current else None
        what = f"write_file {spot.shown} ({'replaces the file' if current else 'new file'})"
        done = f"{'Replaced' if current else 'Created'} {spot.shown} ({len(data):,} bytes)."
        return Prepared(
            effect="write",
            question=question(what, spot.root, *_shown(current, data, spot)),
            fingerprint=fingerprint("write_file", arguments, spot.root, spot.parts, before),
            plan=WritePlan(spot, data, before, done),
        )

    async def run(self, prepared: Prepared, place: Place) -> ToolOutput:
        return await put(prepared.plan, self._memory, place)


async def put(plan: WritePlan, memory: ReadMemory, place: Place) -> ToolOutput:
    """Carry out a write if the file still is what the question showed."""
    digest = await in_thread(_put, plan, place)
    memory.remember(place.session, plan.spot.path, digest)
    return ToolOutput(ok=True, output=plan.done, files=(plan.spot.relative,))


def _put(plan: WritePlan, place: Place) -> str:
    check_writable(plan.spot, place)
    return replace(plan.spot, plan.data, plan.before)


def encoded(text: str, name: str) -> bytes:
    """The text as it would be on disk."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ToolRefused(f"{name} is not valid Unicode at character {error.start}.") from None
    if len(data) > MOST_BYTES:
        raise ToolRefused(f"{name} is {len(data):,} bytes; at most {MOST_BYTES:,} can be written.")
    return data


def _shown(current: Current | None, data: bytes, spot: Spot) -> list[str]:
    after = data.decode()
    if current is None:
        return [unified(None, after, spot.relative)]
    if current.data is None or b"\0" in current.data:
        note = f"(replaces {current.size:,} bytes that cannot be shown as text)"
        return [note, unified(None, after, spot.relative)]
    if current.data == data:
        return ["(the content stays as it is)"]
    return [unified(current.data.decode(errors="surrogateescape"), after, spot.relative)]
