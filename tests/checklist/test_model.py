"""Items and their histories: who did what when, and what an event records."""

import msgspec
import pytest
from events_made import at
from made_lists import made

from longwatch.checklist import (
    Author,
    Checklist,
    Conventions,
    Entry,
    History,
    Item,
    Kept,
    Merged,
    Refusal,
    Stamp,
    Status,
    millis,
    record,
)
from longwatch.checklist.model import MARKS, UNRECORDED


def after(*steps: tuple[float, Author, Status, str]) -> Item:
    """One item after a status (and reason) was recorded at each of those seconds."""
    checklist = Checklist()
    for seconds, by, status, reason in steps:
        entry = Entry("a", 1, "Read", status, reason)
        checklist = record(checklist, "", (entry,), at=at(seconds), by=by)
    return checklist.items[0]


def test_marks_are_the_four_that_a_person_reads() -> None:
    assert MARKS == {
        "pending": "[ ]",
        "in_progress": "[>]",
        "completed": "[x]",
        "blocked": "[!]",
    }


@pytest.mark.parametrize("milli", [0, 1, 9, 123, 499, 500, 998, 999])
def test_millis_are_exact(milli: int) -> None:
    whole = millis("2026-11-18T08:32:01.000Z")
    assert millis(f"2026-11-18T08:32:01.{milli:03d}Z") - whole == milli


def test_an_item_that_no_event_recorded_has_an_empty_history() -> None:
    item = Item("a", 1, "Read")
    assert item.history == UNRECORDED
    assert not item.added_by_person
    assert not item.held_by_person


@pytest.mark.parametrize("by", ["model", "human", "system"])
def test_created_says_when_and_by_whom(by: Author) -> None:
    item = after((5, by, "pending", ""))
    assert item.history == History(created=Stamp(at(5), by), changed=Stamp(at(5), by))
    assert item.added_by_person == (by == "human")


def test_a_first_status_is_stamped_with_the_creation() -> None:
    assert after((5, "model", "in_progress", "")).history.started == Stamp(at(5), "model")
    assert after((5, "model", "completed", "")).history.completed == Stamp(at(5), "model")
    assert after((5, "human", "blocked", "ops")).history.blocked == Stamp(at(5), "human")


def test_each_later_status_is_stamped_with_its_author() -> None:
    item = after(
        (0, "model", "pending", ""),
        (10, "model", "in_progress", ""),
        (25, "human", "completed", ""),
    )
    assert item.history == History(
        created=Stamp(at(0), "model"),
        changed=Stamp(at(25), "human"),
        started=Stamp(at(10), "model"),
        completed=Stamp(at(25), "human"),
        active_ms=15_000,
    )


def test_reopening_takes_the_completion_and_the_block_back() -> None:
    reopened = after((0, "model", "completed", ""), (5, "human", "pending", ""))
    assert reopened.history.completed is None
    unblocked = after((0, "human", "blocked", "ops"), (5, "human", "pending", ""))
    assert unblocked.history.blocked is None
    assert not unblocked.held_by_person


def test_active_time_adds_up_over_several_starts() -> None:
    item = after(
        (0, "model", "in_progress", ""),
        (10, "model", "pending", ""),
        (50, "model", "in_progress", ""),
        (53.5, "model", "blocked", "ops"),
        (60, "human", "pending", ""),
        (70, "model", "in_progress", ""),
        (71, "model", "completed", ""),
    )
    assert item.history.active_ms == 10_000 + 3_500 + 1_000
    assert item.history.started == Stamp(at(70), "model")


def test_a_clock_that_went_back_takes_no_active_time_away() -> None:
    item = after(
        (0, "model", "in_progress", ""),
        (10, "model", "pending", ""),
        (50, "model", "in_progress", ""),
        (20, "model", "completed", ""),
    )
    assert item.history.active_ms == 10_000


def test_new_words_for_an_item_in_progress_do_not_restart_it() -> None:
    first = made("a [>] Read")
    reworded = record(
        first, "", (Entry("a", 1, "Read it all", "in_progress"),), at=at(9), by="human"
    ).items[0]
    assert reworded.history == History(
        created=Stamp(at(0), "model"),
        changed=Stamp(at(9), "human"),
        started=Stamp(at(0), "model"),
    )


