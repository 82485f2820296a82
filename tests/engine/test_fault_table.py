"""Every row of the fault table at the first, a middle and the last turn, in both protocols."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from fault_server import NOTHING, FaultServer, Reply, refused_port
from model_replies import EVENTS, Call, Protocol, Said, error, stream
from workshop import Hammer, Workshop

from longwatch.adapters.models import Models, ProviderConfig, Surroundings
from longwatch.adapters.models.provider import Limits
from longwatch.engine.fsck import check
from longwatch.engine.ports import Model
from longwatch.session.events import AssistantMessage, Injected, ProviderFault, ToolFinished

Opened = Callable[..., Workshop]

TURNS = (
    Said("First.", calls=(Call("a", "hammer", '{"at": 1}'),)),
    Said("Second.", calls=(Call("b", "hammer", '{"at": 2}'),)),
    Said("Third."),
)
PATIENT = Limits(first_byte=30, first_byte_reasoning=30, between_events=30, drain=0.05)
TIGHT = Limits(first_byte=0.2, first_byte_reasoning=0.2, between_events=0.2, drain=0.05)
"""Where nothing comes: a slow machine may then see more stalls than there are, and no other."""


@dataclass(frozen=True)
class Row:
    """A fault, what it is called, and what becomes of the run."""

    name: str
    reply: Callable[[Protocol, Said], Reply]
    kind: str
    fails: bool = False


def status(code: int, message: str, type_: str = "") -> Callable[[Protocol, Said], Reply]:
    return lambda protocol, _: error(protocol, code, message, type_)


def cut(ending: str) -> Callable[[Protocol, Said], Reply]:
    """A stream that ends in its middle."""

    def broken(protocol: Protocol, said: Said) -> Reply:
        whole = stream(protocol, said)
        half = whole.pieces[: len(whole.pieces) // 2]
        return replace(whole, pieces=half, ending=ending)  # type: ignore[arg-type]

    return broken


def plain(body: bytes, **headers: str) -> Callable[[Protocol, Said], Reply]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda *_: Reply([body], headers=named)


MOVED = Reply([], status=302, headers={"location": "http://127.0.0.1:1/"})
QUOTA = status(429, "You exceeded your current quota", "insufficient_quota")
NO_MODEL = status(404, "The model `m` does not exist", "not_found_error")

ROWS = (
    Row("401", status(401, "bad key", "authentication_error"), "auth", fails=True),
    Row("403", status(403, "not yours", "permission_error"), "auth", fails=True),
    Row("402", status(402, "pay first"), "quota", fails=True),
    Row("quota", QUOTA, "quota", fails=True),
    Row("unknown model", NO_MODEL, "unknown_model", fails=True),
    Row("400", status(400, "bad", "invalid_request_error"), "bad_request", fails=True),
    Row("413", status(413, "large", "request_too_large"), "bad_request", fails=True),
    Row("422", status(422, "what?"), "bad_request", fails=True),
    Row("redirect", lambda *_: MOVED, "redirect", fails=True),
    Row("408", status(408, "slow"), "timeout"),
    Row("409", status(409, "conflict"), "conflict"),
    Row("429", status(429, "slower", "rate_limit_error"), "rate_limited"),
    Row("500", status(500, "oops"), "server"),
    Row("503", status(503, "loading"), "server"),
    Row("529", status(529, "Overloaded", "overloaded_error"), "server"),
    Row("end of file in mid-stream", cut("eof"), "broken"),
    Row("reset in mid-stream", cut("reset"), "broken"),
    Row("silence in mid-stream", cut("silence"), "stalled"),
    Row("pings only", cut("pings"), "stalled"),
    Row("no bytes", lambda *_: NOTHING, "stalled"),
    Row("HTML with 200", plain(b"<html>hi</html>", content_type="text/html"), "malformed"),
    Row("malformed JSON", plain(b"data: {nope\n\n", **EVENTS), "malformed"),
)


def model_at(url: str, protocol: Protocol, limits: Limits = PATIENT) -> Model:
    path = "/v1" if protocol == "openai" else ""
    provider = ProviderConfig(type=protocol, base_url=f"{url}{path}", api_key_env="KEY")
    around = Surroundings(environ={"KEY": "k-0123456789"}, limits=limits)
    return Models({"test": provider}, around).get("test:m")


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
@pytest.mark.parametrize("turn", [0, 1, 2], ids=["first", "middle", "last"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_a_fault_at_any_turn(
    workshop: Opened, row: Row, turn: int, protocol: Protocol
) -> None:
    hammer = Hammer()
    shop = workshop(tools=[hammer], plan_nudge=False)
    good = [stream(protocol, said) for said in TURNS]
    async with FaultServer(*good[:turn], row.reply(protocol, TURNS[turn]), *good[turn:]) as server:
        model = model_at(server.url, protocol, TIGHT if row.kind == "stalled" else PATIENT)
        shop.amend(model=model)
        state = await shop.run()
        await model.aclose()  # type: ignore[attr-defined]
    faults = [e for e in shop.events() if isinstance(e, ProviderFault)]
    assert {fault.kind for fault in faults} == {row.kind}
    assert len(faults) == 1 or row.kind == "stalled"
    assert state.activation.wakes == 0
    if row.fails:
        assert state.state == "failed"
        assert len(hammer.hits) == turn
    else:
        assert (state.state, state.reason) == ("dormant", "done")
        assert [hit["at"] for hit in hammer.hits] == [1, 2]
        replies = [e for e in shop.events() if isinstance(e, AssistantMessage) and not e.partial]
        assert [reply.text for reply in replies] == ["First.", "Second.", "Third."]
    assert check(shop.store) == []


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
@pytest.mark.parametrize("turn", [0, 1, 2], ids=["first", "middle", "last"])
async def test_a_context_that_is_too_long_is_compacted_and_the_run_goes_on(
    workshop: Opened, turn: int, protocol: Protocol
) -> None:
    shop = workshop(tools=[Hammer()], plan_nudge=False)
    good = [stream(protocol, said) for said in TURNS]
    too_long = error(protocol, 400, "prompt is too long: 9 tokens > 8 maximum")
    summary = stream(protocol, Said("What happened so far."))
    async with FaultServer(*good[:turn], too_long, summary, *good[turn:]) as server:
        model = model_at(server.url, protocol)
        shop.amend(model=model)
        state = await shop.run()
        await model.aclose()  # type: ignore[attr-defined]
    assert state.state == "dormant"
    assert shop.types().count("compacted") == 1


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_odd_calls_are_answered_and_not_run(workshop: Opened, protocol: Protocol) -> None:
    hammer = Hammer()
    odd = (
        Call("same", "hammer", "{not json"),
        Call("same", "saw", "{}"),
        Call("", "hammer", '{"a": 1, "a": 2}'),
        Call("x", "hammer", "[1]"),
    )
    shop = workshop(tools=[hammer], plan_nudge=False)
    replies = [stream(protocol, said) for said in (Said(calls=odd), Said("Sorry."))]
    async with FaultServer(*replies) as server:
        model = model_at(server.url, protocol)
        shop.amend(model=model)
        state = await shop.run()
        await model.aclose()  # type: ignore[attr-defined]
    finished = [e for e in shop.events() if isinstance(e, ToolFinished)]
    assert len({e.call for e in finished}) == len(odd)
    assert not any(e.ok for e in finished)
    assert hammer.hits == []
    assert state.state == "dormant"


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
@pytest.mark.parametrize(("finish", "source"), [("length", "length"), ("refusal", "reformulate")])
async def test_cut_and_refused_replies_get_one_more_try(
    workshop: Opened, protocol: Protocol, finish: str, source: str
) -> None:
    shop = workshop(plan_nudge=False)
    odd = Said("I was", finish=finish)  # type: ignore[arg-type]
    replies = [stream(protocol, said) for said in (odd, Said("There."))]
    async with FaultServer(*replies) as server:
        model = model_at(server.url, protocol)
        shop.amend(model=model)
        state = await shop.run()
        await model.aclose()  # type: ignore[attr-defined]
    assert [e.source for e in shop.events() if isinstance(e, Injected)] == [source]
    assert state.state == "dormant"


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_a_server_that_is_not_there_is_waited_for_and_probed(
    workshop: Opened, protocol: Protocol
) -> None:
    shop = workshop(plan_nudge=False)
    model = model_at(f"http://127.0.0.1:{refused_port()}", protocol)
    shop.amend(model=model)
    state = await shop.run()
    await model.aclose()  # type: ignore[attr-defined]
    states = [e.state for e in shop.events() if e.__struct_config__.tag == "state_changed"]
    assert states[0] == "running"
    assert set(states[1:-1]) == {"waiting"}
    assert state.state == "failed"
    assert "did not come back" in state.reason
