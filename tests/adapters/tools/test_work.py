"""Work that was begun is finished before a cancellation is told."""

import asyncio
import threading

import pytest

from longwatch.adapters.tools.work import in_thread, in_thread_until, unbroken


async def test_the_result_and_the_failure_come_through() -> None:
    assert await in_thread(max, 1, 2) == 2
    with pytest.raises(ZeroDivisionError):
        await in_thread(divmod, 1, 0)


async def test_a_cancelled_call_waits_for_its_work_however_often_it_is_cancelled() -> None:
    begun, release = asyncio.Event(), asyncio.Event()
    log: list[str] = []

    async def work() -> None:
        begun.set()
        await release.wait()
        log.append("done")

    task = asyncio.create_task(unbroken(work()))
    await begun.wait()
    for _ in range(3):
        task.cancel()
        await asyncio.wait({task}, timeout=0)
        assert not task.done()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log == ["done"]


async def test_a_failure_after_a_cancellation_is_not_lost_noisily() -> None:
    begun, release = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await release.wait()
        raise OSError

    task = asyncio.create_task(unbroken(work()))
    await begun.wait()
    task.cancel()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_cancelling_hurries_the_thread() -> None:
    loop = asyncio.get_running_loop()
    begun, stop = asyncio.Event(), threading.Event()

    def work() -> bool:
        loop.call_soon_threadsafe(begun.set)
        return stop.wait(10)

    task = asyncio.create_task(in_thread_until(stop, work))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stop.is_set()
