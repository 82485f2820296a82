"""What any store must do for those who watch, search and keep house, whatever it is made of."""

from itertools import islice

import pytest
from msgspec.structs import replace
from store_made import (
    ELSEWHERE,
    GONE,
    LAST,
    LEASE_SECONDS,
    ME,
    OpenStore,
    batch,
    begun,
    intent,
    record,
    seqs,
    spoken,
)

from longwatch.checklist import Entry
from longwatch.engine.storing import (
    Batch,
    Checkpoint,
    Draft,
    Hit,
    Record,
    Store,
    StoreError,
    Summary,
    WorkerInfo,
)
from longwatch.session.events import (
    AssistantMessage,
    ChecklistChanged,
    Injected,
    Renamed,
    SessionStarted,
    ToolFinished,
    UserMessage,
)

HOSTILE = [
    "",
    " \t\n",
    '"',
    '""',
    '" OR "',
    "'",
    "parser AND",
    "NOT parser",
    "parser NEAR/2 state",
    "text:parser",
    "{text}: parser",
    "^parser",
    "-parser",
    "parser*",
    "***",
    "(parser",
    "parser)",
    "; DROP TABLE events; --",
    "%_",
    "\0",
    "par\0ser",
    "\ud800",
    "\U0001f600",
    "\u202eparser",
    "'; SELECT 1",
    "a " * 5000,
    "x" * 100_000,
    '"' * 1000,
    "\\",
    "日本語",
]


class WatchConformance:
    def test_the_version_changes_with_what_others_write(self, open_store: OpenStore) -> None:
        watching, working = open_store(), open_store()
        lease = begun(working, "s1")
        before = watching.version()
        assert watching.version() == before
        working.append([batch(lease, 2, 2)])
        after = watching.version()
        assert after != before
        assert seqs(watching, "s1") == [1, 2]
        assert watching.version() == after
        working.put_draft(lease, Draft("text", "", ""))
        assert watching.version() != after

    def test_summaries_come_oldest_first(self, store: Store) -> None:
        for session, created in (("b", "2026-01-02"), ("c", "2026-01-01"), ("a", "2026-01-02")):
            begun(store, session, created=created)
        assert [found.session for found in store.summaries()] == ["c", "b", "a"]
        assert store.summary("x") is None

    def test_a_summary_comes_back_whole(self, store: Store) -> None:
        lease = begun(store, "s1")
        whole = Summary(
            session="s1",
            title="ünï",
            cwd="/tmp",
            model="m",
            dialect="loki",
            agent="a",
            parent="p",
            attended=True,
            temporary=True,
            archived=True,
            created="c",
            updated="u",
            state="awaiting_human",
            reason="r",
            since="s",
            current="item",
            done=1,
            total=3,
            blocked=1,
            input=5,
            output=6,
            cost=0.1,
            unpriced=2,
            last_seq=1,
        )
        assert store.append([Batch(lease=lease, records=(), summary=whole)]) == [None]
        assert store.summary("s1") == whole
        assert store.summaries() == [whole]

    def test_sessions_are_found_by_id_then_title_then_beginning(self, store: Store) -> None:
        begun(store, "s1", title="s10", created="1")
        begun(store, "s10", title="Twin", created="2")
        begun(store, "s11", title="Twin", created="3")
        assert store.find("s10") == ["s10"]
        assert store.find("Twin") == ["s10", "s11"]
        assert store.find("s") == ["s1", "s10", "s11"]
        for name in ("", "twin", "%", "s_", "x", "s1*"):
            assert list(store.find(name)) == []

    def test_records_from_any_seq_and_up_to_a_number(self, store: Store) -> None:
        begun(store, "s0", 3)
        begun(store, "s1", 1300)
        begun(store, "s2", 3)
        assert seqs(store, "s1") == list(range(1, 1301))
        assert [kept.seq for kept in store.records("s1", 1298)] == [1299, 1300]
        assert [kept.seq for kept in store.records("s1", 2, 3)] == [3, 4, 5]
        assert len(list(store.records("s1", limit=700))) == 700
        for none in (store.records("s1", 1300), store.records("s1", 0, 0), store.records("x")):
            assert list(none) == []

    def test_records_backwards(self, store: Store) -> None:
        begun(store, "s0", 3)
        begun(store, "s1", 5)
        begun(store, "s2", 3)
        kept = list(store.records("s1"))
        assert list(store.records_before("s1", LAST, 2)) == kept[3:]
        assert list(store.records_before("s1", 4, 2)) == kept[1:3]
        assert list(store.records_before("s1", 3, 10)) == kept[:2]
        for before, limit in ((1, 5), (0, 5), (-3, 5), (4, 0), (4, -1)):
            assert list(store.records_before("s1", before, limit)) == []
        assert list(store.records_before("x", LAST, 5)) == []

    def test_records_hold_nothing_while_they_are_read(self, open_store: OpenStore) -> None:
        store, other = open_store(), open_store()
        lease = begun(store, "s1", 600)
        reading = other.records("s1")
        assert [kept.seq for kept in islice(reading, 10)] == list(range(1, 11))
        assert store.append([batch(lease, 601, 700)]) == [None]
        assert [kept.seq for kept in reading] == list(range(11, 701))
        reading = other.records("s1")
        assert next(reading).seq == 1
        store.delete("s1")
        begun(store, "s1", 1000)
        assert len(list(reading)) < 1000

    def test_large_events(self, store: Store) -> None:
        lease = store.acquire("s1", ME, 0.0)
        large = [Record(seq, "error", bytes([seq]) * 700_000) for seq in range(1, 6)]
        summary = Summary(session="s1", last_seq=5)
        assert store.append([Batch(lease=lease, records=large, summary=summary)]) == [None]
        assert list(store.records("s1")) == large
        assert list(store.records_before("s1", LAST, 2)) == large[3:]


