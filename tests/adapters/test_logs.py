"""The log file: whole lines from several writers, rotated, private, without keys or tricks."""

import io
import logging
import stat
from pathlib import Path

import pytest

from longwatch.adapters.logs import FILES, LogFile, logging_to

KEY = "sk-canary-0123456789"
log = logging.getLogger("longwatch.test")


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("longwatch.test", logging.INFO, "", 0, text, None, None)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_is_made_with_the_first_line_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "data" / "longwatch.log"
    with logging_to(path, list):
        assert not path.parent.exists()
        log.info("hello")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.read_text().endswith(" test: hello\n")


def test_nothing_is_logged_afterwards_and_nothing_is_left_behind(tmp_path: Path) -> None:
    ours = logging.getLogger("longwatch")
    before = (list(ours.handlers), ours.level, ours.propagate)
    with logging_to(tmp_path / "log", list):
        log.info("hello")
    log.info("too late")
    assert (tmp_path / "log").read_text().count("\n") == 1
    assert (list(ours.handlers), ours.level, ours.propagate) == before


def test_keys_are_taken_out_of_messages_and_tracebacks(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with logging_to(path, lambda: [KEY]):
        log.warning("the server said %s", KEY)
        try:
            raise ValueError(f"bad {KEY}")  # noqa: TRY301
        except ValueError:
            log.exception("it failed")
    text = path.read_text()
    assert KEY not in text
    assert "the server said ***" in text
    assert "    ValueError: bad ***" in text


def test_no_text_can_pose_as_another_line_or_steer_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with logging_to(path, list):
        log.info("a\n2026-01-01T00:00:00.000+00:00 ERROR [1] x: %s", "forged\x1b[2J\u202e")
    (line,) = path.read_text().splitlines()
    assert "a␊2026" in line
    assert "␛[2J⟨U+202E⟩" in line


def test_warnings_are_echoed_and_events_are_not(tmp_path: Path) -> None:
    echo = io.StringIO()
    with logging_to(tmp_path / "log", lambda: [KEY], echo):
        log.info("quiet")
        log.warning("loud %s", KEY)
        logging.getLogger("longwatch.events").warning("seen already")
    assert echo.getvalue() == "longwatch: loud ***\n"
    assert "seen already" in (tmp_path / "log").read_text()


def test_it_rotates_and_keeps_so_many_files(tmp_path: Path) -> None:
    handler = LogFile(tmp_path / "log", largest=100)
    for number in range(40):
        handler.emit(record(f"{number:030}"))
    handler.close()
    assert files(tmp_path) == ["log", "log.1", "log.2"][:FILES]
    lines = [
        line
        for name in ("log.2", "log.1", "log")
        for line in (tmp_path / name).read_text().splitlines()
    ]
    assert lines == [f"{number:030}" for number in range(40 - len(lines), 40)]
    for name in files(tmp_path):
        path = tmp_path / name
        assert path.stat().st_size <= 100
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_several_writers_share_it_and_no_line_is_torn_or_lost(tmp_path: Path) -> None:
    writers = [LogFile(tmp_path / "log", largest=1000) for _ in range(3)]
    for number in range(90):
        writers[number % 3].emit(record(f"{number:030}"))
    for writer in writers:
        writer.close()
    names = ("log.2", "log.1", "log")
    lines = [line for name in names for line in (tmp_path / name).read_text().splitlines()]
    assert lines == [f"{number:030}" for number in range(90)]


def test_a_file_that_somebody_removed_is_made_again(tmp_path: Path) -> None:
    handler = LogFile(tmp_path / "log")
    handler.emit(record("one"))
    (tmp_path / "log").unlink()
    handler.emit(record("two"))
    handler.close()
    assert (tmp_path / "log").read_text() == "two\n"


def test_what_cannot_be_written_is_counted_and_told_later(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.write_text("no folder")
    handler = LogFile(folder / "log")
    handler.emit(record("one"))
    handler.emit(record("two"))
    folder.unlink()
    handler.emit(record("three"))
    handler.close()
    assert (folder / "log").read_text() == "(2 lines could not be written here)\nthree\n"


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to(tmp_path / "elsewhere")
    handler = LogFile(tmp_path / "log")
    handler.emit(record("one"))
    handler.close()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("level", [logging.DEBUG, logging.INFO])
def test_what_is_only_for_debugging_is_left_out(tmp_path: Path, level: int) -> None:
    with logging_to(tmp_path / "log", list):
        log.log(level, "hello")
    assert (tmp_path / "log").exists() == (level == logging.INFO)
