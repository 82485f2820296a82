"""The program's own files are written whole, and for their owner only."""

import os
import stat
from pathlib import Path

import pytest

from longwatch.adapters.settings.writing import make_private_folder, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777 & ~0o700])
def test_modes_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_private(tmp_path / "a" / "b" / "file", b"text")
    finally:
        os.umask(before)
    assert mode(tmp_path / "a") == mode(tmp_path / "a" / "b") == 0o700
    assert mode(tmp_path / "a" / "b" / "file") == 0o600


def test_a_file_is_replaced_and_nothing_is_left_over(tmp_path: Path) -> None:
    write_private(tmp_path / "file", b"one")
    write_private(tmp_path / "file", b"two")
    assert (tmp_path / "file").read_bytes() == b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    write_private(tmp_path / "file", b"one")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_private(tmp_path / "file", b"two")
    assert (tmp_path / "file").read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private_folder(tmp_path / "new")
    assert (mode(tmp_path), mode(tmp_path / "new")) == (0o755, 0o700)
