"""Reads chat completions, streamed or whole, and the habits of the many servers that speak them."""

import json
from typing import Any

import msgspec

from longwatch.adapters.models import faults
from longwatch.adapters.models.reading import REFUSED, CallParts, Counts, Reading
from longwatch.adapters.models.wire import Wire
from longwatch.engine.ports import ModelRequest
from longwatch.session.events import Finish, ToolCall

DONE = b"[DONE]"
FINISHES: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
    "safety": "refusal",
}


class _Part(msgspec.Struct, gc=False):
    """A piece of content where a server sends a list of them."""

    type: str = "text"
    text: str | None = None
    thinking: Any = None


class _Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class _Call(msgspec.Struct, gc=False):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None
    extra_content: Any = None


class _Message(msgspec.Struct, gc=False):
    content: str | list[_Part] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(msgspec.Struct, gc=False):
    delta: _Message | None = None
    message: _Message | None = None
    finish_reason: str | None = None
    index: int = 0


class _PromptDetails(msgspec.Struct, gc=False):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _Usage(msgspec.Struct, gc=False):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    prompt_cache_hit_tokens: int | None = None


class _Chunk(msgspec.Struct, gc=False):
    """A chunk of a stream, and a whole completion: they differ in ``delta`` and ``message``."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None


class ChatReading(Reading[_Chunk]):
    """A chat completion coming in."""

    def __init__(self, wire: Wire, request: ModelRequest, sent: int, model: str) -> None:
        super().__init__(wire, request, sent, _Chunk)
        self._refused = False
        self._model = model
        self._usage: _Usage | None = None
        self._calls: list[CallParts] = []
        self._by_index: dict[int, CallParts] = {}
        self._reasoning_field = ""

    def take(self, name: bytes, data: bytes) -> bool:
        try:
            chunk = self.decode(data)
        except REFUSED:
            if data.strip() == DONE:
                self.whole = self.done = True
                return True
            if name == b"ping":
                return False
            chunk = self.patiently(data)
        self._take_chunk(chunk, name, data)
        return True

    def take_body(self, body: bytes) -> None:
        try:
            chunk = self.decode(body)
        except REFUSED:
            chunk = self.patiently(body)
        self._take_chunk(chunk, b"", body)
        if not chunk.choices:
            raise self.malformed("the response is no chat completion.", body)
        self.whole = self.done = True

    def _take_chunk(self, chunk: _Chunk, name: bytes, data: bytes) -> None:
        if chunk.error:
            raise self.complain({"error": chunk.error})
        if chunk.usage is not None:
            self._usage = chunk.usage
        elif not chunk.choices:
            self._check_for_complaint(name, data)
        for choice in chunk.choices or ():
            if choice.index:
                continue
            if choice.delta is not None:
                self._take_message(choice.delta, separate=False)
            if choice.message is not None:
                self._take_message(choice.message, separate=True)
            if choice.finish_reason:
                self.finish = choice.finish_reason
                if self.finish == "error":
                    raise self._wire.fault("server", "the server broke the reply off.")
                self.whole = True

    def _take_message(self, message: _Message, *, separate: bool) -> None:
        content = message.content
        if content:
            if isinstance(content, str):
                self.say("text", content)
            else:
                self._take_parts(content)
        if message.reasoning_content:
            self.say("reasoning", message.reasoning_content)
        elif message.reasoning:
            self._reasoning_field = "reasoning"
            self.say("reasoning", message.reasoning)
        if message.refusal:
            self._refused = True
            self.say("text", message.refusal)
        for call in message.tool_calls or ():
            self._take_call(call, separate=separate)

    def _take_parts(self, parts: list[_Part]) -> None:
        for part in parts:
            if part.text:
                self.say("text", part.text)
            inner = part.thinking
            if isinstance(inner, str) and inner:
                self.say("reasoning", inner)
            elif isinstance(inner, list):
                for piece in inner:
                    if isinstance(piece, dict) and isinstance(piece.get("text"), str):
                        self.say("reasoning", piece["text"])

    def _take_call(self, call: _Call, *, separate: bool) -> None:
        parts = self._call_for(call, separate=separate)
        if call.id and not parts.id:
            parts.id = call.id
        if call.extra_content is not None and parts.extra is None:
            parts.extra = call.extra_content
        function = call.function
        if function is None:
            return
        if function.name and not parts.name:
            # Some servers repeat the name in every piece.
            parts.name = function.name
        if isinstance(function.arguments, dict):
            parts.arguments.append(msgspec.json.encode(function.arguments).decode())
        elif function.arguments:
            parts.arguments.append(function.arguments)

    def _call_for(self, call: _Call, *, separate: bool) -> CallParts:
        """The call that a piece belongs to: by its index, unless an id says that it is another."""
        known = self._by_index.get(call.index) if call.index is not None else None
        if known is None and call.index is None and self._calls:
            known = self._calls[-1]
        another = bool(known and call.id and known.id and call.id != known.id)
        if known is None or another or separate:
            known = CallParts()
            self._calls.append(known)
            if call.index is not None:
                self._by_index[call.index] = known
        return known

    def _check_for_complaint(self, name: bytes, data: bytes) -> None:
        """A chunk without choices may be an error report, in one of its other shapes."""
        try:
            value = json.loads(data)
        except ValueError:
            return
        if name == b"error":
            raise self.complain({"error": value})
        if faults.is_complaint(value):
            raise self.complain(value)

    def calls(self) -> list[CallParts]:
        return self._calls

    def finished(self, has_calls: bool) -> Finish:
        if self._refused:
            return "refusal"
        return FINISHES.get(self.finish or "", "tool_calls" if has_calls else "stop")

    def counts(self) -> Counts | None:
        usage = self._usage
        if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        details = usage.prompt_tokens_details or _PromptDetails()
        cached = details.cached_tokens or usage.prompt_cache_hit_tokens or 0
        return Counts(
            usage.prompt_tokens,
            usage.completion_tokens,
            min(cached, usage.prompt_tokens),
            details.cache_write_tokens or 0,
        )

    def provider_data(self, calls: tuple[ToolCall, ...]) -> Any:
        """What the server hung on its calls, and what it calls its reasoning."""
        extra = {
            call.id: parts.extra
            for call, parts in zip(calls, self._calls, strict=True)
            if parts.extra is not None
        }
        if not extra and not self._reasoning_field:
            return None
        data: dict[str, Any] = {"provider": self._wire.name, "model": self._model}
        if extra:
            data["extra"] = extra
        if self._reasoning_field:
            data["reasoning"] = self._reasoning_field
        return data
