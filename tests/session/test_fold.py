"""What an input, a state and a setting do to the folded state."""

import pytest
from events_made import Log, at
from msgspec.structs import replace

from longwatch.session import EMPTY, KnownEvent, SessionState, UnknownEvent, advance, decode, fold
from longwatch.session.events import (
    AgentChanged,
    Archived,
    AssistantMessage,
    AutoContinuing,
    Compacted,
    Failure,
    Finish,
    Injected,
    MessageSource,
    Origin,
    Progress,
    ProviderFault,
    Renamed,
    Retrying,
    RoleChanged,
    SessionStarted,
    SettingsChanged,
    State,
    StateChanged,
    ToolCall,
    UserMessage,
)
from longwatch.session.state import Activation, Memory, Profile

CALL = ToolCall("c1", "read", {"path": "a"})
REPLY = AssistantMessage(text="Done", finish="stop", tool_calls=())
ASKING = AssistantMessage(text="", finish="tool_calls", tool_calls=(CALL,))


def started(*, attended: bool = False) -> Log:
    log = Log()
    log.add(SessionStarted(title="Release", model="rehearsal:demo", attended=attended))
    return log


def said(source: MessageSource, text: str = "Go") -> UserMessage:
    return UserMessage(text=text, source=source)


def running() -> Log:
    log = started()
    log.add(said("human"), StateChanged(state="running"))
    return log


def worn(state: State, reply: AssistantMessage = REPLY) -> Log:
    """A session at rest whose activation has used up some of everything."""
    log = running()
    continuing = AutoContinuing(n=7, max=9, remaining=1, text="", progress=Progress())
    log.add(continuing, Injected(source="continuation", text="Go on"), reply)
    log.add(StateChanged(state=state, reason="tired"))
    assert log.state.activation.wakes == 7
    return log


def test_a_start_sets_the_profile_and_rests() -> None:
    log = Log("s1")
    state = log.add(
        SessionStarted(
            title="Release",
            cwd="/src",
            model="rehearsal:demo",
            dialect="loki",
            agent="coder",
            role="terse",
            parent="s0",
            attended=True,
            forked_from=Origin("s9", 40),
        )
    )
    assert state == SessionState(
        session="s1",
        seq=1,
        at=at(0),
        since=at(0),
        scheduled=at(0),
        profile=Profile(
            title="Release",
            cwd="/src",
            model="rehearsal:demo",
            dialect="loki",
            agent="coder",
            role="terse",
            parent="s0",
            attended=True,
            forked_from=Origin("s9", 40),
        ),
    )
    assert (state.state, state.phase) == ("dormant", "rest")


@pytest.mark.parametrize(
    ("event", "change"),
    [
        (SettingsChanged(key="model", value="openai:x"), {"model": "openai:x"}),
        (SettingsChanged(key="dialect", value="loki"), {"dialect": "loki"}),
        (SettingsChanged(key="nag_after", value=0), {"settings": {"nag_after": 0}}),
        (SettingsChanged(key="nag_after", value=False), {"settings": {"nag_after": False}}),
        (SettingsChanged(key="nag_after", value=None), {"settings": {}}),
        (RoleChanged(name="terse"), {"role": "terse"}),
        (Renamed(title="New name"), {"title": "New name"}),
        (Archived(), {"archived": True}),
    ],
)
def test_a_change_of_the_profile_changes_that_alone(
    event: KnownEvent, change: dict[str, object]
) -> None:
    log = started()
    before = log.state
    after = log.add(event)
    assert after == replace(before, seq=2, at=at(1), profile=replace(before.profile, **change))


@pytest.mark.parametrize("name", ["coder", None])
def test_another_agent_may_bring_another_schedule(name: str | None) -> None:
    log = started()
    before = log.state
    profile = replace(before.profile, agent=name)
    after = log.add(AgentChanged(name=name))
    assert after == replace(before, seq=2, at=at(1), profile=profile, scheduled=at(1))


def test_a_schedule_counts_from_when_it_was_set_and_from_its_last_kick() -> None:
    log = started()
    assert log.state.scheduled == log.state.at
    assert log.add(SettingsChanged(key="schedule", value="* * * * *")).scheduled == log.state.at
    kicked = log.add(said("cron")).at
    log.add(said("human"), SettingsChanged(key="nag_after", value=1))
    assert log.state.scheduled == kicked


