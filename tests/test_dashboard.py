"""What the dashboard is told of a session's configuration."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from desks import Counter, keep, opened

from longwatch.adapters.tools.sandbox import NoSandbox, Sandbox
from longwatch.session.events import SettingsChanged


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Counter]:
    made = opened(tmp_path)
    yield made
    made.store.close()


@pytest.mark.parametrize(
    ("approval", "found", "said"),
    [
        ("auto", Sandbox("/usr/bin/bwrap"), True),
        ("auto", NoSandbox("bubblewrap is not installed"), False),
        ("ask", Sandbox("/usr/bin/bwrap"), None),
        ("edits", NoSandbox("bubblewrap is not installed"), None),
    ],
)
def test_whether_there_is_a_sandbox_is_said_where_nobody_is_asked(
    desk: Counter, approval: str, found: Sandbox | NoSandbox, said: bool | None
) -> None:
    desk.wiring.house.bounds.sandbox = found
    keep(desk, SettingsChanged(key="approval", value=approval))
    assert desk.limits("s1").sandbox is said


def test_a_sandbox_that_is_turned_off_is_none(desk: Counter) -> None:
    desk.wiring.house.bounds.sandbox = Sandbox("/usr/bin/bwrap")
    settings = {"approval": "auto", "sandbox": "off"}
    keep(desk, *(SettingsChanged(key=key, value=value) for key, value in settings.items()))
    assert desk.limits("s1").sandbox is False
