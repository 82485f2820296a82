"""What tests of the dashboard share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ui_services import FakeServices


@pytest.fixture
def services(tmp_path: Path) -> Iterator[FakeServices]:
    """A store of its own, and nobody who works on it."""
    made = FakeServices(tmp_path)
    yield made
    made.close()
