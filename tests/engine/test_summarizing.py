"""Compaction by a real worker on a real store: what is asked, what is recorded, what fails."""

import asyncio
from collections.abc import Callable
from dataclasses import replace as with_rule
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from workshop import Hammer, ScriptedModel, Workshop, said

from longwatch.engine.asking import post
from longwatch.engine.compaction import LEFT_OUT, SUMMARIZATION_PROMPT
from longwatch.engine.fsck import check
from longwatch.engine.ports import ModelFault, ModelReply, TextDelta, ToolOutput
from longwatch.session.events import AssistantMessage, Compacted, Failure, ToolCall, Usage
from longwatch.session.intents import Compact, Pause, Resume, Say
from longwatch.session.transcript import AssistantText, ToolResult, UserText

Opened = Callable[..., Workshop]

PLAN = ("todo_plan", {"goal": "g", "items": ["one", "two"]})
HIT = ("hammer", {"at": 1})
TOO_LONG = ModelFault("context", "The prompt is too long.")


def costing(reply: ModelReply, tokens: int, cost: float = 0.25) -> ModelReply:
    return replace(reply, usage=Usage(input=tokens, output=0, cost=cost))


def called(number: str, name: str, arguments: dict[str, Any]) -> ModelReply:
    call = ToolCall(number, name, arguments)
    return ModelReply(text="", finish="tool_calls", tool_calls=(call,))


def limited(shop: Workshop, limit: int | None) -> Workshop:
    shop.amend(rules=with_rule(shop.bylaws.current.rules, compact_at=limit))
    return shop


def compactions(shop: Workshop) -> list[Compacted]:
    return [e for e in shop.events() if isinstance(e, Compacted)]


def texts(shop: Workshop, request: int) -> list[str]:
    return [m.text for m in shop.model.requests[request].messages if isinstance(m, UserText)]


async def test_past_the_threshold_the_sessions_own_model_sums_up(workshop: Opened) -> None:
    shop = limited(
        workshop(
            said("", PLAN),
            costing(said("", HIT), 1000),
            costing(said("We planned."), 1100),
            said("", ("todo_done", {"id": 1}), ("todo_done", {"id": 2})),
            said("Done."),
            tools=[Hammer()],
        ),
        900,
    )
    state = await shop.run("x" * 3000)
    assert (state.state, state.reason) == ("dormant", "done")
    asked = shop.model.requests[2]
    assert asked.tool_choice == "none"
    assert list(asked.messages[:-1])[: len(shop.model.requests[1].messages)] == list(
        shop.model.requests[1].messages
    )
    assert asked.messages[-1] == UserText(SUMMARIZATION_PROMPT, "summarize")
    (event,) = compactions(shop)
    assert event.summary == (
        "[ACTIVE TODO LIST]\nGoal: g\n[>] #1: one\n[ ] #2: two\n"
        + event.summary.split("[ ] #2: two\n", 1)[1]
    )
    assert event.summary.endswith("This is a summary of the conversation so far:\nWe planned.")
    assert event.before >= 1000
    assert event.after < event.before
    assert state.spent.cost == 0.5
    assert {r.system for r in shop.model.requests} == {asked.system}
    assert all(r.tools == asked.tools for r in shop.model.requests)
    assert "We planned." not in [e.text for e in shop.events() if isinstance(e, AssistantMessage)]
    assert shop.store.draft("s1") is None
    assert check(shop.store) == []


async def test_the_last_turns_stay_as_they_are_and_no_call_loses_its_result(
    workshop: Opened,
) -> None:
    hammer = Hammer(output=lambda hit: ToolOutput(ok=True, output=f"hit {hit} " + "x" * 400))
    shop = limited(
        workshop(
            *[costing(said("", HIT, HIT), 100) for _ in range(6)],
            costing(said("", HIT), 5000),
            said("So far."),
            said("Done."),
            tools=[hammer],
        ),
        2000,
    )
    await shop.run()
    first, *rest = shop.model.requests[-1].messages
    assert isinstance(first, UserText)
    assert first.text.endswith("So far.")
    assert isinstance(rest[0], AssistantText)
    calls = [call.id for m in rest if isinstance(m, AssistantText) for call in m.calls]
    results = [m.call for m in rest if isinstance(m, ToolResult)]
    assert calls == results
    assert 1 <= len(calls) < 13


