"""What replies, tools, approvals and injected messages do to the counters."""

import pytest
from events_made import Log
from msgspec.structs import replace

from longwatch.session.events import (
    Arguments,
    AssistantMessage,
    AutoContinuing,
    ChecklistRefused,
    Finish,
    Injected,
    InjectedSource,
    ModelStarted,
    Progress,
    SessionStarted,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolKind,
    ToolStarted,
    Usage,
    UserMessage,
)
from longwatch.session.state import Spent, StartedCall
from longwatch.session.turns import call_digest


def running() -> Log:
    log = Log()
    log.add(SessionStarted(), UserMessage(text="Go", source="human"), StateChanged(state="running"))
    return log


def reply(text: str = "Done", finish: Finish = "stop", **more: object) -> AssistantMessage:
    return replace(AssistantMessage(text=text, finish=finish, tool_calls=()), **more)


def asking(*names: str, arguments: Arguments | None = None) -> AssistantMessage:
    """A reply that calls those tools; the ids are c1, c2 and so on."""
    given: Arguments = {} if arguments is None else arguments
    calls = tuple(ToolCall(f"c{k}", name, given) for k, name in enumerate(names, start=1))
    return AssistantMessage(text="", finish="tool_calls", tool_calls=calls)


def ran(
    log: Log, call: str = "c1", kind: ToolKind = "tool", output: str = "ok", *, ok: bool = True
) -> None:
    log.add(ToolStarted(call=call, name="t", arguments={}, kind=kind))
    log.add(ToolFinished(call=call, ok=ok, output=output))


def turn(log: Log, kind: ToolKind = "tool", output: str = "ok") -> None:
    log.add(asking("t"))
    ran(log, kind=kind, output=output)


def refused_todo(log: Log) -> None:
    log.add(asking("todo_done"), ToolStarted(call="c1", name="t", arguments={}, kind="todo"))
    log.add(ChecklistRefused(rule="unknown_id", message="Error: no", call="c1"))
    log.add(ToolFinished(call="c1", ok=False, output="Error: no"))


def test_a_plain_reply_is_a_turn_to_judge() -> None:
    log = running()
    state = log.add(reply("All done"))
    assert (state.turn.text, state.turn.finish) == ("All done", "stop")
    assert (state.phase, state.owes_reply, state.activation.turns) == ("reply", False, 1)


def test_a_reply_with_calls_is_a_turn_to_work_off() -> None:
    log = running()
    state = log.add(asking("read", "write"))
    assert [call.id for call in state.turn.pending] == ["c1", "c2"]
    assert state.turn.names == ("read", "write")
    assert (state.phase, state.owes_reply, state.activation.turns) == ("tools", True, 1)


@pytest.mark.parametrize("finish", ["stop", "cancelled"])
def test_a_partial_reply_is_paid_for_and_is_no_turn(finish: Finish) -> None:
    log = running()
    before = log.state
    state = log.add(replace(asking("read"), finish=finish, partial=True, usage=Usage(10, 5)))
    assert (state.turn, state.phase, state.owes_reply) == (before.turn, "call", True)
    assert state.activation.turns == 0
    assert (state.spent.input, state.activation.tokens) == (10, 15)


def test_usage_adds_up_for_the_session_and_the_activation() -> None:
    log = running()
    log.add(reply(usage=Usage(10, 5, 4, 0.25)), reply(usage=Usage(20, 2, 8, estimated=True)))
    assert log.state.spent == Spent(
        input=30, output=7, cached=12, cost=0.25, unpriced=1, estimated=True, context=22
    )
    assert (log.state.activation.tokens, log.state.activation.cost) == (37, 0.25)
    log.add(UserMessage(text="Again", source="human"), reply(usage=Usage(1, 1, 0, 0.5)))
    assert (log.state.activation.tokens, log.state.activation.cost) == (2, 0.5)
    assert (log.state.spent.input, log.state.spent.cost, log.state.spent.unpriced) == (31, 0.75, 1)


def test_a_reply_without_usage_costs_nothing_known() -> None:
    log = running()
    assert log.add(reply()).spent == Spent()


def test_a_limit_that_cut_arguments_is_raised_for_the_activation() -> None:
    log = running()
    log.add(replace(asking("write", arguments='{"text": "'), finish="length"))
    assert log.state.activation.limit_raised
    ran(log)
    assert log.add(reply()).activation.limit_raised
    log.add(UserMessage(text="Again", source="human"))
    assert not log.state.activation.limit_raised


def test_a_limit_that_cut_only_text_is_not_raised() -> None:
    log = running()
    assert not log.add(reply(finish="length")).activation.limit_raised
    assert not log.add(asking("write", arguments="oops")).activation.limit_raised


def test_going_on_after_a_cut_counts_until_a_whole_reply() -> None:
    log = running()
    log.add(reply(finish="length"), Injected(source="length", text="Go on"))
    assert log.state.activation.lengthened
    assert log.add(reply(finish="length")).activation.lengthened
    assert not log.add(reply()).activation.lengthened


