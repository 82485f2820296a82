"""Damage is found and named."""

from pathlib import Path

import apsw
import pytest
from store_made import batch, begun, intent

from longwatch.adapters.store.schema import SPAN
from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import Checkpoint, Draft, StoreUnusable

OTHER = b'{"session":"x"}'


@pytest.fixture
def closed(path: Path) -> Path:
    store = SqliteStore.open(path)
    lease = begun(store, "s1", 3)
    store.post(intent("i1"))
    store.put_draft(lease, Draft("so far", "", ""))
    store.append([batch(lease, 4, 4, checkpoint=Checkpoint(4, 1, b""))])
    store.release(lease)
    store.close()
    return path


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (f"DELETE FROM events WHERE id = {SPAN + 2}", "has gaps: 3 events from 1 to 4"),
        (f"DELETE FROM events WHERE id = {SPAN + 1}", "has gaps: 3 events from 2 to 4"),
        (f"DELETE FROM events WHERE id = {SPAN + 4}", "should end with event 4 and ends with 3"),
        (f"UPDATE events SET body = x'7b' WHERE id = {SPAN + 2}", "Event 2 of session s1 cannot"),
        (f"UPDATE events SET type = 'error' WHERE id = {SPAN + 2}", "says that it is event 2"),
        (f"UPDATE events SET id = {5 * SPAN} WHERE id = {SPAN + 4}", "1 rows of events belong to"),
        (f"UPDATE checkpoints SET id = {5 * SPAN}", "1 rows of checkpoints belong to no"),
        ("UPDATE checkpoints SET id = id + 1", "1 checkpoints are of events that are not there"),
        ("UPDATE sessions SET indexed = 9", "is indexed to event 9 and ends with 4"),
        ("UPDATE sessions SET summary = x'7b7d'", "The summary of session s1 cannot be read"),
        (f"UPDATE sessions SET summary = x'{OTHER.hex()}'", "up to event 0, not 4"),
        ("UPDATE intents SET session = 'x'", "1 rows of intents belong to no session"),
        ("UPDATE drafts SET session = 'x'", "1 rows of drafts belong to no session"),
    ],
)
def test_what_the_store_promises_is_checked(closed: Path, damage: str, told: str) -> None:
    spoiler = apsw.Connection(str(closed))
    spoiler.execute(damage)
    spoiler.close()
    store = SqliteStore.open(closed)
    found = store.problems()
    assert any(told in problem for problem in found), found
    store.close()


def test_a_summary_that_cannot_be_read_is_listed_by_what_is_known(closed: Path) -> None:
    spoiler = apsw.Connection(str(closed))
    spoiler.execute("UPDATE sessions SET title = 'Known', summary = x'7b'")
    spoiler.close()
    store = SqliteStore.open(closed)
    [found] = store.summaries()
    assert (found.session, found.title, found.last_seq) == ("s1", "Known", 4)
    store.close()


def test_damage_in_the_file_is_found_and_reading_it_says_so(closed: Path) -> None:
    store = SqliteStore.open(closed)
    lease = store.acquire("s1", begun(store, "s2").owner, 0.0)
    store.append([batch(lease, 5, 3000)])
    store.close()
    looked_at = apsw.Connection(str(closed))
    pages = list(
        looked_at.execute("SELECT pageno FROM dbstat WHERE name = 'events' AND path LIKE '/%/'")
    )
    leaves = [page for (page,) in pages]
    looked_at.close()
    body = bytearray(closed.read_bytes())
    spoilt = leaves[len(leaves) // 2]
    body[(spoilt - 1) * 4096 : spoilt * 4096] = b"\xff" * 4096
    closed.write_bytes(body)
    store = SqliteStore.open(closed)
    assert any("damaged" in problem for problem in store.problems())
    with pytest.raises(StoreUnusable, match="damaged"):
        list(store.records("s1"))
    store.close()
