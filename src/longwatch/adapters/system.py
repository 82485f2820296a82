"""The machine's own clock, randomness and names."""

import asyncio
import os
import time
from datetime import UTC, datetime


class SystemClock:
    def now(self) -> str:
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

    def wall(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class RandomIds:
    """Ten hexadecimal digits: short enough to type, and nobody has them already."""

    def new(self) -> str:
        return os.urandom(5).hex()
