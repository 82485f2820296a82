"""After a reply: each row of the order, first match wins."""

from typing import Any

import pytest
from stage import Stage

from longwatch.discipline import CallModel, Stay
from longwatch.session.events import AutoContinuing, Injected
from longwatch.session.intents import AddTodo, BlockTodo, ClearTodos


def uid(stage: Stage, place: int) -> str:
    return stage.log.state.checklist.items[place].uid


def planned(dialect: str = "longwatch", *items: str, **settings: Any) -> Stage:
    stage = Stage(dialect, **settings)
    stage.say()
    stage.plan(*(items or ("one", "two", "three")))
    return stage


def test_tool_calls_are_run_in_order_and_the_model_is_called_again() -> None:
    stage = Stage()
    stage.say()
    step = stage.reply("", ("shell", {"command": "a"}), ("shell", {"command": "b"}))
    assert step == CallModel()
    assert stage.types()[-4:] == ["tool_started", "tool_finished", "tool_started", "tool_finished"]
    assert stage.log.state.activation.wakes == 0


def test_an_activation_starts_with_state_changed_running_once() -> None:
    stage = planned()
    stage.work()
    stage.reply("thinking aloud")
    assert stage.types()[:4] == [
        "session_started",
        "user_message",
        "state_changed",
        "model_started",
    ]
    assert stage.types().count("state_changed") == 1


def test_nothing_open_rests_dormant_because_done() -> None:
    stage = Stage()
    stage.say()
    assert stage.reply("Hello.") == Stay()
    assert stage.rest == ("dormant", "done")


def test_only_blocked_items_left_rests_dormant_and_names_them() -> None:
    stage = planned("longwatch", "deploy")
    stage.reply("", ("todo_block", {"id": 1, "reason": "no token"}))
    stage.reply("I need the token.")
    assert stage.rest == ("dormant", "only blocked todos left: deploy (no token)")


def test_auto_continue_off_rests_idle_and_counts_open() -> None:
    stage = planned(auto_continue=False)
    stage.reply("Later.")
    assert stage.rest == ("idle", "3 open, auto-continue is off")


def test_a_continuation_is_announced_then_injected_then_the_model_is_called() -> None:
    stage = planned()
    step = stage.reply("Shall I go on?")
    assert step == CallModel()
    assert stage.types()[-2:] == ["auto_continuing", "injected"]
    announced, injected = stage.log.events[-2:]
    assert isinstance(announced, AutoContinuing)
    assert announced.text == "Auto-continuing (1/25): 3 incomplete todo(s) remain"
    assert (announced.n, announced.max, announced.remaining) == (1, 25, 3)
    assert isinstance(injected, Injected)
    assert injected.source == "continuation"


@pytest.mark.parametrize(
    ("dialect", "most"), [("longwatch", 25), ("parley", 25), ("loki", 10), ("todowrite", 10)]
)
def test_the_status_text_counts_up_to_the_dialects_maximum(dialect: str, most: int) -> None:
    stage = planned(dialect, "one", "two", auto_continue=True)
    stage.reply("first")
    stage.reply("second")
    assert stage.continuations() == [
        f"Auto-continuing (1/{most}): 2 incomplete todo(s) remain",
        f"Auto-continuing (2/{most}): 2 incomplete todo(s) remain",
    ]


def test_an_identical_reply_stops() -> None:
    stage = planned()
    stage.reply("I am done.")
    stage.work("date")
    assert stage.reply("I am done.") == Stay()
    assert stage.rest == ("idle", "stopped: identical reply")


def test_an_identical_reply_goes_on_in_longwatch_if_the_list_has_changed() -> None:
    stage = planned()
    stage.reply("Next.")
    stage.reply("", ("todo_done", {"id": 1}))
    assert stage.reply("Next.") == CallModel()


