"""Any text can be searched for, and the index says the same as the events."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_made import ME, batch, begun, spoken

from longwatch.adapters.store.search import as_query
from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import Batch, Record, Summary
from longwatch.session.events import UserMessage

ODD = st.text(st.sampled_from('"*^:(){}+-.,;\\\0\n\t aZé日\ud800') | st.characters(), max_size=40)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", ""),
        (" \t", ""),
        ("one two", '"one" "two"*'),
        ('say "hi"', '"say" """hi"""*'),
        ("a\0b", '"a" "b"'),
        ("日", '"日"*'),
    ],
)
def test_a_query_has_no_syntax(text: str, query: str) -> None:
    assert as_query(text) == query


@settings(
    database=None,
    deadline=None,
    max_examples=200,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=ODD)
def test_no_text_makes_it_fail(store: SqliteStore, text: str) -> None:
    if store.summary("s1") is None:
        lease = begun(store, "s1", 20)
        store.renew([lease], 1.0)
        store.append([batch(lease, 21, 30)])
    for hit in store.search(text):
        assert "\x02" in hit.snippet


_COMPARED = "INSERT INTO search (search, rank) VALUES ('integrity-check', 1)"
"""Fails if the index says anything else than the events do."""

WORDS = st.sampled_from(["alpha", "beta", "gamma", "alphabet", "Ünï", "x_y", "日本"])
MESSAGES = st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=1, max_size=12)


@settings(
    database=None,
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(messages=MESSAGES, cut=st.integers(0, 12), query=st.lists(WORDS, min_size=1, max_size=2))
def test_indexed_or_not_the_same_is_found(
    store: SqliteStore, messages: list[str], cut: int, query: list[str]
) -> None:
    found = []
    for indexed in (0, cut, len(messages)):
        store.delete("s1")
        lease = store.acquire("s1", ME, 0.0)
        said = [UserMessage(text=text, source="human") for text in messages]
        early, late = said[:indexed], said[indexed:]
        if early:
            assert store.append([spoken(lease, 1, *early)]) == [None]
            store.renew([lease], 1.0)
        if late:
            assert store.append([spoken(lease, 1 + len(early), *late)]) == [None]
        found.append(store.search(" ".join(query)))
    assert found[0] == found[1] == found[2]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
ITEMS = VALUES | st.lists(
    VALUES | st.fixed_dictionaries({}, optional={"text": VALUES, "reason": VALUES})
)
BODIES = st.binary(max_size=20) | st.fixed_dictionaries(
    {}, optional={"text": VALUES, "output": VALUES, "title": VALUES, "goal": VALUES, "items": ITEMS}
).map(lambda body: b'{"x":"word \xff",' + msgspec.json.encode(body)[1:])
TYPES = st.sampled_from(
    ["session_started", "renamed", "user_message", "tool_finished", "checklist_changed"]
)


@settings(
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(made=st.lists(st.tuples(TYPES, BODIES), min_size=1, max_size=20))
def test_no_body_is_too_odd_to_be_indexed(
    store: SqliteStore, made: list[tuple[str, bytes]]
) -> None:
    lease = store.acquire("s1", ME, 0.0)
    records = [Record(seq, kind, body) for seq, (kind, body) in enumerate(made, 1)]
    summary = Summary(session="s1", last_seq=len(records))
    assert store.append([Batch(lease=lease, records=records, summary=summary)]) == [None]
    store.search("word")
    store.release(lease)
    assert store._database.rows("SELECT last_seq - indexed FROM sessions") == [(0,)]
    store.search("word")
    store._database.writer.execute(_COMPARED)
    store.delete("s1")
    store._database.writer.execute(_COMPARED)


def test_bytes_that_are_no_text_are_shown_as_such(store: SqliteStore) -> None:
    lease = store.acquire("s1", ME, 0.0)
    odd = Record(1, "user_message", b'{"text":"word \xff end"}')
    summary = Summary(session="s1", last_seq=1)
    store.append([Batch(lease=lease, records=[odd], summary=summary)])
    for _ in range(2):
        assert [hit.snippet for hit in store.search("word")] == ["\x02word\x03 \ufffd end"]
        store.renew([lease], 0.0)


def test_indexing_goes_on_where_it_was(store: SqliteStore) -> None:
    lease = begun(store, "s1", 12_000)
    indexed = "SELECT indexed FROM sessions"
    store.renew([lease], 1.0)
    assert store._database.rows(indexed) == [(10_000,)]
    store.renew([lease], 1.0)
    assert store._database.rows(indexed) == [(12_000,)]
    assert len(store.search("message", 20_000)) == 12_000
    store.append([batch(lease, 12_001, 24_000)])
    store.release(lease)
    assert store._database.rows(indexed) == [(24_000,)]
    assert store.problems() == []


def test_the_index_does_not_hold_the_text_again(path: Path) -> None:
    store = SqliteStore.open(path)
    lease = store.acquire("s1", ME, 0.0)
    text = "one and the same sentence, over and over. " * 1000
    store.append([spoken(lease, 1, *[UserMessage(text=text, source="human")] * 50)])
    pages = int(store._database.rows("PRAGMA page_count")[0][0])
    store.release(lease)
    assert int(store._database.rows("PRAGMA page_count")[0][0]) < pages * 1.2
    store.close()


def test_a_list_that_is_kept_at_each_change_is_shown_once(store: SqliteStore) -> None:
    lease = store.acquire("s1", ME, 0.0)
    same = [UserMessage(text="the same words", source="human")] * 300
    store.append([spoken(lease, 1, *same, UserMessage(text="other words", source="human"))])
    assert [hit.seq for hit in store.search("words")] == [301, 300]


def test_every_session_that_has_a_word_is_found_however_common_it_is_in_another(
    store: SqliteStore,
) -> None:
    rare = store.acquire("rare", ME, 0.0)
    when = "2026-11-18T08:00:00.000Z"
    store.append([spoken(rare, 1, UserMessage(text="a common word", source="human", at=when))])
    store.release(rare)
    lease = store.acquire("full", ME, 0.0)
    many = [UserMessage(text=f"common {n}", source="human", at=when) for n in range(500)]
    store.append([spoken(lease, 1, *many)])
    for _ in range(2):
        found = store.search_each("common", 2)
        assert [(name, [hit.seq for hit in hits]) for name, hits in found.items()] == [
            ("full", [500, 499]),
            ("rare", [1]),
        ]
        assert {hit.at for hits in found.values() for hit in hits} == {when}
        store.release(lease)
    assert store.search_each("") == store.search_each("unheard") == {}


def test_one_session_is_searched_alone_and_its_last_matches_come_in_order(
    store: SqliteStore,
) -> None:
    for session in ("s1", "s2"):
        lease = store.acquire(session, ME, 0.0)
        said = [UserMessage(text=f"word {n % 2}", source="human") for n in range(1, 9)]
        store.append([spoken(lease, 1, *said)])
    for _ in range(2):
        assert store.search_in("s2", "word 1") == [1, 3, 5, 7]
        assert store.search_in("s2", "word 1", 2) == [5, 7]
        store.renew([lease], 0.0)
    assert store.search_in("s3", "word") == store.search_in("s2", "") == ()


def test_a_search_holds_up_nobody_who_looks(store: SqliteStore) -> None:
    begun(store, "s1")
    with store._database.search():
        assert store.version() == store.version()
        assert len(store.summaries()) == 1