def test_settings_add_up_and_an_unset_one_is_gone() -> None:
    log = started()
    log.add(SettingsChanged(key="a", value=1), SettingsChanged(key="b", value=[2]))
    assert log.state.profile.settings == {"a": 1, "b": [2]}
    log.add(SettingsChanged(key="a", value=3), SettingsChanged(key="b", value=None))
    assert log.state.profile.settings == {"a": 3}


@pytest.mark.parametrize(
    "event",
    [
        Retrying(attempt=1, max=8, seconds=2.0, reason="busy"),
        ProviderFault(kind="overloaded", status=529, attempt=1, message="busy"),
        Failure(kind="store", message="disk full"),
    ],
)
def test_an_event_that_is_only_told_moves_the_number_and_the_time_alone(event: KnownEvent) -> None:
    log = running()
    before = log.state
    assert log.add(event) == replace(before, seq=4, at=at(3))


def test_an_unknown_event_is_counted_and_not_folded() -> None:
    before = running().state
    event = decode(b'{"seq":4,"at":"later","session":"s1","type":"dreamt","state":"idle"}')
    assert isinstance(event, UnknownEvent)
    assert advance(before, event) == replace(before, seq=4, at="later")


@pytest.mark.parametrize("source", ["human", "answer", "cron"])
def test_fresh_input_starts_an_activation_with_new_budgets(source: MessageSource) -> None:
    log = worn("idle")
    state = log.add(said(source))
    assert state.activation == Activation(began=state.at)
    assert state.phase == "call"
    assert state.owes_reply
    assert not state.knocking


def test_a_peers_message_resets_nothing_and_knocks() -> None:
    log = worn("idle")
    before = log.state.activation
    state = log.add(said("peer"))
    assert state.activation == before
    assert (state.phase, state.owes_reply, state.knocking) == ("call", True, True)


def test_a_peers_message_that_is_let_in_costs_a_wake() -> None:
    log = worn("idle")
    log.add(said("peer"))
    state = log.add(StateChanged(state="running"))
    assert (state.activation.wakes, state.knocking, state.phase) == (8, False, "call")


def test_a_peers_message_to_a_running_session_costs_nothing() -> None:
    log = running()
    state = log.add(said("peer"))
    assert not state.knocking
    assert state.activation.wakes == 0


def test_a_peers_first_message_begins_the_activation() -> None:
    log = started()
    state = log.add(said("peer"))
    assert state.activation.began == state.at


def test_a_person_who_writes_lets_the_knocking_peer_in_for_nothing() -> None:
    log = worn("idle")
    log.add(said("peer"), said("human"))
    assert not log.state.knocking
    assert log.add(StateChanged(state="running")).activation.wakes == 0


def test_a_resume_gives_new_budgets_also_while_a_peer_knocks() -> None:
    log = worn("idle")
    log.add(said("peer"))
    state = log.add(StateChanged(state="running", intent="i1"))
    assert state.activation == Activation(began=state.at)
    assert (state.phase, state.knocking) == ("call", False)


def test_a_knock_is_over_when_the_session_rests_anew() -> None:
    log = worn("idle")
    log.add(said("peer"), StateChanged(state="dormant", reason="done"))
    assert (log.state.knocking, log.state.phase) == (False, "rest")
    state = log.add(StateChanged(state="running"))
    assert (state.phase, state.activation.wakes, state.owes_reply) == ("resumed", 0, True)


@pytest.mark.parametrize("source", ["peer", "cron"])
def test_a_pause_ends_only_by_the_person(source: MessageSource) -> None:
    log = worn("paused")
    before = log.state
    state = log.add(said(source))
    memory = replace(before.memory, unsent=state.memory.unsent)
    scheduled = state.at if source == "cron" else before.scheduled
    assert state == replace(
        before, seq=state.seq, at=state.at, owes_reply=True, memory=memory, scheduled=scheduled
    )


@pytest.mark.parametrize("source", ["human", "answer"])
def test_a_person_who_writes_ends_a_pause(source: MessageSource) -> None:
    log = worn("paused")
    assert log.add(said(source)).phase == "call"


def test_a_message_between_calls_leaves_the_calls_to_be_done_first() -> None:
    log = running()
    log.add(ASKING)
    assert log.add(said("human")).phase == "tools"
    assert log.add(said("peer")).phase == "tools"


@pytest.mark.parametrize(
    ("attended", "source", "expected"),
    [
        (True, "human", True),
        (True, "answer", True),
        (True, "cron", False),
        (False, "human", False),
    ],
)
def test_an_activation_is_attended_where_a_dashboard_started_it(
    attended: bool, source: MessageSource, expected: bool
) -> None:
    log = started(attended=attended)
    assert log.add(said(source)).activation.attended is expected


