"""Whole replies of both protocols, streamed and not, in every framing and splitting."""

from dataclasses import replace

import pytest
from adapters.models.asking import KEY, QUICK, MakeModel, ask, fault_of, first_delta, request
from fault_server import FaultServer, Framing
from model_replies import Call, Finish, Protocol, Said, data, event, reply, stream, whole
from msgspec.structs import replace as changed

from longwatch.adapters.models.anthropic_reply import MessageReading
from longwatch.adapters.models.openai_reply import ChatReading
from longwatch.adapters.models.provider import Prices, ProviderConfig, Surroundings
from longwatch.adapters.models.reading import Reading
from longwatch.adapters.models.wire import Wire
from longwatch.engine.ports import ModelReply
from longwatch.session.events import ToolCall, Usage
from longwatch.session.transcript import AssistantText, ToolResult, UserText

BOTH = pytest.mark.parametrize("protocol", ["openai", "anthropic"])
EACH_WAY = pytest.mark.parametrize("streamed", [True, False], ids=["stream", "whole"])

RICH = Said(
    text="I look. ✓ 日本 😀\u2028line",
    reasoning="Hm, first the files.",
    calls=(
        Call("call_a", "shell", '{"command": "ls -la"}'),
        Call("call_b", "read_file", '{"path": "ünï.txt", "n": [1, 2.5, null]}'),
    ),
)


def reading_of(protocol: Protocol) -> Reading[object]:
    wire = Wire("p", ProviderConfig(type=protocol), "http://127.0.0.1", Surroundings())
    if protocol == "openai":
        return ChatReading(wire, request(), 400, "m")  # type: ignore[return-value]
    return MessageReading(wire, request(), 400, "m", "f")  # type: ignore[return-value]


def read(protocol: Protocol, *chunks: bytes) -> ModelReply:
    reading = reading_of(protocol)
    reading.begin("text/event-stream")
    said = ""
    for chunk in chunks:
        reading.feed(chunk)
        said += "".join(delta.text for delta in reading.speech.fresh())
    whole_reply = reading.reply()
    said += "".join(delta.text for delta in reading.speech.fresh())
    assert said.replace(whole_reply.reasoning, "") == whole_reply.text
    return whole_reply


@BOTH
@EACH_WAY
async def test_a_reply_comes_whole(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, streamed: bool
) -> None:
    server.add(reply(protocol, RICH, streamed=streamed))
    heard = await ask(model_for(protocol), request(stream=streamed))
    assert heard.reply.text == RICH.text
    assert heard.reply.reasoning == RICH.reasoning
    assert heard.reply.finish == "tool_calls"
    assert heard.reply.tool_calls == (
        ToolCall("call_a", "shell", {"command": "ls -la"}),
        ToolCall("call_b", "read_file", {"path": "ünï.txt", "n": [1, 2.5, None]}),
    )
    assert heard.reply.usage == Usage(input=120, output=34, cached=20, cost=None, estimated=False)
    assert server.asked[0]["stream"] is streamed


@BOTH
def test_a_stream_cut_anywhere_gives_the_same_reply(protocol: Protocol) -> None:
    body = stream(protocol, RICH).body
    expected = read(protocol, body)
    assert expected.text == RICH.text
    for at in range(len(body) + 1):
        assert read(protocol, body[:at], body[at:]) == expected, at


@BOTH
@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
async def test_pieces_of_any_size_travel(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, size: int
) -> None:
    server.add(stream(protocol, RICH).every(size))
    assert (await ask(model_for(protocol))).reply.text == RICH.text


@BOTH
@EACH_WAY
@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
async def test_every_framing_is_read(
    server: FaultServer,
    model_for: MakeModel,
    protocol: Protocol,
    streamed: bool,
    framing: Framing,
) -> None:
    server.add(replace(reply(protocol, RICH, streamed=streamed), framing=framing))
    assert (await ask(model_for(protocol), request(stream=streamed))).reply.text == RICH.text


