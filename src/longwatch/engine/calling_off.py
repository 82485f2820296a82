"""Ending what is under way, without losing what it has to say."""

import asyncio
import logging
from typing import Any

log = logging.getLogger(__name__)


async def call_off(task: asyncio.Future[Any]) -> None:
    """Cancel a task and wait for its end. What it failed with on the way out is logged."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("%s, while it was being ended", error)
