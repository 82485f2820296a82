"""A home for each test, and a server that plays what it is told."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Home
from fault_server import FaultServer

CANARY = "sk-canary-7f3a91c2d4e5"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, {"TEST_KEY": CANARY}).made()


@pytest.fixture
def server(home: Home) -> Iterator[FaultServer]:
    with FaultServer() as server:
        home.serve_from(server.url)
        yield server
