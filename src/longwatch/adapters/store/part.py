"""What every part of the SQLite store works with."""

from longwatch.adapters.store.database import Database


class Part:
    """One concern of the store, over the database that all of them share."""

    def __init__(self, database: Database, lease_seconds: float) -> None:
        self._database = database
        self._lease_seconds = lease_seconds