def test_a_started_tool_is_known_until_it_is_answered() -> None:
    log = running()
    log.add(asking("read"), ToolStarted(call="c1", name="read", arguments={}, kind="todo_read"))
    assert log.state.turn.started == StartedCall("c1", "todo_read")
    log.add(ToolFinished(call="c1", ok=True, output=""))
    assert log.state.turn.started is None


def test_calls_are_worked_off_one_by_one_and_then_come_the_results() -> None:
    log = running()
    log.add(asking("read", "write"))
    ran(log, "c1")
    assert [call.id for call in log.state.turn.pending] == ["c2"]
    assert log.state.phase == "tools"
    ran(log, "c2")
    assert (log.state.turn.pending, log.state.phase) == ((), "results")
    assert log.state.owes_reply


def test_a_result_of_no_pending_call_changes_nothing() -> None:
    log = running()
    before = log.add(asking("read"))
    state = log.add(ToolFinished(call="c9", ok=True, output=""))
    assert state == replace(before, seq=state.seq, at=state.at)


def test_two_calls_of_one_id_are_answered_one_at_a_time() -> None:
    log = running()
    twice = (ToolCall("c1", "read", {}), ToolCall("c1", "write", {}))
    log.add(AssistantMessage(text="", finish="tool_calls", tool_calls=twice))
    ran(log, "c1")
    assert [call.name for call in log.state.turn.pending] == ["write"]


@pytest.mark.parametrize(
    ("kind", "tools", "moved"), [("tool", 1, True), ("todo", 0, True), ("todo_read", 0, False)]
)
def test_a_list_read_is_no_progress(kind: ToolKind, tools: int, moved: bool) -> None:
    log = running()
    turn(log, kind)
    activation = log.state.activation
    assert (activation.progress.tools, activation.moved) == (tools, moved)
    assert activation.used_tool


def test_each_changed_file_counts_once() -> None:
    log = running()
    for files in (("a", "b"), ("b", "c")):
        log.add(asking("write"), ToolStarted(call="c1", name="write", arguments={}))
        log.add(ToolFinished(call="c1", ok=True, output="", files=files))
    assert log.state.activation.progress == Progress(items=0, tools=2, files=3)
    assert log.state.activation.files == {"a", "b", "c"}


def test_refused_calls_in_a_row_are_counted() -> None:
    log = running()
    for _ in range(2):
        log.add(asking("nope"), ToolFinished(call="c1", ok=False, output="Error"))
    refused_todo(log)
    assert log.state.activation.refusals == 3
    assert log.state.activation.progress.tools == 0


def test_a_call_that_ran_ends_the_row_even_if_it_failed() -> None:
    log = running()
    log.add(asking("nope"), ToolFinished(call="c1", ok=False, output="Error"))
    log.add(asking("read"))
    ran(log, ok=False)
    assert log.state.activation.refusals == 0


def test_the_same_call_with_the_same_result_is_counted() -> None:
    log = running()
    for _ in range(3):
        turn(log)
    activation = log.state.activation
    assert (activation.repeated, activation.repeating) == (3, "t")
    log.add(Injected(source="repeat_warning", text="Stop"))
    assert log.state.activation.repeat_warned
    turn(log)
    activation = log.state.activation
    assert (activation.repeated, activation.repeat_warned) == (4, True)


def test_another_result_name_or_argument_starts_the_count_again() -> None:
    log = running()
    turn(log)
    log.add(Injected(source="repeat_warning", text="Stop"))
    turn(log, output="other")
    assert (log.state.activation.repeated, log.state.activation.repeat_warned) == (1, False)
    log.add(asking("u"))
    ran(log, output="other")
    assert (log.state.activation.repeated, log.state.activation.repeating) == (1, "u")
    log.add(asking("u", arguments={"a": 1}))
    ran(log, output="other")
    assert log.state.activation.repeated == 1


@pytest.mark.parametrize("kind", ["todo", "todo_read"])
def test_todo_tools_do_not_repeat(kind: ToolKind) -> None:
    log = running()
    turn(log)
    for _ in range(3):
        turn(log, kind)
    assert log.state.activation.repeated == 1


def test_digests_tell_calls_and_results_apart() -> None:
    digests = {
        call_digest("read", {"a": 1}),
        call_digest("read", {"a": 2}),
        call_digest("read", '{"a":1}'),
        call_digest("write", {"a": 1}),
        call_digest("read", {"a": 1}, "x"),
        call_digest("read", {"a": 1}, "y\ud800"),
    }
    assert len(digests) == 6
    assert call_digest("read", {"a": 1}) == call_digest("read", {"a": 1})


def test_turns_without_a_todo_tool_are_counted_until_one_is_called() -> None:
    log = running()
    turn(log)
    turn(log)
    assert log.state.activation.turns_without_todo == 2
    refused_todo(log)
    assert log.state.activation.turns_without_todo == 0
    log.add(reply())
    assert log.state.activation.turns_without_todo == 0


