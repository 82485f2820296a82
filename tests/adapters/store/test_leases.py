"""One session, several real processes: one works, and who lost it cannot."""

import os
from pathlib import Path

import pytest
from adapters.store.processes import children
from store_made import ME, batch, seqs

from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import LeaseHeld

NOW = 1000.0


def test_processes_that_fight_for_a_session_never_write_at_once(
    path: Path, store: SqliteStore
) -> None:
    with children("fight", path, 3) as fighters:
        for fighter in fighters:
            fighter.go()
        said = sorted(int(line) for fighter in fighters for line in fighter.rest())
    assert said == list(range(1, 121))
    assert seqs(store, "s1") == said
    assert store.problems() == []


def test_who_holds_a_session_is_named(path: Path, store: SqliteStore) -> None:
    with children("hold", path) as [child]:
        child.go()
        assert child.hear() == "NoneType"
        with pytest.raises(LeaseHeld, match=f"Process {child.pid} ") as refused:
            store.acquire("s1", ME, NOW)
        assert refused.value.owner.pid == child.pid


def test_a_frozen_owner_that_wakes_up_too_late_cannot_append(
    path: Path, store: SqliteStore
) -> None:
    with children("hold", path) as [child]:
        child.go()
        assert child.hear() == "NoneType"
        child.stop()
        with pytest.raises(LeaseHeld):
            store.acquire("s1", ME, NOW + 15)
        lease = store.acquire("s1", ME, NOW + 16)
        assert store.append([batch(lease, 2, 3)]) == [None]
        child.wake()
        child.go()
        assert child.rest() == ["LeaseLost"]
    assert seqs(store, "s1") == [1, 2, 3]


def test_a_killed_owner_s_session_is_free_at_once(path: Path, store: SqliteStore) -> None:
    with children("hold", path) as [child]:
        child.go()
        assert child.hear() == "NoneType"
        child.kill()
        # Nobody has collected the process yet: it is dead, though its pid is still taken.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert store.holder("s1", NOW) is None
        lease = store.acquire("s1", ME, NOW)
        assert store.append([batch(lease, 2, 2)]) == [None]