def test_an_identical_reply_stops_in_loki_also_if_the_list_has_changed() -> None:
    stage = planned("loki", auto_continue=True)
    stage.reply("Next.")
    stage.reply("", ("todo__done", {"id": 1}))
    stage.reply("Next.")
    assert stage.rest == ("idle", "stopped: identical reply")


def test_a_reply_is_compared_with_the_one_that_caused_the_previous_continuation_only() -> None:
    stage = planned(max_idle_continues=0)
    stage.reply("a")
    stage.reply("b")
    assert stage.reply("a") == CallModel()


def test_one_changed_character_is_not_identical() -> None:
    stage = planned()
    stage.reply("Done.")
    assert stage.reply("Done. ") == CallModel()


@pytest.mark.parametrize("dialect", ["parley", "todowrite", "cubepi"])
def test_identical_replies_do_not_stop_where_the_dialect_has_it_off(dialect: str) -> None:
    stage = planned(dialect, auto_continue=True, finalization_corrections=0)
    stage.reply("same")
    assert stage.reply("same") == CallModel()


def test_the_wake_budget_ends_without_another_injection() -> None:
    stage = planned("parley", max_auto_continues=2)
    stage.reply("a")
    stage.reply("b")
    before = len(stage.injected())
    assert stage.reply("c") == Stay()
    assert stage.rest == ("idle", "wake budget used up (2/2), 3 open")
    assert len(stage.injected()) == before


def test_a_budget_of_zero_never_continues() -> None:
    stage = planned(max_auto_continues=0)
    stage.reply("a")
    assert stage.rest == ("idle", "wake budget used up (0/0), 3 open")
    assert stage.continuations() == []


def test_the_budget_comes_before_the_hard_cap() -> None:
    stage = planned("parley", max_auto_continues=1, max_injected_turns=1)
    stage.reply("a")
    stage.reply("b")
    assert stage.rest == ("idle", "wake budget used up (1/1), 3 open")


def test_the_hard_cap_stops_before_the_budget_does() -> None:
    stage = planned("parley", max_auto_continues=9, max_injected_turns=2)
    for text in "abc":
        stage.reply(text)
    assert stage.rest == ("idle", "injected-turn limit reached (2)")


def test_the_hard_cap_is_fifty_or_twice_the_budget() -> None:
    stage = Stage()
    assert stage.rules.loop.hard_cap == 50
    stage.set(max_auto_continues=40)
    assert stage.rules.loop.hard_cap == 80


def test_the_hard_cap_comes_before_no_progress() -> None:
    stage = planned(max_injected_turns=3, max_idle_continues=3)
    for text in "abcd":
        stage.reply(text)
    assert stage.rest == ("idle", "injected-turn limit reached (3)")


def test_no_progress_in_three_continuations_stops() -> None:
    stage = planned()
    for text in "abc":
        assert stage.reply(text) == CallModel()
    assert stage.reply("d") == Stay()
    assert stage.rest == ("idle", "no progress in 3 continuations")


def test_a_tool_call_is_progress() -> None:
    stage = planned()
    for text in "ab":
        stage.reply(text)
    stage.work("make")
    for text in "cde":
        assert stage.reply(text) == CallModel()
    assert stage.reply("f") == Stay()


def test_a_list_read_is_no_progress() -> None:
    stage = planned()
    for text in "abc":
        stage.reply(text)
        stage.reply("", ("todo_list", {}))
    stage.reply("d")
    assert stage.rest == ("idle", "no progress in 3 continuations")


def test_a_persons_change_of_the_list_is_progress() -> None:
    stage = planned()
    for text in "abc":
        stage.reply(text)
    stage.edit(BlockTodo(uid=uid(stage, 2), reason="not now"))
    assert stage.reply("d") == CallModel()


def test_blocked_items_never_drive_the_loop() -> None:
    stage = planned("longwatch", "one")
    stage.edit(BlockTodo(uid=uid(stage, 0), reason="wait for ops"))
    assert stage.reply("ok") == Stay()
    assert stage.rest == ("dormant", "only blocked todos left: one (wait for ops)")
    assert stage.continuations() == []


