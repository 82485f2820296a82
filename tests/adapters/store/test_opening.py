"""What is at the path: made whole, accepted, or refused and left as it is."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from adapters.store.processes import children
from store_made import begun, seqs

from longwatch.adapters.store.schema import APPLICATION_ID, CURRENT
from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import StoreUnusable, StoreUnwritable


@pytest.fixture
def no_umask() -> Iterator[None]:
    former = os.umask(0)
    yield
    os.umask(former)


@pytest.fixture
def closed(path: Path) -> Path:
    """A sound store that nobody has open."""
    store = SqliteStore.open(path)
    store.release(begun(store, "s1", 300))
    store.close()
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


@pytest.mark.usefixtures("no_umask")
def test_nobody_else_can_read_a_store(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    store = SqliteStore.open(folder / "store.db")
    begun(store, "s1")
    store.seen("me", 1.0)
    assert mode(tmp_path / "a") == mode(folder) == 0o700
    files = {file.name: mode(file) for file in folder.iterdir()}
    assert files == dict.fromkeys(("store.db", "store.db-wal", "store.db-shm"), 0o600)
    store.close()
    assert {file.name for file in folder.iterdir()} == {"store.db"}


@pytest.mark.usefixtures("no_umask")
def test_a_store_that_others_could_read_becomes_private(closed: Path) -> None:
    closed.chmod(0o644)
    closed.parent.chmod(0o755)
    SqliteStore.open(closed).close()
    assert mode(closed) == 0o600
    assert mode(closed.parent) == 0o755


def test_constructing_does_nothing(path: Path) -> None:
    SqliteStore.__new__(SqliteStore)
    assert not path.parent.exists()


def test_it_is_marked_as_ours(closed: Path) -> None:
    header = closed.read_bytes()[:100]
    assert int.from_bytes(header[68:72]) == APPLICATION_ID
    assert int.from_bytes(header[60:64]) == CURRENT.version
    assert header[18:20] == b"\x02\x02", "the write-ahead log is on"


def test_an_event_is_on_the_disk_when_it_is_acknowledged(store: SqliteStore) -> None:
    assert store._database.writer.pragma("synchronous") == 2
    assert store._database.passing.pragma("synchronous") == 1
    assert store._database.writer.pragma("journal_mode") == "wal"


@pytest.mark.parametrize("name", ["a b", "50%", "what?", "#1", "ünï", "quote'\"", "-x", "a&b=c"])
def test_any_name_will_do(tmp_path: Path, name: str) -> None:
    for _ in range(2):
        store = SqliteStore.open(tmp_path / name / name)
        store.take_ids(1)
        store.close()
    assert [file.name for file in (tmp_path / name).iterdir()] == [name]


def test_a_link_leads_to_the_store(closed: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(closed)
    store = SqliteStore.open(link)
    assert len(seqs(store, "s1")) == 300
    assert (closed.parent / "store.db-wal").exists()
    store.close()


def test_an_empty_file_is_as_good_as_none(path: Path) -> None:
    path.parent.mkdir()
    path.touch(0o644)
    SqliteStore.open(path).close()
    assert mode(path) == 0o600


def test_what_an_interrupted_making_left_does_no_harm(path: Path) -> None:
    path.parent.mkdir()
    for ending in (".new", ".new-journal", ".new-wal", ".new-shm"):
        path.with_name(path.name + ending).write_bytes(b"left over" * 1000)
    SqliteStore.open(path).close()
    assert list(contents(path.parent)) == ["store.db"]


def test_many_processes_may_make_it_at_once(path: Path) -> None:
    with children("idle", path, 4) as openers:
        for opener in openers:
            opener.go()
        assert sorted(int(opener.hear()) for opener in openers) == [1, 2, 3, 4]


def garbage(path: Path) -> None:
    path.write_bytes(b"Dear diary, today I was a database.\n" * 100)


def short_garbage(path: Path) -> None:
    path.write_bytes(b"x")


def foreign(path: Path) -> None:
    path.unlink()
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
    other.close()


def newer(path: Path) -> None:
    changed = apsw.Connection(str(path))
    changed.pragma("user_version", CURRENT.version + 1)
    changed.close()


def without_tables(path: Path) -> None:
    path.unlink()
    changed = apsw.Connection(str(path))
    changed.pragma("application_id", APPLICATION_ID)
    changed.pragma("user_version", CURRENT.version)
    changed.close()


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:10_000])


def without_beginning(path: Path) -> None:
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])


def overwritten(path: Path) -> None:
    looked_at = apsw.Connection(str(path))
    [(page,)] = looked_at.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'events'")
    looked_at.close()
    body = bytearray(path.read_bytes())
    body[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    path.write_bytes(body)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (garbage, "no store of longwatch"),
        (short_garbage, "is no store of longwatch"),
        (foreign, "another program"),
        (newer, "newer longwatch"),
        (without_tables, "damaged"),
        (truncated, "damaged"),
        (without_beginning, "no store of longwatch"),
        (overwritten, "damaged"),
    ],
)
def test_what_cannot_be_used_is_refused_and_left_alone(
    closed: Path, spoil: Callable[[Path], None], told: str
) -> None:
    spoil(closed)
    before = contents(closed.parent)
    with pytest.raises(StoreUnusable, match=told) as refused:
        SqliteStore.open(closed)
    assert contents(closed.parent) == before
    assert str(closed) in str(refused.value)
    assert "left as it is" in str(refused.value)


def test_a_newer_store_in_use_is_refused_and_left_alone(closed: Path) -> None:
    user = apsw.Connection(str(closed))
    user.pragma("user_version", CURRENT.version + 1)
    before = contents(closed.parent)
    assert before["store.db-wal"]
    with pytest.raises(StoreUnusable, match="newer longwatch"):
        SqliteStore.open(closed)
    after = contents(closed.parent)
    assert (after["store.db"], after["store.db-wal"]) == (
        before["store.db"],
        before["store.db-wal"],
    )
    user.close()


def test_a_log_without_its_store_is_not_given_to_a_new_one(closed: Path) -> None:
    store = SqliteStore.open(closed)
    store.take_ids(1)
    log = contents(closed.parent)["store.db-wal"]
    store.close()
    closed.unlink()
    closed.with_name("store.db-wal").write_bytes(log)
    with pytest.raises(StoreUnusable, match="Put the store back"):
        SqliteStore.open(closed)
    assert contents(closed.parent) == {"store.db-wal": log}


def test_a_copy_with_its_log_but_without_its_index_is_whole(path: Path, tmp_path: Path) -> None:
    store = SqliteStore.open(path)
    begun(store, "s1", 5)
    copy = tmp_path / "copy" / "store.db"
    copy.parent.mkdir()
    for ending in ("", "-wal"):
        made = copy.with_name(copy.name + ending)
        made.write_bytes(path.with_name(path.name + ending).read_bytes())
    restored = SqliteStore.open(copy)
    assert seqs(restored, "s1") == [1, 2, 3, 4, 5]
    restored.close()
    store.close()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(StoreUnusable, match="is no file"):
            SqliteStore.open(path)


def test_a_place_where_nothing_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "store.db", tmp_path / "file" / "folder" / "store.db"):
        with pytest.raises(StoreUnwritable, match="cannot be written"):
            SqliteStore.open(path)


def test_opening_one_again_in_a_process_takes_no_lock_from_the_other(path: Path) -> None:
    first = SqliteStore.open(path)
    SqliteStore.open(path).close()
    with children("idle", path) as [child]:
        child.go()
        child.hear()
        child.go()
        child.rest()
    # If the first had lost its locks, the child would have removed the log when it left.
    lease = begun(first, "s1")
    assert path.with_name("store.db-wal").exists()
    first.release(lease)
    first.close()
    again = SqliteStore.open(path)
    assert seqs(again, "s1") == [1]
    again.close()