@pytest.mark.parametrize(
    ("blocked_by", "reason_by", "held"),
    [("model", "model", False), ("model", "human", True), ("human", "human", True)],
)
def test_who_gave_the_latest_reason_holds_the_item(
    blocked_by: Author, reason_by: Author, held: bool
) -> None:
    item = after((0, blocked_by, "blocked", "ops"), (5, reason_by, "blocked", "the token"))
    assert item.history.blocked == Stamp(at(5), reason_by)
    assert item.held_by_person == held


def test_what_an_event_leaves_alone_keeps_its_history() -> None:
    first = made("a [>] Read", "b [ ] Write")
    second = record(
        first,
        "",
        (first.items[0].entry(), Entry("b", 2, "Write", "completed")),
        at=at(9),
        by="human",
    )
    assert second.items[0] is first.items[0]


def test_a_new_number_alone_is_no_change_of_the_item() -> None:
    first = made("a [>] Read", "b [ ] Write")
    moved = record(first, "", (Entry("b", 1, "Write"),), at=at(9), by="human").items[0]
    assert (moved.id, moved.history) == (1, first.items[1].history)


def test_recording_counts_revisions_and_remembers_the_highest_number() -> None:
    first = made("a [ ] Read", "b [ ] Write")
    assert (first.revision, first.last_id) == (1, 2)
    fewer = record(first, "Ship", first.items[:1], at=at(1), by="model")
    assert (fewer.goal, fewer.revision, fewer.last_id) == ("Ship", 2, 2)
    empty = record(fewer, "", (), at=at(2), by="model")
    assert (empty.revision, empty.last_id) == (3, 2)


def test_labels_that_are_texts_do_not_count_as_numbers() -> None:
    assert made("a [ ] Read", labels=True).last_id == 0


def test_counts_and_lookups() -> None:
    checklist = made("a [x] Read", "b [>] Write", "c [ ] Test", "d [!] Ship (token)")
    assert checklist.done_count == 1
    assert checklist.open_count == 2
    assert [item.uid for item in checklist.open] == ["b", "c"]
    assert [item.uid for item in checklist.blocked] == ["d"]
    current, second = checklist.current, checklist.by_id(2)
    assert current is not None
    assert current.uid == "b"
    assert second is current
    assert checklist.by_uid("d") is checklist.items[3]
    assert checklist.by_uid("e") is None
    assert checklist.by_id("2") is None


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (made("a [>] Read", "b [ ] Write", goal="Ship", by="human"), True),
        (made("a [>] Read", "b [ ] Write", goal="Stop"), False),
        (made("a [>] Read", goal="Ship"), False),
        (made("b [ ] Write", "a [>] Read", goal="Ship"), False),
        (made("a [ ] Read", "b [ ] Write", goal="Ship"), False),
        (made("a [>] Read it", "b [ ] Write", goal="Ship"), False),
        (made("a [>] Read", "b [ ] Write", goal="Ship", labels=True), False),
        (made("a [>] Read", "c [ ] Write", goal="Ship"), False),
    ],
)
def test_two_lists_say_the_same_if_an_event_would(other: Checklist, same: bool) -> None:
    checklist = made("a [>] Read", "b [ ] Write", goal="Ship")
    assert checklist.says_the_same(other) is same


def test_an_entry_is_the_recorded_part_and_nothing_else() -> None:
    item = made("d [!] Ship (token)").items[0]
    assert msgspec.to_builtins(item.entry()) == {
        "uid": "d",
        "id": 1,
        "text": "Ship",
        "status": "blocked",
        "reason": "token",
    }


def test_a_checklist_with_histories_survives_json() -> None:
    checklist = made("a [x] Read", "b [>] Write", "d [!] Ship (token)", goal="Ship it", by="human")
    assert msgspec.json.decode(msgspec.json.encode(checklist), type=Checklist) == checklist


@pytest.mark.parametrize(
    "struct", [Entry, Item, Stamp, History, Checklist, Conventions, Refusal, Kept, Merged]
)
def test_nothing_of_a_list_can_be_changed_in_place(struct: type[msgspec.Struct]) -> None:
    assert struct.__struct_config__.frozen
