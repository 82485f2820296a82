"""Activations: what starts one, what resets, resuming, pausing, crashes."""

from typing import Any

import pytest
from stage import Stage

from longwatch.discipline import CallModel, Stay, next_step
from longwatch.session.events import (
    AssistantMessage,
    AutoContinuing,
    Injected,
    MessageSource,
    StateChanged,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from longwatch.session.fold import fold
from longwatch.session.intents import (
    AddTodo,
    BlockTodo,
    ClearTodos,
    CompleteTodo,
    ReopenTodo,
    StartTodo,
)


def planned(dialect: str = "longwatch", **settings: Any) -> Stage:
    stage = Stage(dialect, **settings)
    stage.say()
    stage.plan("one", "two")
    return stage


def idle_stage(dialect: str = "parley") -> Stage:
    stage = planned(dialect, max_auto_continues=2)
    for text in "abc":
        stage.reply(text)
    assert stage.rest == ("idle", "wake budget used up (2/2), 2 open")
    return stage


@pytest.mark.parametrize("source", ["human", "cron", "answer"])
def test_fresh_input_starts_an_activation_and_resets_its_budgets(source: MessageSource) -> None:
    stage = idle_stage()
    assert stage.say("go", source) == CallModel()
    assert stage.log.state.activation.wakes == 0
    assert stage.log.state.activation.injected == 0


def test_a_peers_message_resets_nothing_and_is_stored_while_the_budget_is_used_up() -> None:
    stage = idle_stage()
    assert stage.say("hello", "peer") == Stay()
    assert stage.log.state.state == "idle"
    assert stage.types()[-1] == "user_message"


def test_a_peers_message_wakes_at_the_cost_of_one() -> None:
    stage = planned("parley", max_auto_continues=3)
    stage.reply("", ("todo_update", {"id": 1, "status": "done"}))
    stage.reply("", ("todo_update", {"id": 2, "status": "done"}))
    stage.reply("finished")
    for k in range(3):
        assert stage.say(f"ping {k}", "peer") == CallModel()
        stage.reply(f"pong {k}")
    assert stage.log.state.activation.wakes == 3
    assert stage.say("ping again", "peer") == Stay()


def test_a_session_resumed_after_idle_gets_a_fresh_activation_and_continues_as_first() -> None:
    stage = idle_stage()
    assert stage.resume() == CallModel()
    assert stage.continuations()[-1] == "Auto-continuing (1/2): 2 incomplete todo(s) remain"
    assert stage.sources()[-1] == "continuation"


def test_resumed_without_auto_continue_the_same_text_is_injected_once_uncharged() -> None:
    stage = planned("todowrite")
    stage.reply("later")
    assert stage.rest == ("idle", "2 open, auto-continue is off")
    assert stage.resume() == CallModel()
    assert stage.sources() == ["resume"]
    expected = stage.rules.dialect.continuation(stage.log.state.checklist, stage.rules.loop, 0)
    assert stage.injected() == [expected]
    assert stage.log.state.activation.wakes == 0
    stage.reply("later again")
    assert stage.rest == ("idle", "2 open, auto-continue is off")


def test_resumed_with_nothing_open_makes_no_request() -> None:
    stage = Stage()
    stage.say()
    stage.reply("Hello.")
    assert stage.resume() == Stay()
    assert stage.rest == ("dormant", "done")
    assert stage.types().count("model_started") == 1


def test_resumed_while_an_answer_is_owed_asks_for_it() -> None:
    stage = Stage()
    stage.say("What is this?")
    stage.pause()
    assert stage.resume() == CallModel()
    assert stage.sources() == []


def test_a_pause_latches_no_continuation_reminder_or_guard_runs() -> None:
    stage = planned()
    assert stage.pause() == Stay()
    assert stage.log.state.state == "paused"
    for source in ("peer", "cron"):
        assert stage.say("wake up", source) == Stay()
    stage.edit(AddTodo(text="three"))
    assert next_step(stage.log.state, stage.rules) == Stay()


@pytest.mark.parametrize("how", ["resume", "write"])
def test_a_pause_ends_when_the_person_resumes_or_writes(how: str) -> None:
    stage = planned()
    stage.pause()
    assert (stage.resume() if how == "resume" else stage.say("go on")) == CallModel()


def test_a_pause_answers_the_calls_that_it_cuts_off() -> None:
    stage = planned()
    stage.ask()
    stage.answer("", ("shell", {"command": "a"}), ("shell", {"command": "b"}))
    first = stage.log.state.turn.pending[0].id
    stage.log.add(ToolStarted(call=first, name="shell", arguments={"command": "a"}))
    stage.pause()
    assert stage.types()[-3:] == ["tool_finished", "tool_finished", "state_changed"]
    outputs = [e.output for e in stage.log.events if isinstance(e, ToolFinished)][-2:]
    assert ["outcome is unknown" in output for output in outputs] == [True, False]
    assert stage.resume() == CallModel()
    assert stage.calls == 0


def test_a_persons_message_in_mid_activation_resets_the_budgets() -> None:
    stage = planned()
    stage.reply("a")
    assert stage.log.state.activation.wakes == 1
    assert stage.say("also this") == CallModel()
    assert stage.log.state.activation.wakes == 0
    assert stage.types().count("state_changed") == 1


def test_cut_off_between_charging_and_injecting_the_wake_is_not_charged_again() -> None:
    stage = planned()
    stage.ask()
    stage.answer("what now?")
    step = next_step(stage.log.state, stage.rules)
    announced = step.events[0]  # type: ignore[union-attr]
    assert isinstance(announced, AutoContinuing)
    stage.log.add(announced)
    assert stage.perform() == CallModel()
    assert stage.continuations() == ["Auto-continuing (1/25): 2 incomplete todo(s) remain"]
    assert stage.sources() == ["continuation"]


def test_cut_off_while_a_tool_ran_it_is_not_run_again_and_its_outcome_is_told_unknown() -> None:
    stage = planned()
    stage.ask()
    stage.answer("", ("shell", {"command": "deploy"}))
    call = stage.log.state.turn.pending[0]
    stage.log.add(ToolStarted(call=call.id, name="shell", arguments=call.arguments))
    assert stage.perform() == CallModel()
    assert stage.calls == 0
    assert "outcome is unknown" in stage.last_output()


def test_cut_off_in_a_request_the_request_is_made_again_in_the_same_activation() -> None:
    stage = planned()
    stage.reply("a")
    stage.ask()
    again = fold(stage.log.events)
    assert next_step(again, stage.rules) == CallModel()
    assert again.activation.wakes == 1


def test_a_reply_cut_by_a_fault_is_no_turn() -> None:
    stage = planned()
    turns = stage.log.state.activation.turns
    stage.ask()
    cut = AssistantMessage(text="I wi", finish="stop", tool_calls=(), partial=True)
    stage.log.add(cut)
    assert next_step(stage.log.state, stage.rules) == CallModel()
    assert stage.log.state.activation.turns == turns


def test_an_edit_that_leaves_open_items_in_a_dormant_session_makes_it_idle() -> None:
    stage = Stage()
    stage.say()
    stage.reply("Hello.")
    stage.edit(AddTodo(text="one"))
    assert stage.rest == ("idle", "1 open: resume to go on")
    assert stage.perform() == Stay()


def test_an_edit_that_closes_the_last_open_item_makes_an_idle_session_dormant() -> None:
    stage = planned("todowrite")
    stage.reply("later")
    for item in stage.log.state.checklist.items:
        stage.edit(CompleteTodo(uid=item.uid))
    assert stage.rest == ("dormant", "done")


@pytest.mark.parametrize("dialect", ["parley", "loki"])
def test_starting_an_item_is_refused_where_the_dialect_has_no_current_one(dialect: str) -> None:
    stage = planned(dialect, auto_continue=True)
    item = stage.log.state.checklist.items[0]
    before = stage.log.state.checklist
    (answer,) = stage.edit(StartTodo(uid=item.uid))
    assert answer.__struct_config__.tag == "error"
    assert stage.log.state.checklist == before


def test_an_edit_that_changes_nothing_is_answered_and_no_change_recorded() -> None:
    stage = planned()
    item = stage.log.state.checklist.items[0]
    (answer,) = stage.edit(ReopenTodo(uid=item.uid))
    assert answer.__struct_config__.tag == "error"
    assert "checklist_changed" not in stage.types()[-1:]


def test_every_answer_to_an_intent_carries_it() -> None:
    stage = Stage()
    stage.say()
    stage.reply("Hello.")
    for event in stage.edit(AddTodo(text="one")):
        assert event.intent == "i1"


def test_a_message_that_arrives_while_calls_are_open_waits_for_their_results() -> None:
    stage = planned()
    stage.ask()
    stage.answer("", ("shell", {"command": "a"}))
    stage.log.add(UserMessage(text="hurry", source="human"))
    assert stage.perform() == CallModel()
    assert stage.calls == 1


def test_a_waiting_session_goes_on_by_itself() -> None:
    stage = planned()
    stage.log.add(StateChanged(state="waiting", reason="rate-limited until 09:00"))
    assert stage.perform() == CallModel()
    assert stage.log.state.state == "running"


def test_a_list_cleared_while_a_wake_was_charged_brings_no_empty_continuation() -> None:
    stage = planned()
    stage.ask()
    stage.answer("what now?")
    step = next_step(stage.log.state, stage.rules)
    stage.log.add(step.events[0])  # type: ignore[union-attr]
    stage.edit(ClearTodos())
    assert stage.perform() == Stay()
    assert stage.rest == ("dormant", "done")


def test_continuations_in_longwatch_are_not_repeated_word_for_word() -> None:
    stage = planned()
    for text in "abc":
        stage.reply(text)
    first, second, third = stage.injected("continuation")
    assert first.startswith("[SYSTEM REMINDER - TODO CONTINUATION]\nYou have incomplete tasks.")
    assert "#1 one" in second.split("\n\n")[0]
    assert "stops" in third.split("\n\n")[0]
    assert len({first, second, third}) == 3


def test_the_other_dialects_keep_their_text() -> None:
    stage = planned("parley")
    for text in "abc":
        stage.reply(text)
    assert len(set(stage.injected("continuation"))) == 1


def test_a_blocked_item_of_a_person_is_not_completed_by_the_model() -> None:
    stage = planned()
    item = stage.log.state.checklist.items[0]
    stage.edit(BlockTodo(uid=item.uid, reason="ops"))
    stage.perform()
    stage.reply("", ("todo_done", {"id": 1}))
    refused = [e for e in stage.types() if e == "checklist_refused"]
    assert refused == ["checklist_refused"]
    assert stage.log.state.checklist.items[0].status == "blocked"


def test_resumed_after_a_reply_was_cut_off_the_model_is_asked_to_go_on() -> None:
    stage = Stage()
    stage.say("Tell me a story.")
    stage.ask()
    cut = AssistantMessage(text="Once upon", finish="cancelled", tool_calls=(), partial=True)
    stage.log.add(cut)
    stage.pause()
    assert stage.resume() == CallModel()
    assert stage.injected("resume") == ["You were interrupted. Go on."]


def test_a_message_that_the_program_writes_does_not_end_a_pause() -> None:
    stage = planned()
    stage.pause()
    stage.log.add(Injected(source="subagent", text="A child has finished."))
    assert stage.perform() == Stay()
