"""One gate for each provider, so that many sessions do not stampede it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from longwatch.engine.ports import Clock

STAGGER = 0.25
"""Seconds over which sessions that waited for the same moment are let through."""


class Limiter:
    """Holds requests back until a provider is ready, and lets one probe it while it is down."""

    def __init__(self, clock: Clock, draw: Callable[[], float]) -> None:
        self._clock = clock
        self._draw = draw
        self._not_before = 0.0
        self._down = False
        self._probe = asyncio.Lock()

    def hold(self, seconds: float) -> None:
        """Nobody asks before that; the latest moment counts."""
        self._not_before = max(self._not_before, self._clock.monotonic() + seconds)

    def down(self) -> None:
        """The provider is out: one request at a time from now on."""
        self._down = True

    def up(self) -> None:
        """It answered."""
        self._down = False

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the right to make one request."""
        waited = False
        while (left := self._not_before - self._clock.monotonic()) > 0:
            waited = True
            await self._clock.sleep(left)
        if waited:
            await self._clock.sleep(self._draw() * STAGGER)
        if not self._down:
            yield
            return
        async with self._probe:
            yield


class Limiters:
    """The gates by provider."""

    def __init__(self, clock: Clock, draw: Callable[[], float]) -> None:
        self._clock = clock
        self._draw = draw
        self._gates: dict[str, Limiter] = {}

    def of(self, provider: str) -> Limiter:
        if provider not in self._gates:
            self._gates[provider] = Limiter(self._clock, self._draw)
        return self._gates[provider]