async def test_own_prompts_replace_the_usual_ones(workshop: Opened) -> None:
    shop = limited(
        workshop(costing(said("", HIT), 999), said("S."), said("."), tools=[Hammer()]), 9
    )
    shop.amend(summarization_prompt="Sum up!", summary_context_prompt="Before:")
    await shop.run()
    assert texts(shop, 1)[-1] == "Sum up!"
    assert compactions(shop)[0].summary == "Before:\nS."


async def test_an_empty_summary_leaves_a_plain_note_with_what_was_asked(workshop: Opened) -> None:
    shop = limited(
        workshop(
            costing(said("", HIT), 999), said(""), said(""), said(""), said("."), tools=[Hammer()]
        ),
        9,
    )
    state = await shop.run("Paint it green.")
    assert state.state == "dormant"
    (event,) = compactions(shop)
    assert LEFT_OUT in event.summary
    assert "Paint it green." in event.summary


async def test_a_note_in_place_of_a_summary_is_handed_on_without_its_old_list(
    workshop: Opened,
) -> None:
    shop = limited(
        workshop(
            said("", PLAN),
            costing(said("", HIT), 999),
            *[said("")] * 3,
            said("", ("todo_done", {"id": 1})),
            costing(said("", HIT), 2999),
            *[said("")] * 3,
            said("", ("todo_done", {"id": 2})),
            said("."),
            tools=[Hammer()],
        ),
        900,
    )
    await shop.run("Paint it green.")
    last = compactions(shop)[-1].summary
    assert "Paint it green." in last
    assert last.count("[ACTIVE TODO LIST]") == 1
    assert last.count("one") == 1


async def test_a_summary_that_does_not_fit_is_asked_of_less_and_then_left_out(
    workshop: Opened,
) -> None:
    output = ToolOutput(ok=True, output="y" * 9000)
    shop = limited(
        workshop(
            said("", HIT),
            costing(said("", HIT), 9999),
            TOO_LONG,
            TOO_LONG,
            TOO_LONG,
            said("Done."),
            tools=[Hammer(output=lambda _: output)],
        ),
        5000,
    )
    state = await shop.run("Paint it green.")
    assert state.state == "dormant"
    whole, clipped, newer = (shop.model.requests[k].messages for k in (2, 3, 4))
    sizes = [sum(len(str(m)) for m in messages) for messages in (whole, clipped, newer)]
    assert sizes[0] > sizes[1] > sizes[2]
    (event,) = compactions(shop)
    assert "Paint it green." in event.summary
    assert [e.kind for e in shop.events() if e.__struct_config__.tag == "provider_fault"] == [
        "context"
    ] * 3


async def test_a_summary_that_is_longer_than_what_it_replaces_is_cut(workshop: Opened) -> None:
    shop = limited(
        workshop(costing(said("", HIT), 9999), said("z" * 90_000), said("."), tools=[Hammer()]),
        4000,
    )
    await shop.run()
    (event,) = compactions(shop)
    assert len(event.summary) < 5000
    assert "characters left out" in event.summary


async def test_a_model_that_cannot_be_used_ends_the_run_and_resuming_tries_again(
    workshop: Opened,
) -> None:
    shop = limited(
        workshop(
            costing(said("", HIT), 999),
            ModelFault("auth", "The key is not accepted."),
            said("So far."),
            said("Done."),
            tools=[Hammer()],
        ),
        9,
    )
    state = await shop.run()
    assert (state.state, state.reason) == ("failed", "The key is not accepted.")
    post(shop.store, shop.clock, shop.ids, "s1", Resume())
    state = await shop.go_on()
    assert state.state == "dormant"
    assert len(compactions(shop)) == 1


async def test_a_summary_is_retried_as_every_request_is(workshop: Opened) -> None:
    shop = limited(
        workshop(
            costing(said("", HIT), 999),
            [TextDelta("So f"), ModelFault("server", "oops")],
            said("So far."),
            said("Done."),
            tools=[Hammer()],
        ),
        9,
    )
    state = await shop.run()
    assert state.state == "dormant"
    assert "retrying" in shop.types()
    assert not any(isinstance(e, AssistantMessage) and e.partial for e in shop.events())


