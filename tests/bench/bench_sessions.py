"""32 sessions at once in one worker: how late the event loop is, and what it costs."""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

from workshop import Hammer, Workshop, said

from longwatch.adapters.system import SystemClock
from longwatch.engine.ports import ModelReply, ModelRequest, ReasoningDelta, TextDelta
from longwatch.engine.supervisor import Rhythm, Supervisor
from longwatch.session import KnownEvent
from longwatch.session.events import SessionStarted, UserMessage

SESSIONS = 32
SECONDS = 10.0
TURN = 0.35
"""Seconds of a turn, which is about five events."""


class Busy:
    """A model that calls a tool in every turn until the time is up."""

    provider = "busy"
    context: int | None = None

    def __init__(self, until: float) -> None:
        self._until = until
        self._turns = 0

    async def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[TextDelta | ReasoningDelta | ModelReply, None]:
        del request
        await asyncio.sleep(TURN)
        self._turns += 1
        if time.monotonic() > self._until:
            yield said("That is all.")
            return
        yield TextDelta("Working. ")
        yield said("Working.", ("hammer", {"turn": self._turns}))

    def preview(self, request: ModelRequest) -> Mapping[str, Any]:
        return {"model": request.model}


async def lag(lags: list[float]) -> None:
    """How much later than asked for the loop comes round."""
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.01)
        lags.append(time.perf_counter() - began - 0.01)


async def measure(folder: Path) -> None:
    shop = Workshop(folder, None, tools=[Hammer()], max_turns=10**6, nag_after=0)  # type: ignore[arg-type]
    clock = SystemClock()
    supervisor = Supervisor(
        shop.store, shop.bylaws, shop.caller, clock, shop.owner, rhythm=Rhythm()
    )
    lags: list[float] = []
    shop.amend(model=Busy(time.monotonic() + SECONDS))
    first: list[KnownEvent] = [
        SessionStarted(title="bench", model="busy", attended=True),
        UserMessage(text="go", source="human"),
    ]
    workers = [await supervisor.start(f"s{k}", first) for k in range(SESSIONS)]
    watching = asyncio.ensure_future(lag(lags))
    began, cpu = time.perf_counter(), time.process_time()
    async with asyncio.TaskGroup() as group:
        for worker in workers:
            group.create_task(worker.run())
    seconds, spent = time.perf_counter() - began, time.process_time() - cpu
    watching.cancel()
    events = sum(summary.last_seq for summary in shop.store.summaries())
    lags.sort()
    late = lags[int(len(lags) * 0.99)] * 1000
    print(
        f"{SESSIONS} sessions at once: {events / seconds / SESSIONS:.1f} events/s each, "
        f"loop lag p99 {late:.1f} ms (target <= 50), "
        f"CPU {spent / seconds:.0%} of one core (target <= 60%)"
    )
    await supervisor.close()
    await shop.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder)))


if __name__ == "__main__":
    main()
