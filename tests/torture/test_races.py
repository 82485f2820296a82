"""What comes between two steps: a crash, a lost lease, a wish that is taken back."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from workshop import Hammer, ScriptedModel, Workshop, said

from longwatch.adapters.store.process import this_process
from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.commands.serving import Duty
from longwatch.engine.approval import Permissions
from longwatch.engine.asking import post
from longwatch.engine.conduct import Conduct
from longwatch.engine.fsck import check
from longwatch.engine.journal import Journal
from longwatch.engine.refusing import Misconfigured
from longwatch.engine.storing import (
    Batch,
    Draft,
    Lease,
    PostedIntent,
    Record,
    StoreError,
    Summary,
    WorkerInfo,
)
from longwatch.session import Intent, SessionState
from longwatch.session.events import ToolFinished
from longwatch.session.intents import Approve, Pause, Say
from longwatch.wiring import Wiring
from torture.stage import HastyClock

Opened = Callable[..., Workshop]


@pytest.fixture
async def workshop(tmp_path: Path) -> AsyncIterator[Opened]:
    opened: list[Workshop] = []

    def build(*script: Any, **options: Any) -> Workshop:
        opened.append(Workshop(tmp_path, ScriptedModel(*script), **options))
        return opened[-1]

    yield build
    for shop in opened:
        await shop.close()


def wish(shop: Workshop, intent: Intent) -> str:
    return post(shop.store, shop.clock, shop.ids, "s1", intent)


def asking(workshop: Opened) -> Workshop:
    """A session whose first call has to be approved."""
    return workshop(
        said("", ("hammer", {})),
        said("ok"),
        said("and that"),
        tools=[Hammer()],
        permissions=Permissions("ask"),
        approver=True,
    )


def commits(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The types of each commit's events, from now on."""
    seen: list[list[str]] = []
    append = shop.store.append

    def watched(batches: Sequence[Batch]) -> Sequence[StoreError | None]:
        seen.extend([record.type for record in batch.records] for batch in batches)
        return append(batches)

    monkeypatch.setattr(shop.store, "append", watched)
    return seen


