"""What a provider says, in both protocols, streamed or whole, for the server of the tests."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fault_server import Reply

Protocol = Literal["openai", "anthropic"]
Finish = Literal["stop", "tool_calls", "length", "refusal"]

OPENAI_FINISH = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "length": "length",
    "refusal": "content_filter",
}
ANTHROPIC_FINISH = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "refusal": "refusal",
}
EVENTS = {"content-type": "text/event-stream; charset=utf-8"}
JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Call:
    """One tool call; the arguments are the text that the model writes."""

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True)
class Said:
    """A reply, whatever the protocol."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    signature: str = "c2lnbmF0dXJl"
    finish: Finish | None = None
    input: int = 120
    output: int = 34
    cached: int = 20
    usage: bool = True
    piece: int = 4

    @property
    def ended(self) -> Finish:
        return self.finish or ("tool_calls" if self.calls else "stop")


def stream(protocol: Protocol, said: Said) -> Reply:
    events = openai_events(said) if protocol == "openai" else anthropic_events(said)
    return Reply(list(events), headers=EVENTS)


def whole(protocol: Protocol, said: Said) -> Reply:
    body = openai_body(said) if protocol == "openai" else anthropic_body(said)
    return Reply([json.dumps(body).encode()], headers=JSON, framing="length")


def reply(protocol: Protocol, said: Said, *, streamed: bool = True) -> Reply:
    return stream(protocol, said) if streamed else whole(protocol, said)


def error(
    protocol: Protocol, status: int, message: str = "", type_: str = "", code: Any = None
) -> Reply:
    body = json.dumps(error_body(protocol, message, type_, code)).encode()
    return Reply([body], status=status, headers=JSON, framing="length")


def error_body(protocol: Protocol, message: str, type_: str = "", code: Any = None) -> Any:
    if protocol == "openai":
        return {"error": {"message": message, "type": type_, "param": None, "code": code}}
    return {"type": "error", "error": {"type": type_, "message": message}, "request_id": "r1"}


def error_event(protocol: Protocol, message: str, type_: str = "", code: Any = None) -> bytes:
    body = error_body(protocol, message, type_, code)
    return data(body) if protocol == "openai" else event("error", body)


def data(value: Any) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def event(name: str, value: Any) -> bytes:
    return f"event: {name}\n".encode() + data(value)


def pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


# --- chat completions -----------------------------------------------------------------------


def chunk(delta: Any, finish: str | None = None, **more: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": choices,
        **more,
    }


def openai_usage(said: Said) -> dict[str, Any]:
    return {
        "prompt_tokens": said.input,
        "completion_tokens": said.output,
        "total_tokens": said.input + said.output,
        "prompt_tokens_details": {"cached_tokens": said.cached},
    }


def openai_events(said: Said) -> Iterator[bytes]:
    yield data(chunk({"role": "assistant", "content": ""}))
    for piece in pieces(said.reasoning, said.piece):
        yield data(chunk({"reasoning_content": piece}))
    for piece in pieces(said.text, said.piece):
        yield data(chunk({"content": piece}))
    for index, call in enumerate(said.calls):
        begun = {"name": call.name, "arguments": ""}
        yield data(
            chunk(
                {
                    "tool_calls": [
                        {"index": index, "id": call.id, "type": "function", "function": begun}
                    ]
                }
            )
        )
        for piece in pieces(call.arguments, said.piece):
            more = {"index": index, "function": {"arguments": piece}}
            yield data(chunk({"tool_calls": [more]}))
    yield data(chunk({}, OPENAI_FINISH[said.ended]))
    if said.usage:
        yield data(chunk(None, usage=openai_usage(said)))
    yield b"data: [DONE]\n\n"


def openai_body(said: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.reasoning:
        message["reasoning_content"] = said.reasoning
    if said.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in said.calls
        ]
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": OPENAI_FINISH[said.ended]}],
    }
    if said.usage:
        body["usage"] = openai_usage(said)
    return body


# --- messages -------------------------------------------------------------------------------


def anthropic_usage(said: Said, output: int) -> dict[str, Any]:
    return {
        "input_tokens": said.input - said.cached,
        "cache_read_input_tokens": said.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": output,
    }


def anthropic_message(said: Said, content: Sequence[Any], output: int) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(content),
        "stop_reason": None,
        "stop_sequence": None,
    }
    if said.usage:
        message["usage"] = anthropic_usage(said, output)
    return message


def anthropic_events(said: Said) -> Iterator[bytes]:
    start = anthropic_message(said, [], 1)
    yield event("message_start", {"type": "message_start", "message": start})
    yield event("ping", {"type": "ping"})
    index = 0
    if said.reasoning:
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        deltas = [
            {"type": "thinking_delta", "thinking": piece}
            for piece in pieces(said.reasoning, said.piece)
        ]
        signed = {"type": "signature_delta", "signature": said.signature}
        yield from block(index, empty, [*deltas, signed])
        index += 1
    if said.text:
        deltas = [{"type": "text_delta", "text": p} for p in pieces(said.text, said.piece)]
        yield from block(index, {"type": "text", "text": ""}, deltas)
        index += 1
    for call in said.calls:
        begun = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        parts = ["", *pieces(call.arguments, said.piece)]
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        yield from block(index, begun, deltas)
        index += 1
    ended = {"stop_reason": ANTHROPIC_FINISH[said.ended], "stop_sequence": None}
    last: dict[str, Any] = {"type": "message_delta", "delta": ended}
    if said.usage:
        last["usage"] = {"output_tokens": said.output}
    yield event("message_delta", last)
    yield event("message_stop", {"type": "message_stop"})


def block(index: int, begun: Any, deltas: Sequence[Any]) -> Iterator[bytes]:
    start = {"type": "content_block_start", "index": index, "content_block": begun}
    yield event("content_block_start", start)
    for delta in deltas:
        named = {"type": "content_block_delta", "index": index, "delta": delta}
        yield event("content_block_delta", named)
    yield event("content_block_stop", {"type": "content_block_stop", "index": index})


def anthropic_body(said: Said) -> dict[str, Any]:
    content: list[Any] = []
    if said.reasoning:
        content.append(
            {"type": "thinking", "thinking": said.reasoning, "signature": said.signature}
        )
    if said.text:
        content.append({"type": "text", "text": said.text})
    content.extend(
        {
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": json.loads(call.arguments),
        }
        for call in said.calls
    )
    message = anthropic_message(said, content, said.output)
    return {**message, "stop_reason": ANTHROPIC_FINISH[said.ended]}
