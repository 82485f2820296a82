"""The worker: steps become events, a person is heard meanwhile, cut-off work is told."""

import asyncio
from collections.abc import Callable
from itertools import pairwise

from workshop import Hammer, ScriptedModel, Workshop, said

from longwatch.engine.approval import Permissions
from longwatch.engine.asking import post
from longwatch.engine.fsck import check
from longwatch.engine.ports import ModelFault, TextDelta, ToolOutput
from longwatch.session import Intent
from longwatch.session.events import AssistantMessage, ChecklistChanged, Injected, ToolFinished
from longwatch.session.intents import (
    AddTodo,
    Approve,
    BlockTodo,
    Deny,
    Pause,
    Resume,
    Say,
    SetSetting,
)

Opened = Callable[..., Workshop]

PLAN = ("todo_plan", {"goal": "g", "items": ["one", "two"]})


def wish(shop: Workshop, intent: Intent, session: str = "s1") -> str:
    return post(shop.store, shop.clock, shop.ids, session, intent)


async def test_a_run_is_driven_to_its_end(workshop: Opened) -> None:
    shop = workshop(
        said("", PLAN),
        said("", ("todo_done", {"id": 1})),
        said("I am finished!"),
        said("", ("todo_done", {"id": 2})),
        said("Now I am."),
    )
    state = await shop.run()
    assert (state.state, state.reason) == ("dormant", "done")
    assert shop.types()[:4] == [
        "session_started",
        "user_message",
        "state_changed",
        "model_started",
    ]
    assert "auto_continuing" in shop.types()
    assert [event.seq for event in shop.events()] == list(range(1, len(shop.events()) + 1))
    assert shop.seen == shop.events()
    assert check(shop.store) == []


async def test_each_request_extends_the_previous_one(workshop: Opened) -> None:
    shop = workshop(said("", PLAN), said("hm"), said("hm?"), said("", ("todo_done", {"id": 1})))
    await shop.run()
    requests = shop.model.requests
    for before, after in pairwise(requests):
        assert list(after.messages)[: len(before.messages)] == list(before.messages)
        assert (before.system, before.tools) == (after.system, after.tools)


