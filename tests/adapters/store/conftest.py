"""Stores for tests, each in a folder of its own and closed at the end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from longwatch.adapters.store.sqlite import SqliteStore

pytest.register_assert_rewrite("store_conformance", "store_watching", "store_machine")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "store.db"


@pytest.fixture
def open_store(path: Path) -> Iterator["Opener"]:
    opener = Opener(path)
    yield opener
    opener.close()


@pytest.fixture
def store(open_store: "Opener") -> SqliteStore:
    return open_store()


class Opener:
    """Opens the same store again at each call."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.opened: list[SqliteStore] = []

    def __call__(self) -> SqliteStore:
        self.opened.append(SqliteStore.open(self.path))
        return self.opened[-1]

    def close(self) -> None:
        for store in self.opened:
            store.close()
