"""Many sessions in one process: leases, fairness, what was left, and what is asked."""

import asyncio
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from workshop import Hammer, Part, ScriptedModel, Workshop, said

from longwatch.engine.asking import ask, post
from longwatch.engine.fsck import check
from longwatch.engine.intents import RESTARTED
from longwatch.engine.storing import Draft, Lease, LeaseHeld, NoSuchSession, Owner, Summary
from longwatch.engine.supervisor import RETRY
from longwatch.session.events import AssistantMessage, Failure
from longwatch.session.intents import AddTodo, CompleteTodo, Say

Opened = Callable[..., Workshop]


async def test_a_session_that_another_supervisor_holds_is_refused_with_its_holder(
    workshop: Opened,
) -> None:
    shop, other = workshop(said("hi")), workshop()
    started = asyncio.Event()

    async def forever() -> None:
        started.set()
        await asyncio.Event().wait()

    shop.model.script = [[forever]]
    running = asyncio.ensure_future(shop.run())
    await started.wait()
    with pytest.raises(LeaseHeld, match="Process"):
        await other.supervisor.open("s1")
    running.cancel()
    await asyncio.wait({running})


async def test_many_sessions_run_at_once_and_each_gets_its_turn(workshop: Opened) -> None:
    order: list[str] = []

    def speaking(name: str) -> Callable[[], object]:
        async def speak() -> None:
            order.append(name)
            await asyncio.sleep(0)

        return speak

    shop = workshop()
    for name in ("s1", "s2", "s3"):
        shop.model.script = [said("ready")]
        await shop.run(session=name)
        post(shop.store, shop.clock, shop.ids, name, Say(text="go"))
    script: list[list[Part]] = [[speaking(f"turn {k}"), said(f"done {k}")] for k in range(3)]
    shop.model.script = [*script]

    def done() -> bool:
        return len(order) == 3 and not shop.supervisor.busy

    wanted = [posted.session for posted in shop.store.unanswered()]
    await asyncio.wait_for(
        shop.supervisor.serve(lambda: [s for s in wanted if _asked(shop, s)], done), 20
    )
    assert sorted(order) == ["turn 0", "turn 1", "turn 2"]
    assert all(shop.types(name).count("user_message") == 2 for name in ("s1", "s2", "s3"))
    assert check(shop.store) == []


def _asked(shop: Workshop, session: str) -> bool:
    return bool(shop.store.unanswered(session))


async def test_a_session_that_breaks_the_program_fails_and_says_so(workshop: Opened) -> None:
    shop = workshop(said("ready"))
    await shop.run()

    async def break_it() -> None:
        raise ZeroDivisionError("oh")

    post(shop.store, shop.clock, shop.ids, "s1", Say(text="go"))
    shop.model.script = [[break_it]]
    await asyncio.wait_for(
        shop.supervisor.serve(
            lambda: ["s1"] if _asked(shop, "s1") else [], lambda: _summary(shop).state == "failed"
        ),
        20,
    )
    assert "ZeroDivisionError('oh')" in _summary(shop).reason
    assert check(shop.store) == []


def _summary(shop: Workshop) -> Summary:
    found = shop.store.summary("s1")
    assert found is not None
    return found


async def test_a_session_that_another_process_holds_is_not_asked_for_without_a_pause(
    workshop: Opened,
) -> None:
    shop, other = workshop(said("ready")), workshop()
    await shop.run()
    await other.supervisor.open("s1")
    before = shop.clock.seconds
    tries: list[float] = []

    def wanted() -> list[str]:
        tries.append(shop.clock.seconds)
        return ["s1"]

    acquire = shop.store.acquire
    asked: list[str] = []

    def counted(session: str, owner: Owner, now: float) -> Lease:
        asked.append(session)
        return acquire(session, owner, now)

    shop.store.acquire = counted  # type: ignore[method-assign]
    await shop.supervisor.serve(wanted, lambda: shop.clock.seconds - before > 10)
    assert 2 <= len(asked) <= 10 / RETRY + 1
    assert len(tries) > 2 * len(asked)
    await other.supervisor.close()


async def test_a_resting_session_is_let_go_of(workshop: Opened) -> None:
    shop, other = workshop(said("hi")), workshop()
    await shop.run()
    assert shop.store.holder("s1", shop.clock.wall()) is None
    worker = await other.supervisor.open("s1")
    assert worker.state.state == "dormant"


async def test_what_is_asked_of_a_session_at_rest_is_answered_without_a_step(
    workshop: Opened,
) -> None:
    shop = workshop(said("hi"))
    await shop.run()
    events = await ask(shop.store, shop.supervisor, shop.clock, shop.ids, "s1", AddTodo(text="one"))
    tags = [event.__struct_config__.tag for event in events]
    assert tags == ["checklist_changed", "state_changed"]
    assert len(shop.model.requests) == 1


async def test_a_refused_wish_says_why(workshop: Opened) -> None:
    shop = workshop(said("hi"))
    await shop.run()
    (event,) = await ask(
        shop.store, shop.supervisor, shop.clock, shop.ids, "s1", CompleteTodo(uid="gone")
    )
    assert isinstance(event, Failure)
    assert event.kind == "unknown_id"


async def test_asking_of_a_session_that_is_not_there(workshop: Opened) -> None:
    shop = workshop()
    with pytest.raises(NoSuchSession):
        await ask(shop.store, shop.supervisor, shop.clock, shop.ids, "nope", AddTodo(text="x"))


async def test_a_draft_that_a_crash_left_becomes_a_partial_message(workshop: Opened) -> None:
    shop = workshop(said("hi"), said("again"))
    await shop.run()
    lease = shop.store.acquire("s1", shop.owner, shop.clock.wall())
    shop.store.put_draft(lease, Draft("I was abo", "thinking", shop.clock.now()))
    shop.store.release(lease)
    worker = await shop.supervisor.open("s1")
    last = shop.events()[-1]
    assert isinstance(last, AssistantMessage)
    assert (last.text, last.reasoning, last.partial) == ("I was abo", "thinking", True)
    assert shop.store.draft("s1") is None
    assert len(worker.ledger.transcript) == 2


async def test_what_ran_before_a_reboot_waits_for_the_person(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(said("", ("hammer", {})), tools=[hammer])
    started = asyncio.Event()

    async def forever() -> None:
        started.set()
        await asyncio.Event().wait()

    hammer.work = forever
    running = asyncio.ensure_future(shop.run())
    await started.wait()
    running.cancel()
    await asyncio.wait({running})

    again = workshop(owner=replace(shop.owner, boot="another boot"))

    def summary() -> Summary:
        found = again.store.summary("s1")
        assert found is not None
        return found

    await again.supervisor.serve(lambda: ["s1"], lambda: summary().state != "running")
    assert (summary().state, summary().reason) == ("paused", RESTARTED)
    assert len(again.model.requests) == 0


async def test_the_model_may_differ_from_session_to_session(workshop: Opened) -> None:
    shop = workshop(said("one"))
    await shop.run(session="s1")
    shop.amend(model=ScriptedModel(said("two")))
    await shop.run(session="s2")
    texts = [e.text for e in shop.events("s2") if isinstance(e, AssistantMessage)]
    assert texts == ["two"]
