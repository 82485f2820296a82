"""Reads replies of the Messages API, streamed or whole, with thinking kept as it came."""

from typing import Any

import msgspec
from msgspec.structs import replace

from longwatch.adapters.models.provider import Prices
from longwatch.adapters.models.reading import REFUSED, CallParts, Counts, Reading
from longwatch.adapters.models.speech import Channel
from longwatch.adapters.models.wire import Wire
from longwatch.engine.ports import ModelRequest
from longwatch.session.events import Finish, ToolCall

FINISHES: dict[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
CACHE_READ = 0.1
CACHE_WRITE = 1.25
"""What the cache costs, as parts of the input's price, where no price is set for it."""


class _Delta(msgspec.Struct, gc=False):
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None
    signature: str | None = None
    stop_reason: str | None = None


class _Content(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | str | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Message(msgspec.Struct, gc=False):
    content: list[_Content] | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None


class _Event(msgspec.Struct, gc=False):
    """Every event of a stream: the types differ in which of these they have."""

    type: str = ""
    index: int = 0
    delta: _Delta | None = None
    content_block: _Content | None = None
    message: _Message | str | None = None
    usage: _Usage | None = None
    error: Any = None
    content: list[_Content] | None = None
    stop_reason: str | None = None


class _Block:
    """One block of content as it comes in."""

    __slots__ = ("call", "data", "end", "signature", "start", "thinking", "type")

    def __init__(self, type_: str) -> None:
        self.type = type_
        self.thinking: list[str] = []
        self.signature: list[str] | None = None
        self.data = ""
        self.call: CallParts | None = None
        self.start = self.end = 0


class MessageReading(Reading[_Event]):
    """A message coming in. ``made_for`` tells the prefix that its thinking belongs to."""

    def __init__(
        self, wire: Wire, request: ModelRequest, sent: int, model: str, made_for: str
    ) -> None:
        super().__init__(wire, request, sent, _Event)
        self._model = model
        self._made_for = made_for
        self._blocks: dict[int, _Block] = {}
        self._usage = _Usage()
        self._last: dict[Channel, _Block | None] = {"text": None, "reasoning": None}

    def take(self, name: bytes, data: bytes) -> bool:
        try:
            event = self.decode(data)
        except REFUSED:
            event = self.patiently(data)
        if event.type == "content_block_delta":
            self._take_delta(event)
            return True
        match event.type:
            case "content_block_start":
                if event.content_block is not None:
                    self._start(event.index, event.content_block)
            case "message_start":
                if isinstance(event.message, _Message):
                    self._count(event.message.usage)
            case "message_delta":
                self.finish = (event.delta and event.delta.stop_reason) or self.finish
                self._count(event.usage)
            case "message_stop":
                self.whole = self.done = True
            case "ping":
                return False
            case _:
                if event.type == "error" or event.error or name == b"error":
                    raise self.complain(_report(event, data))
        return True

    def take_body(self, body: bytes) -> None:
        try:
            message = self.decode(body)
        except REFUSED:
            message = self.patiently(body)
        if message.type == "error" or message.error:
            raise self.complain(_report(message, body))
        if message.content is None:
            raise self.malformed("the response is no message.", body)
        for index, content in enumerate(message.content):
            self._start(index, content)
        self._count(message.usage)
        self.finish = message.stop_reason
        self.whole = self.done = True

    def _take_delta(self, event: _Event) -> None:
        delta = event.delta
        if delta is None:
            return
        block = self._blocks.get(event.index)
        if block is None:
            block = self._blocks[event.index] = _Block(_type_of(delta))
        if text := delta.text:
            if block is not self._last["text"]:
                self._turn_to(block, "text")
            self.say("text", text)
            block.end += len(text)
        elif delta.partial_json is not None:
            if block.call is None:
                block.call = CallParts()
            if delta.partial_json:
                if block.call.extra is not None:
                    block.call.arguments.clear()
                    block.call.extra = None
                block.call.arguments.append(delta.partial_json)
        elif delta.thinking:
            block.thinking.append(delta.thinking)
            self._speak("reasoning", delta.thinking, block)
        elif delta.signature is not None:
            block.signature = [*(block.signature or ()), delta.signature]

    def _start(self, index: int, content: _Content) -> None:
        block = self._blocks[index] = _Block(content.type)
        if content.text:
            self._speak("text", content.text, block)
        if content.thinking:
            block.thinking.append(content.thinking)
            self._speak("reasoning", content.thinking, block)
        if content.signature is not None:
            block.signature = [content.signature]
        block.data = content.data or ""
        if content.type == "tool_use":
            block.call = CallParts(content.id or "", content.name or "")
            if content.input:
                # Some servers send all of it with the start; pieces that follow replace it.
                given = content.input
                text = given if isinstance(given, str) else msgspec.json.encode(given).decode()
                block.call.arguments.append(text)
                block.call.extra = text

    def _speak(self, channel: Channel, text: str, block: _Block) -> None:
        """Say it, apart from what an earlier block said if something else lay between."""
        if block is not self._last[channel]:
            self._turn_to(block, channel)
        self.say(channel, text)
        block.end += len(text)

    def _turn_to(self, block: _Block, channel: Channel) -> None:
        last, self._last[channel] = self._last[channel], block
        at = 0 if last is None else last.end
        if last is not None and last is not self._before(block):
            self.say(channel, "\n\n")
            at += 2
        block.start = block.end = at

    def _before(self, block: _Block) -> _Block | None:
        blocks = list(self._blocks.values())
        at = blocks.index(block)
        return blocks[at - 1] if at else None

    def _count(self, usage: _Usage | None) -> None:
        """Counts are running totals, told once or in pieces; a zero is no news."""
        if usage is None:
            return
        told = {field: value for field, value in msgspec.structs.asdict(usage).items() if value}
        if usage.output_tokens is not None:
            told["output_tokens"] = usage.output_tokens
        self._usage = replace(self._usage, **told)

    def calls(self) -> list[CallParts]:
        return [block.call for block in self._blocks.values() if block.call is not None]

    def finished(self, has_calls: bool) -> Finish:
        return FINISHES.get(self.finish or "", "tool_calls" if has_calls else "stop")

    def counts(self) -> Counts | None:
        usage = self._usage
        if usage.output_tokens is None or usage.input_tokens is None:
            return None
        cached, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
        return Counts(usage.input_tokens + cached + written, usage.output_tokens, cached, written)

    def prices(self, prices: Prices) -> Prices:
        return replace(
            prices,
            cached=prices.input * CACHE_READ if prices.cached is None else prices.cached,
            cache_write=(
                prices.input * CACHE_WRITE if prices.cache_write is None else prices.cache_write
            ),
        )

    def provider_data(self, calls: tuple[ToolCall, ...]) -> Any:
        """The order of all blocks with the thinking among them, where there is any.

        Text and calls are kept as places in the reply, which holds them already.
        """
        del calls
        content: list[Any] = []
        called = 0
        for block in self._blocks.values():
            if block.call is not None:
                content.append({"call": called})
                called += 1
            elif block.type == "redacted_thinking":
                content.append({"type": block.type, "data": block.data})
            elif block.type == "thinking":
                kept = {"type": block.type, "thinking": "".join(block.thinking)}
                if block.signature is not None:
                    kept["signature"] = "".join(block.signature)
                content.append(kept)
            elif block.type == "text":
                content.append({"text": [block.start, block.end]})
        if not any("type" in kept for kept in content):
            return None
        return {
            "provider": self._wire.name,
            "model": self._model,
            "for": self._made_for,
            "content": content,
        }


def _type_of(delta: _Delta) -> str:
    """What a block is whose start never came."""
    if delta.partial_json is not None:
        return "tool_use"
    return "thinking" if delta.thinking is not None or delta.signature is not None else "text"


def _report(event: _Event, data: bytes) -> Any:
    if event.error:
        return {"error": event.error}
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeError):
        return {"error": data.decode("utf-8", "replace")}
