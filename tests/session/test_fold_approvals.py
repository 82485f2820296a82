"""What questions and their answers do to the folded state: an approval is used once."""

from typing import Literal

import pytest
from events_made import Log
from msgspec.structs import replace

from longwatch.session.events import (
    ApprovalGiven,
    ApprovalRequested,
    AssistantMessage,
    SessionStarted,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from longwatch.session.state import Approvals
from longwatch.session.turns import call_digest

ASKING = AssistantMessage(
    text="", finish="tool_calls", tool_calls=(ToolCall("c1", "rm", {"path": "a"}),)
)
QUESTION = ApprovalRequested(call="c1", question="rm a?", fingerprint="f0")
YES = ApprovalGiven(call="c1", answer="allow", by="human", scope="once")
NO = replace(YES, answer="deny")
STARTED = ToolStarted(call="c1", name="rm", arguments={"path": "a"})
FINISHED = ToolFinished(call="c1", ok=True, output="")


def running() -> Log:
    log = Log()
    log.add(SessionStarted(), UserMessage(text="Go", source="human"), StateChanged(state="running"))
    return log


def test_a_question_waits_with_what_it_showed() -> None:
    log = running()
    log.add(ASKING, QUESTION)
    assert log.state.approvals == Approvals(asked={"c1": "f0"}, waiting=("c1",))


@pytest.mark.parametrize(
    ("answer", "approvals"),
    [
        (YES, Approvals(asked={"c1": "f0"}, allowed=frozenset({"c1"}))),
        (NO, Approvals(asked={"c1": "f0"}, denied=frozenset({"c1"}))),
        (replace(NO, scope="session"), Approvals(asked={"c1": "f0"}, denied=frozenset({"c1"}))),
    ],
)
def test_an_answer_stays_until_its_call_is_answered(
    answer: ApprovalGiven, approvals: Approvals
) -> None:
    log = running()
    log.add(ASKING, QUESTION, answer)
    assert log.state.approvals == approvals
    log.add(STARTED, FINISHED)
    assert log.state.approvals == Approvals()


@pytest.mark.parametrize("answer", ["allow", "deny"])
def test_an_answer_that_nobody_asked_for_is_used_once_too(
    answer: Literal["allow", "deny"],
) -> None:
    log = running()
    log.add(ASKING, replace(YES, answer=answer), STARTED, FINISHED)
    assert log.state.approvals == Approvals()


def test_a_question_that_its_call_no_longer_needs_is_withdrawn() -> None:
    log = running()
    log.add(ASKING, QUESTION, replace(FINISHED, ok=False))
    assert log.state.approvals == Approvals()


def test_asking_anew_takes_the_earlier_answer_back() -> None:
    log = running()
    log.add(ASKING, QUESTION, YES, replace(QUESTION, fingerprint="f1"))
    assert log.state.approvals == Approvals(asked={"c1": "f1"}, waiting=("c1",))


def test_a_call_allowed_for_the_session_is_that_call_and_no_other() -> None:
    log = running()
    log.add(ASKING, QUESTION, replace(YES, scope="session"), STARTED, FINISHED)
    assert log.state.approvals == Approvals(always=frozenset({call_digest("rm", {"path": "a"})}))
    assert call_digest("rm", {"path": "b"}) not in log.state.approvals.always


def test_a_call_that_the_person_denied_is_not_the_models_mistake() -> None:
    log = running()
    log.add(ASKING, replace(FINISHED, ok=False))
    assert log.state.activation.refusals == 1
    log.add(ASKING, QUESTION, NO, replace(FINISHED, ok=False))
    assert (log.state.activation.refusals, log.state.activation.progress.tools) == (1, 0)
    log.add(ASKING, replace(FINISHED, ok=False))
    assert log.state.activation.refusals == 2