async def test_a_tool_is_recorded_before_it_runs(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(said("", ("hammer", {"at": 1})), said("ok"), tools=[hammer])
    seen_while_running: list[str] = []

    async def look() -> None:
        seen_while_running.extend(shop.types())

    hammer.work = look
    await shop.run()
    assert seen_while_running[-1] == "tool_started"


async def test_a_tool_that_breaks_becomes_its_result(workshop: Opened) -> None:
    def broken(hit: int) -> ToolOutput:
        raise RuntimeError(f"broken at {hit}")

    shop = workshop(said("", ("hammer", {})), said("ok"), tools=[Hammer(output=broken)])
    state = await shop.run()
    finished = [e for e in shop.events() if isinstance(e, ToolFinished)]
    assert (finished[0].ok, finished[0].output) == (False, "Error: the tool failed: broken at 1")
    assert state.state == "dormant"


async def test_what_a_tool_refuses_is_not_started(workshop: Opened) -> None:
    shop = workshop(said("", ("hammer", {"refuse": 1})), said("ok"), tools=[Hammer()])
    await shop.run()
    assert "tool_started" not in shop.types()
    assert [e.output for e in shop.events() if isinstance(e, ToolFinished)] == ["Error: not that."]


async def test_without_an_approver_the_call_is_denied_and_the_run_goes_on(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(
        said("", ("hammer", {})), said("ok"), tools=[hammer], permissions=Permissions("ask")
    )
    state = await shop.run()
    kinds = shop.types()
    assert kinds[4:8] == [
        "assistant_message",
        "approval_requested",
        "approval_given",
        "tool_finished",
    ]
    finished = next(e for e in shop.events() if isinstance(e, ToolFinished))
    assert finished.output == ("Refused: no one is here to approve this call (approval mode: ask).")
    assert state.activation.refusals == 0
    assert hammer.hits == []
    assert "awaiting_approval" not in [getattr(e, "state", "") for e in shop.events()]


async def test_an_approval_parks_the_session_until_it_is_given(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(
        said("", ("hammer", {"at": 1})),
        said("ok"),
        tools=[hammer],
        permissions=Permissions("ask"),
        approver=True,
    )
    state = await shop.run()
    assert (state.state, state.reason) == ("awaiting_approval", "approve: hammer")
    assert hammer.hits == []
    wish(shop, Approve(call=state.approvals.waiting[0]))
    state = await shop.go_on()
    assert state.state == "dormant"
    assert hammer.hits == [{"at": 1}]


async def test_a_denied_call_is_told_and_not_run(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(
        said("", ("hammer", {})),
        said("then not"),
        tools=[hammer],
        permissions=Permissions("ask"),
        approver=True,
    )
    state = await shop.run()
    wish(shop, Deny(call=state.approvals.waiting[0]))
    state = await shop.go_on()
    assert state.state == "dormant"
    assert hammer.hits == []


async def test_a_change_between_question_and_run_asks_again(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(
        said("", ("hammer", {})),
        said("ok"),
        tools=[hammer],
        permissions=Permissions("ask"),
        approver=True,
    )
    state = await shop.run()
    hammer.fingerprint = "something else"
    wish(shop, Approve(call=state.approvals.waiting[0]))
    state = await shop.go_on()
    assert state.state == "awaiting_approval"
    assert hammer.hits == []
    assert shop.types().count("approval_requested") == 2


async def test_always_covers_exactly_this_call(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(
        said("", ("hammer", {"at": 1})),
        said("", ("hammer", {"at": 1})),
        said("", ("hammer", {"at": 2})),
        tools=[hammer],
        permissions=Permissions("ask"),
        approver=True,
    )
    state = await shop.run()
    wish(shop, Approve(call=state.approvals.waiting[0], scope="session"))
    state = await shop.go_on()
    assert hammer.hits == [{"at": 1}, {"at": 1}]
    assert state.state == "awaiting_approval"


async def test_a_pause_while_the_model_speaks_keeps_the_text_and_latches(workshop: Opened) -> None:
    started = asyncio.Event()

    async def forever() -> None:
        started.set()
        await asyncio.Event().wait()

    shop = workshop([TextDelta("I was say"), TextDelta("ing"), forever], said("on we go"))
    running = asyncio.ensure_future(shop.run())
    await started.wait()
    wish(shop, Pause())
    state = await running
    assert state.state == "paused"
    cut = [e for e in shop.events() if isinstance(e, AssistantMessage)]
    assert [(e.text, e.finish, e.partial) for e in cut] == [("I was saying", "cancelled", True)]
    wish(shop, Resume())
    state = await shop.go_on()
    assert state.state == "dormant"
    assert shop.store.draft("s1") is None


async def test_a_pause_while_a_tool_runs_cancels_it_and_answers_its_call(workshop: Opened) -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def forever() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    shop = workshop(
        said("", ("hammer", {"at": 1}), ("hammer", {"at": 2})), tools=[Hammer(work=forever)]
    )
    running = asyncio.ensure_future(shop.run())
    await started.wait()
    wish(shop, Pause())
    state = await running
    assert state.state == "paused"
    assert cancelled.is_set()
    assert shop.types()[-3:] == ["tool_finished", "tool_finished", "state_changed"]
    assert check(shop.store) == []


async def test_edits_are_applied_while_the_model_speaks_and_told_before_the_next_request(
    workshop: Opened,
) -> None:
    shop: Workshop

    async def edit() -> None:
        wish(shop, AddTodo(text="three"))
        await shop.until(lambda event: getattr(event, "by", "") == "human")

    shop = workshop(
        said("", PLAN),
        [TextDelta("working"), edit, said("working", ("todo_done", {"id": 1}))],
        said("hm"),
    )
    await shop.run()
    told = [e for e in shop.events() if isinstance(e, Injected) and e.source == "human_edit"]
    assert told[0].text.splitlines()[1:] == ["- added #3: three"]


async def test_a_message_waits_for_the_end_of_the_turn(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(said("", ("hammer", {})), said("ok"), said("and that too"), tools=[hammer])

    async def interrupt() -> None:
        wish(shop, Say(text="also this"))

    hammer.work = interrupt
    await shop.run()
    kinds = shop.types()
    assert kinds.index("tool_finished") < kinds.index("user_message", 2)
    assert [m.text for m in shop.model.requests[-1].messages if hasattr(m, "text")][-1] == (
        "also this"
    )


async def test_settings_are_checked_before_they_are_recorded(workshop: Opened) -> None:
    shop = workshop(said("hi"))
    await shop.run()
    wish(shop, SetSetting(key="nonsense", value=1))
    await shop.go_on()
    assert shop.types()[-1] == "error"


async def test_an_intent_is_answered_exactly_once(workshop: Opened) -> None:
    shop = workshop(said("", PLAN), said("a"), said("b"))
    await shop.run()
    uid = next(e.items[0].uid for e in shop.events() if isinstance(e, ChecklistChanged))
    number = wish(shop, BlockTodo(uid=uid, reason="ops"))
    await shop.supervisor.answer("s1")
    await shop.supervisor.answer("s1")
    answers = [e for e in shop.events() if getattr(e, "intent", None) == number]
    assert [e.__struct_config__.tag for e in answers] == ["checklist_changed"]


async def test_a_failed_provider_fails_the_session_with_what_to_change(workshop: Opened) -> None:
    shop = workshop(ModelFault("auth", "The key was refused. Check OPENAI_API_KEY.", status=401))
    state = await shop.run()
    assert (state.state, state.reason) == ("failed", "The key was refused. Check OPENAI_API_KEY.")
    assert shop.types()[-2:] == ["provider_fault", "state_changed"]
    assert state.activation.wakes == 0


async def test_a_cut_reply_is_kept_as_partial_and_not_sent(workshop: Opened) -> None:
    shop = workshop(
        [TextDelta("half a rep"), ModelFault("broken", "The connection was reset.")],
        said("a whole reply"),
    )
    state = await shop.run()
    assert state.state == "dormant"
    texts = [(e.text, e.partial) for e in shop.events() if isinstance(e, AssistantMessage)]
    assert texts == [("half a rep", True), ("a whole reply", False)]
    assert len(shop.model.requests[1].messages) == 1


async def test_a_request_that_is_too_long_is_compacted_once(workshop: Opened) -> None:
    shop = workshop(
        said("", PLAN),
        ModelFault("context", "The prompt is too long."),
        said("We planned two things."),
        said("go"),
    )
    await shop.run()
    assert "compacted" in shop.types()
    summary = next(e.summary for e in shop.events() if e.__struct_config__.tag == "compacted")
    assert summary.startswith("[ACTIVE TODO LIST]\nGoal: g\n[>] #1: one")
    assert summary.endswith("We planned two things.")
    after = shop.model.requests[3]
    assert [m.text for m in after.messages] == [summary]  # type: ignore[union-attr]
    assert after.system == shop.model.requests[0].system


async def test_too_long_after_compaction_and_clipping_fails(workshop: Opened) -> None:
    too_long = ModelFault("context", "The prompt is too long.")
    shop = workshop(too_long, said("sum"), too_long, too_long)
    state = await shop.run()
    assert (state.state, state.reason) == ("failed", "The prompt is too long.")


async def test_the_key_reaches_no_event_and_no_draft(workshop: Opened) -> None:
    key = "sk-canary-0123456789"
    hammer = Hammer(output=lambda _: ToolOutput(ok=True, output=f"env has {key}"))
    shop = workshop(
        [TextDelta(f"the key is {key}"), said(f"the key is {key}", ("hammer", {"k": key}))],
        said("ok"),
        tools=[hammer],
        secrets=frozenset({key}),
    )
    await shop.run()
    for record in shop.store.records("s1"):
        assert key.encode() not in record.body
    assert "the key is ***" in [getattr(e, "text", "") for e in shop.events()]
    assert check(shop.store) == []


async def test_a_started_tool_that_never_finished_is_told_after_a_restart(
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
    assert shop.types()[-1] == "tool_started"

    hammer = Hammer()
    again = workshop(said("I see."), tools=[hammer])
    state = await again.go_on()
    assert state.state == "dormant"
    assert hammer.hits == []
    finished = [e for e in again.events() if isinstance(e, ToolFinished)]
    assert "outcome is unknown" in finished[0].output


async def test_call_ids_that_a_server_gives_again_are_made_different(workshop: Opened) -> None:
    hammer = Hammer()
    shop = workshop(
        said("", ("hammer", {"n": 1})), said("", ("hammer", {"n": 2})), said("ok"), tools=[hammer]
    )
    await shop.run()
    calls = [e.call for e in shop.events() if isinstance(e, ToolFinished)]
    assert len(set(calls)) == 2


async def test_parley_items_are_numbered_by_the_store(workshop: Opened) -> None:
    model = ScriptedModel(said("", ("todo_write", {"items": ["a", "b"]})), said("x"))
    shop = workshop(dialect="parley", max_auto_continues=0)
    shop.amend(model=model)
    await shop.run(session="s1")
    model.script = [said("", ("todo_write", {"items": ["c"]})), said("y")]
    await shop.run(session="s2")
    first = next(e for e in shop.events("s1") if isinstance(e, ToolFinished))
    second = next(e for e in shop.events("s2") if isinstance(e, ToolFinished))
    assert first.output == "[1] a\n[2] b"
    assert second.output == "[3] c"
