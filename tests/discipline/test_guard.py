"""The finalization guard: corrections, both endings, and what is kept of it."""

from typing import Any

import msgspec
import pytest
from stage import Stage

from longwatch.discipline import CallModel, Stay, extra
from longwatch.session import SessionState
from longwatch.session.intents import BlockTodo


def guarded(**settings: Any) -> Stage:
    stage = Stage("cubepi", **settings)
    stage.say()
    stage.plan("one", "two")
    return stage


def test_a_plain_reply_with_unfinished_items_is_corrected_once_and_then_proceeds() -> None:
    stage = guarded()
    assert stage.reply("All done!") == CallModel()
    assert stage.sources() == ["finalization"]
    assert stage.reply("Really done!") == Stay()
    assert stage.rest == ("idle", "2 open, auto-continue is off")


def test_proceed_goes_on_as_if_there_were_no_guard() -> None:
    stage = guarded(auto_continue=True)
    stage.reply("a")
    stage.reply("b")
    assert stage.sources() == ["finalization", "continuation"]
    assert stage.continuations() == ["Auto-continuing (1/10): 2 incomplete todo(s) remain"]


def test_the_guard_asks_only_for_the_checklist() -> None:
    stage = guarded()
    stage.reply("done")
    assert "Bring it up to date" in stage.injected()[0]


def test_corrections_are_counted_per_activation_and_reset_by_a_valid_todo_call() -> None:
    stage = guarded(finalization_corrections=2)
    stage.reply("a")
    stage.work("x")
    stage.reply("b")
    assert stage.log.state.activation.corrections == 2
    stage.write_todos([("one", "completed"), ("two", "in_progress")])
    assert stage.log.state.activation.corrections == 0
    stage.reply("c")
    assert stage.sources().count("finalization") == 3


def test_a_refused_todo_call_does_not_reset_the_corrections() -> None:
    stage = guarded()
    stage.reply("a")
    stage.write_todos([])
    assert stage.log.state.activation.corrections == 1


def test_a_new_activation_starts_with_no_corrections() -> None:
    stage = guarded()
    stage.reply("a")
    stage.reply("b")
    stage.say("go on")
    assert stage.log.state.activation.corrections == 0


def test_explain_forces_one_turn_without_tools_and_rests() -> None:
    stage = guarded(on_guard_exhausted="explain")
    stage.reply("a")
    assert stage.reply("b") == CallModel(tool_choice="none")
    assert stage.sources() == ["finalization", "guard_blocked"]
    assert stage.reply("I could not, because the disk is full.") == Stay()
    assert stage.rest == ("idle", "the checklist was not brought up to date")


def test_a_call_in_the_forced_turn_is_answered_with_an_error_and_not_run() -> None:
    stage = guarded(on_guard_exhausted="explain")
    stage.reply("a")
    stage.reply("b")
    assert stage.reply("", ("shell", {"command": "rm -rf build"})) == Stay()
    assert stage.rest == ("idle", "the checklist was not brought up to date")
    assert stage.last_output() == "Error: tools cannot be used in this turn. Answer in text."
    assert stage.calls == 0


def test_the_guard_stays_quiet_until_the_next_valid_todo_call() -> None:
    stage = guarded(on_guard_exhausted="explain")
    for text in ("a", "b", "because"):
        stage.reply(text)
    stage.say("never mind, go on")
    stage.reply("c")
    assert stage.rest == ("idle", "2 open, auto-continue is off")
    stage.say("now the list")
    stage.write_todos([("one", "completed"), ("two", "in_progress")])
    assert stage.reply("d") == CallModel()
    assert stage.sources()[-1] == "finalization"


def test_guard_turns_count_toward_the_hard_cap_and_not_as_wakes() -> None:
    stage = guarded()
    stage.reply("a")
    assert stage.log.state.activation.injected == 1
    assert stage.log.state.activation.wakes == 0


@pytest.mark.parametrize("ending", ["proceed", "explain"])
def test_the_hard_cap_binds_the_guard_too(ending: str) -> None:
    stage = guarded(max_injected_turns=0, on_guard_exhausted=ending)
    assert stage.reply("a") == Stay()
    assert stage.rest == ("idle", "injected-turn limit reached (0)")


def test_an_item_that_a_person_blocked_does_not_count_as_unfinished() -> None:
    stage = guarded()
    for item in stage.log.state.checklist.items:
        stage.edit(BlockTodo(uid=item.uid, reason="later"))
    assert stage.reply("ok") == Stay()
    assert stage.sources() == ["human_edit"]


def test_zero_corrections_means_no_guard() -> None:
    stage = guarded(finalization_corrections=0)
    assert stage.reply("a") == Stay()
    assert stage.sources() == []


def test_what_is_kept_is_shown_under_the_documented_names() -> None:
    stage = guarded(on_guard_exhausted="explain")
    stage.work("x")
    stage.reply("a")
    assert extra(stage.log.state) == {
        "todos": [
            {"content": "one", "status": "in_progress"},
            {"content": "two", "status": "pending"},
        ],
        "todo_guard_retries": {"finalization": 1},
        "todo_guard_blocked": None,
        "todo_guard_suppressed": False,
        "todo_stale_iterations": 1,
        "todo_finalization_correction": True,
    }
    stage.reply("b")
    kept = extra(stage.log.state)
    assert kept["todo_guard_blocked"] is not None
    assert kept["todo_guard_suppressed"] is True


def test_the_guards_state_survives_being_stored() -> None:
    stage = guarded(on_guard_exhausted="explain")
    stage.reply("a")
    stage.reply("b")
    stored = msgspec.json.encode(stage.log.state)
    assert msgspec.json.decode(stored, type=SessionState) == stage.log.state
