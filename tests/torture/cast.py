"""Who plays in a scripted run: a model that knows its lines, a tool that leaves marks, a person."""

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from msgspec.structs import replace

from longwatch.dialects import ToolSpec
from longwatch.engine.opening import events_of
from longwatch.engine.ports import (
    Clock,
    FaultKind,
    ModelFault,
    ModelReply,
    ModelRequest,
    Place,
    Prepared,
    ReasoningDelta,
    TextDelta,
    ToolOutput,
)
from longwatch.engine.storing import Batch, PostedIntent, Store
from longwatch.session import AnyEvent, Intent, decode, encode_intent
from longwatch.session.events import ToolCall
from longwatch.session.transcript import AssistantText, Message, ToolResult, UserText
from torture.traps import Trap

SESSION = "s1"
UNKNOWN = "was interrupted and its outcome is unknown"
"""What a model reads of a call that was cut off; one that a person paused is told otherwise."""


@dataclass(frozen=True)
class Failing:
    """A fault that the provider has once in each process, after so many pieces of the text."""

    kind: FaultKind
    after: int = 0
    retry_after: float | None = None


@dataclass(frozen=True)
class Line:
    """One reply of the model. Its text is its name: no two lines of a script say the same."""

    text: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    thought: str = ""
    until: str | None = None
    """The last word is held back until this wish is answered."""
    after: str | None = None
    """The last word is held back until somebody has said this line."""
    failing: tuple[Failing, ...] = ()


class Waiting(Protocol):
    """Waits until a wish is answered, or until a line is said."""

    async def __call__(self, what: str, /) -> None: ...


