"""Only regular files with UTF-8 text are read, and opening never waits."""

import errno
import os
from pathlib import Path

import pytest

from longwatch.adapters.settings.opening import LIMIT, decode, read_text
from longwatch.adapters.settings.problems import Problems


def test_a_file_is_read_and_its_byte_order_mark_dropped(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe\r\n")
    assert read_text(path) == "Grüße\r\n"


def test_no_file_is_none(tmp_path: Path) -> None:
    assert read_text(tmp_path / "none") is None
    assert read_text(tmp_path / "no" / "folder") is None


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("text")
    (tmp_path / "link").symlink_to("real")
    assert read_text(tmp_path / "link") == "text"


def test_exactly_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * LIMIT)
    assert len(read_text(path) or "") == LIMIT
    path.write_bytes(b"x" * (LIMIT + 1))
    with pytest.raises(Problems, match="more than 1048576 bytes"):
        read_text(path)


def test_a_fifo_put_there_at_the_last_moment_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    plain = tmp_path / "plain"
    plain.write_text("")
    os.mkfifo(path)
    real = Path.stat
    monkeypatch.setattr(Path, "stat", lambda _, **named: real(plain, **named))
    with pytest.raises(Problems, match="found a FIFO"):
        read_text(path)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EACCES, "a file that may not be read"),
        (errno.ELOOP, "a link that leads to itself"),
        (errno.ENAMETOOLONG, "a name that is too long"),
        (errno.EIO, r"a file that cannot be read \(Input/output error\)"),
    ],
)
def test_the_systems_refusals_in_words(
    number: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **named: object) -> int:
        del named
        raise OSError(number, os.strerror(number))

    (tmp_path / "file").write_text("")
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(Problems, match=said):
        read_text(tmp_path / "file")


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(Problems, match="a name that no file can have"):
        read_text(Path("a\0b"))


@pytest.mark.parametrize(
    ("data", "line"), [(b"a\n\xff", 2), (b"\xff\xfea", 1), (b"a\nb\nc\0", 3), (b"\x80", 1)]
)
def test_what_is_not_utf_8_is_refused_with_its_line(data: bytes, line: int) -> None:
    with pytest.raises(Problems) as refused:
        decode(data, "file")
    assert [problem.line for problem in refused.value.problems] == [line]
