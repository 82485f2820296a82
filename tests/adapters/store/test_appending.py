"""What was acknowledged is kept: through kill -9, full disks and many readers."""

import sys
import threading
from pathlib import Path

import pytest
from adapters.store.processes import children
from store_made import ME, batch, begun, intent, seqs

from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import Draft, Lease, StoreError, StoreUnwritable


@pytest.mark.parametrize("acknowledged", [1, 7, 20, 61])
def test_killing_loses_nothing_that_was_acknowledged(path: Path, acknowledged: int) -> None:
    last = 0
    for _ in range(2):
        with children("stream", path) as [child]:
            child.go()
            heard = [int(child.hear()) for _ in range(acknowledged)]
            child.kill()
            heard += [int(line) for line in child.rest()]
        assert heard == list(range(last + 1, last + 1 + len(heard)))
        store = SqliteStore.open(path)
        kept = seqs(store, "s1")
        found = store.summary("s1")
        assert found is not None
        last = found.last_seq
        assert kept == list(range(1, last + 1))
        # One more may have been kept than the process lived to tell.
        assert last in {heard[-1], heard[-1] + 1}
        assert store.problems() == []
        assert len(store.search("message", 1000)) == last
        store.close()


def fill(store: SqliteStore, lease: Lease, first: int) -> int:
    """Append until the store refuses; the first seq that was not kept."""
    for seq in range(first, 100_000):
        try:
            store.append([batch(lease, seq, seq)])
        except StoreUnwritable:
            return seq
    pytest.fail("it never was full")


def test_a_full_store_loses_nothing_and_works_again_when_there_is_space(
    store: SqliteStore,
) -> None:
    lease = begun(store, "s1")
    database = store._database
    for connection in (database.writer, database.passing):
        pages = connection.pragma("page_count")
        assert isinstance(pages, int)
        connection.pragma("max_page_count", pages + 2)
    seq = fill(store, lease, 2)
    assert seqs(store, "s1") == list(range(1, seq))
    with pytest.raises(StoreUnwritable, match="no space left"):
        store.append([batch(lease, seq, seq + 999)])
    with pytest.raises(StoreUnwritable):
        store.put_draft(lease, Draft("long " * 10_000, "", ""))
    assert store.draft("s1") is None
    for connection in (database.writer, database.passing):
        connection.pragma("max_page_count", 1_000_000)
    assert store.append([batch(lease, seq, seq + 999)]) == [None]
    assert seqs(store, "s1") == list(range(1, seq + 1000))
    assert store.problems() == []


def test_files_that_cannot_grow_lose_nothing(path: Path) -> None:
    with children("cramped", path) as [child]:
        child.go()
        acknowledged, told, kept, afterwards = child.rest()
    assert (kept, afterwards) == (acknowledged, "NoneType")
    assert "Nothing was changed" in told
    store = SqliteStore.open(path)
    assert seqs(store, "s1") == list(range(1, int(acknowledged) + 2))
    assert store.problems() == []
    store.close()


def test_a_store_that_became_read_only_says_so(store: SqliteStore) -> None:
    lease = begun(store, "s1")
    store._database.writer.execute("PRAGMA query_only = 1")
    with pytest.raises(StoreUnwritable, match="read-only"):
        store.append([batch(lease, 2, 2)])
    with pytest.raises(StoreUnwritable, match="read-only"):
        store.post(intent("i1"))
    store._database.writer.execute("PRAGMA query_only = 0")
    assert store.append([batch(lease, 2, 2)]) == [None]


def test_a_writer_waits_for_another_process_only_so_long(store: SqliteStore, path: Path) -> None:
    lease = begun(store, "s1")
    other = SqliteStore.open(path)
    other._database.writer.execute("BEGIN IMMEDIATE")
    store._database.writer.set_busy_timeout(1)
    with pytest.raises(StoreUnwritable, match="another process keeps it locked"):
        store.append([batch(lease, 2, 2)])
    assert seqs(store, "s1") == [1]
    other._database.writer.execute("ROLLBACK")
    assert store.append([batch(lease, 2, 2)]) == [None]
    other.close()


def test_readers_see_whole_commits_only(path: Path, store: SqliteStore) -> None:
    with children("triples", path) as [child]:
        child.go()
        seen = 0
        while seen < 300:
            kept = seqs(store, "s1")
            assert kept == list(range(1, len(kept) + 1))
            assert len(kept) % 3 == 0
            assert len(kept) >= seen
            seen = len(kept)
        assert child.rest() == []


def test_a_reader_in_the_middle_of_reading_holds_up_nobody(path: Path, store: SqliteStore) -> None:
    lease = begun(store, "s1", 600)
    reader = SqliteStore.open(path)
    with reader._database.snapshot() as cursor:
        assert cursor.execute("SELECT count(*) FROM events").get == 600
        store._database.writer.set_busy_timeout(1)
        assert store.append([batch(lease, 601, 601)]) == [None]
        assert cursor.execute("SELECT count(*) FROM events").get == 600
    assert reader.records_before("s1", 1000, 1)[0].seq == 601
    reader.close()


def test_an_append_that_breaks_off_leaves_no_transaction_open(store: SqliteStore) -> None:
    lease = begun(store, "s1")
    with pytest.raises(AttributeError):
        store.append([batch(lease, 2, 2), None])  # type: ignore[list-item]
    assert seqs(store, "s1") == [1]
    assert store.append([batch(lease, 2, 2)]) == [None]


def test_closing_while_others_work_is_orderly(path: Path) -> None:
    store = SqliteStore.open(path)
    lease = store.acquire("s1", ME, 0.0)
    working = threading.Event()

    def work() -> None:
        for seq in range(1, sys.maxsize):
            try:
                store.append([batch(lease, seq, seq)])
            except StoreError as error:
                ended.append(error)
                return
            working.set()

    ended: list[StoreError] = []
    thread = threading.Thread(target=work)
    thread.start()
    working.wait()
    store.close()
    thread.join()
    assert "was closed" in str(ended[0])
    again = SqliteStore.open(path)
    assert again.problems() == []
    again.close()
