"""What passes between sessions, as the fold remembers it."""

import pytest
from events_made import Log

from longwatch.session.events import (
    AssistantMessage,
    ChildFinished,
    ChildStarted,
    Injected,
    MessageSent,
    Origin,
    SessionStarted,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from longwatch.session.state import Child


def running() -> Log:
    log = Log()
    log.add(SessionStarted(), UserMessage(text="Go", source="human"), StateChanged(state="running"))
    return log


def peer(sender: str = "s2", *, expects_reply: bool = False) -> UserMessage:
    return UserMessage(text="Psst", source="peer", sender=sender, expects_reply=expects_reply)


def reply() -> AssistantMessage:
    return AssistantMessage(text="Done", finish="stop", tool_calls=())


def ended(tokens: int = 0, cost: float = 0.0) -> ChildFinished:
    return ChildFinished(
        child="c", title="Part", outcome="done", text="42", tokens=tokens, cost=cost
    )


def test_a_child_is_known_from_its_start_to_its_end() -> None:
    log = running()
    assert log.add(ChildStarted(child="c", title="Part")).children == {"c": Child(title="Part")}
    child = log.add(ended()).children["c"]
    assert (child.ended, child.told, child.outcome, child.text) == (True, False, "done", "42")


def test_what_a_child_used_is_counted_once_however_often_it_ends() -> None:
    log = running()
    log.add(ChildStarted(child="c", title="Part"), ended(100, 0.5))
    assert (log.state.activation.tokens, log.state.activation.cost) == (100, 0.5)
    log.add(ended(130, 0.75))
    assert (log.state.activation.tokens, log.state.activation.cost) == (130, 0.75)
    log.add(ended(90, 0.25))
    assert (log.state.activation.tokens, log.state.activation.cost) == (130, 0.75)
    assert log.state.spent.cost == 0.0


def test_an_older_version_tells_less_of_a_childs_end() -> None:
    log = running()
    state = log.add(ChildFinished(child="c", title="Part", outcome="done"))
    assert state.children["c"] == Child(title="Part", ended=True, outcome="done", told=False)


def test_a_nudge_tells_of_all_ends_and_costs_a_wake() -> None:
    log = running()
    log.add(ChildStarted(child="c", title="Part"), reply(), ended())
    state = log.add(Injected(source="subagent", text="ended"))
    assert (state.children["c"].told, state.children["c"].text) == (True, "")
    assert (state.activation.wakes, state.activation.injected, state.phase) == (1, 1, "call")


def test_told_with_the_first_request_of_a_fresh_activation_it_costs_nothing() -> None:
    log = running()
    log.add(ChildStarted(child="c", title="Part"), ended())
    state = log.add(Injected(source="subagent", text="ended"))
    assert state.children["c"].told
    assert (state.activation.wakes, state.activation.injected, state.phase) == (0, 0, "call")


def test_a_reply_is_owed_until_anything_is_sent() -> None:
    log = running()
    assert log.add(peer(expects_reply=True)).owed == {"s2": False}
    assert log.add(MessageSent(to="s3", text="x", expects_reply=False)).owed == {"s2": False}
    assert log.add(MessageSent(to="s2", text="x", expects_reply=False)).owed == {}


def test_a_reply_nudge_is_remembered_until_the_next_message_that_expects_one() -> None:
    log = running()
    log.add(peer(expects_reply=True), reply())
    assert log.add(Injected(source="reply_nudge", text="Reply")).owed == {"s2": True}
    assert log.add(peer(expects_reply=True)).owed == {"s2": False}


def test_a_reply_is_awaited_until_anything_comes() -> None:
    log = running()
    assert log.add(MessageSent(to="s2", text="x", expects_reply=True)).awaited == ("s2",)
    assert log.add(MessageSent(to="s2", text="x", expects_reply=True)).awaited == ("s2",)
    assert log.add(peer("s3")).awaited == ("s2",)
    assert log.add(peer("s2")).awaited == ()


@pytest.mark.parametrize("phase", ["call", "tools", "results"])
def test_a_peers_message_rides_on_a_request_that_is_due_anyway(phase: str) -> None:
    log = running()
    if phase != "call":
        call = ToolCall("c1", "shell", {})
        log.add(AssistantMessage(text="", finish="tool_calls", tool_calls=(call,)))
    if phase == "results":
        log.add(ToolFinished(call="c1", ok=True, output="x"))
    state = log.add(peer())
    assert (state.phase, state.knocking, state.activation.wakes) == (phase, False, 0)


def test_a_peers_message_after_a_reply_knocks_though_the_session_still_runs() -> None:
    log = running()
    log.add(reply())
    state = log.add(peer())
    assert (state.phase, state.knocking) == ("reply", True)
    state = log.add(StateChanged(state="running"))
    assert (state.phase, state.knocking, state.activation.wakes) == ("call", False, 1)


def test_a_peers_message_to_one_that_waits_for_it_costs_a_wake() -> None:
    log = running()
    log.add(reply(), StateChanged(state="awaiting_peer", reason="waits"))
    assert log.add(peer()).knocking
    assert log.add(StateChanged(state="running")).activation.wakes == 1


@pytest.mark.parametrize("source", ["peer", "cron"])
def test_only_the_person_answers_a_question(source: str) -> None:
    log = running()
    log.add(
        ToolStarted(call="c1", name="ask_user", arguments={}, question="Which?"),
        StateChanged(state="awaiting_human", reason="Which?"),
    )
    state = log.add(UserMessage(text="x", source=source, sender="s2"))  # type: ignore[arg-type]
    assert (state.question, state.phase) == ("Which?", "rest")
    state = log.add(UserMessage(text="this", source="answer"))
    assert (state.question, state.phase) == ("", "call")


def test_a_fork_has_none_of_the_children_and_debts_of_the_session_it_was_taken_of() -> None:
    log = Log()
    log.add(
        SessionStarted(forked_from=Origin("s9", 5)),
        ChildStarted(child="c", title="Part"),
        ended(100),
        MessageSent(to="s2", text="x", expects_reply=True),
        peer(expects_reply=True),
    )
    state = log.state
    assert (state.children, state.awaited, state.owed) == ({}, (), {})
    assert log.add(ChildStarted(child="d", title="Own")).children == {"d": Child(title="Own")}