async def test_a_restart_at_any_event_gives_the_same_requests(tmp_path: Path) -> None:
    def script() -> list[Any]:
        return [
            said("", PLAN),
            costing(called("a", "todo_list", {}), 1000),
            said("We planned."),
            costing(said("Hm."), 1000),
            said("Still planning."),
            called("b", "todo_done", {"id": 1}),
            called("c", "todo_done", {"id": 2}),
            said("Done."),
        ]

    def folder(name: str) -> Path:
        made = tmp_path / name
        made.mkdir()
        return made

    async def run(folder: Path, stop: int | None) -> list[list[Any]]:
        model = ScriptedModel(*script())
        shop = limited(Workshop(folder, model), 900)
        if stop is None:
            await shop.run()
        else:
            reached = asyncio.ensure_future(shop.until(lambda event: event.seq == stop))
            running = asyncio.ensure_future(shop.run())
            await asyncio.wait({reached, running}, return_when=asyncio.FIRST_COMPLETED)
            running.cancel()
            await asyncio.wait({running})
            reached.cancel()
            await shop.close()
            entry = len([e for e in shop.seen if isinstance(e, AssistantMessage | Compacted)])
            again = ScriptedModel(*script()[entry:])
            shop = limited(Workshop(folder, again), 900)
            await shop.go_on()
            model.requests += again.requests
        asked = [list(request.messages) for request in model.requests]
        await shop.close()
        return [m for k, m in enumerate(asked) if k == 0 or m != asked[k - 1]]

    whole = await run(folder("whole"), None)
    assert len(whole) == 8
    for stop in range(3, 36):
        assert await run(folder(str(stop)), stop) == whole


async def test_a_person_compacts_a_session_at_rest(workshop: Opened) -> None:
    shop = workshop(said("Hello."), said("We said hello."), said("Yes?"))
    await shop.run()
    number = post(shop.store, shop.clock, shop.ids, "s1", Compact())
    state = await shop.go_on()
    assert (state.state, state.reason) == ("dormant", "done")
    (event,) = compactions(shop)
    assert event.intent == number
    assert shop.store.unanswered("s1") == []
    post(shop.store, shop.clock, shop.ids, "s1", Say(text="Go on."))
    await shop.go_on()
    assert texts(shop, 2) == [event.summary, "Go on."]


async def test_there_may_be_nothing_to_compact(workshop: Opened) -> None:
    shop = workshop(said("Hello."), said("We said hello."))
    await shop.run()
    for _ in range(2):
        post(shop.store, shop.clock, shop.ids, "s1", Compact())
        await shop.go_on()
    assert len(compactions(shop)) == 1
    (told,) = [e for e in shop.events() if isinstance(e, Failure)]
    assert "nothing to compact" in told.message
    assert len(shop.model.requests) == 2


async def test_a_wish_during_a_run_is_done_at_the_next_safe_point(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(said("", HIT, HIT), said("So far."), said("Done."), tools=[hammer])

    async def ask() -> None:
        if len(hammer.hits) == 1:
            post(shop.store, shop.clock, shop.ids, "s1", Compact())

    hammer.work = ask
    state = await shop.run()
    assert state.state == "dormant"
    kinds = shop.types()
    assert kinds[kinds.index("compacted") - 2 : kinds.index("compacted") + 1] == [
        "tool_finished",
        "model_started",
        "compacted",
    ]
    assert len(hammer.hits) == 2


async def test_a_pause_takes_a_wished_compaction_back(workshop: Opened) -> None:
    asked = asyncio.Event()

    async def wait() -> None:
        asked.set()
        await asyncio.Event().wait()

    shop = workshop(said("Hello."), [wait])
    await shop.run()
    post(shop.store, shop.clock, shop.ids, "s1", Compact())
    going = asyncio.ensure_future(shop.go_on())
    await asked.wait()
    post(shop.store, shop.clock, shop.ids, "s1", Pause())
    state = await going
    assert state.state == "paused"
    assert compactions(shop) == []
    assert shop.store.unanswered("s1") == []


async def test_a_wish_that_the_model_cannot_grant_changes_nothing(workshop: Opened) -> None:
    shop = workshop(said("Hello."), ModelFault("quota", "No money left."))
    await shop.run()
    post(shop.store, shop.clock, shop.ids, "s1", Compact())
    state = await shop.go_on()
    assert (state.state, state.reason) == ("dormant", "done")
    (told,) = [e for e in shop.events() if isinstance(e, Failure)]
    assert told.message == "Nothing was compacted: No money left."
