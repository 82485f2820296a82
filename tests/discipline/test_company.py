"""Questions, children and peers in the wake loop."""

import pytest
from stage import Stage

from longwatch.adapters.tools.registry import make_session_tools
from longwatch.discipline import CallModel, Rules, Stay
from longwatch.discipline.pause import WITH_PARENT, pause
from longwatch.session.events import (
    Archived,
    ChildFinished,
    ChildStarted,
    MessageSent,
    StateChanged,
    ToolStarted,
    UserMessage,
)

SPECS = tuple(tool.spec for tool in make_session_tools().values())


def stage_of(**settings: object) -> Stage:
    stage = Stage(**settings)  # type: ignore[arg-type]
    stage.rules = Rules(stage.rules.dialect, stage.rules.loop, SPECS, "Be useful.")
    stage.say()
    return stage


def child(stage: Stage, name: str = "c1") -> None:
    stage.log.add(ChildStarted(child=name, title=f"part {name}"))


def child_ends(stage: Stage, name: str = "c1", outcome: str = "done") -> CallModel | Stay:
    stage.log.add(
        ChildFinished(child=name, title=f"part {name}", outcome=outcome, text=f"result of {name}")
    )
    return stage.perform()


def hear(stage: Stage, *, expects: bool = False, sender: str = "s2") -> CallModel | Stay:
    stage.log.add(UserMessage(text="Psst", source="peer", sender=sender, expects_reply=expects))
    return stage.perform()


def test_a_question_parks_after_the_results_and_before_the_next_request() -> None:
    stage = stage_of()
    stage.ask()
    stage.answer("", ("ask_user", {"question": "Which?"}))
    call = stage.log.state.turn.pending[0]
    stage.log.add(
        ToolStarted(call=call.id, name="ask_user", arguments={}, question="Which?"),
        stage.tool_output(call),
    )
    assert stage.perform() == Stay()
    assert stage.rest == ("awaiting_human", "Which?")
    assert stage.say("this", "answer") == CallModel()


def test_a_paused_question_is_asked_again_when_the_session_is_resumed() -> None:
    stage = stage_of()
    stage.log.add(ToolStarted(call="c", name="ask_user", arguments={}, question="Which?"))
    stage.pause()
    assert stage.resume() == Stay()
    assert stage.rest == ("awaiting_human", "Which?")


def test_whoever_stops_while_a_child_works_waits_for_it() -> None:
    stage = stage_of()
    child(stage)
    assert stage.reply("I wait.") == Stay()
    assert stage.rest == ("awaiting_peer", "waits for its child: part c1")


def test_several_children_are_counted_and_the_first_ones_named() -> None:
    stage = stage_of()
    for name in ("c1", "c2", "c3", "c4"):
        child(stage, name)
    stage.reply("I wait.")
    assert stage.rest[1] == "waits for 4 children: part c1, part c2, part c3, …"


def test_open_items_drive_nobody_on_while_a_child_works() -> None:
    stage = stage_of()
    stage.plan("one")
    child(stage)
    stage.reply("I wait.")
    assert stage.rest[0] == "awaiting_peer"
    assert stage.continuations() == []
    assert child_ends(stage) == CallModel()
    stage.reply("Hm.")
    assert len(stage.continuations()) == 1


@pytest.mark.parametrize("state", ["awaiting_peer", "idle", "dormant"])
def test_a_childs_end_wakes_its_parent_at_the_cost_of_one(state: str) -> None:
    stage = stage_of()
    child(stage)
    stage.reply("I wait.")
    stage.log.add(StateChanged(state=state, reason="r"))  # type: ignore[arg-type]
    assert child_ends(stage) == CallModel()
    assert stage.log.state.activation.wakes == 1
    (told,) = stage.injected("subagent")
    assert 'Your subagent "part c1" has ended: done.' in told
    assert "result of c1" in told


@pytest.mark.parametrize("state", ["paused", "failed", "awaiting_human"])
def test_a_childs_end_waits_for_the_person_where_only_the_person_can_go_on(state: str) -> None:
    stage = stage_of()
    child(stage)
    stage.reply("I wait.")
    stage.log.add(StateChanged(state=state, reason="r"))  # type: ignore[arg-type]
    assert child_ends(stage) == Stay()
    assert stage.injected() == []


def test_an_end_that_was_waited_out_is_told_when_the_person_resumes() -> None:
    stage = stage_of()
    child(stage)
    stage.reply("I wait.")
    stage.pause()
    child_ends(stage)
    assert stage.resume() == CallModel()
    assert stage.sources() == ["subagent"]


