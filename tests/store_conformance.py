"""What any store must do for those who work on sessions, whatever it is made of.

A test module of a store defines the fixtures ``open_store``, which opens the same store again at
each call, and ``store``, which is one of them; and takes each class here and in
``store_watching`` under a name that begins with Test.
"""

import threading

import pytest
from msgspec.structs import replace
from store_made import (
    ELSEWHERE,
    GONE,
    LEASE_SECONDS,
    ME,
    REBOOTED,
    OpenStore,
    batch,
    begun,
    intent,
    record,
    seqs,
)

from longwatch.engine.storing import (
    Batch,
    Birth,
    Checkpoint,
    Draft,
    Lease,
    LeaseHeld,
    LeaseLost,
    NoSuchSession,
    OutOfOrder,
    Owner,
    Record,
    Store,
    StoreError,
    Summary,
)


class LeaseConformance:
    def test_a_new_session_can_be_taken_and_is_not_listed_yet(self, store: Store) -> None:
        lease = store.acquire("s1", ME, 0.0)
        assert (lease.session, lease.owner) == ("s1", ME)
        assert store.holder("s1", 0.0) == ME
        assert store.summaries() == []
        assert store.holder("s2", 0.0) is None

    def test_what_a_living_process_has_is_refused_to_everyone(self, open_store: OpenStore) -> None:
        open_store().acquire("s1", ME, 100.0)
        for owner in (ME, GONE, ELSEWHERE):
            with pytest.raises(LeaseHeld) as refused:
                open_store().acquire("s1", owner, 100.0 + LEASE_SECONDS)
            assert refused.value.owner == ME

    @pytest.mark.parametrize("former", [GONE, REBOOTED])
    def test_what_a_process_had_that_is_gone_is_taken_at_once(
        self, store: Store, former: Owner
    ) -> None:
        lost = store.acquire("s1", former, 100.0)
        assert store.holder("s1", 100.0) is None
        assert store.acquire("s1", ME, 100.0).epoch > lost.epoch

    def test_of_another_host_only_time_tells(self, store: Store) -> None:
        store.acquire("s1", ELSEWHERE, 100.0)
        with pytest.raises(LeaseHeld):
            store.acquire("s1", ME, 100.0 + LEASE_SECONDS)
        assert store.holder("s1", 100.0 + LEASE_SECONDS) == ELSEWHERE
        assert store.holder("s1", 101.0 + LEASE_SECONDS) is None
        assert store.acquire("s1", ME, 101.0 + LEASE_SECONDS).owner == ME

    def test_who_was_silent_too_long_can_do_nothing_more(self, store: Store) -> None:
        late = begun(store, "s1")
        present = store.acquire("s1", ELSEWHERE, 1.0 + LEASE_SECONDS)
        assert store.renew([late, present], 20.0) == [False, True]
        [refusal] = store.append([batch(late, 2, 2)])
        assert isinstance(refusal, LeaseLost)
        with pytest.raises(LeaseLost):
            store.put_draft(late, Draft("text", "", ""))
        store.release(late)
        assert store.holder("s1", 20.0) == ELSEWHERE
        assert store.append([batch(present, 2, 2)]) == [None]
        assert store.draft("s1") is None

    def test_a_heartbeat_prolongs(self, store: Store) -> None:
        lease = store.acquire("s1", ME, 0.0)
        assert store.renew([lease], 10.0) == [True]
        with pytest.raises(LeaseHeld):
            store.acquire("s1", ELSEWHERE, 10.0 + LEASE_SECONDS)
        assert store.renew([], 11.0) == []

    def test_a_released_lease_is_void_and_free(self, store: Store) -> None:
        lease = begun(store, "s1")
        store.release(lease)
        assert store.holder("s1", 0.0) is None
        assert store.renew([lease], 0.0) == [False]
        [refusal] = store.append([batch(lease, 2, 2)])
        assert isinstance(refusal, LeaseLost)
        store.release(lease)
        assert store.acquire("s1", ELSEWHERE, 0.0).epoch > lease.epoch

    def test_epochs_only_grow_also_past_a_deletion(self, store: Store) -> None:
        former = begun(store, "s1")
        store.delete("s1")
        present = store.acquire("s1", ME, 0.0)
        assert present.epoch > former.epoch
        [refusal] = store.append([batch(former, 1, 1)])
        assert isinstance(refusal, LeaseLost)


