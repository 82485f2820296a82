"""Fork: another session that begins as this one was, once however often it is tried."""

from collections.abc import Callable

from workshop import Hammer, Workshop, said

from longwatch.engine.asking import post
from longwatch.engine.forking import fork, fork_id
from longwatch.engine.fsck import check
from longwatch.engine.journal import Journal
from longwatch.engine.opening import open_session, state_of
from longwatch.session.events import Failure, Origin, SessionStarted, ToolFinished, ToolStarted
from longwatch.session.intents import Fork, Rename, Say, SetSetting, Undo
from longwatch.session.transcript import UserText

Opened = Callable[..., Workshop]

PLAN = ("todo_plan", {"goal": "g", "items": ["one", "two"]})


async def forked(shop: Workshop, seq: int | None = None) -> str:
    number = post(shop.store, shop.clock, shop.ids, "s1", Fork(seq=seq))
    await shop.go_on()
    return fork_id(number)


async def test_a_fork_at_the_end_has_all_and_rests(workshop: Opened) -> None:
    shop = workshop(said("", PLAN), said("Later."), said("New."), auto_continue=False)
    before = await shop.run()
    post(shop.store, shop.clock, shop.ids, "s1", SetSetting(key="temperature", value=1))
    new = await forked(shop)
    origin, state = state_of(shop.store, "s1"), state_of(shop.store, new)
    assert state.checklist.items == before.checklist.items
    assert (state.profile.settings, state.profile.model) == ({"temperature": 1}, "m")
    assert state.profile.forked_from == Origin("s1", origin.seq)
    assert (state.state, state.profile.title) == ("idle", "t (2)")
    assert "forked from t" in state.reason
    assert open_session(shop.store, new).transcript == open_session(shop.store, "s1").transcript
    assert shop.store.unanswered("s1") == []
    assert check(shop.store) == []


async def test_a_fork_goes_its_own_way(workshop: Opened) -> None:
    shop = workshop(said("One."), said("Two."), said("Other."))
    await shop.run("First.")
    post(shop.store, shop.clock, shop.ids, "s1", Say(text="Second."))
    await shop.go_on()
    first = next(e.seq for e in shop.events() if getattr(e, "text", "") == "One.")
    new = await forked(shop, first)
    length = len(shop.events())
    post(shop.store, shop.clock, shop.ids, new, Say(text="Third."))
    await shop.go_on(new)
    said_there = [m.text for m in shop.model.requests[-1].messages if isinstance(m, UserText)]
    assert said_there == ["First.", "Third."]
    assert len(shop.events()) == length
    started = shop.events(new)[0]
    assert isinstance(started, SessionStarted)
    assert started.forked_from == Origin("s1", first)
    assert check(shop.store) == []


async def test_a_turn_is_never_split(workshop: Opened) -> None:
    shop = workshop(
        said("", ("hammer", {"n": 1}), ("hammer", {"n": 2})), said("Done."), tools=[Hammer()]
    )
    await shop.run()
    started = next(e.seq for e in shop.events() if isinstance(e, ToolStarted))
    new = await forked(shop, started)
    assert sum(isinstance(e, ToolFinished) for e in shop.events(new)) == 2
    assert state_of(shop.store, new).turn.pending == ()
    assert check(shop.store) == []


async def test_a_session_at_work_is_forked_without_disturbing_it(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(said("", ("hammer", {}), ("hammer", {"n": 1})), said("Done."), tools=[hammer])
    wishes: list[str] = []

    async def ask() -> None:
        if not wishes:
            wishes.append(post(shop.store, shop.clock, shop.ids, "s1", Fork()))
        while shop.store.summary(fork_id(wishes[0])) is None:
            await shop.clock.sleep(0.01)

    hammer.work = ask
    state = await shop.run()
    assert (state.state, len(hammer.hits)) == ("dormant", 2)
    new = state_of(shop.store, fork_id(wishes[0]))
    assert (new.state, new.turn.pending) == ("dormant", ())
    assert check(shop.store) == []


async def test_a_fork_that_a_crash_left_unanswered_is_not_made_twice(workshop: Opened) -> None:
    shop = workshop(said("One."))
    await shop.run()
    number = post(shop.store, shop.clock, shop.ids, "s1", Fork())
    # A process that dies between the making of the session and the answer.
    worker, journal = await shop.supervisor.open("s1"), Journal(shop.store)
    wish = Fork(id=number)
    assert await fork(worker.ledger, journal, shop.store, shop.clock, wish) == ()
    await journal.close()
    await shop.supervisor.close()
    made = shop.events(fork_id(number))
    again = workshop()
    await again.go_on()
    assert again.events(fork_id(number)) == made
    assert len(again.store.summaries()) == 2
    assert again.store.unanswered("s1") == []
    assert check(again.store) == []


async def test_a_fork_pays_nothing_for_its_past(workshop: Opened) -> None:
    shop = workshop(said("One."), said("Two."))
    await shop.run()
    new = await forked(shop)
    assert state_of(shop.store, new).spent.input == 0


async def test_where_there_is_no_event_there_is_no_fork(workshop: Opened) -> None:
    shop = workshop(said("One."))
    await shop.run()
    for seq in (0, 999):
        await forked(shop, seq)
    told = [e.message for e in shop.events() if isinstance(e, Failure)]
    assert told == ["There is no event 0 to fork at.", "There is no event 999 to fork at."]
    assert len(shop.store.summaries()) == 1


async def test_a_fork_of_what_was_undone_and_renamed(workshop: Opened) -> None:
    shop = workshop(said("One."), said("Two."))
    await shop.run("First.")
    for intent in (Say(text="Second."), Undo(), Rename(title="u")):
        post(shop.store, shop.clock, shop.ids, "s1", intent)
        await shop.go_on()
    new, other = await forked(shop), await forked(shop)
    assert state_of(shop.store, new).profile.title == "u (2)"
    assert state_of(shop.store, other).profile.title == "u (3)"
    messages = open_session(shop.store, new).transcript.messages
    assert [m.text for m in messages if isinstance(m, UserText)] == ["First."]
    assert check(shop.store) == []
