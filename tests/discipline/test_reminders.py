"""Plan nudge, nag, stale reminder, and what a person changed."""

from typing import Any

from stage import Stage

from longwatch.discipline import CallModel, Stay
from longwatch.session.intents import AddTodo, BlockTodo, DeleteTodo, EditTodo, MoveTodo, SetGoal

NAG = "<reminder>Update your todos.</reminder>"


def unattended(**settings: Any) -> Stage:
    stage = Stage(attended=False, **settings)
    stage.say()
    return stage


def test_a_plain_first_reply_without_a_list_gets_one_plan_nudge() -> None:
    stage = unattended()
    assert stage.reply("I will do that.") == CallModel()
    assert stage.sources() == ["plan_nudge"]
    assert stage.reply("It is answered already.") == Stay()
    assert stage.rest == ("dormant", "done")


def test_an_attended_session_gets_no_plan_nudge() -> None:
    stage = Stage(attended=True)
    stage.say()
    assert stage.reply("I will do that.") == Stay()


def test_a_cron_kick_of_an_attended_session_is_unattended() -> None:
    stage = Stage(attended=True)
    stage.say(source="cron")
    stage.reply("Morning.")
    assert stage.sources() == ["plan_nudge"]


def test_no_plan_nudge_after_a_tool_was_used() -> None:
    stage = unattended()
    stage.work()
    assert stage.reply("done") == Stay()
    assert stage.sources() == []


def test_no_plan_nudge_where_it_is_off() -> None:
    stage = unattended(plan_nudge=False)
    assert stage.reply("ok") == Stay()


def test_the_plan_nudge_counts_toward_the_hard_cap_and_not_as_a_wake() -> None:
    stage = unattended()
    stage.reply("ok")
    assert stage.log.state.activation.injected == 1
    assert stage.log.state.activation.wakes == 0
    capped = unattended(max_injected_turns=0)
    assert capped.reply("ok") == Stay()
    assert capped.sources() == []


def test_the_nag_comes_after_three_turns_without_a_todo_tool_and_each_turn_after() -> None:
    stage = Stage()
    stage.say()
    stage.plan("one", "two")
    stage.work("1")
    stage.work("2")
    assert stage.injected() == []
    stage.work("3")
    assert stage.injected("nag") == [NAG]
    stage.work("4")
    assert stage.injected("nag") == [NAG, NAG]
    stage.reply("", ("todo_list", {}))
    stage.work("5")
    assert stage.injected("nag") == [NAG, NAG]


def test_the_nag_stands_after_the_turns_tool_results() -> None:
    stage = Stage(nag_after=1)
    stage.say()
    stage.plan("one")
    stage.reply("", ("shell", {"command": "a"}), ("shell", {"command": "b"}))
    assert stage.types()[-3:] == ["tool_started", "tool_finished", "injected"]


def test_a_refused_todo_call_counts_as_called_for_the_nag() -> None:
    stage = Stage()
    stage.say()
    stage.plan("one")
    stage.work("1")
    stage.work("2")
    stage.reply("", ("todo_done", {"id": 99}))
    stage.work("3")
    assert stage.injected("nag") == []


def test_no_nag_without_open_items() -> None:
    stage = Stage()
    stage.say()
    for k in range(5):
        stage.work(str(k))
    assert stage.injected("nag") == []


def test_todowrite_nags_without_a_list_too() -> None:
    stage = Stage("todowrite")
    stage.say()
    for k in range(3):
        stage.work(str(k))
    assert stage.injected("nag") == [NAG]


def test_the_nag_counts_turns_of_this_activation() -> None:
    stage = Stage()
    stage.say()
    stage.plan("one")
    stage.work("1")
    stage.work("2")
    stage.say("And be quick.")
    stage.work("3")
    assert stage.injected("nag") == []


def test_a_turn_of_plain_text_does_not_count_for_the_nag() -> None:
    stage = Stage()
    stage.say()
    stage.plan("one")
    stage.work("1")
    stage.work("2")
    stage.reply("hm")
    assert stage.injected("nag") == []


