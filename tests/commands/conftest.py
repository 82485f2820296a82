"""A desk for each test, closed at its end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from desks import Counter, opened


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Counter]:
    made = opened(tmp_path)
    yield made
    made.store.close()