class AppendConformance:
    def test_bytes_come_back_unchanged_and_in_order(self, open_store: OpenStore) -> None:
        store = open_store()
        lease = store.acquire("s1", ME, 0.0)
        bodies = [b'{ "odd" : 1.0e0 }', b"not JSON at all \xff\x00", b"", "ünï ✓".encode()]
        kept = [Record(seq, "unheard_of", body) for seq, body in enumerate(bodies, 1)]
        made = Batch(lease=lease, records=kept, summary=Summary(session="s1", last_seq=4))
        assert store.append([made]) == [None]
        assert list(open_store().records("s1")) == kept

    @pytest.mark.parametrize(("first", "last"), [(1, 1), (2, 2), (4, 4), (5, 6)])
    def test_an_event_that_does_not_follow_is_refused(
        self, store: Store, first: int, last: int
    ) -> None:
        lease = begun(store, "s1", 2)
        [refusal] = store.append([batch(lease, first, last, title="changed")])
        assert isinstance(refusal, OutOfOrder)
        assert seqs(store, "s1") == [1, 2]
        assert store.summary("s1") == Summary(session="s1", last_seq=2)

    def test_a_session_begins_with_event_1(self, store: Store) -> None:
        lease = store.acquire("s1", ME, 0.0)
        [late, empty] = store.append([batch(lease, 2, 2), batch(lease, 1, 0)])
        assert isinstance(late, OutOfOrder)
        assert isinstance(empty, OutOfOrder)
        assert store.summary("s1") is None

    def test_a_batch_has_to_hold_together(self, store: Store) -> None:
        lease = store.acquire("s1", ME, 0.0)
        whole = batch(lease, 1, 3)
        for records, summary in (
            ([whole.records[0], whole.records[2]], Summary(session="s1", last_seq=2)),
            (whole.records, Summary(session="s1", last_seq=2)),
            (whole.records, Summary(session="s1", last_seq=4)),
            (whole.records, Summary(session="s2", last_seq=3)),
        ):
            [refusal] = store.append([Batch(lease=lease, records=records, summary=summary)])
            assert isinstance(refusal, OutOfOrder)
        late = batch(lease, 1, 3, checkpoint=Checkpoint(4, 1, b""))
        assert isinstance(store.append([late])[0], OutOfOrder)
        assert seqs(store, "s1") == []

    def test_each_batch_succeeds_or_fails_alone(self, store: Store) -> None:
        leases = [store.acquire(f"s{n}", ME, 0.0) for n in range(4)]
        surrogate = batch(leases[3], 1, 1, title="\ud800")
        outcomes = store.append(
            [batch(leases[0], 1, 2), batch(leases[1], 2, 2), surrogate, batch(leases[2], 1, 1)]
        )
        assert [type(outcome) for outcome in outcomes] == [
            type(None),
            OutOfOrder,
            StoreError,
            type(None),
        ]
        assert [found.session for found in store.summaries()] == ["s0", "s2"]

    def test_all_of_a_batch_is_kept_or_none(self, store: Store) -> None:
        lease = begun(store, "s1")
        store.put_draft(lease, Draft("so far", "", ""))
        store.post(intent("i1"))
        everything = batch(
            lease,
            2,
            2,
            title="changed",
            answered=["i1", "never posted"],
            checkpoint=Checkpoint(2, 1, b""),
            closes_draft=True,
        )
        [refusal] = store.append([everything])
        assert isinstance(refusal, OutOfOrder)
        assert seqs(store, "s1") == [1]
        assert store.summary("s1") == Summary(session="s1", last_seq=1)
        assert store.draft("s1") == Draft("so far", "", "")
        assert store.checkpoint("s1") is None
        assert store.unanswered("s1") == [intent("i1")]

    def test_a_batch_without_events_brings_the_rest(self, store: Store) -> None:
        lease = begun(store, "s1", 2)
        store.post(intent("i1"))
        assert store.append([batch(lease, 3, 2, title="new", answered=["i1"])]) == [None]
        assert store.summary("s1") == Summary(session="s1", title="new", last_seq=2)
        assert store.unanswered() == []
        assert store.append([]) == []

    def test_what_a_batch_asks_of_others_and_whom_it_brings_is_kept_with_it(
        self, store: Store
    ) -> None:
        lease = begun(store, "s1")
        begun(store, "s2")
        born = Birth([record("c1", 1)], Summary(session="c1", title="Part", last_seq=1))
        made = replace(
            batch(lease, 2, 2),
            births=[born],
            posted=[intent("i1", "s2"), intent("i2", "c1"), intent("i3", "gone")],
        )
        assert store.append([made]) == [None]
        assert seqs(store, "c1") == [1]
        assert store.summary("c1") == born.summary
        assert store.find("Part") == ["c1"]
        assert [(one.id, one.session) for one in store.unanswered()] == [
            ("i1", "s2"),
            ("i2", "c1"),
        ]
        assert store.acquire("c1", ELSEWHERE, 0.0).session == "c1"

    def test_a_batch_that_fails_asks_nothing_and_brings_nobody(self, store: Store) -> None:
        lease = begun(store, "s1")
        born = Birth([record("c1", 1)], Summary(session="c1", last_seq=1))
        wrong = replace(
            batch(lease, 2, 2, answered=["never"]), births=[born], posted=[intent("i1")]
        )
        [refusal] = store.append([wrong])
        assert isinstance(refusal, OutOfOrder)
        assert store.summary("c1") is None
        assert store.unanswered() == []

    def test_nobody_is_born_twice(self, store: Store) -> None:
        lease = begun(store, "s1")
        born = Birth([record("c1", 1)], Summary(session="c1", last_seq=1))
        outcomes = store.append([replace(batch(lease, seq, seq), births=[born]) for seq in (2, 3)])
        assert [type(outcome) for outcome in outcomes] == [type(None), OutOfOrder]
        assert seqs(store, "s1") == [1, 2]

    def test_a_draft_is_overwritten_and_goes_with_its_message(self, store: Store) -> None:
        lease = begun(store, "s1")
        for text in ("a", "a b", "a b c\0 ✓"):
            store.put_draft(lease, Draft(text, "why", "now"))
            assert store.draft("s1") == Draft(text, "why", "now")
        assert store.append([batch(lease, 2, 2)]) == [None]
        assert store.draft("s1") is not None
        assert store.append([batch(lease, 3, 3, closes_draft=True)]) == [None]
        assert store.draft("s1") is None

    def test_checkpoints_are_found_by_seq(self, store: Store) -> None:
        lease = store.acquire("s1", ME, 0.0)
        for last in (2, 4, 6):
            kept = Checkpoint(last, 1, b"state at %d" % last)
            assert store.append([batch(lease, last - 1, last, checkpoint=kept)]) == [None]
        assert store.checkpoint("s1") == Checkpoint(6, 1, b"state at 6")
        assert store.checkpoint("s1", 5) == Checkpoint(4, 1, b"state at 4")
        assert store.checkpoint("s1", 4) == Checkpoint(4, 1, b"state at 4")
        assert store.checkpoint("s1", 1) is None
        assert store.checkpoint("s2") is None

    def test_the_newest_checkpoints_stay_and_every_seq_has_one_not_far_before(
        self, store: Store
    ) -> None:
        lease = store.acquire("s1", ME, 0.0)
        for last in range(1, 61):
            kept = Checkpoint(last, 1, b"")
            assert store.append([batch(lease, last, last, checkpoint=kept)]) == [None]
        found = [store.checkpoint("s1", upto) for upto in (60, 59, 58)]
        assert [kept and kept.seq for kept in found] == [60, 59, 58]
        for upto in range(1, 61):
            near = store.checkpoint("s1", upto)
            assert near is not None
            assert upto - near.seq <= 60 - upto

    def test_a_checkpoint_of_another_fold_replaces_all_before(self, store: Store) -> None:
        lease = store.acquire("s1", ME, 0.0)
        store.append([batch(lease, 1, 1, checkpoint=Checkpoint(1, 1, b"old"))])
        store.append([batch(lease, 2, 2, checkpoint=Checkpoint(2, 2, b"new"))])
        assert store.checkpoint("s1") == Checkpoint(2, 2, b"new")
        assert store.checkpoint("s1", 1) is None

    def test_numbers_are_never_given_twice(self, open_store: OpenStore) -> None:
        one, other = open_store(), open_store()
        taken = [one.take_ids(1), one.take_ids(10), other.take_ids(2), one.take_ids(1)]
        assert taken == [taken[0], taken[0] + 1, taken[0] + 11, taken[0] + 13]
        with pytest.raises(ValueError, match="at least one"):
            one.take_ids(0)

    def test_threads_can_share_a_store(self, store: Store) -> None:
        leases = [store.acquire(f"s{n}", ME, 0.0) for n in range(4)]
        refused: list[StoreError] = []

        def work(lease: Lease) -> None:
            for seq in range(1, 26):
                refused.extend(e for e in store.append([batch(lease, seq, seq)]) if e)
                store.put_draft(lease, Draft(str(seq), "", ""))
                assert store.version() >= 0
                assert seqs(store, lease.session) == list(range(1, seq + 1))

        threads = [threading.Thread(target=work, args=(lease,)) for lease in leases]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert refused == []
        assert [found.last_seq for found in store.summaries()] == [25] * 4
        assert store.problems() == []


