"""What the fold knows of how much the model has to read, and of what was done about it."""

from events_made import Log

from longwatch.checklist import Entry
from longwatch.session.events import (
    AssistantMessage,
    ChecklistChanged,
    Compacted,
    Injected,
    MessageSent,
    ModelStarted,
    Origin,
    ProviderFault,
    SessionStarted,
    StateChanged,
    ToolCall,
    ToolFinished,
    Usage,
    UserMessage,
)
from longwatch.session.state import Spent

GO = UserMessage(text="Go", source="human")
USAGE = Usage(input=40, output=2, cost=0.1)


def running() -> Log:
    log = Log()
    log.add(SessionStarted(), GO, StateChanged(state="running"))
    return log


def grown() -> Log:
    log = running()
    log.add(AssistantMessage(text="Yes", finish="stop", tool_calls=(), usage=USAGE))
    return log


def test_what_is_not_sent_yet_is_counted_until_a_usage_counts_it() -> None:
    log = running()
    assert log.state.memory.unsent == len("Go")
    call = ToolCall("c1", "shell", {})
    log.add(AssistantMessage(text="", finish="tool_calls", tool_calls=(call,), usage=USAGE))
    assert (log.state.spent.context, log.state.memory.unsent) == (42, 0)
    log.add(ToolFinished(call="c1", ok=True, output="x" * 400))
    log.add(Injected(source="nag", text="y" * 40))
    assert log.state.memory.unsent == 440


def test_a_reply_without_a_usage_counts_by_its_size() -> None:
    log = running()
    log.add(AssistantMessage(text="abcd", finish="stop", tool_calls=()))
    assert log.state.memory.unsent == len("Go") + 4
    assert log.state.memory.past == "grown"


def test_what_a_summary_took_is_counted() -> None:
    log = grown()
    before = log.state
    usage = Usage(input=100, output=10, cost=0.5)
    state = log.add(Compacted(before=90, after=20, summary="So far", usage=usage))
    assert state.spent.cost == before.spent.cost + 0.5
    assert state.spent.input == before.spent.input + 100
    assert state.activation.tokens == before.activation.tokens + 110
    assert state.activation.wakes == before.activation.wakes
    assert state.activation.turns == before.activation.turns


def test_a_request_for_a_summary_shows_the_model_no_list() -> None:
    log = running()
    change = ChecklistChanged(
        by="human",
        action="todo_add",
        goal="",
        items=(Entry("u1", 1, "One", "pending"),),
        done=0,
        total=1,
    )
    log.add(change, ModelStarted(model="m", attempt=1, purpose="summary"))
    assert log.state.seen != log.state.checklist
    log.add(ModelStarted(model="m", attempt=1))
    assert log.state.seen == log.state.checklist
    assert not log.state.memory.summarizing


def test_a_request_that_did_not_fit_is_remembered_until_a_reply_a_compaction_or_a_rest() -> None:
    fault = ProviderFault(kind="context", message="too long", attempt=1)
    reply = AssistantMessage(text="Yes", finish="stop", tool_calls=())
    for ending in (reply, Compacted(before=9, after=1, summary="s"), StateChanged(state="failed")):
        log = running()
        assert log.add(fault).memory.too_long == ("too long",)
        assert log.add(fault, ending).memory.too_long == ()


def test_the_fault_of_a_request_for_a_summary_is_its_own() -> None:
    log = running()
    log.add(ModelStarted(model="m", attempt=1, purpose="summary"))
    state = log.add(ProviderFault(kind="context", message="too long", attempt=1))
    assert state.memory.too_long == ()


def test_what_a_fork_has_of_another_session_was_paid_there() -> None:
    log = Log()
    usage = Usage(input=10, output=5, cost=1.0)
    reply = AssistantMessage(text="Yes", finish="stop", tool_calls=(), usage=usage)
    log.add(SessionStarted(forked_from=Origin("s0", 3)), GO, reply)
    assert log.state.spent == Spent(context=15)
    assert log.add(reply).spent.cost == 1.0


def test_a_fork_waits_for_nobody_that_the_other_session_waits_for() -> None:
    asking = MessageSent(to="s2", text="Ready?", expects_reply=True)
    log = Log()
    copied = log.add(SessionStarted(forked_from=Origin("s0", 3)), GO, asking)
    own = log.add(asking)
    assert (copied.awaited, own.awaited) == ((), ("s2",))
