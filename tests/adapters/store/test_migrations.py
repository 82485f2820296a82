"""An older store is brought on: copied first, all steps or none, once."""

import hashlib
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from store_made import begun, seqs

from longwatch.adapters.store.opening import open_database
from longwatch.adapters.store.schema import APPLICATION_ID, CURRENT, Schema
from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import StoreUnusable, StoreUnwritable

OLD = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = 1;
CREATE TABLE leases (session TEXT, held INTEGER);
INSERT INTO leases VALUES ('s1', 1);
CREATE TABLE notes (text TEXT);
INSERT INTO notes VALUES ('first'), ('second');
"""


def number_them(connection: apsw.Connection) -> None:
    connection.execute("ALTER TABLE notes ADD COLUMN number INTEGER")
    connection.execute("UPDATE notes SET number = rowid")


def shout_them(connection: apsw.Connection) -> None:
    connection.execute("UPDATE notes SET text = upper(text)")


def add_a_table(connection: apsw.Connection) -> None:
    connection.execute("CREATE TABLE more (x)")


def fail(connection: apsw.Connection) -> None:
    connection.execute("DELETE FROM notes; CREATE UNIQUE INDEX one ON leases (held)")
    connection.execute("INSERT INTO leases VALUES ('s2', 1)")


def run_out_of_space(connection: apsw.Connection) -> None:
    connection.pragma("max_page_count", 1)
    connection.execute("CREATE TABLE large (body); INSERT INTO large VALUES (zeroblob(1000000))")


THIRD = Schema(version=3, tables="", steps={1: number_them, 2: shout_them})


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    made = apsw.Connection(str(path))
    made.pragma("journal_mode", "wal")
    made.execute(OLD)
    made.close()
    return path


def advance(path: Path, schema: Schema) -> None:
    open_database(path, schema).close()


def rows(path: Path, query: str) -> list[object]:
    connection = apsw.Connection(str(path))
    try:
        return list(connection.execute(query))
    finally:
        connection.close()


def names(path: Path) -> set[str]:
    return {file.name for file in path.parent.iterdir()}


def test_all_steps_are_taken_and_the_copy_stays(old: Path) -> None:
    advance(old, THIRD)
    assert rows(old, "SELECT * FROM notes") == [("FIRST", 1), ("SECOND", 2)]
    assert rows(old, "PRAGMA user_version") == [(3,)]
    assert names(old) == {"store.db", "store.db.v1-1.bak"}
    copy = old.with_name("store.db.v1-1.bak")
    assert rows(copy, "SELECT * FROM notes") == [("first",), ("second",)]
    assert rows(copy, "PRAGMA user_version") == [(1,)]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_what_is_only_in_the_log_is_copied_too(old: Path) -> None:
    user = apsw.Connection(str(old))
    user.execute("INSERT INTO notes VALUES ('third')")
    advance(old, THIRD)
    copy = old.with_name("store.db.v1-1.bak")
    assert rows(copy, "SELECT count(*) FROM notes") == [(3,)]
    assert rows(old, "SELECT count(*) FROM notes") == [(3,)]
    user.close()


def test_a_process_of_the_older_version_loses_its_leases(old: Path) -> None:
    advance(old, THIRD)
    assert rows(old, "SELECT held FROM leases") == [(0,)]


def test_a_copy_is_never_overwritten(old: Path) -> None:
    old.with_name("store.db.v1-1.bak").write_text("precious")
    advance(old, THIRD)
    assert old.with_name("store.db.v1-1.bak").read_text() == "precious"
    assert "store.db.v1-2.bak" in names(old)


@pytest.mark.parametrize(
    ("step", "error"), [(fail, StoreUnusable), (run_out_of_space, StoreUnwritable)]
)
def test_a_step_that_fails_undoes_those_before_it(
    old: Path, step: Callable[[apsw.Connection], None], error: type[Exception]
) -> None:
    before = old.read_bytes()
    with pytest.raises(error, match=str(old)):
        advance(old, Schema(version=3, tables="", steps={1: number_them, 2: step}))
    assert old.read_bytes() == before
    assert rows(old, "SELECT * FROM notes") == [("first",), ("second",)]
    advance(old, THIRD)
    assert rows(old, "PRAGMA user_version") == [(3,)]


def test_a_version_from_which_nothing_leads_on_is_left_alone(old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(StoreUnusable, match="nothing leads on from version 2"):
        advance(old, Schema(version=3, tables="", steps={1: number_them}))
    assert old.read_bytes() == before
    assert names(old) == {"store.db"}


def test_those_who_come_at_once_migrate_once(old: Path) -> None:
    threads = [threading.Thread(target=advance, args=(old, THIRD)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows(old, "SELECT * FROM notes") == [("FIRST", 1), ("SECOND", 2)]
    assert names(old) == {"store.db", "store.db.v1-1.bak"}


def test_a_real_store_is_migrated_with_all_that_it_holds(path: Path) -> None:
    store = SqliteStore.open(path)
    begun(store, "s1", 300)
    store.close()
    following = CURRENT.version + 1
    advance(path, Schema(version=following, tables="", steps={CURRENT.version: add_a_table}))
    with pytest.raises(StoreUnusable, match="newer longwatch"):
        SqliteStore.open(path)
    copy = SqliteStore.open(path.with_name(f"store.db.v{CURRENT.version}-1.bak"))
    assert seqs(copy, "s1") == list(range(1, 301))
    assert copy.problems() == []
    copy.close()


def test_the_tables_change_only_with_the_version() -> None:
    pinned = {1: "73d4542b856d6358"}
    text = "\n".join(line.strip() for line in CURRENT.tables.splitlines())
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == pinned[CURRENT.version]
