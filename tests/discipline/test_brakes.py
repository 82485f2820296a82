"""Brakes and limits: what stops a loop that will not stop by itself."""

from collections.abc import Callable
from typing import Any

import pytest
from stage import Stage

from longwatch.discipline import CallModel, Stay
from longwatch.session.events import ToolCall, ToolFinished, Usage


def same_output(call: ToolCall) -> ToolFinished:
    return ToolFinished(call=call.id, ok=True, output="nothing new")


def looping(**settings: Any) -> Stage:
    stage = Stage(**settings)
    stage.run_tool = same_output
    stage.say()
    return stage


def test_the_same_call_three_times_is_told_to_the_model() -> None:
    stage = looping()
    stage.work()
    stage.work()
    assert stage.sources() == []
    assert stage.work() == CallModel()
    assert stage.sources() == ["repeat_warning"]
    assert "shell" in stage.injected()[0]


def test_the_same_call_five_times_stops_and_the_warning_does_not_reset_the_count() -> None:
    stage = looping()
    for _ in range(4):
        assert stage.work() == CallModel()
    assert stage.work() == Stay()
    assert stage.rest == ("idle", "repeating shell")
    assert stage.sources() == ["repeat_warning"]


def test_another_argument_or_another_result_is_another_call() -> None:
    stage = looping()
    for k in range(4):
        stage.work("same")
        stage.work(f"other {k}")
    assert stage.sources() == []
    stage.run_tool = stage.tool_output
    for _ in range(6):
        assert stage.work("date") == CallModel()


def test_identical_calls_of_one_reply_count_too() -> None:
    stage = looping()
    call = ("shell", {"command": "ls"})
    assert stage.reply("", call, call, call, call, call) == Stay()
    assert stage.rest == ("idle", "repeating shell")


def test_todo_tools_do_not_count_as_repeats() -> None:
    stage = looping()
    stage.plan("one")
    for _ in range(8):
        assert stage.reply("", ("todo_list", {})) == CallModel()
    assert "repeat_warning" not in stage.sources()


def test_todo_calls_between_do_not_hide_a_repeat() -> None:
    stage = looping()
    stage.plan("one")
    for _ in range(4):
        stage.work()
        stage.reply("", ("todo_list", {}))
    stage.work()
    assert stage.rest == ("idle", "repeating shell")


def test_a_new_activation_starts_with_no_repeats() -> None:
    stage = looping()
    for _ in range(5):
        stage.work()
    stage.say("try again")
    assert stage.work() == CallModel()


Six = Callable[[int], tuple[str, dict[str, Any] | str]]


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda k: (f"no_such_tool_{k}", {}), id="unknown tool"),
        pytest.param(lambda k: ("shell", "{not json" + "!" * k), id="malformed"),
        pytest.param(lambda k: ("shell", {f"cmd{k}": "ls"}), id="does not fit the schema"),
        pytest.param(lambda k: ("todo_done", {"id": 77 + k}), id="refused by the dialect"),
        pytest.param(lambda _: ("todo_done", "[]"), id="todo arguments no object"),
    ],
)
def test_six_refused_calls_in_a_row_stop(call: Six) -> None:
    stage = Stage()
    stage.say()
    stage.plan("one")
    for k in range(5):
        assert stage.reply(f"try {k}", call(k)) == CallModel()
    assert stage.reply("last", call(5)) == Stay()
    assert stage.rest == ("idle", "six tool calls in a row were refused")


def test_a_call_that_runs_resets_the_refusals() -> None:
    stage = Stage()
    stage.say()
    for k in range(5):
        stage.reply("", (f"tool{k}", {}))
    stage.work()
    for k in range(5):
        assert stage.reply("", (f"other{k}", {})) == CallModel()


def test_a_failing_tool_is_not_a_refused_call() -> None:
    stage = Stage()
    stage.run_tool = lambda call: ToolFinished(call=call.id, ok=False, output=f"exit 1 {call.id}")
    stage.say()
    for k in range(8):
        assert stage.work(str(k)) == CallModel()


def test_an_unknown_tool_is_answered_with_the_valid_names() -> None:
    stage = Stage()
    stage.say()
    stage.reply("", ("frobnicate", {}))
    assert stage.last_output().startswith("Error: there is no tool 'frobnicate'. Use one of: ")
    assert "shell" in stage.last_output()


def test_malformed_arguments_are_not_run_and_the_model_is_told_where() -> None:
    stage = Stage()
    stage.say()
    stage.reply("", ("shell", '{"command": "ls"'))
    assert stage.calls == 0
    assert "line 1, column" in stage.last_output()


def test_arguments_that_do_not_fit_the_schema_are_not_run() -> None:
    stage = Stage()
    stage.say()
    stage.reply("", ("shell", {"command": ["ls"]}))
    assert stage.calls == 0
    assert stage.last_output() == "Error: shell: command must be a string."


def test_max_turns_bounds_the_turns_of_one_activation() -> None:
    stage = Stage(max_turns=3)
    stage.say()
    for k in range(2):
        assert stage.work(str(k)) == CallModel()
    assert stage.work("last") == Stay()
    assert stage.rest == ("idle", "turn limit reached (3)")
    assert stage.say("go on") == CallModel()


def test_max_tokens_parks_before_the_next_request() -> None:
    stage = Stage(max_tokens_per_run=100)
    stage.say()
    usage = Usage(input=60, output=40)
    assert stage.reply("", ("shell", {"command": "x"}), usage=usage) == Stay()
    assert stage.rest == ("idle", "token limit reached (100 of 100)")


def test_max_cost_parks_before_the_next_request() -> None:
    stage = Stage(max_cost_per_run=0.5)
    stage.say()
    usage = Usage(input=1, output=1, cost=0.6)
    assert stage.reply("", ("shell", {"command": "x"}), usage=usage) == Stay()
    assert stage.rest == ("idle", "cost limit reached ($0.60 of $0.50)")


def test_max_minutes_parks_before_the_next_request() -> None:
    stage = Stage(max_minutes_per_run=2)
    stage.say()
    stage.work("quick")
    stage.log.seconds += 120
    assert stage.work("slow") == Stay()
    assert stage.rest == ("idle", "time limit reached (2 min)")


def test_a_limit_stops_also_a_continuation() -> None:
    stage = Stage(max_turns=2)
    stage.say()
    stage.plan("one")
    assert stage.reply("what now?") == Stay()
    assert stage.rest == ("idle", "turn limit reached (2)")


def test_a_reply_cut_by_the_output_limit_is_continued_once() -> None:
    stage = Stage()
    stage.say()
    assert stage.reply("a long tex", finish="length") == CallModel()
    assert stage.sources() == ["length"]
    assert stage.reply("t that goes on", finish="length") == Stay()
    assert stage.rest == ("dormant", "done")


def test_arguments_cut_by_the_output_limit_are_told_and_the_limit_is_raised() -> None:
    stage = Stage()
    stage.say()
    step = stage.reply("", ("shell", '{"command": "ec'), finish="length")
    assert step == CallModel(raise_output_limit=True)
    assert "cut off by the output limit" in stage.last_output()


def test_a_refusal_gets_one_reformulating_nudge_and_then_rests() -> None:
    stage = Stage()
    stage.say()
    assert stage.reply("I can't.", finish="refusal") == CallModel()
    assert stage.sources() == ["reformulate"]
    assert stage.reply("I still can't.", finish="refusal") == Stay()
    assert stage.rest == ("idle", "the model refused to go on")
