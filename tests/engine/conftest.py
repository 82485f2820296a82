"""A workshop for each test, closed at its end."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from workshop import ScriptedModel, Workshop

Opened = Callable[..., Workshop]


@pytest.fixture
async def workshop(tmp_path: Path) -> AsyncIterator[Opened]:
    opened: list[Workshop] = []

    def build(*script: Any, **options: Any) -> Workshop:
        opened.append(Workshop(tmp_path, ScriptedModel(*script), **options))
        return opened[-1]

    yield build
    for shop in opened:
        await shop.close()
