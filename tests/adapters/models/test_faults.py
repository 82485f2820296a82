"""Every row of the fault table, in both protocols, streamed and not."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from adapters.models.asking import KEY, QUICK, MakeModel, ask, fault_of, request
from fault_server import NOTHING, Ending, FaultServer, Reply
from model_replies import (
    EVENTS,
    JSON,
    Call,
    Protocol,
    Said,
    error,
    error_body,
    error_event,
    reply,
    stream,
    whole,
)
from msgspec.structs import replace as changed

from longwatch.adapters.models import anthropic, openai
from longwatch.adapters.models.provider import ProviderConfig, Surroundings
from longwatch.engine.ports import FaultKind

BOTH = pytest.mark.parametrize("protocol", ["openai", "anthropic"])
EACH_WAY = pytest.mark.parametrize("streamed", [True, False], ids=["stream", "whole"])

TIGHT = changed(QUICK, first_byte=0.05, first_byte_reasoning=0.05, between_events=0.05)

STATUSES: list[tuple[int, str, str, FaultKind]] = [
    (400, "Invalid value", "invalid_request_error", "bad_request"),
    (401, "Incorrect API key provided", "authentication_error", "auth"),
    (402, "Insufficient Balance", "", "quota"),
    (402, "", "", "quota"),
    (403, "Country not supported", "permission_error", "auth"),
    (404, "Not Found", "", "bad_request"),
    (404, "The model `m` does not exist", "not_found_error", "unknown_model"),
    (404, 'model "m" not found, try pulling it first', "api_error", "unknown_model"),
    (404, "model: m", "not_found_error", "unknown_model"),
    (400, "m is not a valid model ID", "", "unknown_model"),
    (400, "Model Not Exist", "invalid_request_error", "unknown_model"),
    (408, "Request timed out", "", "timeout"),
    (409, "Conflict", "conflict_error", "conflict"),
    (413, "Too large", "request_too_large", "bad_request"),
    (422, "Unprocessable", "", "bad_request"),
    (429, "Rate limit reached", "rate_limit_error", "rate_limited"),
    (
        429,
        "Rate limit reached. You can increase it at https://example.com/account/billing.",
        "rate_limit_exceeded",
        "rate_limited",
    ),
    (429, "You exceeded your current quota", "insufficient_quota", "quota"),
    (429, "Check your plan and billing details", "", "quota"),
    (400, "Your credit balance is too low", "invalid_request_error", "quota"),
    (400, "You have reached your specified API usage limits.", "invalid_request_error", "quota"),
    (403, "Key limit exceeded", "billing_error", "quota"),
    (400, "prompt is too long: 210000 tokens > 200000 maximum", "", "context"),
    (400, "This model's maximum context length is 8192 tokens", "", "context"),
    (400, "the request exceeds the available context size", "exceed_context_size_error", "context"),
    (413, "Input is too long for requested model", "", "context"),
    (500, "maximum context length exceeded", "", "context"),
    (500, "Internal error", "api_error", "server"),
    (500, "context deadline exceeded", "", "server"),
    (501, "Not implemented", "", "server"),
    (502, "Bad gateway", "", "server"),
    (503, "Loading model", "unavailable_error", "server"),
    (529, "Overloaded", "overloaded_error", "server"),
    (400, "Overloaded", "overloaded_error", "server"),
    (418, "I'm a teapot", "", "bad_request"),
]


@BOTH
@EACH_WAY
@pytest.mark.parametrize(("status", "message", "type_", "kind"), STATUSES)
async def test_statuses(
    server: FaultServer,
    model_for: MakeModel,
    protocol: Protocol,
    streamed: bool,
    status: int,
    message: str,
    type_: str,
    kind: FaultKind,
) -> None:
    server.add(error(protocol, status, message, type_))
    fault = await fault_of(model_for(protocol), request(stream=streamed))
    assert (fault.kind, fault.status) == (kind, status)
    assert message in fault.message
    assert fault.message.startswith(f"p (127.0.0.1:{server.port}): ")


@BOTH
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>Bad Gateway</body></html>",
        b"upstream connect error\x1b[31m",
        b'{"detail": "upstream connect error"}',
        b'{"error": "upstream connect error"}',
        b'{"object": "error", "message": "upstream connect error", "code": 502}',
        b'[{"error": {"message": "upstream connect error", "status": "UNAVAILABLE"}}]',
        b"[]",
        b"null",
        b'{"error": {"code": 502, "message": "x", "metadata": {"raw": "upstream connect error"}}}',
        b"[" * 100_000,
    ],
    ids=range(11),
)
async def test_bodies_of_every_shape(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, body: bytes
) -> None:
    server.add(Reply([body], status=502, framing="length"))
    fault = await fault_of(model_for(protocol))
    assert fault.kind == "server"
    assert "502" in fault.message
    assert fault.message.isprintable()
    if b"upstream" in body:
        assert "upstream connect error" in fault.message


@BOTH
async def test_a_complaint_that_breaks_off_is_told_as_far_as_it_came(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    server.add(Reply([b"upstream is gone and"], status=503, ending="eof"))
    fault = await fault_of(model_for(protocol))
    assert fault.kind == "server"
    assert "upstream is gone and" in fault.message


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_without_a_key_it_is_said_which_is_missing(protocol: Protocol) -> None:
    build = openai.build if protocol == "openai" else anthropic.build
    model = build("p", "m", ProviderConfig(type=protocol), Surroundings(environ={}))
    fault = await fault_of(model)
    assert fault.kind == "auth"
    assert f"set {protocol.upper()}_API_KEY" in fault.message


IN_BAND: list[tuple[str, str, Any, FaultKind]] = [
    ("Overloaded", "overloaded_error", None, "server"),
    ("Rate limited", "rate_limit_error", None, "rate_limited"),
    ("Something", "", None, "server"),
    ("Invalid", "invalid_request_error", None, "bad_request"),
    ("No", "authentication_error", None, "auth"),
    ("Timed out", "timeout_error", None, "timeout"),
    ("prompt is too long", "invalid_request_error", None, "context"),
    ("You exceeded your current quota", "insufficient_quota", None, "quota"),
]


@BOTH
@pytest.mark.parametrize(("message", "type_", "code", "kind"), IN_BAND)
@pytest.mark.parametrize("late", [True, False], ids=["late", "at once"])
async def test_errors_inside_a_stream(
    server: FaultServer,
    model_for: MakeModel,
    protocol: Protocol,
    message: str,
    type_: str,
    code: Any,
    kind: FaultKind,
    late: bool,
) -> None:
    said = stream(protocol, Said(text="Hello there."))
    begun = said.body[: said.body.index(b"o th")].rpartition(b"\n\n")[0] + b"\n\n"
    pieces = [begun if late else b"", error_event(protocol, message, type_, code)]
    server.add(replace(said, pieces=[piece for piece in pieces if piece]))
    fault = await fault_of(model_for(protocol))
    assert fault.kind == kind
    assert message in fault.message
    assert (fault.usage is not None) == late


@BOTH
async def test_errors_in_place_of_a_reply(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    body = json.dumps(error_body(protocol, "Overloaded", "overloaded_error")).encode()
    server.add(*[Reply([body], headers=JSON, framing="length")] * 2)
    model = model_for(protocol)
    for streamed in (True, False):
        assert (await fault_of(model, request(stream=streamed))).kind == "server"


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (b'error: {"code": 500, "message": "slot failed", "type": "server_error"}\n\n', "server"),
        (b'data: {"object": "error", "message": "slot failed", "code": 400}\n\n', "bad_request"),
        (b'data: {"error": {"message": "slot failed", "code": 429}}\n\n', "rate_limited"),
        (b'data: {"error": "slot failed"}\n\n', "server"),
        (b'data: {"detail": "slot failed"}\n\n', "server"),
        (b'data: {"choices": [], "error": {"code": 502, "message": "slot failed"}}\n\n', "server"),
    ],
)
async def test_shapes_of_errors_inside_chat_completions(
    server: FaultServer, model_for: MakeModel, event: bytes, kind: FaultKind
) -> None:
    server.add(Reply([event, b"data: [DONE]\n\n"], headers=EVENTS))
    fault = await fault_of(model_for("openai"))
    assert fault.kind == kind
    assert "slot failed" in fault.message


async def test_a_reply_that_the_server_breaks_off(
    server: FaultServer, model_for: MakeModel
) -> None:
    server.add(
        Reply([b'data: {"choices": [{"delta": {}, "finish_reason": "error"}]}\n\n'], headers=EVENTS)
    )
    assert (await fault_of(model_for("openai"))).kind == "server"


WORDS = (
    b"<!DOCTYPE html><html>\x1b[2J sign in</html>",
    b"Welcome to the captive portal.",
    b'{"hello": "world"}',
    b'{"choices": ',
    b"\x00\x01\x02\xff\xfe",
)


@BOTH
@EACH_WAY
@pytest.mark.parametrize("body", WORDS, ids=range(len(WORDS)))
@pytest.mark.parametrize("kind", ["text/html", "application/json", "text/event-stream", None])
async def test_what_is_no_reply_is_malformed(
    server: FaultServer,
    model_for: MakeModel,
    protocol: Protocol,
    streamed: bool,
    body: bytes,
    kind: str | None,
) -> None:
    headers = {"content-type": kind} if kind else {}
    server.add(Reply([body], headers=headers, framing="length"))
    fault = await fault_of(model_for(protocol), request(stream=streamed))
    assert fault.kind == "malformed"
    assert fault.message.isprintable()
    assert "It begins: " in fault.message
    start = fault.message.partition("It begins: ")[2]
    assert start.startswith((body[:5].decode(errors="replace"), "\\x"))


@BOTH
@pytest.mark.parametrize("data", [b"{oops", b"5", b"[" * 50_000], ids=["cut", "number", "deep"])
async def test_broken_json_in_a_stream(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, data: bytes
) -> None:
    said = stream(protocol, Said(text="Hello."))
    event = b"data: " + data + b"\n\n"
    server.add(replace(said, pieces=[*said.pieces[:2], event, *said.pieces[2:]]))
    fault = await fault_of(model_for(protocol))
    assert fault.kind == "malformed"
    assert f"It begins: {data[:100].decode()}" in fault.message
    assert len(fault.message) < 400


@BOTH
@EACH_WAY
async def test_too_much_is_malformed(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, streamed: bool
) -> None:
    said = reply(protocol, Said(text="x" * 40_000, piece=100), streamed=streamed)
    model = model_for(protocol, limits=changed(QUICK, response=20_000))
    server.add(said)
    fault = await fault_of(model, request(stream=streamed))
    assert fault.kind == "malformed"
    assert "larger than" in fault.message


@BOTH
@pytest.mark.parametrize("ended", [True, False])
async def test_a_line_that_is_too_long_is_malformed(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, ended: bool
) -> None:
    line = b"data: " + b"x" * 70_000 + (b"\n\n" if ended else b"")
    server.add(Reply([line], headers=EVENTS).every(1000))
    fault = await fault_of(model_for(protocol, limits=changed(QUICK, line=60_000)))
    assert fault.kind == "malformed"
    assert "too long" in fault.message


@BOTH
@pytest.mark.parametrize("ending", ["eof", "reset"])
@pytest.mark.parametrize("framing", ["chunked", "close"])
async def test_a_stream_that_breaks(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, ending: Ending, framing: Any
) -> None:
    said = replace(stream(protocol, Said(text="Hello.", calls=(Call("a", "shell"),))))
    at = said.body.index(b"shell")
    server.add(replace(said.cut(at, ending), framing=framing))
    fault = await fault_of(model_for(protocol))
    assert fault.kind == "broken"
    assert fault.usage is not None
    assert fault.usage.estimated == (protocol == "openai")


@BOTH
@EACH_WAY
@pytest.mark.parametrize("ending", ["eof", "reset"])
async def test_a_connection_that_ends_without_an_answer(
    server: FaultServer,
    model_for: MakeModel,
    protocol: Protocol,
    streamed: bool,
    ending: Ending,
) -> None:
    server.add(Reply(with_head=False, ending=ending))
    fault = await fault_of(model_for(protocol), request(stream=streamed))
    assert fault.kind in ("broken", "unreachable")
    assert fault.usage is None


@BOTH
@EACH_WAY
async def test_an_answer_that_ends_early(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, streamed: bool
) -> None:
    body = whole(protocol, Said(text="Hello.")).body
    half = Reply([body[: len(body) // 2]], headers={**JSON, "content-length": str(len(body))})
    server.add(replace(half, framing="close", ending="eof"))
    fault = await fault_of(model_for(protocol), request(stream=streamed))
    assert fault.kind == "broken"


@BOTH
async def test_an_empty_response_is_broken(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    server.add(Reply(headers=EVENTS), Reply(headers=JSON), Reply([b": ping\n\n"], headers=EVENTS))
    model = model_for(protocol)
    for _ in range(3):
        assert (await fault_of(model)).kind == "broken"


Stall = Callable[[Reply], Reply]
STALLS: dict[str, Stall] = {
    "no answer": lambda _: NOTHING,
    "no body": lambda said: said.cut(0, "silence"),
    "silence at once": lambda said: said.cut(5, "silence"),
    "silence later": lambda said: said.cut(len(said.body) // 2, "silence"),
    "comments only": lambda said: said.cut(0, "pings"),
    "comments later": lambda said: replace(
        said, pieces=said.pieces[: len(said.pieces) // 2], ending="pings"
    ),
    "pings only": lambda said: replace(
        said, pieces=[], ending="pings", ping=b'event: ping\ndata: {"type": "ping"}\n\n'
    ),
}


@BOTH
@pytest.mark.parametrize("stall", STALLS)
async def test_silence_is_a_stall(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, stall: str
) -> None:
    if (protocol, stall) == ("openai", "pings only"):
        # Chat completions know no such event; a comment is their ping.
        stall = "comments only"
    server.add(STALLS[stall](stream(protocol, Said(text="Hello there."))))
    assert (await fault_of(model_for(protocol, limits=TIGHT))).kind == "stalled"


@BOTH
async def test_silence_of_a_whole_answer(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    body = whole(protocol, Said(text="Hello."))
    half = replace(body, headers={**JSON, "content-length": "999"}, framing="close")
    server.add(NOTHING, half.cut(10, "silence"))
    model = model_for(protocol, limits=TIGHT)
    for _ in range(2):
        assert (await fault_of(model, request(stream=False))).kind == "stalled"


@BOTH
async def test_patience_is_longer_with_reasoning_and_for_whole_answers(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    impatient = changed(QUICK, first_byte=0.0)
    server.add(*[stream(protocol, Said(text="Hi."))] * 3)
    model = model_for(protocol, limits=impatient)
    assert (await fault_of(model)).kind == "stalled"
    assert (await fault_of(model, request(reasoning_effort="none"))).kind == "stalled"
    server.script = [stream(protocol, Said(text="Hi.")), whole(protocol, Said(text="Ho."))]
    assert (await ask(model, request(reasoning_effort="high"))).reply.text == "Hi."
    assert (await ask(model, request(stream=False))).reply.text == "Ho."


@BOTH
async def test_unknown_models_are_told_with_the_nearest_names(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    unknown = error(protocol, 404, "The model `gtp-5` does not exist", "not_found_error")
    server.models = ["gpt-5", "gpt-5-mini", "whisper"]
    server.add(unknown, unknown)
    model = model_for(protocol, model="gtp-5")
    fault = await fault_of(model, request(model="gtp-5"))
    assert fault.kind == "unknown_model"
    assert "Did you mean gpt-5 or gpt-5-mini?" in fault.message
    assert [asked.path for asked in server.requests] == [
        server.requests[0].path,
        "/v1/models",
    ]
    server.models = None
    fault = await fault_of(model, request(model="gtp-5"))
    assert fault.kind == "unknown_model"
    assert "Did you mean" not in fault.message


async def test_a_list_of_models_that_makes_no_sense_is_ignored(
    server: FaultServer, model_for: MakeModel
) -> None:
    server.add(error("openai", 404, "The model `m` does not exist"))
    server.models = [5]  # type: ignore[list-item]
    fault = await fault_of(model_for("openai"))
    assert fault.kind == "unknown_model"


@BOTH
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "99999999999"}, 86_400.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Wed, 18 Nov 1998 08:49:37 GMT"}, 0.0),
        ({"retry-after": "Wed, 18 Nov 2999 08:49:37 GMT"}, 86_400.0),
        ({}, None),
    ],
)
async def test_retry_after(
    server: FaultServer,
    model_for: MakeModel,
    protocol: Protocol,
    headers: dict[str, str],
    seconds: float | None,
) -> None:
    server.add(replace(error(protocol, 429, "Slow down"), headers=headers))
    assert (await fault_of(model_for(protocol))).retry_after == seconds


@BOTH
async def test_the_key_is_in_no_fault(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    echo = f"You sent {KEY} and hunter2-hunter2"
    server.otherwise = lambda _: error(protocol, 401, echo, "authentication_error")
    fault = await fault_of(model_for(protocol, headers={"x-other": "hunter2-hunter2"}))
    assert fault.kind == "auth"
    assert "CANARY" in fault.message
    for shown in (str(fault), repr(fault), fault.message, repr(vars(fault))):
        assert KEY not in shown
        assert "hunter2" not in shown
