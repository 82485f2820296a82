"""What a recorded list, an edit and a rewind do to the folded state."""

import pytest
from events_made import Log
from made_lists import drawn, entries
from msgspec.structs import replace

from longwatch.checklist import Author
from longwatch.session import NoHistory, SessionState, advance, fold
from longwatch.session.events import (
    ApprovalGiven,
    AssistantMessage,
    AutoContinuing,
    ChecklistChanged,
    Injected,
    ModelStarted,
    Progress,
    Renamed,
    Rewound,
    SessionStarted,
    SettingsChanged,
    StateChanged,
    ToolCall,
    Usage,
    UserMessage,
)

REQUEST = ModelStarted(model="rehearsal:demo", attempt=1)
REPLY = AssistantMessage(text="Done", finish="stop", tool_calls=(), usage=Usage(10, 5, 0, 0.25))


def changed(by: Author, *lines: str, goal: str = "") -> ChecklistChanged:
    items = entries(lines)
    return ChecklistChanged(
        by=by, action="todo_plan", goal=goal, items=items, done=0, total=len(items)
    )


def running() -> Log:
    log = Log()
    log.add(SessionStarted(), UserMessage(text="Go", source="human"), StateChanged(state="running"))
    return log


def planned() -> Log:
    """A session whose model has made a list and seen it."""
    log = running()
    log.add(REQUEST, changed("model", "a [>] Read", "b [ ] Write", goal="Ship"))
    return log


def test_a_change_is_the_list_from_then_on_with_its_authors_stamp() -> None:
    log = planned()
    assert drawn(log.state.checklist) == ("a [>] Read", "b [ ] Write")
    assert (log.state.checklist.goal, log.state.checklist.revision) == ("Ship", 1)
    log.add(changed("human", "a [!] Read (ops)", "b [ ] Write"))
    held = log.state.checklist.items[0]
    assert held.held_by_person
    assert held.history.active_ms == 1_000


def test_the_model_has_seen_what_it_wrote() -> None:
    log = planned()
    assert log.state.seen is log.state.checklist
    log.add(changed("model", "a [x] Read", "b [>] Write"))
    assert log.state.seen is log.state.checklist


@pytest.mark.parametrize("by", ["human", "system"])
def test_what_another_wrote_is_unseen_until_the_next_request(by: Author) -> None:
    log = planned()
    before = log.state.seen
    log.add(changed(by, "a [>] Read well", "b [ ] Write", goal="Ship"))
    assert log.state.seen is before
    log.add(REQUEST)
    assert log.state.seen is log.state.checklist


def test_a_message_that_tells_of_the_edits_shows_them() -> None:
    log = planned()
    log.add(changed("human", "a [>] Read well", "b [ ] Write", goal="Ship"))
    before = log.state
    state = log.add(Injected(source="human_edit", text="The person changed the checklist"))
    assert state.seen is state.checklist
    assert (state.phase, state.activation) == (before.phase, before.activation)


def test_a_models_write_leaves_the_unseen_edits_unseen() -> None:
    log = planned()
    log.add(changed("human", "a [>] Read well", "b [ ] Write", "c [ ] Call home", goal="Sleep"))
    log.add(changed("model", "a [x] Read well", "b [>] Write", "c [ ] Call home", goal="Sleep"))
    assert drawn(log.state.checklist) == ("a [x] Read well", "b [>] Write", "c [ ] Call home")
    assert drawn(log.state.seen) == ("a [x] Read", "b [>] Write")
    assert log.state.seen.goal == "Ship"


def test_closed_items_are_counted_once_and_are_progress() -> None:
    log = planned()
    wake = AutoContinuing(n=1, max=9, remaining=2, text="", progress=Progress())
    log.add(REPLY, wake)
    assert (log.state.activation.progress, log.state.activation.moved) == (Progress(), False)
    log.add(changed("model", "a [x] Read", "b [x] Write"))
    assert (log.state.activation.progress, log.state.activation.moved) == (Progress(items=2), True)
    log.add(changed("model", "a [x] Read it", "b [ ] Write"))
    assert log.state.activation.progress == Progress(items=2)