@BOTH
@EACH_WAY
@pytest.mark.parametrize("finish", ["stop", "tool_calls", "length", "refusal"])
async def test_finish(
    server: FaultServer,
    model_for: MakeModel,
    protocol: Protocol,
    streamed: bool,
    finish: Finish,
) -> None:
    calls = RICH.calls if finish in ("tool_calls", "refusal") else ()
    said = Said(text="So.", calls=calls, finish=finish)
    server.add(reply(protocol, said, streamed=streamed))
    heard = await ask(model_for(protocol), request(stream=streamed))
    assert heard.reply.finish == finish
    # What a refused reply had begun to ask for is not done.
    assert len(heard.reply.tool_calls) == (2 if finish == "tool_calls" else 0)


@BOTH
async def test_a_server_may_answer_the_other_way(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    model = model_for(protocol)
    server.add(whole(protocol, RICH), stream(protocol, RICH))
    assert (await ask(model, request(stream=True))).reply.text == RICH.text
    assert (await ask(model, request(stream=False))).reply.text == RICH.text


@BOTH
@EACH_WAY
async def test_the_content_type_may_be_missing(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, streamed: bool
) -> None:
    server.add(replace(reply(protocol, RICH, streamed=streamed), headers={}).every(5))
    assert (await ask(model_for(protocol), request(stream=streamed))).reply.text == RICH.text


@BOTH
@EACH_WAY
async def test_usage_that_is_missing_is_estimated(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, streamed: bool
) -> None:
    said = Said(text="x" * 400, usage=False)
    server.add(reply(protocol, said, streamed=streamed))
    model = model_for(protocol, prices={"m": Prices(input=1.0, output=10.0)})
    usage = (await ask(model, request(stream=streamed))).reply.usage
    assert usage is not None
    assert usage.estimated
    assert usage.output == 100
    assert usage.input == -(-len(server.requests[0].body) // 4)
    assert usage.cost == pytest.approx((usage.input + 1000) / 1e6)


@pytest.mark.parametrize(
    ("protocol", "prices", "cost"),
    [
        ("openai", Prices(input=2.0, output=8.0), (120 * 2 + 34 * 8) / 1e6),
        ("openai", Prices(input=2.0, output=8.0, cached=0.5), (100 * 2 + 20 * 0.5 + 34 * 8) / 1e6),
        ("anthropic", Prices(input=3.0, output=15.0), (100 * 3 + 20 * 0.3 + 34 * 15) / 1e6),
        (
            "anthropic",
            Prices(input=3.0, output=15.0, cached=1.0),
            (100 * 3 + 20 * 1.0 + 34 * 15) / 1e6,
        ),
    ],
)
async def test_prices(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, prices: Prices, cost: float
) -> None:
    server.add(stream(protocol, Said(text="Hi.")))
    model = model_for(protocol, prices={"other": Prices(input=9, output=9), "m*": prices})
    usage = (await ask(model)).reply.usage
    assert usage is not None
    assert usage.cost == pytest.approx(cost)


@BOTH
async def test_ids_are_unique_in_the_conversation(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    calls = tuple(Call(id_, "shell", '{"command": "ls"}') for id_ in ("same", "same", "", "old"))
    server.add(stream(protocol, Said(calls=calls)), whole(protocol, Said(calls=calls)))
    history = (
        UserText("Do it.", "human"),
        AssistantText("", (ToolCall("old", "shell", {"command": "pwd"}),)),
        ToolResult("old", "shell", "/", ok=True),
    )
    model = model_for(protocol)
    for streamed in (True, False):
        got = (await ask(model, request(*history, stream=streamed))).reply.tool_calls
        assert [call.arguments for call in got] == [{"command": "ls"}] * 4
        ids = [call.id for call in got]
        assert ids[0] == "same"
        assert len({*ids, "old"}) == 5
        assert all(id_ and id_.isalnum() for id_ in ids)


@BOTH
async def test_arguments_that_are_no_object_stay_text(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    texts = ['{"command": "ls', "[1]", '{"a": NaN}', '{"a": 1, "a": 2}', ""]
    calls = tuple(Call(f"c{at}", "shell", text) for at, text in enumerate(texts))
    server.add(stream(protocol, Said(calls=calls)))
    server.add(stream(protocol, Said(calls=calls[-1:], finish="length")))
    model = model_for(protocol)
    got = (await ask(model)).reply.tool_calls
    # No arguments at all are an empty object, unless the output was cut just there.
    assert [call.arguments for call in got] == [*texts[:-1], {}]
    assert (await ask(model)).reply.tool_calls[0].arguments == ""


@BOTH
async def test_half_characters_are_put_together_or_replaced(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    halves = ["a\\ud83d", "\\ude00b", "\\ud83d", "c", "\\ude00", "\\ud83d"]
    body = stream(protocol, Said(text="HALF", piece=4)).body
    one = next(e for e in body.split(b"\n\n") if b"HALF" in e) + b"\n\n"
    many = b"".join(one.replace(b"HALF", half.encode()) for half in halves)
    server.add(replace(stream(protocol, Said()), pieces=[body.replace(one, many)]).every(3))
    heard = await ask(model_for(protocol))
    assert heard.reply.text == "a😀b\ufffdc\ufffd\ufffd"
    for text in heard.texts:
        text.encode()


@BOTH
async def test_an_empty_reply_is_a_reply(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    server.add(stream(protocol, Said()))
    heard = await ask(model_for(protocol))
    assert (heard.reply.text, heard.reply.tool_calls, heard.reply.finish) == ("", (), "stop")


@BOTH
async def test_one_connection_serves_many_requests(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    model = model_for(protocol)
    for _ in range(3):
        server.add(stream(protocol, RICH))
        await ask(model)
    assert server.connections == 1


@BOTH
async def test_a_stream_that_is_left_early_is_closed(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    body = stream(protocol, Said(text="Hello there."))
    model = model_for(protocol)
    server.add(body.cut(body.body.index(b"o th"), "silence"), body)
    assert (await first_delta(model)).text == "Hell"
    assert (await ask(model)).reply.text == "Hello there."


async def test_a_reply_is_whole_with_its_finish_reason(
    server: FaultServer, model_for: MakeModel
) -> None:
    """Without [DONE], and however the connection then ends."""
    said = stream("openai", Said(text="Hi.", usage=False))
    before_done = said.body.index(b"data: [DONE]")
    model = model_for("openai", limits=changed(QUICK, after_the_end=0.05))
    for ending in ("eof", "reset", "silence", "pings"):
        server.add(said.cut(before_done, ending))
        assert (await ask(model)).reply.text == "Hi."


async def test_a_connection_that_stays_open_after_the_end_is_not_waited_for(
    server: FaultServer, model_for: MakeModel
) -> None:
    model = model_for("anthropic", limits=changed(QUICK, drain=0.05))
    server.add(replace(stream("anthropic", Said(text="Hi.")), ending="silence"))
    assert (await ask(model)).reply.text == "Hi."


async def test_done_alone_ends_a_reply(server: FaultServer, model_for: MakeModel) -> None:
    pieces = [data({"choices": [{"delta": {"content": "Hi."}}]}), b"data: [DONE]\n\n"]
    server.add(replace(stream("openai", Said()), pieces=pieces))
    assert (await ask(model_for("openai"))).reply.finish == "stop"


async def test_a_message_is_whole_only_with_its_stop(
    server: FaultServer, model_for: MakeModel
) -> None:
    said = stream("anthropic", Said(text="Hi."))
    server.add(said.cut(said.body.index(b"event: message_stop")))
    fault = await fault_of(model_for("anthropic"))
    assert fault.kind == "broken"
    assert fault.usage is not None
    assert fault.usage.output == 34


async def test_unknown_events_are_skipped(server: FaultServer, model_for: MakeModel) -> None:
    said = stream("anthropic", Said(text="Hi."))
    new = event("brand_new", {"type": "brand_new", "index": 3, "delta": {"type": "x"}})
    server.add(replace(said, pieces=[said.pieces[0], new, *said.pieces[1:]]))
    assert (await ask(model_for("anthropic"))).reply.text == "Hi."


@BOTH
async def test_the_key_goes_where_it_belongs(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    server.add(stream(protocol, Said(text="Hi.")))
    await ask(model_for(protocol, headers={"X-Team": "blue"}))
    headers = server.requests[0].headers
    expected = {"openai": ("authorization", f"Bearer {KEY}"), "anthropic": ("x-api-key", KEY)}
    name, value = expected[protocol]
    assert headers[name] == value
    assert headers["x-team"] == "blue"
    assert headers["user-agent"].startswith("longwatch/")
    assert headers["content-type"] == "application/json"
