"""What exactly is going on in a session now, and since when, followed from its events."""

from typing import Literal, assert_never

import msgspec
from msgspec.structs import replace

from longwatch.engine.storing import Draft
from longwatch.session import AnyEvent, SessionState
from longwatch.session.events import (
    AssistantMessage,
    AutoContinuing,
    Compacted,
    Failure,
    ModelStarted,
    ProviderFault,
    Retrying,
    Rewound,
    StateChanged,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from longwatch.ui.words import (
    STATE_MARKS,
    age,
    duration,
    later,
    one_line,
    seconds_between,
    standing,
    subject,
)

Doing = Literal["step", "model", "thinking", "streaming", "tool", "retry", "compacting"]
"""Of a running session: between two steps, or the one that takes time."""


class Activity(msgspec.Struct, frozen=True):
    """What a running session does. What a resting one waits for is in its state."""

    doing: Doing = "step"
    since: str = ""
    asked: str = ""
    """When the model was asked; streaming begins later."""
    attempt: int = 1
    most: int = 0
    until: str = ""
    """When the next try is made."""
    reason: str = ""
    call: str = ""
    tool: str = ""
    subject: str = ""


class Said(msgspec.Struct, frozen=True):
    """An activity in words: the mark, what it is, for how long, and what to do about it."""

    mark: str
    text: str
    clock: str = ""
    advice: str = ""


def follow(activity: Activity, event: AnyEvent) -> Activity:
    """The activity after one more event."""
    match event:
        case ModelStarted(at=at, purpose="summary"):
            return Activity("compacting", since=at)
        case ModelStarted(at=at, attempt=attempt):
            return Activity("model", since=at, asked=at, attempt=attempt)
        case ToolStarted(at=at):
            return Activity(
                "tool",
                since=at,
                call=event.call,
                tool=one_line(event.name),
                subject=subject(event.arguments),
            )
        case ToolFinished(at=at, call=call):
            return Activity(since=at) if activity.call in ("", call) else activity
        case Retrying(at=at):
            return Activity(
                "retry",
                since=at,
                attempt=event.attempt,
                most=event.max,
                until=later(at, event.seconds) if at else "",
                reason=one_line(event.reason),
            )
        case StateChanged(state="waiting") if activity.doing == "retry":
            return activity
        case AssistantMessage(at=at) | ProviderFault(at=at) | StateChanged(at=at):
            return Activity(since=at)
        case AutoContinuing(at=at) | Compacted(at=at) | Rewound(at=at):
            return Activity(since=at)
        case Failure(at=at) if activity.doing == "compacting":
            return Activity(since=at)
        case UserMessage(at=at) if activity.doing == "step":
            return Activity(since=at)
        case _:
            return activity


def with_draft(activity: Activity, draft: Draft | None) -> Activity:
    """The activity when so much of the reply has come in; a draft counts only while one is due."""
    if activity.doing not in ("model", "thinking", "streaming"):
        return activity
    if draft is None or not (draft.text or draft.reasoning):
        if activity.doing == "model":
            return activity
        return replace(activity, doing="model", since=activity.asked)
    doing: Doing = "streaming" if draft.text else "thinking"
    if doing == activity.doing:
        return activity
    return replace(activity, doing=doing, since=draft.updated)


def said(activity: Activity, state: SessionState, now: str) -> Said:
    """The activity of a session in this state, in words."""
    mark = STATE_MARKS[state.state]
    reason = one_line(state.reason)
    rested = seconds_between(state.since, now)
    if activity.doing == "compacting":
        # A session at rest can be compacted too.
        clock = duration(seconds_between(activity.since, now))
        return Said(STATE_MARKS["running"], "compacting", clock)
    match state.state:
        case "running":
            return _running(activity, state, now)
        case "waiting":
            return _waiting(activity, state, now)
        case "awaiting_approval":
            return Said(mark, f"waiting for you: {standing(state.state, reason)}", age(rested))
        case "awaiting_human":
            return Said(mark, f"waiting for you: {reason or 'a question'}", age(rested))
        case "awaiting_peer":
            return Said(mark, standing(state.state, reason), age(rested))
        case "paused":
            told = "resume" in reason
            advice = "" if told else "resume or write to go on"
            return Said(mark, standing("paused", reason) if told else "paused", age(rested), advice)
        case "idle":
            return Said(mark, standing("idle", reason), age(rested), "resume or write to go on")
        case "dormant":
            return Said(mark, standing("dormant", reason), age(rested), "write to wake it")
        case "failed":
            advice = "" if "resume" in reason else "resume or write to go on"
            return Said(mark, standing("failed", reason), age(rested), advice)
        case _:
            assert_never(state.state)


def line(activity: Activity, state: SessionState, now: str) -> str:
    """The activity as one line of text."""
    words = said(activity, state, now)
    clock = f"  {words.clock}" if words.clock else ""
    advice = f" · {words.advice}" if words.advice else ""
    return f"{words.mark} {words.text}{clock}{advice}"


def _waiting(activity: Activity, state: SessionState, now: str) -> Said:
    """The provider is down or holds back; a try is made now and then while the state lasts."""
    mark = STATE_MARKS["waiting"]
    match activity.doing:
        case "model":
            clock = duration(seconds_between(activity.since, now))
            return Said(mark, f"trying again (attempt {activity.attempt})", clock)
        case "thinking" | "streaming":
            return replace(_running(activity, state, now), mark=mark)
        case "retry":
            left = duration(seconds_between(now, activity.until))
            advice = f"retry {activity.attempt}/{activity.most} in {left}"
        case "step" | "tool" | "compacting":
            advice = ""
        case _:
            assert_never(activity.doing)
    clock = duration(seconds_between(state.since, now))
    return Said(mark, standing("waiting", one_line(state.reason)), clock, advice)


def _running(activity: Activity, state: SessionState, now: str) -> Said:
    mark = STATE_MARKS["running"]
    clock = duration(seconds_between(activity.since or state.since, now))
    match activity.doing:
        case "step" | "compacting":
            return Said(mark, "working", clock)
        case "model":
            again = f" (attempt {activity.attempt})" if activity.attempt > 1 else ""
            return Said(mark, f"waiting for the model{again}", clock)
        case "thinking":
            return Said(mark, "the model is thinking", clock)
        case "streaming":
            return Said(mark, "streaming the reply", clock)
        case "tool":
            return Said(mark, f"{activity.tool} {activity.subject}".strip(), clock)
        case "retry":
            left = duration(seconds_between(now, activity.until))
            why = f": {activity.reason}" if activity.reason else ""
            return Said(mark, f"retry {activity.attempt}/{activity.most} in {left}{why}")
        case _:
            assert_never(activity.doing)
