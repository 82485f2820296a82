"""Undo and retry: back to before the person's last message, or to it."""

from collections.abc import Callable

import pytest
from workshop import Hammer, Workshop, said

from longwatch.engine.asking import post
from longwatch.engine.fsck import check
from longwatch.engine.opening import open_session, state_of
from longwatch.engine.ports import ToolOutput
from longwatch.session import Intent
from longwatch.session.events import Failure, Rewound
from longwatch.session.intents import AddTodo, Rename, Say, SetSetting, Undo
from longwatch.session.transcript import UserText

Opened = Callable[..., Workshop]

PLAN = ("todo_plan", {"goal": "g", "items": ["one", "two"]})


async def wished(shop: Workshop, *intents: Intent) -> None:
    for intent in intents:
        post(shop.store, shop.clock, shop.ids, "s1", intent)
        await shop.go_on()


def asked(shop: Workshop) -> list[str]:
    """What the last request's messages from outside say."""
    return [m.text for m in shop.model.requests[-1].messages if isinstance(m, UserText)]


async def test_undo_goes_back_to_before_the_last_message(workshop: Opened) -> None:
    shop = workshop(said("One."), said("Two."), said("Three."))
    first = await shop.run("First.")
    await wished(shop, Say(text="Second."))
    await wished(shop, Undo())
    state = state_of(shop.store, "s1")
    assert (state.state, state.reason) == (first.state, first.reason)
    await wished(shop, Say(text="Third."))
    assert asked(shop) == ["First.", "Third."]
    assert check(shop.store) == []


async def test_undo_can_be_repeated_to_the_beginning_and_no_further(workshop: Opened) -> None:
    shop = workshop(said("One."), said("Two."), said("New."))
    await shop.run("First.")
    await wished(shop, Say(text="Second."), Undo(), Undo(), Undo())
    (told,) = [e for e in shop.events() if isinstance(e, Failure)]
    assert told.message == "There is no message to go back to."
    await wished(shop, Say(text="Other."))
    assert asked(shop) == ["Other."]
    assert check(shop.store) == []


async def test_retry_asks_the_last_message_again(workshop: Opened) -> None:
    shop = workshop(said("One."), said("Bad."), said("Good."))
    await shop.run("First.")
    await wished(shop, Say(text="Second."))
    before = list(shop.model.requests[-1].messages)
    number = post(shop.store, shop.clock, shop.ids, "s1", Undo(retry=True))
    state = await shop.go_on()
    assert list(shop.model.requests[-1].messages) == before
    assert state.state == "dormant"
    rewound = next(e for e in shop.events() if isinstance(e, Rewound))
    assert rewound.intent == number
    assert shop.events()[rewound.to - 1].text == "Second."
    assert shop.events()[rewound.seq].state == "running"


async def test_the_list_goes_back_with_what_a_person_changed_since(workshop: Opened) -> None:
    shop = workshop(said("Hello."), said("", PLAN), said("ok"), auto_continue=False)
    await shop.run()
    await wished(shop, Say(text="Plan."), AddTodo(text="mine"), Rename(title="New title"))
    await wished(shop, SetSetting(key="temperature", value=1), Undo())
    state = state_of(shop.store, "s1")
    assert state.checklist.items == ()
    assert state.profile.title == "New title"
    assert state.profile.settings == {"temperature": 1}


async def test_files_that_tools_changed_are_named_and_stay(workshop: Opened) -> None:
    output = ToolOutput(ok=True, output="written", files=("a.py", "b.py"))
    shop = workshop(
        said("", ("hammer", {}), ("hammer", {"n": 1})),
        said("Done."),
        tools=[Hammer(output=lambda _: output)],
    )
    await shop.run()
    await wished(shop, Undo())
    (rewound,) = [e for e in shop.events() if isinstance(e, Rewound)]
    assert rewound.files == ("a.py", "b.py")


async def test_a_call_of_an_undone_turn_keeps_its_id_for_itself(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(
        said("", ("hammer", {})), said("."), said("", ("hammer", {})), said("."), tools=[hammer]
    )
    await shop.run()
    await wished(shop, Undo(retry=True))
    started = [e.call for e in shop.events() if e.__struct_config__.tag == "tool_started"]
    assert len(started) == len(set(started)) == 2


async def test_a_session_at_work_is_paused_first(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(said("", ("hammer", {})), said("Done."), tools=[hammer])

    async def ask() -> None:
        post(shop.store, shop.clock, shop.ids, "s1", Undo())

    hammer.work = ask
    state = await shop.run()
    assert state.state == "dormant"
    (told,) = [e for e in shop.events() if isinstance(e, Failure)]
    assert "pause it first" in told.message


async def test_money_that_was_spent_stays_spent(workshop: Opened) -> None:
    shop = workshop(said("One."))
    shop_state = await shop.run()
    await wished(shop, Undo())
    assert state_of(shop.store, "s1").spent.unpriced == shop_state.spent.unpriced


@pytest.mark.parametrize("rounds", [40])
async def test_many_undos_cost_no_more_than_the_events(workshop: Opened, rounds: int) -> None:
    shop = workshop(*[said(f"Reply {k}.") for k in range(3 * rounds)])
    await shop.run()
    for k in range(rounds):
        await wished(shop, Say(text=f"{k} a"), Say(text=f"{k} b"), Undo())
    opened = open_session(shop.store, "s1")
    assert state_of(shop.store, "s1") == opened.state
    for seq in range(1, opened.state.seq, 37):
        assert state_of(shop.store, "s1", seq).seq == seq
    said_first = [m.text for m in opened.transcript.messages if isinstance(m, UserText)]
    assert said_first == ["Do it.", *[f"{k} a" for k in range(rounds)]]
    assert check(shop.store) == []