def test_staleness_outlives_the_activation_and_ends_at_a_valid_todo_call() -> None:
    log = running()
    turn(log)
    turn(log)
    log.add(Injected(source="stale", text="Stale"))
    assert (log.state.guard.stale, log.state.guard.stale_told) == (2, 2)
    refused_todo(log)
    log.add(UserMessage(text="Again", source="human"))
    assert (log.state.guard.stale, log.state.guard.stale_told) == (2, 2)
    turn(log, "todo")
    assert (log.state.guard.stale, log.state.guard.stale_told) == (0, None)


def test_a_refused_call_of_another_tool_does_not_hold_staleness_up() -> None:
    log = running()
    log.add(asking("nope"), ToolFinished(call="c1", ok=False, output="Error"))
    assert log.state.guard.stale == 1
    refused_todo(log)
    assert log.state.guard.stale == 1


def test_a_correction_is_over_at_a_valid_todo_call() -> None:
    log = running()
    log.add(reply(), Injected(source="finalization", text="Bring it up to date"))
    refused_todo(log)
    assert (log.state.activation.corrections, log.state.guard.correcting) == (1, True)
    turn(log, "todo")
    assert (log.state.activation.corrections, log.state.guard.correcting) == (0, False)


def test_corrections_and_the_guard_end_at_a_valid_todo_call_only() -> None:
    log = running()
    log.add(reply(), Injected(source="finalization", text="Bring it up to date"))
    assert (log.state.activation.corrections, log.state.guard.correcting) == (1, True)
    log.add(reply(), Injected(source="guard_blocked", text="Why?"))
    guard = log.state.guard
    assert (guard.blocked, guard.suppressed, guard.correcting) == ("Why?", True, False)
    assert (log.state.forced, log.state.turn.forced) == (True, False)
    log.add(reply())
    assert (log.state.forced, log.state.turn.forced) == (False, True)
    refused_todo(log)
    turn(log)
    assert (log.state.activation.corrections, log.state.guard.suppressed) == (1, True)
    turn(log, "todo_read")
    guard = log.state.guard
    assert (log.state.activation.corrections, guard.blocked, guard.suppressed) == (0, None, False)


@pytest.mark.parametrize("source", ["nag", "stale", "repeat_warning", "interrupted"])
def test_a_reminder_that_rides_on_results_causes_no_request(source: InjectedSource) -> None:
    log = running()
    turn(log)
    state = log.add(Injected(source=source, text="Note"))
    assert (state.phase, state.activation.injected) == ("results", 0)
    assert state.turn.told == {source}
    assert state.owes_reply


@pytest.mark.parametrize(
    ("source", "wakes"),
    [
        ("continuation", 0),
        ("resume", 0),
        ("plan_nudge", 0),
        ("finalization", 0),
        ("guard_blocked", 0),
        ("length", 0),
        ("reformulate", 0),
        ("reply_nudge", 1),
        ("subagent", 1),
    ],
)
def test_a_message_that_causes_a_request_counts_toward_the_hard_cap(
    source: InjectedSource, wakes: int
) -> None:
    log = running()
    log.add(reply())
    state = log.add(Injected(source=source, text="Go on"))
    assert (state.phase, state.owes_reply) == ("call", True)
    assert (state.activation.injected, state.activation.wakes) == (1, wakes)


def test_once_only_nudges_are_remembered() -> None:
    log = running()
    log.add(reply(), Injected(source="plan_nudge", text="Plan"))
    log.add(reply(finish="refusal"), Injected(source="reformulate", text="Else"))
    assert (log.state.activation.plan_nudged, log.state.activation.reformulated) == (True, True)
    log.add(UserMessage(text="Again", source="human"))
    assert (log.state.activation.plan_nudged, log.state.activation.reformulated) == (False, False)


def test_a_continuation_is_charged_before_it_is_said() -> None:
    log = running()
    log.add(reply("Stuck"))
    wake = AutoContinuing(n=3, max=9, remaining=1, text="", progress=Progress())
    state = log.add(wake)
    assert (state.continuing, state.phase) == (True, "reply")
    activation = state.activation
    assert (activation.wakes, activation.continued_on, activation.stalled) == (3, "Stuck", 0)
    state = log.add(Injected(source="continuation", text="Go on"))
    assert (state.continuing, state.phase) == (False, "call")


def test_continuations_that_bring_nothing_are_counted() -> None:
    log = running()
    wake = AutoContinuing(n=1, max=9, remaining=1, text="", progress=Progress())
    stalled = []
    for _ in range(3):
        log.add(reply(), wake, Injected(source="continuation", text="Go on"))
        stalled.append(log.state.activation.stalled)
    log.add(asking("write"), ToolStarted(call="c1", name="write", arguments={}))
    log.add(ToolFinished(call="c1", ok=True, output="", files=("a",)))
    assert log.state.activation.progress == Progress(items=0, tools=1, files=1)
    log.add(reply(), wake)
    stalled.append(log.state.activation.stalled)
    assert stalled == [0, 1, 2, 0]
    assert log.state.activation.progress == Progress()
    assert log.state.activation.files == frozenset()


def test_a_new_request_lets_the_model_see_the_list() -> None:
    log = running()
    state = log.add(ModelStarted(model="rehearsal:demo", attempt=1))
    assert state.seen is state.checklist
