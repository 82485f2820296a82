"""A home whose background worker ends with the test, and a model to work with."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Home
from terminal.playing import Model
from terminals import end_worker, left_behind, poll


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path, {"TEST_KEY": "sk-test", "LONGWATCH_LINGER": "20"}).made()
    yield home
    end_worker(home.env)
    poll(lambda: not left_behind(home.data), "nothing is left behind")


@pytest.fixture
def model(home: Home) -> Iterator[Model]:
    with Model() as model:
        home.serve_from(model.url)
        yield model