async def test_a_message_and_the_waking_by_it_are_one_commit(
    workshop: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = workshop(said("hi"), said("again"))
    await shop.run()
    seen = commits(shop, monkeypatch)
    wish(shop, Say(text="more"))
    await shop.go_on()
    assert seen[0] == ["user_message", "state_changed"]
    assert check(shop.store) == []


async def test_an_approval_and_the_waking_by_it_are_one_commit(
    workshop: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = asking(workshop)
    state = await shop.run()
    seen = commits(shop, monkeypatch)
    wish(shop, Approve(call=state.approvals.waiting[0]))
    await shop.go_on()
    assert seen[0] == ["approval_given", "state_changed"]
    assert check(shop.store) == []


async def test_a_session_begins_with_its_first_event(
    workshop: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = workshop(said("hi"))
    clock = iter(range(1000))
    monkeypatch.setattr(shop.clock, "now", lambda: f"2026-11-18T08:00:00.{next(clock):03}Z")
    await shop.run()
    assert check(shop.store) == []


async def test_a_wish_that_is_taken_back_while_it_is_answered_stops_nothing(
    workshop: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = workshop(said("hi"), said("again"))
    await shop.run()
    wishes = [wish(shop, Say(text="no, wait")), wish(shop, Pause())]
    read = shop.store.unanswered

    def taken_back(session: str | None = None) -> Sequence[PostedIntent]:
        found = read(session)
        for number in wishes:
            shop.store.withdraw(number)
        return found

    monkeypatch.setattr(shop.store, "unanswered", taken_back)
    before = shop.events()
    state = await shop.go_on()
    assert (state.state, shop.events()) == ("dormant", before)


async def test_a_pause_after_a_crash_does_not_hide_that_an_outcome_is_unknown(
    workshop: Opened,
) -> None:
    started = asyncio.Event()

    async def forever() -> None:
        started.set()
        await asyncio.Event().wait()

    shop = workshop(said("", ("hammer", {})), tools=[Hammer(work=forever)])
    running = asyncio.ensure_future(shop.run())
    await started.wait()
    running.cancel()
    await asyncio.wait({running})
    again = workshop(tools=[Hammer()])
    wish(again, Pause())
    state = await again.go_on()
    finished = [event for event in again.events() if isinstance(event, ToolFinished)]
    assert state.state == "paused"
    assert ["outcome is unknown" in event.output for event in finished] == [True]


# --- the background worker ------------------------------------------------------------------


async def hires(shop: Workshop, monkeypatch: pytest.MonkeyPatch, most: int = 3) -> int:
    """How often a background worker takes a session, until it settles or will not."""
    count = 0
    acquire = shop.store.acquire

    def counted(*arguments: Any) -> Lease:
        nonlocal count
        count += 1
        return acquire(*arguments)

    monkeypatch.setattr(shop.store, "acquire", counted)
    world = SimpleNamespace(store=shop.store, clock=shop.clock, environ={})
    ours = WorkerInfo(this_process(), "1", "f", shop.clock.now())
    duty = Duty(cast("Wiring", world), ours, shop.supervisor)
    monkeypatch.setattr(shop.clock, "sleep", HastyClock().sleep)
    looks = 0

    def settled() -> bool:
        nonlocal looks
        looks = 0 if shop.supervisor.busy else looks + 1
        return count >= most or looks >= 20

    await shop.supervisor.serve(duty.wanted, settled)
    return count


async def test_a_message_that_must_wait_for_an_approval_costs_nothing_meanwhile(
    workshop: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = asking(workshop)
    state = await shop.run()
    wish(shop, Say(text="and that"))
    assert await hires(shop, monkeypatch) == 1
    wish(shop, Approve(call=state.approvals.waiting[0]))
    assert await hires(shop, monkeypatch) == 1
    assert shop.types().count("user_message") == 2
    assert shop.store.unanswered() == []


async def test_what_cannot_be_worked_on_as_it_is_set_up_fails_once(
    workshop: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = workshop(said("hi"))
    await shop.run()
    wish(shop, Say(text="more"))

    def conduct(state: SessionState) -> Conduct:
        raise Misconfigured(f"{state.session} has no model.")

    monkeypatch.setattr(shop.bylaws, "conduct", conduct)
    before = len(shop.events())
    assert await hires(shop, monkeypatch) == 1
    await shop.go_on()
    assert [event.reason for event in shop.events()[before:]] == ["s1 has no model."]


# --- the journal ----------------------------------------------------------------------------


def first_batch(lease: Lease) -> Batch:
    body = b'{"type":"renamed","seq":1,"session":"%s"}' % lease.session.encode()
    return Batch(
        lease=lease,
        records=[Record(1, "renamed", body)],
        summary=Summary(session=lease.session, last_seq=1),
    )


async def test_a_draft_of_a_lost_session_fails_no_other_sessions_events(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "store.db", lease_seconds=15)
    lost = store.acquire("lost", this_process(), 1000.0)
    store.release(lost)
    lease = store.acquire("kept", this_process(), 1000.0)
    journal = Journal(store)
    journal.draft(lost, Draft("too late", "", ""))
    await journal.append(first_batch(lease))
    await journal.close()
    assert [record.seq for record in store.records("kept")] == [1]
    assert store.draft("lost") is None
    store.close()


async def test_whoever_waits_for_a_commit_is_told_whatever_went_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore.open(tmp_path / "store.db")
    lease = store.acquire("s1", this_process(), 1000.0)

    def broken(batches: Sequence[Batch]) -> Sequence[StoreError | None]:
        raise RuntimeError(f"{len(batches)} batches are too many")

    monkeypatch.setattr(store, "append", broken)
    journal = Journal(store)
    async with asyncio.timeout(10):
        with pytest.raises(StoreError, match="1 batches are too many"):
            await journal.append(first_batch(lease))
    await journal.close()
    store.close()
