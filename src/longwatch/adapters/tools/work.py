"""Waiting for work that must not be left half done when the call is cancelled."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def unbroken(work: Coroutine[Any, Any, T], hurry: Callable[[], None] | None = None) -> T:
    """Wait until it is done, even if cancelled meanwhile; the cancellation is raised after it.

    ``hurry`` is called on cancellation, to make the work end sooner.
    """
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
            if hurry is not None:
                hurry()
    if cancelled is not None:
        if not task.cancelled():
            task.exception()  # It counts as seen: the cancellation is what is told.
        raise cancelled
    return task.result()


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a thread; a cancelled call ends only when the work has."""
    return await unbroken(asyncio.to_thread(work, *args, **kwargs))


async def in_thread_until(stop: threading.Event, work: Callable[[], T]) -> T:
    """The same for work that may take long and looks at the event, which cancelling sets."""
    return await unbroken(asyncio.to_thread(work), stop.set)