def test_the_stale_reminder_comes_once_and_then_once_per_interval() -> None:
    stage = Stage("cubepi")
    stage.say()
    stage.plan("one", "two")
    for k in range(4):
        stage.work(str(k))
    assert stage.injected("stale") == []
    stage.work("4")
    assert len(stage.injected("stale")) == 1
    for k in range(5, 9):
        stage.work(str(k))
    assert len(stage.injected("stale")) == 1
    stage.work("9")
    assert len(stage.injected("stale")) == 2


def test_a_valid_todo_call_resets_the_stale_count() -> None:
    stage = Stage("cubepi")
    stage.say()
    stage.plan("one", "two")
    for k in range(4):
        stage.work(str(k))
    stage.write_todos([("one", "completed"), ("two", "in_progress")])
    for k in range(4):
        stage.work(f"again {k}")
    assert stage.injected("stale") == []


def test_a_refused_todo_call_neither_resets_nor_counts_as_stale() -> None:
    stage = Stage("cubepi")
    stage.say()
    stage.plan("one", "two")
    for k in range(4):
        stage.work(str(k))
    stage.write_todos([])
    assert stage.log.state.guard.stale == 4
    stage.work("4")
    assert len(stage.injected("stale")) == 1


def test_the_stale_reminder_needs_unfinished_items() -> None:
    stage = Stage("cubepi")
    stage.say()
    for k in range(7):
        stage.work(str(k))
    assert stage.injected("stale") == []


def test_what_a_person_changed_is_told_before_the_next_request_in_one_message() -> None:
    stage = Stage()
    stage.say()
    stage.plan("one", "two", "three")
    items = stage.log.state.checklist.items
    stage.edit(BlockTodo(uid=items[1].uid, reason="waiting for ops"))
    stage.edit(EditTodo(uid=items[2].uid, text="three, carefully"))
    stage.edit(AddTodo(text="four"))
    stage.edit(SetGoal(goal="Ship it today"))
    stage.perform()
    (told,) = stage.injected("human_edit")
    assert told.splitlines() == [
        "The person changed the checklist:",
        "- the goal is now: Ship it today",
        "- #2 is now blocked (waiting for ops)",
        "- #3 now reads: three, carefully",
        "- added #4: four",
    ]
    stage.ask()
    stage.answer("", ("shell", {"command": "x"}))
    stage.perform()
    assert len(stage.injected("human_edit")) == 1


def test_deletions_and_moves_are_told() -> None:
    stage = Stage()
    stage.say()
    stage.plan("one", "two", "three")
    items = stage.log.state.checklist.items
    stage.edit(DeleteTodo(uid=items[1].uid))
    stage.edit(MoveTodo(uid=items[2].uid, by=-1))
    stage.perform()
    (told,) = stage.injected("human_edit")
    assert told.splitlines()[1:] == ["- deleted #2: two", "- the order was changed"]


def test_an_edit_that_was_taken_back_is_not_told() -> None:
    stage = Stage()
    stage.say()
    stage.plan("one")
    item = stage.log.state.checklist.items[0]
    stage.edit(EditTodo(uid=item.uid, text="uno"))
    stage.edit(EditTodo(uid=item.uid, text="one"))
    assert stage.perform() == CallModel()
    assert stage.injected("human_edit") == []


def test_an_edit_before_a_continuation_is_told_before_it_is_announced() -> None:
    stage = Stage()
    stage.say()
    stage.plan("one", "two")
    stage.ask()
    stage.edit(AddTodo(text="three"))
    stage.answer("What now?")
    stage.perform()
    assert stage.types()[-3:] == ["injected", "auto_continuing", "injected"]
    assert stage.sources() == ["human_edit", "continuation"]


def test_with_the_todo_system_off_edits_are_not_told() -> None:
    stage = Stage(function_calling_support=False)
    stage.say()
    stage.edit(AddTodo(text="one"))
    assert stage.perform() == CallModel()
    assert stage.sources() == []
