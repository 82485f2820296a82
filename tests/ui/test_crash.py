"""When the dashboard fails: a few lines, nothing of what it held, and the rest in the log."""

import logging

import pytest
from ui_services import FakeServices, running

from longwatch.ui.app import Dashboard
from longwatch.ui.crash import crash_text, where

SECRET = "sk-very-secret"


class Failing(Dashboard):
    """A dashboard with something in hand when it fails."""

    def action_help(self) -> None:
        held = SECRET
        raise ValueError("no [b]such\x1b[31m pane" + held[:0])


async def crash(app: Failing) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f1")
        await pilot.pause()


@pytest.fixture
def error() -> ValueError:
    with pytest.raises(ValueError, match="invalid") as caught:
        int("no number")
    return caught.value


async def test_the_log_has_the_traceback_and_nothing_that_was_held(
    services: FakeServices, caplog: pytest.LogCaptureFixture
) -> None:
    running(services, "s1", "auth")
    with caplog.at_level(logging.ERROR), pytest.raises(ValueError, match="no"):
        await crash(Failing(services))
    assert "Traceback" in caplog.text
    assert "action_help" in caplog.text
    assert SECRET not in caplog.text


async def test_a_few_lines_are_printed(
    services: FakeServices, capsys: pytest.CaptureFixture[str]
) -> None:
    app = Failing(services, log_file="/home/ann/longwatch.log")
    with pytest.raises(ValueError, match="no"):
        await crash(app)
    printed = capsys.readouterr().err
    assert "The dashboard has stopped because of an error in it." in printed
    assert "Nothing is lost" in printed
    assert "/home/ann/longwatch.log" in printed
    assert "[b]such␛[31m" in printed
    assert SECRET not in printed
    assert "locals" not in printed
    assert app.return_code == 1


def test_the_text_names_the_error_and_its_place(error: ValueError) -> None:
    text = crash_text(error, "/home/ann/log").plain
    assert "ValueError: invalid literal" in text
    assert "test_crash.py" in text
    assert len(text.splitlines()) <= 6


def test_without_a_log_doctor_is_named(error: ValueError) -> None:
    assert "longwatch doctor" in crash_text(error, "").plain


def test_an_error_without_words_or_place() -> None:
    assert where(ValueError()) == ""
    assert "  ValueError\n" in crash_text(ValueError(), "").plain
