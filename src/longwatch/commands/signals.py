"""Signals end work cleanly and resumably; a hang-up is nothing to it."""

import asyncio
import signal
from typing import Any

from longwatch.engine.outcome import INTERRUPTED, TERMINATED

CODES = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}


async def until_a_signal(task: asyncio.Task[Any]) -> int | None:
    """Wait for a task that has not begun yet; the exit code of the signal that cancelled it.

    Only the first signal counts: another one must not disturb what the first has begun to close.
    """
    ended: list[int] = []

    def stop(code: int) -> None:
        if not ended:
            ended.append(code)
            task.cancel()

    loop = asyncio.get_running_loop()
    for number, code in CODES.items():
        loop.add_signal_handler(number, stop, code)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    await asyncio.wait({task})
    return ended[0] if ended else None
