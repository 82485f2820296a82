"""The SQLite store is a store."""

from collections.abc import Callable

from store_conformance import AppendConformance, IntentConformance, LeaseConformance
from store_watching import HousekeepingConformance, SearchConformance, WatchConformance

from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import Store


class TestLeases(LeaseConformance):
    pass


class TestAppending(AppendConformance):
    pass


class TestIntents(IntentConformance):
    pass


class TestWatching(WatchConformance):
    pass


class TestSearching(SearchConformance):
    pass


class TestHousekeeping(HousekeepingConformance):
    pass


def test_it_has_the_shape_of_a_store(open_store: Callable[[], SqliteStore]) -> None:
    store: Store = open_store()
    assert store.summaries() == []