class SearchConformance:
    @pytest.fixture(params=["at once", "after a heartbeat", "after a release"])
    def searched(self, store: Store, request: pytest.FixtureRequest) -> Store:
        """A session with something to find, however far the indexing of it is."""
        lease = store.acquire("s1", ME, 0.0)
        items = (
            Entry(uid="u1", id="1", text="Sharpen the pencil"),
            Entry(uid="u2", id="2", text="Draw", status="blocked", reason="no paper"),
        )
        listed = ChecklistChanged(
            by="model", action="todo", goal="A picture", items=items, done=0, total=2
        )
        store.append(
            [
                spoken(
                    lease,
                    1,
                    SessionStarted(title="Portrait of a gnu"),
                    UserMessage(text="Fix the naïve parser_state in foo-bar.py", source="human"),
                    AssistantMessage(text="I \x02shall\x03 do so", finish="stop", tool_calls=()),
                    ToolFinished(call="c", ok=True, output="early " + "." * 4096 + " late"),
                    Injected(source="nag", text="whispered"),
                    listed,
                    replace(listed, note="again"),
                    Renamed(title="Картина ゆき"),
                )
            ]
        )
        if request.param == "after a heartbeat":
            store.renew([lease], 1.0)
        elif request.param == "after a release":
            store.release(lease)
        return store

    @pytest.mark.parametrize(
        ("text", "seqs"),
        [
            ("gnu", [1]),
            ("PORTRAIT gnu", [1]),
            ("gnu portrait", [1]),
            ("gnu parser", []),
            ("port", [1]),
            ("port gnu", []),
            ("naive", [2]),
            ("NAÏVE", [2]),
            ("parser_state", [2]),
            ("state_parser", []),
            ("foo-bar.py", [2]),
            ("shall", [3]),
            ("early", [4]),
            ("late", []),
            ("whispered", []),
            ("pencil", [7]),
            ("paper", [7]),
            ("picture", [7]),
            ("again", []),
            ("картина", [8]),
            ("ゆ", [8]),
        ],
    )
    def test_what_is_found(self, searched: Store, text: str, seqs: list[int]) -> None:
        assert [(hit.session, hit.seq) for hit in searched.search(text)] == [
            ("s1", seq) for seq in seqs
        ]

    def test_a_snippet_marks_what_matched_and_nothing_else(self, searched: Store) -> None:
        assert searched.search("pars") == [
            Hit("s1", 2, "Fix the naïve \x02parser\x03_state in foo-bar.py")
        ]
        assert searched.search("do so") == [Hit("s1", 3, "I  shall  \x02do\x03 \x02so\x03")]

    def test_no_text_is_too_odd_to_search_for(self, searched: Store) -> None:
        found = [hit for text in HOSTILE for hit in searched.search(text)]
        assert {hit.session for hit in found} == {"s1"}

    def test_the_newest_come_first_and_no_more_than_wanted(self, store: Store) -> None:
        for session in ("s1", "s2"):
            lease = begun(store, session, 5)
            store.release(lease)
        store.append([batch(store.acquire("s1", ME, 0.0), 6, 7)])
        found = [(hit.session, hit.seq) for hit in store.search("message")]
        assert found[:5] == [("s2", seq) for seq in (5, 4, 3, 2, 1)]
        assert found[5:] == [("s1", seq) for seq in (7, 6, 5, 4, 3, 2, 1)]
        assert len(store.search("message", 6)) == 6
        assert list(store.search("message", 0)) == []

    def test_what_is_deleted_is_not_found(self, searched: Store) -> None:
        begun(searched, "s2", 2)
        searched.delete("s1")
        assert list(searched.search("gnu")) == []
        assert len(searched.search("message")) == 2
        assert searched.problems() == []


