"""A disk that is full and a folder that cannot be written: told, and nothing lost.

Both use file systems of their own (tmpfs in a mount namespace). Where mounting is not allowed, a
limit on the size of files stands for the full disk.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from torture.carving import NAME, Carving
from torture.oracle import Finding
from torture.trials import Case, Kind

INSIDE = "TORTURE_MOUNTS"
"""Set in a process that may mount."""
DISK = 4 * 1024 * 1024
KIB = 1024
FREE = tuple(range(0, 960 * KIB, 60 * KIB))
MOMENTS = (1, 2, 3, 5, 7, 9, 12, 15, 18, 21, 24, 28)
FILLER = "x" * 20_000
LIMITED = (
    "import resource, runpy, sys; most = int(sys.argv.pop(1)); "
    "resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)); "
    "runpy.run_module('longwatch', run_name='__main__')"
)


def unsharing() -> list[str] | None:
    """The command that gives a process mounts of its own; None where that is not allowed."""
    for way in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        probe = [*way, "sh", "-c", "mount -t tmpfs tmpfs /tmp"]
        try:
            if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
                return way
        except FileNotFoundError:
            return None
    return None


def may_mount() -> bool:
    return INSIDE in os.environ


def mount(folder: Path) -> None:
    """A small disk at this folder; it goes with the process's namespace."""
    folder.mkdir(mode=0o700, exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=700", "tmpfs", str(folder)]
    subprocess.run(words, check=True)


def remount(folder: Path, option: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{option}", str(folder)], check=True)


def unmount(folder: Path) -> None:
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path, leave: int) -> Path:
    """Take all of a disk but so much."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as taking:
        try:
            while (left := _free(folder) - leave) > 0:
                taking.write(bytes(min(left, 64 * KIB)))
        except OSError:
            pass
    return ballast


def _free(folder: Path) -> int:
    stat = os.statvfs(folder)
    return stat.f_bavail * stat.f_frsize


# --- full -----------------------------------------------------------------------------------


def full_from_the_start(free: int, folder: Path) -> Sequence[Finding]:
    carving = Carving(folder, FILLER)
    mount(carving.home.data)
    try:
        ballast = fill(carving.home.data, free)
        with carving.run() as run:
            code = carving.ended(run)
        told = carving.said[-1]
        ballast.unlink()
        carving.finish()
        return [*_told(code, told, "space"), *carving.findings()]
    finally:
        unmount(carving.home.data)


def full_after(moment: int, folder: Path) -> Sequence[Finding]:
    carving = Carving(folder, FILLER, pace=20_000)
    mount(carving.home.data)
    try:
        with carving.run() as run:
            carving.hear(run, moment)
            ballast = fill(carving.home.data, 0)
            code = carving.ended(run)
        told = carving.said[-1]
        ballast.unlink()
        carving.finish()
        return [*_told(code, told, "space"), *carving.findings()]
    finally:
        unmount(carving.home.data)


def limited(most: int, folder: Path) -> Sequence[Finding]:
    carving = Carving(folder, FILLER)
    with carving.run(program=(sys.executable, "-c", LIMITED, str(most))) as run:
        carving.ended(run)
    carving.finish()
    return carving.findings()


def _told(code: int, told: str, word: str) -> Iterator[Finding]:
    """A run that was stopped says why, in words, and has a code that says so too."""
    if code != 0 and word not in told:
        yield Finding("broken", f"exit code {code} without a word on it: {told[-400:]!r}")


def full() -> Iterator[Case]:
    if not may_mount():
        for most in FREE[2:]:
            yield Case(f"files of {most // KIB} KiB at most", partial(limited, most))
        return
    for free in FREE:
        yield Case(f"{free // KIB} KiB free", partial(full_from_the_start, free))
    for moment in MOMENTS:
        yield Case(f"full after {moment}", partial(full_after, moment))


# --- read-only ------------------------------------------------------------------------------


def no_store(words: Sequence[str], folder: Path) -> Sequence[Finding]:
    """Nothing can be made where the store should be."""
    carving = Carving(folder)
    with _read_only(carving.home.data):
        found = _asked(carving, words, succeeds=False)
    carving.finish()
    return [*found, *carving.findings()]


def kept_store(words: Sequence[str], folder: Path) -> Sequence[Finding]:
    """A store that can be read and not written stays as it is."""
    carving = Carving(folder)
    mount(carving.home.data)
    try:
        carving.finish()
        before = carving.site.database.read_bytes()
        remount(carving.home.data, "ro")
        found = _asked(carving, words)
        remount(carving.home.data, "rw")
        if carving.site.database.read_bytes() != before:
            found.append(Finding("broken", "the store was changed"))
        return [*found, *carving.findings()]
    finally:
        unmount(carving.home.data)


def config_folder(words: Sequence[str], folder: Path) -> Sequence[Finding]:
    """A configuration that cannot be written is read all the same."""
    carving = Carving(folder)
    content = (carving.home.config / "config.yaml").read_bytes()
    with _read_only(carving.home.config, {"config.yaml": content}):
        found = _asked(carving, words)
        carving.finish()
    return [*found, *carving.findings()]


def work_folder(folder: Path) -> Sequence[Finding]:
    """Tools that cannot write say so, and the run goes on to its end."""
    carving = Carving(folder)
    with _read_only(carving.home.work):
        carving.finish()
    return carving.findings()


class _read_only:  # noqa: N801 - reads as a function
    def __init__(self, folder: Path, files: dict[str, bytes] | None = None) -> None:
        self._folder, self._files = folder, files or {}

    def __enter__(self) -> None:
        mount(self._folder)
        for name, content in self._files.items():
            (self._folder / name).write_bytes(content)
        remount(self._folder, "ro")

    def __exit__(self, *_: object) -> None:
        unmount(self._folder)


def _asked(carving: Carving, words: Sequence[str], *, succeeds: bool = True) -> list[Finding]:
    ran = carving.home.command(*words)
    carving.said.append(ran.err)
    if ran.code not in (0, 1, 2):
        return [Finding("broken", f"exit code {ran.code} of {words}: {ran.err[-300:]}")]
    if ran.code and not (ran.err + ran.out).strip():
        return [Finding("broken", f"{words} failed without a word")]
    if not succeeds and ran.code == 0:
        return [Finding("broken", f"{words} succeeded where nothing can be written")]
    return []


LOOKS: tuple[tuple[str, ...], ...] = (
    ("sessions", "--json"),
    ("show", NAME),
    ("export", NAME),
    ("todo", NAME, "list"),
    ("todo", NAME, "add", "one more"),
    ("resume", NAME, "--headless"),
    ("run", "More.", "--json"),
    ("fsck",),
    ("doctor",),
    ("worker",),
)
MAKING: tuple[tuple[str, ...], ...] = (
    ("run", "x", "--json"),
    ("resume", "--headless"),
    ("worker",),
)
CONFIGURING: tuple[tuple[str, ...], ...] = (
    ("config", "init"),
    ("config", "show"),
    ("config", "check"),
    ("doctor",),
)


def read_only() -> Iterator[Case]:
    if not may_mount():
        return
    for words in MAKING:
        yield Case(f"no store, {words[0]}", partial(no_store, words))
    for words in LOOKS:
        yield Case(f"a store, {' '.join(words[:3])}", partial(kept_store, words))
    for words in CONFIGURING:
        yield Case(f"configuration, {' '.join(words)}", partial(config_folder, words))
    yield Case("the folder it works in", work_folder)


FULL = Kind("disk full", full, mounting=True)
READ_ONLY = Kind("read-only folder", read_only, mounting=True)