def test_a_cleared_list_can_return_the_wakes_to_none() -> None:
    log = planned()
    log.add(AutoContinuing(n=4, max=9, remaining=2, text="", progress=Progress()))
    assert log.add(changed("model")).activation.wakes == 4
    assert log.add(replace(changed("human"), resets_wakes=True)).activation.wakes == 0


def test_a_continuation_remembers_the_list_that_it_was_made_on() -> None:
    log = planned()
    log.add(REPLY, AutoContinuing(n=1, max=9, remaining=2, text="", progress=Progress()))
    assert log.state.activation.continued_at == 1
    log.add(changed("model", "a [x] Read", "b [>] Write"))
    assert log.state.activation.continued_at == 1
    assert log.state.checklist.revision == 2


def rewindable() -> tuple[Log, SessionState]:
    """A session that went on after a point, and its state at that point."""
    log = planned()
    then = log.state
    call = ToolCall("c1", "read", {})
    log.add(REPLY, Renamed(title="New name"), SettingsChanged(key="nag_after", value=5))
    log.add(changed("model", "a [x] Read", "b [>] Write", "c [ ] Test"), replace(REPLY, text="x"))
    log.add(UserMessage(text="No", source="human"), replace(REPLY, tool_calls=(call,)))
    log.add(ApprovalGiven(call="c1", answer="allow", by="human", scope="session"))
    return log, then


def test_a_rewind_takes_back_what_lies_between() -> None:
    log, then = rewindable()
    state = log.add(Rewound(to=then.seq))
    assert drawn(state.checklist) == drawn(then.checklist)
    assert drawn(state.seen) == drawn(then.seen)
    assert (state.turn, state.activation, state.approvals) == (
        then.turn,
        then.activation,
        then.approvals,
    )
    assert (state.phase, state.state, state.session) == (then.phase, then.state, "s1")
    assert state.seq == len(log.events)


def test_a_rewind_takes_no_money_and_no_setting_back() -> None:
    log, then = rewindable()
    before = log.state
    state = log.add(Rewound(to=then.seq))
    assert state.spent == replace(before.spent, context=then.spent.context)
    assert state.spent.cost == 0.75
    assert state.profile == before.profile


def test_no_id_or_uid_is_given_twice_after_a_rewind() -> None:
    log, then = rewindable()
    before = log.state
    state = log.add(Rewound(to=then.seq))
    assert state.checklist.revision > before.checklist.revision
    assert state.checklist.last_id == before.checklist.last_id == 3
    assert (state.seen.revision, state.seen.last_id) == (
        state.checklist.revision,
        state.checklist.last_id,
    )


def test_a_rewind_behind_a_rewind_goes_to_what_was_then() -> None:
    log, then = rewindable()
    late = log.state
    log.add(Rewound(to=then.seq))
    state = log.add(Rewound(to=late.seq))
    assert drawn(state.checklist) == drawn(late.checklist)
    assert state.turn == late.turn
    assert fold(log.events) == state


def test_a_rewind_needs_the_earlier_events() -> None:
    log, then = rewindable()
    middle = log.state
    with pytest.raises(NoHistory):
        advance(middle, Rewound(seq=middle.seq + 1, to=then.seq))
    renamed = Renamed(seq=middle.seq + 1, title="x")
    with pytest.raises(NoHistory):
        fold((renamed, Rewound(seq=middle.seq + 2, to=then.seq)), middle)


def test_a_rewind_to_a_checkpoint_needs_only_what_follows_it() -> None:
    log, _ = rewindable()
    checkpoint = log.state
    log.add(changed("model"), Rewound(to=checkpoint.seq))
    assert fold(log.events[checkpoint.seq :], checkpoint) == log.state == fold(log.events)
    assert drawn(log.state.checklist) == drawn(checkpoint.checklist)


def test_many_rewinds_fold_as_fast_as_few() -> None:
    log = planned()
    events = list(log.events)
    for _ in range(200):
        before = len(events)
        events.append(REPLY)
        events.append(Rewound(to=before))
    numbered = [replace(event, seq=k, at="") for k, event in enumerate(events[5:], start=6)]
    state = fold([*log.events, *numbered])
    assert state.seq == len(events)
    assert state.spent.cost == 200 * 0.25
    assert drawn(state.checklist) == ("a [>] Read", "b [ ] Write")