class HousekeepingConformance:
    def test_deleting_removes_all_of_one_session(self, store: Store) -> None:
        for session in ("s1", "s2"):
            lease = begun(store, session)
            store.post(intent(f"of {session}", session))
            store.put_draft(lease, Draft("so far", "", ""))
            store.append([batch(lease, 2, 2, checkpoint=Checkpoint(2, 1, b""))])
        store.delete("s1")
        store.delete("never there")
        assert [found.session for found in store.summaries()] == ["s2"]
        assert (seqs(store, "s1"), seqs(store, "s2")) == ([], [1, 2])
        assert store.unanswered() == [intent("of s2", "s2")]
        assert (store.draft("s1"), store.checkpoint("s1")) == (None, None)
        assert store.draft("s2") is not None
        assert store.checkpoint("s2") is not None
        assert store.holder("s1", 0.0) is None
        assert store.holder("s2", 0.0) == ME
        begun(store, "s1")
        assert seqs(store, "s1") == [1]
        assert store.problems() == []

    def test_one_worker_at_a_time(self, open_store: OpenStore) -> None:
        store, other = open_store(), open_store()
        mine = WorkerInfo(ME, "1.0", "abc", "2026-11-18T08:00:00.000Z", heartbeat=5.0)
        assert store.worker() is None
        assert store.register_worker(mine)
        assert other.worker() == mine
        assert not other.register_worker(WorkerInfo(GONE, "1.1", "", ""))
        other.unregister_worker(GONE)
        assert store.worker() == mine
        store.unregister_worker(ME)
        assert other.worker() is None

    def test_a_worker_that_is_gone_is_replaced(self, store: Store) -> None:
        assert store.register_worker(WorkerInfo(GONE, "1.0", "", ""))
        assert store.worker() is None
        assert store.register_worker(WorkerInfo(ME, "1.1", "", ""))
        found = store.worker()
        assert found is not None
        assert found.version == "1.1"

    def test_a_worker_of_another_host_is_replaced_when_it_is_silent(self, store: Store) -> None:
        assert store.register_worker(WorkerInfo(ELSEWHERE, "1.0", "", "", heartbeat=100.0))
        mine = WorkerInfo(ME, "1.0", "", "", heartbeat=100.0 + LEASE_SECONDS)
        assert not store.register_worker(mine)
        assert store.register_worker(replace(mine, heartbeat=101.0 + LEASE_SECONDS))

    def test_a_request_to_stop_outlives_the_worker_s_heartbeat(self, store: Store) -> None:
        mine = WorkerInfo(ME, "1.0", "", "", heartbeat=1.0)
        store.register_worker(mine)
        store.stop_worker()
        assert store.worker() == replace(mine, stopping=True)
        assert store.register_worker(replace(mine, heartbeat=2.0))
        assert store.worker() == replace(mine, heartbeat=2.0, stopping=True)
        store.unregister_worker(ME)
        store.register_worker(mine)
        assert store.worker() == mine

    def test_who_looked_last(self, open_store: OpenStore) -> None:
        store, other = open_store(), open_store()
        assert store.last_seen() == 0.0
        other.seen("one", 100.0)
        other.seen("two", 90.0)
        assert store.last_seen() == 100.0
        other.seen("two", 200_000.0)
        assert store.last_seen() == 200_000.0

    def test_a_sound_store_has_no_problems(self, store: Store) -> None:
        lease = begun(store, "s1", 3)
        store.append([Batch(lease=lease, records=(), summary=Summary(session="s1", last_seq=3))])
        assert store.problems() == []
        store.append(
            [
                Batch(
                    lease=lease,
                    records=[Record(4, "error", b"no JSON"), record("s2", 5)],
                    summary=Summary(session="s1", last_seq=5),
                )
            ]
        )
        assert len(store.problems()) == 2

    def test_a_closed_store_says_so(self, open_store: OpenStore) -> None:
        store = open_store()
        lease = begun(store, "s1")
        store.close()
        store.close()
        for use in (store.version, store.summaries, lambda: store.take_ids(1)):
            with pytest.raises(StoreError):
                use()
        with pytest.raises(StoreError):
            store.append([batch(lease, 2, 2)])
        assert seqs(open_store(), "s1") == [1]
