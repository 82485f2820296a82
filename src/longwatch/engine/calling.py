"""One whole reply from a model, through both layers of retry."""

from collections.abc import Callable
from contextlib import aclosing
from typing import Protocol

from longwatch.engine.faults import (
    EMPTY_RETRIES,
    MALFORMED_ATTEMPTS,
    Patience,
    probe_delay,
    request_delay,
    treatment,
)
from longwatch.engine.limiter import Limiter, Limiters
from longwatch.engine.ports import (
    Clock,
    Model,
    ModelFault,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
)

LONG_WAIT = 30.0
"""Seconds from which a wait is a state of its own and not just a retry."""


class Audience(Protocol):
    """Who is told what a call goes through, while it goes through it."""

    async def attempting(self, attempt: int) -> None: ...
    def streaming(self, delta: TextDelta | ReasoningDelta) -> None: ...
    async def faulted(self, fault: ModelFault, attempt: int) -> None: ...
    async def retrying(self, attempt: int, most: int, seconds: float, reason: str) -> None: ...
    async def waiting(self, seconds: float, reason: str) -> None: ...


class GaveUp(Exception):
    """The model cannot be used without a person; the message says why and what to change."""


class TooLong(Exception):
    """The request does not fit into the model's context."""


class Caller:
    """Makes requests for many sessions; those of one provider share its gate."""

    def __init__(
        self,
        clock: Clock,
        draw: Callable[[], float],
        limiters: Limiters,
        patience: Patience | None = None,
    ) -> None:
        self._clock = clock
        self._draw = draw
        self._limiters = limiters
        self._patience = patience or Patience()

    async def reply(self, model: Model, request: ModelRequest, audience: Audience) -> ModelReply:
        """The reply, however long it takes; raises GaveUp or TooLong."""
        return await _Call(self, model, request, audience).reply()

    def _gate(self, model: Model) -> Limiter:
        return self._limiters.of(model.provider)


class _Call:
    """One request on its way: what has failed so far decides what comes next."""

    def __init__(
        self, caller: Caller, model: Model, request: ModelRequest, audience: Audience
    ) -> None:
        self.clock, self.draw = caller._clock, caller._draw
        self.patience = caller._patience
        self.gate = caller._gate(model)
        self.model, self.request, self.audience = model, request, audience
        self.attempt = self.failures = self.malformed = self.empty = self.probes = 0
        self.down_since: float | None = None

    async def reply(self) -> ModelReply:
        while True:
            self.attempt += 1
            try:
                async with self.gate.turn():
                    reply = await self._once()
            except ModelFault as fault:
                await self.audience.faulted(fault, self.attempt)
                await self._after(fault)
                continue
            self.gate.up()
            if reply.text or reply.tool_calls or self.empty == EMPTY_RETRIES:
                return reply
            self.empty += 1
            await self._retry("the reply was empty", EMPTY_RETRIES + 1, None)

    async def _once(self) -> ModelReply:
        await self.audience.attempting(self.attempt)
        async with aclosing(self.model.stream(self.request)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    return part
                self.audience.streaming(part)
        raise ModelFault("broken", "The stream ended before the reply was whole.")

    async def _after(self, fault: ModelFault) -> None:
        """Wait as the fault demands, or give up."""
        match treatment(fault.kind):
            case "fail":
                raise GaveUp(fault.message)
            case "shorten":
                raise TooLong(fault.message)
            case "thrice":
                self.malformed += 1
                if self.malformed >= MALFORMED_ATTEMPTS:
                    raise GaveUp(fault.message)
                await self._retry(fault.message, MALFORMED_ATTEMPTS, fault.retry_after)
            case "retry":
                self.failures += 1
                if self.failures < self.patience.attempts:
                    await self._retry(fault.message, self.patience.attempts, fault.retry_after)
                else:
                    await self._wait_out(fault)

    async def _retry(self, reason: str, most: int, retry_after: float | None) -> None:
        tried = max(1, self.failures + self.malformed + self.empty)
        seconds = request_delay(self.patience, tried, retry_after, self.draw())
        if retry_after is not None:
            self.gate.hold(retry_after)
        await self.audience.retrying(self.attempt + 1, most, seconds, reason)
        if seconds >= LONG_WAIT and retry_after is not None:
            await self.audience.waiting(seconds, reason)
        await self.clock.sleep(seconds)

    async def _wait_out(self, fault: ModelFault) -> None:
        """An outage: probe it now and then, for a day at the most."""
        now = self.clock.monotonic()
        if self.down_since is None:
            self.down_since = now
        if now - self.down_since >= self.patience.max_outage:
            raise GaveUp(f"{fault.message} It did not come back in time; resume to try again.")
        self.gate.down()
        seconds = probe_delay(self.patience, self.probes, fault.retry_after)
        self.probes += 1
        await self.audience.waiting(seconds, fault.message)
        await self.clock.sleep(seconds)