class IntentConformance:
    def test_they_wait_in_the_order_of_posting(self, open_store: OpenStore) -> None:
        store, other = open_store(), open_store()
        for session in ("s1", "s2"):
            begun(store, session)
        posted = [intent("z"), intent("a", "s2"), intent("m")]
        for one in posted:
            other.post(one)
        assert store.unanswered() == posted
        assert store.unanswered("s1") == [intent("z"), intent("m")]
        assert store.unanswered("s3") == []

    def test_posting_again_changes_nothing(self, store: Store) -> None:
        lease = begun(store, "s1")
        for _ in range(2):
            store.post(intent("i1"))
        assert store.unanswered() == [intent("i1")]
        store.append([batch(lease, 2, 2, answered=["i1"])])
        store.post(intent("i1"))
        assert store.unanswered() == []

    def test_each_is_answered_once(self, store: Store) -> None:
        lease = begun(store, "s1")
        store.post(intent("i1"))
        twice = batch(lease, 2, 2, answered=["i1", "i1"])
        once, again = batch(lease, 2, 2, answered=["i1"]), batch(lease, 3, 3, answered=["i1"])
        outcomes = store.append([twice, once, again])
        assert [type(outcome) for outcome in outcomes] == [OutOfOrder, type(None), OutOfOrder]
        assert seqs(store, "s1") == [1, 2]

    def test_another_session_cannot_answer_it(self, store: Store) -> None:
        begun(store, "s1")
        other = begun(store, "s2")
        store.post(intent("i1"))
        assert isinstance(store.append([batch(other, 2, 2, answered=["i1"])])[0], OutOfOrder)

    def test_it_is_withdrawn_only_while_nobody_has_answered(self, store: Store) -> None:
        lease = begun(store, "s1")
        for name in ("i1", "i2"):
            store.post(intent(name))
        assert store.withdraw("i1")
        assert not store.withdraw("i1")
        assert isinstance(store.append([batch(lease, 2, 2, answered=["i1"])])[0], OutOfOrder)
        assert store.append([batch(lease, 2, 2, answered=["i2"])]) == [None]
        assert not store.withdraw("i2")
        assert not store.withdraw("never posted")
        store.post(intent("i1"))
        assert store.unanswered() == []

    def test_nothing_is_asked_of_a_session_that_is_not_there(self, store: Store) -> None:
        store.acquire("s1", ME, 0.0)
        with pytest.raises(NoSuchSession):
            store.post(intent("i1"))
