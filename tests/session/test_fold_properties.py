"""What holds for every sequence of events, sensible or not."""

from typing import Any

import msgspec
from events_made import Log
from hypothesis import given, settings
from hypothesis import strategies as st
from made_lists import entries

from longwatch.session import EMPTY, KnownEvent, SessionState, advance, decode, encode, fold
from longwatch.session.events import (
    ApprovalGiven,
    ApprovalRequested,
    Archived,
    AssistantMessage,
    AutoContinuing,
    ChecklistChanged,
    ChecklistRefused,
    Compacted,
    Failure,
    Injected,
    ModelStarted,
    Progress,
    Renamed,
    Rewound,
    SessionStarted,
    SettingsChanged,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
    UserMessage,
)

CALM = settings(derandomize=True, deadline=None, max_examples=120)

IDS = st.sampled_from(["c1", "c2", "c3"])
NAMES = st.sampled_from(["read", "todo_done"])
WORDS = st.sampled_from(["", "Done", "Go on"])
ARGUMENTS = st.sampled_from([{}, {"a": [1, None]}, "{oops"])
CALLS = st.lists(st.builds(ToolCall, IDS, NAMES, ARGUMENTS), max_size=3).map(tuple)
USAGES = st.none() | st.builds(
    Usage, st.integers(0, 9), st.integers(0, 9), st.just(1), st.none() | st.just(0.25)
)
LISTS = st.lists(
    st.sampled_from(["a [ ] Read", "b [>] Write", "c [x] Test", "d [!] Ship (ops)"]),
    unique=True,
).map(entries)
AUTHORS = st.sampled_from(["model", "human", "system"])
SOURCES = st.sampled_from(
    [
        "continuation",
        "nag",
        "stale",
        "finalization",
        "guard_blocked",
        "human_edit",
        "repeat_warning",
        "subagent",
    ]
)
STATES = st.sampled_from(["running", "running", "waiting", "paused", "idle", "awaiting_human"])


def some(struct: Any, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(struct, **fields)


EVENTS: st.SearchStrategy[KnownEvent] = st.one_of(
    some(UserMessage, text=WORDS, source=st.sampled_from(["human", "peer", "cron"])),
    some(StateChanged, state=STATES, reason=WORDS),
    some(ModelStarted, model=WORDS, attempt=st.just(1)),
    some(
        AssistantMessage,
        text=WORDS,
        finish=st.sampled_from(["stop", "tool_calls", "length", "cancelled"]),
        tool_calls=CALLS,
        usage=USAGES,
        partial=st.booleans(),
    ),
    some(
        ToolStarted,
        call=IDS,
        name=NAMES,
        arguments=ARGUMENTS,
        kind=st.sampled_from(["tool", "todo", "todo_read"]),
    ),
    some(
        ToolFinished,
        call=IDS,
        ok=st.booleans(),
        output=WORDS,
        files=st.just(msgspec.UNSET) | st.just(("a", "b")),
    ),
    some(
        ChecklistChanged,
        by=AUTHORS,
        action=WORDS,
        goal=WORDS,
        items=LISTS,
        done=st.just(0),
        total=st.just(0),
        resets_wakes=st.just(msgspec.UNSET) | st.booleans(),
    ),
    some(ChecklistRefused, rule=st.just("unknown_id"), message=WORDS, call=IDS),
    some(Injected, source=SOURCES, text=WORDS),
    some(
        AutoContinuing,
        n=st.integers(1, 9),
        max=st.just(9),
        remaining=st.just(1),
        text=WORDS,
        progress=st.just(Progress()),
    ),
    some(ApprovalRequested, call=IDS, question=WORDS),
    some(
        ApprovalGiven,
        call=IDS,
        answer=st.sampled_from(["allow", "deny"]),
        by=AUTHORS,
        scope=st.sampled_from(["once", "session"]),
    ),
    some(SettingsChanged, key=WORDS, value=st.none() | st.just([1, {"a": None}])),
    some(Compacted, before=st.just(9), after=st.just(2), summary=WORDS),
    st.just(Archived()),
    some(Renamed, title=WORDS),
    some(Failure, kind=WORDS, message=WORDS),
    some(Rewound, to=st.integers(1, 30)),
)


@st.composite
def logs(draw: st.DrawFn) -> Log:
    """A session of any events; a rewind goes back to one that was before it."""
    log = Log()
    log.add(SessionStarted(title="Release"))
    for event in draw(st.lists(EVENTS, max_size=40)):
        if isinstance(event, Rewound):
            log.add(Rewound(to=1 + event.to % len(log.events)))
        else:
            log.add(event)
    return log


@CALM
@given(logs())
def test_folding_at_once_is_folding_step_by_step(log: Log) -> None:
    state = EMPTY
    for done, event in enumerate(log.events, start=1):
        state = advance(state, event, lambda seq: fold(log.events[:seq]))
        assert fold(log.events[:done]) == state
    assert state == log.state


@CALM
@given(logs(), st.integers(0, 41))
def test_a_fold_goes_on_from_any_state_without_a_rewind(log: Log, cut: int) -> None:
    events = [event for event in log.events if not isinstance(event, Rewound)]
    assert fold(events[cut:], fold(events[:cut])) == fold(events)


@CALM
@given(logs())
def test_a_state_survives_json_and_goes_on_the_same(log: Log) -> None:
    for done in (len(log.events) // 2, len(log.events)):
        state = fold(log.events[:done])
        back = msgspec.json.decode(msgspec.json.encode(state), type=SessionState)
        assert back == state
        rest = log.events[done:]
        if not any(isinstance(event, Rewound) for event in rest):
            assert fold(rest, back) == log.state


@CALM
@given(logs())
def test_events_that_went_through_json_fold_to_the_same(log: Log) -> None:
    assert fold([decode(encode(event)) for event in log.events]) == log.state


@CALM
@given(logs())
def test_counts_never_go_below_none(log: Log) -> None:
    state = log.state
    assert state.seq == len(log.events)
    assert state.at == log.events[-1].at
    for part in (state.activation, state.spent, state.guard):
        for name in part.__struct_fields__:
            value = getattr(part, name)
            assert not isinstance(value, int | float) or value >= 0, name
    assert set(state.approvals.waiting) <= set(state.approvals.asked)
    assert not state.knocking or state.phase != "rest"