class Actor:
    """A model that says the first line of its script that the conversation does not hold yet.

    So it goes on where any process before it ended, like a model that reads what has happened.
    """

    provider = "actor"
    context: int | None = None

    def __init__(
        self,
        parts: Mapping[str, Sequence[Line]],
        trap: Trap,
        answered: Waiting,
        said: Waiting,
        heard: Callable[[str], None],
    ) -> None:
        """``parts`` are the lines of each conversation, by its first words."""
        self._parts = parts
        self._trap = trap
        self._answered = answered
        self._said = said
        self._heard = heard
        self._failed: set[tuple[str, int]] = set()
        self._streams: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def drafted(self) -> None:
        """A draft is kept; called in the thread that wrote it."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._go_on)

    def _go_on(self) -> None:
        for shown in self._streams:
            shown.set()

    async def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[TextDelta | ReasoningDelta | ModelReply, None]:
        self._loop, shown = asyncio.get_running_loop(), asyncio.Event()
        self._streams.add(shown)
        try:
            async for part in self._spoken(request, shown):
                yield part
        finally:
            self._streams.discard(shown)

    async def _spoken(
        self, request: ModelRequest, shown: asyncio.Event
    ) -> AsyncGenerator[TextDelta | ReasoningDelta | ModelReply, None]:
        self._trap.passing("model: asked")
        for message in request.messages:
            if isinstance(message, ToolResult) and UNKNOWN in message.output:
                self._heard(message.call)
        stem, line = self._next(request.messages)
        thoughts: list[TextDelta | ReasoningDelta] = [*map(ReasoningDelta, _words(line.thought))]
        parts = [*thoughts, *map(TextDelta, _words(line.text))]
        for count, part in enumerate(parts):
            self._fail(line, count)
            if part is parts[-1]:
                await self._held_back(line)
            shown.clear()
            yield part
            # Every piece becomes a draft, so that the number of points does not depend on luck.
            await shown.wait()
            self._trap.passing("model: speaking")
        self._fail(line, None)
        self._trap.passing("model: replied")
        calls = tuple(
            ToolCall(f"{stem}-{place}", name, _filled(arguments, request.messages))
            for place, (name, arguments) in enumerate(line.calls)
        )
        yield ModelReply(
            text=line.text,
            reasoning=line.thought,
            finish="tool_calls" if calls else "stop",
            tool_calls=calls,
        )

    def preview(self, request: ModelRequest) -> Mapping[str, Any]:
        return {"messages": len(request.messages)}

    async def _held_back(self, line: Line) -> None:
        if line.until is not None:
            await self._answered(line.until)
        if line.after is not None:
            await self._said(line.after)

    def _next(self, messages: Sequence[Message]) -> tuple[str, Line]:
        """The line, and a name for its calls that no other conversation has."""
        spoken = {message.text for message in messages if isinstance(message, AssistantText)}
        task = next(message.text for message in messages if isinstance(message, UserText))
        script, part = self._parts[task], list(self._parts).index(task) or ""
        for at, line in enumerate(script):
            if line.text not in spoken:
                return f"call{part}-{at}", line
        return f"call{part}-{len(script)}", Line(
            f"Nothing is left to say after {len(messages)} messages."
        )

    def _fail(self, line: Line, spoken: int | None) -> None:
        """Have the faults that are due after so many pieces, or at the end."""
        for at, failing in enumerate(line.failing):
            due = spoken is None or failing.after == spoken
            if due and (line.text, at) not in self._failed:
                self._failed.add((line.text, at))
                raise ModelFault(
                    failing.kind, "a fault on purpose", retry_after=failing.retry_after
                )


def _words(text: str) -> list[str]:
    return re.findall(r"\S+\s*", text)


def _filled(arguments: Mapping[str, Any], messages: Sequence[Message]) -> dict[str, Any]:
    """The arguments, with ``<text>`` as an id replaced by the number that the item was given."""
    filled = dict(arguments)
    wanted = arguments.get("id")
    if isinstance(wanted, str) and wanted.startswith("<"):
        shown = "\n".join(_shown(message) for message in messages)
        found = re.findall(
            rf"^\s*(?:- added )?\[(\d+)\]:? {re.escape(wanted[1:-1])}", shown, re.MULTILINE
        )
        filled["id"] = int(found[-1]) if found else 0
    return filled


def _shown(message: Message) -> str:
    return message.output if isinstance(message, ToolResult) else message.text


@dataclass
class Chisel:
    """A tool whose every stroke is seen afterwards: two lines a call, each on the disk at once."""

    marks: Path
    trap: Trap
    answered: Waiting
    name: str = "chisel"
    spec: ToolSpec = field(init=False)

    def __post_init__(self) -> None:
        properties = {"mark": {"type": "string"}, "until": {"type": "string"}}
        schema = {"type": "object", "properties": properties, "required": ["mark"]}
        self.spec = ToolSpec(self.name, "Leave a mark.", schema)

    def prepare(self, arguments: Mapping[str, Any], place: Place) -> Prepared:
        del place
        self.trap.passing("tool: looked at")
        mark = str(arguments["mark"])
        return Prepared(
            effect="execute",
            question=f"Leave the mark {mark}?",
            fingerprint=mark,
            plan=(mark, arguments.get("until")),
        )

    async def run(self, prepared: Prepared, place: Place) -> ToolOutput:
        del place
        mark, until = prepared.plan
        self.trap.passing("tool: not begun")
        self._strike(f"{mark} begun")
        self.trap.passing("tool: half done")
        if until is not None:
            await self.answered(until)
        self._strike(f"{mark} done")
        self.trap.passing("tool: not recorded")
        return ToolOutput(ok=True, output=f"left the mark {mark}", files=(mark,))

    def _strike(self, line: str) -> None:
        descriptor = os.open(self.marks, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


Events = Sequence[AnyEvent]


@dataclass(frozen=True)
class Wish:
    """Something that the person asks once, when what has happened so far calls for it."""

    id: str
    due: Callable[[Events], bool]
    intent: Callable[[Events], Intent]


class Person:
    """Watches the events and posts each wish when it is due, under an id that never changes.

    A wish that a killed process owed is posted by the next one, since the events still call for
    it; one that was posted already is not posted again, since the store knows its id.
    """

    def __init__(self, wishes: Sequence[Wish], clock: Clock) -> None:
        self._wishes = list(wishes)
        self._clock = clock
        self._events: list[AnyEvent] = []
        self._store: Store | None = None

    def watch(self, store: Store) -> None:
        """Look at what is there, and keep looking."""
        self._store = store
        self._events = list(events_of(store, SESSION))
        self._post_what_is_due()

    def appended(self, batches: Sequence[Batch]) -> None:
        """Called in the thread that writes, before anyone is told of the events."""
        for batch in batches:
            self._events.extend(decode(record.body) for record in batch.records)
        self._post_what_is_due()

    def _post_what_is_due(self) -> None:
        if self._store is None or not self._events:
            return
        for wish in [wish for wish in self._wishes if wish.due(self._events)]:
            self._wishes.remove(wish)
            now = self._clock.now()
            body = encode_intent(replace(wish.intent(self._events), id=wish.id, at=now))
            self._store.post(PostedIntent(wish.id, SESSION, now, body))