def test_every_continuation_records_what_came_since_the_last_one() -> None:
    stage = planned()
    stage.reply("a")
    stage.work("x")
    stage.work("y")
    stage.reply("", ("todo_done", {"id": 1}))
    stage.reply("b")
    announced = [e for e in stage.log.events if isinstance(e, AutoContinuing)]
    assert (announced[1].progress.items, announced[1].progress.tools) == (1, 2)
    stage.reply("c")
    announced = [e for e in stage.log.events if isinstance(e, AutoContinuing)]
    assert (announced[2].progress.items, announced[2].progress.tools) == (0, 0)


def test_clearing_the_list_by_a_person_returns_the_count_to_zero() -> None:
    stage = planned()
    stage.reply("a")
    assert stage.log.state.activation.wakes == 1
    stage.edit(ClearTodos())
    assert stage.log.state.activation.wakes == 0


def test_todo_clear_in_loki_returns_the_count_to_zero() -> None:
    stage = planned("loki", auto_continue=True)
    stage.reply("a")
    stage.reply("", ("todo__clear", {}), ("todo__add", {"task": "again"}))
    stage.reply("b")
    assert stage.continuations()[-1].startswith("Auto-continuing (1/10)")


def test_the_hard_cap_holds_against_a_model_that_clears_its_count() -> None:
    stage = planned("loki", auto_continue=True, max_injected_turns=5)
    for k in range(5):
        stage.reply(f"a{k}")
        stage.reply("", ("todo__clear", {}), ("todo__add", {"task": f"again {k}"}))
    stage.reply("b")
    assert stage.rest == ("idle", "injected-turn limit reached (5)")


@pytest.mark.parametrize("call", ["plan", "empty"])
def test_the_count_does_not_return_to_zero_by_a_new_plan_or_an_empty_replacement(call: str) -> None:
    stage = planned("todowrite" if call == "empty" else "longwatch", auto_continue=True)
    stage.reply("a")
    if call == "empty":
        stage.reply("", ("todo", {"items": []}))
        stage.plan("new")
    else:
        stage.reply("", ("todo_plan", {"goal": "g", "items": ["x"], "replace": True}))
    stage.reply("b")
    assert "(2/" in stage.continuations()[-1]


def test_with_function_calling_off_there_is_no_continuation() -> None:
    stage = planned()
    stage.set(function_calling_support=False)
    stage.reply("a")
    assert stage.rest == ("idle", "3 open, the todo system is off")


def test_loki_without_auto_continue_has_no_todo_tools_at_all() -> None:
    stage = Stage("loki")
    assert [tool.name for tool in stage.rules.offered] == ["shell"]
    assert stage.rules.system_prompt == "Be useful."
    stage.set(auto_continue=True)
    assert [tool.name for tool in stage.rules.offered][:2] == ["todo__init", "todo__add"]


@pytest.mark.parametrize("dialect", ["longwatch", "parley", "todowrite", "cubepi"])
def test_elsewhere_auto_continue_governs_continuation_and_never_the_tools(dialect: str) -> None:
    on, off = Stage(dialect, auto_continue=True), Stage(dialect, auto_continue=False)
    assert on.rules.offered == off.rules.offered
    assert on.rules.system_prompt == off.rules.system_prompt


def test_todo_clear_returns_the_count_to_zero_also_when_nothing_is_left_to_clear() -> None:
    stage = planned("loki", "one", auto_continue=True)
    stage.edit(AddTodo(text="mine"))
    stage.reply("a")
    stage.reply("", ("todo__clear", {}))
    stage.reply("b")
    stage.reply("", ("todo__clear", {}))
    assert stage.types()[-2:] == ["tool_started", "tool_finished"]
    assert stage.log.state.activation.wakes == 0
