"""What is going on, followed from the events as the engine writes them."""

import pytest
from events_made import Log, at

from longwatch.engine.storing import Draft
from longwatch.session.events import (
    AssistantMessage,
    KnownEvent,
    ModelStarted,
    ProviderFault,
    Retrying,
    SessionStarted,
    State,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from longwatch.session.state import SessionState
from longwatch.ui.activity import Activity, follow, line, with_draft

SHELL = ToolCall("c1", "shell", {"command": "pytest -q"})
ASKED = (
    SessionStarted(title="t", model="m"),
    UserMessage(text="Do it.", source="human"),
    StateChanged(state="running"),
    ModelStarted(model="m", attempt=1),
)
CALLED = (
    *ASKED,
    AssistantMessage(text="", finish="tool_calls", tool_calls=(SHELL,)),
    ToolStarted(call="c1", name="shell", arguments={"command": "pytest -q"}),
)


def followed(*events: KnownEvent) -> tuple[Activity, SessionState]:
    log = Log()
    activity = Activity()
    for event in events:
        log.add(event)
        activity = follow(activity, log.events[-1])
    return activity, log.state


def told(*events: KnownEvent, after: float = 3) -> str:
    """The line that many seconds after the last event."""
    return line(*followed(*events), at(len(events) - 1 + after))


def test_it_waits_for_the_model() -> None:
    assert told(*ASKED) == "▶ waiting for the model  0:03"


def test_another_attempt_is_counted() -> None:
    assert told(*ASKED, ModelStarted(model="m", attempt=2)) == (
        "▶ waiting for the model (attempt 2)  0:03"
    )


def test_a_draft_makes_it_thinking_and_then_streaming() -> None:
    activity, state = followed(*ASKED)
    activity = with_draft(activity, Draft("", "Hmm", at(5)))
    assert line(activity, state, at(7)) == "▶ the model is thinking  0:02"
    activity = with_draft(activity, Draft("It", "Hmm", at(8)))
    later = with_draft(activity, Draft("It is", "Hmm", at(9)))
    assert later is activity
    assert line(later, state, at(12)) == "▶ streaming the reply  0:04"


def test_a_draft_that_went_away_leaves_the_wait_for_the_model() -> None:
    activity, state = followed(*ASKED)
    activity = with_draft(with_draft(activity, Draft("It", "", at(8))), None)
    assert line(activity, state, at(9)) == "▶ waiting for the model  0:06"


def test_a_draft_is_not_due_while_a_tool_runs() -> None:
    activity, _ = followed(*CALLED)
    assert with_draft(activity, Draft("late", "", at(9))) is activity


def test_a_tool_is_named_with_its_subject() -> None:
    assert told(*CALLED) == "▶ shell pytest -q  0:03"


def test_between_two_steps_it_works() -> None:
    assert told(*CALLED, ToolFinished(call="c1", ok=True, output="")) == "▶ working  0:03"


def test_a_retry_counts_down() -> None:
    events = (
        *ASKED,
        ProviderFault(kind="server", message="Overloaded.", attempt=1),
        Retrying(attempt=2, max=6, seconds=15, reason="Overloaded."),
    )
    assert told(*events) == "▶ retry 2/6 in 0:12: Overloaded."
    assert told(*events, after=60) == "▶ retry 2/6 in 0:00: Overloaded."


def test_a_rate_limit_says_until_when_and_what_comes_next() -> None:
    events = (
        *ASKED,
        Retrying(attempt=2, max=6, seconds=61, reason="rate limited"),
        StateChanged(state="waiting", reason="rate limited (next try at 08:01:05 UTC)"),
    )
    assert told(*events, after=10) == (
        "⏳ rate limited (next try at 08:01:05 UTC)  0:10 · retry 2/6 in 0:50"
    )
    assert told(*events, ModelStarted(model="m", attempt=3)) == (
        "⏳ trying again (attempt 3)  0:03"
    )


@pytest.mark.parametrize(
    ("state", "reason", "said"),
    [
        (
            "awaiting_approval",
            "approve: shell git push",
            "? waiting for you: approve: shell git push  2m",
        ),
        ("awaiting_human", "Which region?", "? waiting for you: Which region?  2m"),
        ("awaiting_peer", "tests is at work", "⇄ tests is at work  2m"),
        ("paused", "paused: resume or write to go on", "‖ paused: resume or write to go on  2m"),
        ("paused", "", "‖ paused  2m · resume or write to go on"),
        ("idle", "repeating shell", "◐ repeating shell  2m · resume or write to go on"),
        ("dormant", "done", "○ done  2m · write to wake it"),
        ("failed", "no key", "✗ failed: no key  2m · resume or write to go on"),
        ("waiting", "unreachable", "⏳ unreachable  2:00"),
    ],
)
def test_a_session_that_does_not_run_says_why(state: State, reason: str, said: str) -> None:
    assert told(*ASKED, StateChanged(state=state, reason=reason), after=120) == said


def test_what_a_model_says_cannot_steer_the_terminal() -> None:
    started = ToolStarted(call="c1", name="sh\x1b[2J", arguments={"command": "a\x07\nb"})
    assert told(*ASKED, started) == "▶ sh␛[2J a␇  0:03"
