"""Both layers of retry, told by what an audience hears."""

import pytest
from workshop import HeldClock, ScriptedModel, said

from longwatch.engine.calling import Caller, GaveUp, TooLong
from longwatch.engine.faults import Patience
from longwatch.engine.limiter import Limiters
from longwatch.engine.ports import (
    FaultKind,
    ModelFault,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
)

REQUEST = ModelRequest(model="m", system="", tools=(), messages=())


class Hearing:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def attempting(self, attempt: int) -> None:
        self.heard.append(f"attempt {attempt}")

    def streaming(self, delta: TextDelta | ReasoningDelta) -> None:
        self.heard.append(delta.text)

    async def faulted(self, fault: ModelFault, attempt: int) -> None:
        self.heard.append(f"{fault.kind} at {attempt}")

    async def retrying(self, attempt: int, most: int, seconds: float, reason: str) -> None:
        del reason
        self.heard.append(f"retry {attempt}/{most} in {seconds:g}")

    async def waiting(self, seconds: float, reason: str) -> None:
        del reason
        self.heard.append(f"wait {seconds:g}")


class Line:
    """A caller with its clock and its audience."""

    def __init__(self, *script: object, patience: Patience | None = None) -> None:
        self.clock = HeldClock()
        self.model = ScriptedModel(*script)  # type: ignore[arg-type]
        self.hearing = Hearing()
        limiters = Limiters(self.clock, lambda: 1.0)
        self.caller = Caller(self.clock, lambda: 1.0, limiters, patience)

    async def call(self) -> ModelReply:
        return await self.caller.reply(self.model, REQUEST, self.hearing)


def fault(kind: FaultKind, retry_after: float | None = None) -> ModelFault:
    return ModelFault(kind, f"It was {kind}.", retry_after=retry_after)


async def test_a_whole_reply_is_given_back() -> None:
    line = Line([TextDelta("he"), TextDelta("llo"), said("hello")])
    assert (await line.call()).text == "hello"
    assert line.hearing.heard == ["attempt 1", "he", "llo"]


async def test_a_stream_that_ends_without_a_reply_is_retried() -> None:
    line = Line([TextDelta("he")], said("hello"))
    assert (await line.call()).text == "hello"
    assert line.hearing.heard == ["attempt 1", "he", "broken at 1", "retry 2/8 in 1", "attempt 2"]


@pytest.mark.parametrize("kind", ["auth", "quota", "tls", "unknown_model", "bad_request"])
async def test_what_a_person_must_change_is_not_retried(kind: FaultKind) -> None:
    line = Line(fault(kind), said("never"))
    with pytest.raises(GaveUp, match=kind):
        await line.call()
    assert len(line.model.requests) == 1


async def test_retries_wait_longer_each_time() -> None:
    line = Line(*[fault("server") for _ in range(4)], said("at last"))
    await line.call()
    assert [heard for heard in line.hearing.heard if heard.startswith("retry")] == [
        "retry 2/8 in 1",
        "retry 3/8 in 2",
        "retry 4/8 in 4",
        "retry 5/8 in 8",
    ]


async def test_retry_after_is_a_lower_bound() -> None:
    line = Line(fault("rate_limited", retry_after=20), said("ok"))
    await line.call()
    assert "retry 2/8 in 20" in line.hearing.heard


async def test_after_eight_attempts_it_is_an_outage_that_is_probed() -> None:
    line = Line(*[fault("unreachable") for _ in range(10)], said("back"))
    assert (await line.call()).text == "back"
    waits = [heard for heard in line.hearing.heard if heard.startswith("wait")]
    assert waits == ["wait 60", "wait 120", "wait 180"]
    assert len(line.model.requests) == 11


async def test_an_outage_of_a_day_fails() -> None:
    line = Line(*[fault("server") for _ in range(400)])
    with pytest.raises(GaveUp, match="did not come back"):
        await line.call()
    assert line.clock.monotonic() - 1_000_000 >= 24 * 3600


async def test_malformed_replies_are_tried_three_times() -> None:
    line = Line(*[fault("malformed") for _ in range(5)])
    with pytest.raises(GaveUp):
        await line.call()
    assert len(line.model.requests) == 3


async def test_an_empty_reply_is_retried_twice_and_then_taken() -> None:
    line = Line(said(""), said(""), said(""))
    assert (await line.call()).text == ""
    assert len(line.model.requests) == 3


async def test_too_long_is_told_apart() -> None:
    line = Line(fault("context"))
    with pytest.raises(TooLong):
        await line.call()


async def test_a_long_wait_that_the_provider_asks_for_is_a_state_of_its_own() -> None:
    line = Line(fault("rate_limited", retry_after=300), said("ok"))
    await line.call()
    assert "wait 300" in line.hearing.heard


async def test_sessions_of_one_provider_wait_for_the_same_moment() -> None:
    line = Line(fault("rate_limited", retry_after=40), said("a"), said("b"))
    await line.call()
    line.clock.slept.clear()
    other = Hearing()
    line.caller._limiters.of("scripted").hold(40)
    await line.caller.reply(line.model, REQUEST, other)
    assert line.clock.slept[0] == 40
