"""The SQLite store agrees with the model, whatever is done in whatever order."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from store_machine import StoreMachine

from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import Store


class SqliteMachine(StoreMachine):
    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        super().__init__()

    def open(self) -> Store:
        return SqliteStore.open(self.folder / "store.db")

    def teardown(self) -> None:
        super().teardown()
        shutil.rmtree(self.folder)


TestMachine = SqliteMachine.TestCase
TestMachine.settings = settings(
    database=None, deadline=None, max_examples=30, stateful_step_count=25
)
