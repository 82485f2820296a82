"""Puts a reply together from the bytes of a response, whichever way the protocol says it."""

import json
import re
import secrets
import string
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, Literal, TypeVar

import msgspec

from longwatch.adapters.models import faults
from longwatch.adapters.models.provider import Prices
from longwatch.adapters.models.speech import Speech, mended
from longwatch.adapters.models.sse import LineTooLong, Splitter
from longwatch.adapters.models.wire import Wire
from longwatch.engine.ports import ModelFault, ModelReply, ModelRequest
from longwatch.session.arguments import read_arguments
from longwatch.session.events import Finish, ToolCall, Usage
from longwatch.session.transcript import AssistantText, Message

BYTES_PER_TOKEN = 4
ID_LENGTH = 9
"""Every known API takes ids of nine letters and digits, and one takes no other."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_FIELD = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:data|event|id|retry|error)?:")

Shape = TypeVar("Shape")

REFUSED = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""What a strict decoder raises."""


class Counts(msgspec.Struct, frozen=True):
    """The tokens of one reply; ``input`` includes what was read from or written to the cache."""

    input: int
    output: int
    cached: int = 0
    written: int = 0

    def cost(self, prices: Prices) -> float:
        cached = prices.input if prices.cached is None else prices.cached
        written = prices.input if prices.cache_write is None else prices.cache_write
        plain = max(0, self.input - self.cached - self.written)
        spent = plain * prices.input + self.cached * cached + self.written * written
        return (spent + self.output * prices.output) / 1_000_000


class CallParts:
    """One tool call as it comes in."""

    __slots__ = ("arguments", "extra", "id", "name")

    def __init__(self, id_: str = "", name: str = "") -> None:
        self.id = id_
        self.name = name
        self.arguments: list[str] = []
        self.extra: Any = None


