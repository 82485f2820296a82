"""The store in one SQLite file, shared by all who work and all who watch on a machine."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from longwatch.adapters.store import checkup
from longwatch.adapters.store.appending import Appending
from longwatch.adapters.store.intents import Intents
from longwatch.adapters.store.leases import Leases
from longwatch.adapters.store.opening import open_database
from longwatch.adapters.store.reading import Reading
from longwatch.adapters.store.schema import place
from longwatch.adapters.store.search import Search, forget
from longwatch.adapters.store.workers import Workers


class SqliteStore(Leases, Appending, Intents, Reading, Search, Workers):
    """The parts put together, and what concerns all of them."""

    @classmethod
    def open(cls, path: Path, *, lease_seconds: float = 15.0) -> Self:
        """Open the store at a path, or make one; raises StoreUnusable and StoreUnwritable."""
        return cls(open_database(Path(os.path.realpath(path))), lease_seconds)

    def delete(self, session: str) -> None:
        """Remove all of a session; whoever works on it has lost it."""
        with self._database.durably() as cursor:
            kept = cursor.execute("SELECT number, indexed FROM sessions WHERE id = ?", (session,))
            for number, indexed in list(kept):
                forget(cursor, number, indexed)
                bounds = (place(number, 0), place(number + 1, 0))
                cursor.execute("DELETE FROM events WHERE id > ? AND id < ?", bounds)
                cursor.execute("DELETE FROM checkpoints WHERE id > ? AND id < ?", bounds)
                cursor.execute("DELETE FROM sessions WHERE number = ?", (number,))
            for table in ("leases", "drafts", "intents"):
                cursor.execute(f"DELETE FROM {table} WHERE session = ?", (session,))  # noqa: S608

    def problems(self) -> Sequence[str]:
        return list(checkup.problems(self._database))

    def close(self) -> None:
        self._database.close()
