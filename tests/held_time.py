"""A loop in held time: nobody waits, nothing runs beside it, and each run of it is the same."""

import asyncio
import selectors
from collections.abc import Callable
from concurrent.futures import Executor
from datetime import UTC, datetime, timedelta
from typing import TypeVar, TypeVarTuple, Unpack

from longwatch.adapters.system import SystemClock

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Leaping(selectors.SelectSelector):
    """Where nothing is ready, it is later at once."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "nothing is ever going to happen"
            self.seconds += timeout
        return ready


class HeldLoop(asyncio.SelectorEventLoop):
    """Time passes only while everybody sleeps, and work for threads is done on the spot."""

    def __init__(self) -> None:
        self._leaping = Leaping()
        super().__init__(self._leaping)

    def time(self) -> float:
        return self._leaping.seconds

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        del executor
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
            done.set_exception(error)
        return done


class LoopClock(SystemClock):
    """It was that time when the loop began, and sleeping is what makes it later."""

    def __init__(self, began: datetime) -> None:
        self._began = began

    def now(self) -> str:
        at = self._began + timedelta(seconds=self.monotonic())
        return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"

    def wall(self) -> float:
        return self._began.timestamp() + self.monotonic()

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