class Reading(ABC, Generic[Shape]):
    """The reply so far, and whether it is whole."""

    def __init__(self, wire: Wire, request: ModelRequest, sent: int, shape: type[Shape]) -> None:
        self.whole = False
        """The terminal event has come: this is a reply."""
        self.done = False
        """Nothing more will come that matters."""
        self.finish: str | None = None
        self.speech = Speech()
        self.say = self.speech.say
        self._wire = wire
        self._request = request
        self._sent = sent
        self._shape = shape
        self.decode = msgspec.json.Decoder(shape).decode
        self._splitter = Splitter(wire.limits.line)
        self._way: Literal["events", "body"] | None = None
        self._head = b""
        self._body: list[bytes] = []

    # What a protocol defines.

    @abstractmethod
    def take(self, name: bytes, data: bytes) -> bool:
        """One event of a stream; False if it is no progress."""

    @abstractmethod
    def take_body(self, body: bytes) -> None:
        """A whole response that is not a stream."""

    @abstractmethod
    def calls(self) -> list[CallParts]: ...

    @abstractmethod
    def finished(self, has_calls: bool) -> Finish: ...

    @abstractmethod
    def counts(self) -> Counts | None:
        """The tokens as the server counted them, if it did."""

    @abstractmethod
    def provider_data(self, calls: tuple[ToolCall, ...]) -> Any:
        """What must be given back unchanged with this reply."""

    def prices(self, prices: Prices) -> Prices:
        """The prices with what the provider's documents say of the cache."""
        return prices

    # What is the same for all.

    def begin(self, content_type: str) -> None:
        """What the response says that it is. Where it does not say, its first byte tells."""
        if "event-stream" in content_type:
            self._way = "events"
        elif "json" in content_type:
            self._way = "body"

    def feed(self, chunk: bytes) -> bool:
        """Take the next bytes; whether they were progress. Raises ModelFault."""
        if len(self._head) < faults.HEAD:
            self._head += chunk[: faults.HEAD]
        if self._way is None:
            self._way = self._guess()
        if self._way == "body":
            self._body.append(chunk)
            return True
        progress = False
        try:
            for name, data in self._splitter.feed(chunk):
                if self.take(name, data):
                    progress = True
                if self.done:
                    break
        except LineTooLong:
            raise self._wire.fault("malformed", "a line of the response is too long.") from None
        return progress

    def _guess(self) -> Literal["events", "body"] | None:
        start = self._head.lstrip()[:1]
        if start == b"<":
            raise self.malformed("the response is a web page and not a reply. Check base_url.")
        if not start:
            return None
        return "body" if start == b"{" else "events"

    def reply(self) -> ModelReply:
        """The whole reply. Raises ModelFault if it is none."""
        if self._body and not self.whole:
            self.take_body(b"".join(self._body))
        if not self.whole:
            raise self._cut_short()
        self.speech.end()
        parts = self.calls()
        finish = self.finished(bool(parts))
        # What a refused reply had begun to ask for is not done.
        calls = () if finish == "refusal" else numbered(parts, self._request.messages, finish)
        return ModelReply(
            text=self.speech.all("text"),
            reasoning=self.speech.all("reasoning"),
            finish=finish,
            tool_calls=calls,
            provider_data=None if finish == "refusal" else self.provider_data(calls),
        )

    def usage(self, prices: Prices | None) -> Usage:
        """What it took, by the server's count or else by the size of what was sent and said."""
        told = self.counts()
        counts = told or Counts(-(-self._sent // BYTES_PER_TOKEN), self.produced())
        return Usage(
            input=counts.input,
            output=counts.output,
            cached=counts.cached,
            cost=None if prices is None else counts.cost(self.prices(prices)),
            estimated=told is None,
        )

    def produced(self) -> int:
        """Tokens that were said, by their size."""
        size = self.speech.size()
        for call in self.calls():
            size += len(call.name) + sum(map(len, call.arguments))
        return -(-size // BYTES_PER_TOKEN)

    def patiently(self, data: bytes) -> Shape:
        """JSON that the strict decoder refuses, read once more: there may be half a character in
        one token, or a number in quotes."""
        try:
            value = json.loads(data.decode("utf-8", "replace"))
            shaped = msgspec.convert(value, self._shape, strict=False)
        except (ValueError, RecursionError, msgspec.MsgspecError):
            raise self.malformed("the response holds broken JSON.", data) from None
        self.speech.mending = True
        return shaped

    def malformed(self, words: str, data: bytes | None = None) -> ModelFault:
        begins = faults.printable(self._head if data is None else data, faults.HEAD)
        return self._wire.fault("malformed", f"{words} It begins: {begins}")

    def complain(self, value: Any) -> ModelFault:
        """The fault for an error report inside a response."""
        return self._wire.complained(faults.complaint_of(value), 200)

    def _cut_short(self) -> ModelFault:
        if self._head.strip() and not _FIELD.match(self._head):
            return self.malformed("the response is not an event stream.")
        return self._wire.fault("broken", "the stream ended before the reply was whole.")


def numbered(
    parts: Iterable[CallParts], messages: Iterable[Message], finish: Finish
) -> tuple[ToolCall, ...]:
    """The calls, each with an id that no other call of the conversation has."""
    taken = {
        call.id
        for message in messages
        if isinstance(message, AssistantText)
        for call in message.calls
    }
    calls = []
    for part in parts:
        id_ = mended(part.id)
        while not id_ or id_ in taken:
            id_ = own_id()
        taken.add(id_)
        text = mended("".join(part.arguments))
        if not text.strip() and finish != "length":
            # A call without arguments; where the output was cut they may just be missing.
            text = "{}"
        calls.append(ToolCall(id_, mended(part.name), read_arguments(text)))
    return tuple(calls)


def own_id() -> str:
    letters = string.ascii_letters + string.digits
    return "".join(secrets.choice(letters) for _ in range(ID_LENGTH))


def wire_name(name: str) -> str:
    """A tool's name, or a call's id, as every API takes it back, whatever a model called it."""
    return _NOT_IN_NAMES.sub("_", name)[:64] or "unknown"