def test_fresh_input_takes_back_what_the_program_was_about_to_do() -> None:
    log = running()
    log.add(REPLY, AutoContinuing(n=1, max=9, remaining=1, text="", progress=Progress()))
    log.add(Injected(source="guard_blocked", text="Why?"))
    log.add(AutoContinuing(n=2, max=9, remaining=1, text="", progress=Progress()))
    assert (log.state.forced, log.state.continuing) == (True, True)
    log.add(said("human"))
    assert (log.state.forced, log.state.continuing) == (False, False)


def test_a_state_says_its_reason_and_since_when() -> None:
    log = running()
    state = log.add(StateChanged(state="idle", reason="2 open, auto-continue is off"))
    assert (state.state, state.reason) == ("idle", "2 open, auto-continue is off")
    assert state.since == state.at
    later = log.add(Renamed(title="New name"))
    assert later.since == state.at


@pytest.mark.parametrize(
    "rest", ["paused", "idle", "dormant", "failed", "awaiting_human", "awaiting_peer"]
)
def test_a_resting_state_owes_no_step(rest: State) -> None:
    log = running()
    assert log.state.phase == "call"
    assert log.add(StateChanged(state=rest)).phase == "rest"


def test_a_rest_takes_back_what_the_program_was_about_to_do() -> None:
    log = running()
    log.add(REPLY, Injected(source="guard_blocked", text="Why?"))
    log.add(AutoContinuing(n=1, max=9, remaining=1, text="", progress=Progress()))
    assert (log.state.forced, log.state.continuing) == (True, True)
    log.add(StateChanged(state="paused"))
    assert (log.state.forced, log.state.continuing) == (False, False)


@pytest.mark.parametrize("pause", ["waiting", "awaiting_approval"])
def test_a_state_that_goes_on_by_itself_keeps_its_place(pause: State) -> None:
    log = running()
    log.add(ASKING)
    before = log.state
    assert log.add(StateChanged(state=pause)).phase == "tools"
    after = log.add(StateChanged(state="running"))
    assert after == replace(before, seq=after.seq, at=after.at, since=after.at)


@pytest.mark.parametrize("rest", ["paused", "idle", "dormant", "failed"])
def test_a_resume_starts_an_activation_with_new_budgets(rest: State) -> None:
    log = worn(rest)
    state = log.add(StateChanged(state="running"))
    assert state.activation == Activation(began=state.at)
    assert state.phase == "resumed"


def test_a_resume_finishes_the_calls_that_are_left() -> None:
    log = worn("paused", ASKING)
    assert log.add(StateChanged(state="running")).phase == "tools"


def test_a_resume_is_attended_as_the_session_is() -> None:
    log = started(attended=True)
    assert log.add(StateChanged(state="running")).activation.attended


def test_running_on_is_no_resume() -> None:
    log = running()
    before = log.state.activation
    assert log.add(StateChanged(state="running")).activation == before


@pytest.mark.parametrize(
    ("finish", "text", "cut_off"),
    [("cancelled", "Once upon", True), ("cancelled", "", False), ("stop", "Once upon", False)],
)
def test_a_reply_that_a_person_cut_off_is_known_if_the_model_will_read_it(
    finish: Finish, text: str, cut_off: bool
) -> None:
    log = running()
    partial = AssistantMessage(text=text, finish=finish, tool_calls=(), partial=True)
    assert log.add(partial).cut_off is cut_off


@pytest.mark.parametrize("event", [said("human"), Injected(source="resume", text="Go on")])
def test_a_word_after_a_reply_that_was_cut_off_is_what_the_model_reads_last(
    event: KnownEvent,
) -> None:
    log = running()
    log.add(AssistantMessage(text="Once", finish="cancelled", tool_calls=(), partial=True))
    assert not log.add(event).cut_off


def test_compaction_changes_what_the_model_reads_alone() -> None:
    log = worn("idle")
    before = log.state
    state = log.add(Compacted(before=90_000, after=2_000, summary="So far"))
    assert state == replace(
        before,
        seq=state.seq,
        at=state.at,
        spent=replace(before.spent, context=2_000),
        memory=Memory(past="compacted", compacted_to=2_000),
    )


def test_no_events_are_the_empty_state() -> None:
    assert fold([]) == EMPTY == SessionState()
    assert fold([], running().state) == running().state