def test_several_ends_are_told_in_one_message_for_one_wake() -> None:
    stage = stage_of()
    child(stage, "c1")
    child(stage, "c2")
    stage.ask()
    stage.log.add(ChildFinished(child="c1", title="a", outcome="done"))
    stage.log.add(ChildFinished(child="c2", title="b", outcome="failed: no key"))
    stage.answer("Hm.")
    stage.perform()
    assert len(stage.injected("subagent")) == 1
    assert stage.log.state.activation.wakes == 1


def test_with_the_budget_used_up_the_wait_is_over_and_nothing_is_injected() -> None:
    stage = stage_of(max_auto_continues=1)
    child(stage, "c1")
    child(stage, "c2")
    stage.reply("I wait.")
    child_ends(stage, "c1")
    stage.reply("I wait on.")
    assert child_ends(stage, "c2") == Stay()
    assert stage.rest == ("idle", "wake budget used up (1/1), 0 open")
    assert len(stage.injected("subagent")) == 1
    assert stage.say("And?") == CallModel()
    assert len(stage.injected("subagent")) == 2


def test_an_archived_session_is_not_woken_by_its_children() -> None:
    stage = stage_of()
    child(stage)
    stage.reply("I wait.")
    stage.log.add(Archived(), StateChanged(state="dormant", reason="done"))
    assert child_ends(stage) == Stay()


def test_what_a_child_says_at_length_is_cut_for_its_parent() -> None:
    stage = stage_of()
    child(stage)
    stage.reply("I wait.")
    stage.log.add(ChildFinished(child="c1", title="p", outcome="done", text="x" * 9_000))
    stage.perform()
    (told,) = stage.injected("subagent")
    assert "1000 characters left out" in told


def test_a_turn_that_ends_while_a_reply_is_owed_is_reminded_once() -> None:
    stage = stage_of()
    stage.reply("Ready.")
    assert hear(stage, expects=True) == CallModel()
    assert stage.reply("Noted.") == CallModel()
    assert stage.sources() == ["reply_nudge"]
    assert stage.reply("No.") == Stay()
    assert stage.rest == ("dormant", "done")
    assert stage.log.state.activation.wakes == 2


def test_without_the_tool_for_it_nobody_is_reminded_of_a_reply() -> None:
    stage = Stage()
    stage.say()
    stage.reply("Ready.")
    hear(stage, expects=True)
    assert stage.reply("Noted.") == Stay()
    assert stage.sources() == []


def test_with_nothing_open_a_reply_is_waited_for() -> None:
    stage = stage_of()
    stage.log.add(MessageSent(to="s2", text="?", expects_reply=True))
    assert stage.reply("I wait.") == Stay()
    assert stage.rest == ("awaiting_peer", "waits for a reply from s2")
    assert hear(stage) == CallModel()
    assert stage.log.state.activation.wakes == 1


def test_open_items_come_before_a_reply_that_may_never_come() -> None:
    stage = stage_of()
    stage.plan("one")
    stage.log.add(MessageSent(to="s2", text="?", expects_reply=True))
    assert stage.reply("I wait.") == CallModel()
    assert len(stage.continuations()) == 1


def test_a_reply_that_the_budget_does_not_let_in_ends_the_wait() -> None:
    stage = stage_of(max_auto_continues=0)
    stage.log.add(MessageSent(to="s2", text="?", expects_reply=True))
    stage.reply("I wait.")
    assert hear(stage) == Stay()
    assert stage.rest == ("idle", "wake budget used up (0/0), 0 open")


def test_a_message_in_the_moment_after_a_reply_is_let_in_for_a_wake() -> None:
    stage = stage_of()
    stage.ask()
    stage.answer("Done.")
    assert hear(stage) == CallModel()
    assert stage.log.state.activation.wakes == 1


def test_a_message_in_the_moment_after_a_reply_does_not_exceed_the_budget() -> None:
    stage = stage_of(max_auto_continues=0)
    stage.ask()
    stage.answer("Done.")
    assert hear(stage) == Stay()
    assert stage.rest == ("dormant", "done")


def test_a_parents_pause_stops_only_what_is_at_work() -> None:
    stage = stage_of()
    (paused,) = pause(stage.log.state, "i1", with_parent=True)
    assert isinstance(paused, StateChanged)
    assert (paused.state, paused.reason) == ("paused", WITH_PARENT)
    stage.reply("Done.")
    assert pause(stage.log.state, "i1", with_parent=True) == ()
