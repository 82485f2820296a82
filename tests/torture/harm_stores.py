"""Stores that are damaged, foreign or newer: told and left alone, or nothing of them is lost."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import apsw
from adapters.store import test_opening as spoiling

from torture.carving import NAME, Carving
from torture.oracle import Finding
from torture.trials import Case, Kind

PAGE = 4096
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("sessions", "--json"),
    ("export", NAME, "--format", "jsonl"),
    ("resume", NAME, "--headless"),
    ("run", "More.", "--json"),
    ("fsck",),
)
REFUSED: tuple[Callable[[Path], None], ...] = (
    spoiling.garbage,
    spoiling.short_garbage,
    spoiling.foreign,
    spoiling.newer,
    spoiling.without_tables,
    spoiling.truncated,
    spoiling.without_beginning,
    spoiling.overwritten,
)
SHARES = tuple(at / 16 for at in range(1, 16))


def refused(spoil: Callable[[Path], None], words: Sequence[str], folder: Path) -> list[Finding]:
    """What is no store of ours is told, and stays byte for byte."""
    carving = _kept(folder)
    spoil(carving.site.database)
    before = _files(carving.home.data)
    ran = carving.home.command(*words)
    found = []
    if ran.code not in (1, 2) or "Traceback" in ran.err or "left as it is" not in ran.err:
        found.append(Finding("broken", f"{words}: exit code {ran.code}, {ran.err[-400:]!r}"))
    if _files(carving.home.data) != before:
        found.append(Finding("lost", f"{words} changed what it refused"))
    return found


def damaged(harm: Callable[[Path], None], folder: Path) -> list[Finding]:
    """Whatever was hit: either it is told, or everything is still there."""
    carving = _kept(folder)
    whole = carving.home.ok("export", NAME, "--format", "jsonl")
    _empty_log(carving.site.database)
    harm(carving.site.database)
    checked = carving.home.command("fsck")
    exported = carving.home.command("export", NAME, "--format", "jsonl")
    found = [
        Finding("broken", f"a traceback: {ran.err[-400:]}")
        for ran in (checked, exported)
        if "Traceback" in ran.err
    ]
    if checked.code == 0 and (exported.code, exported.out) != (0, whole):
        found.append(Finding("lost", "fsck finds nothing wrong, and it is not the same"))
    if checked.code and not (checked.out + checked.err).strip():
        found.append(Finding("broken", "fsck fails without a word"))
    return found


def newer_log(folder: Path) -> list[Finding]:
    """A log that belongs to another store is not taken for this one's."""
    carving = _kept(folder)
    log = carving.site.database.with_name("longwatch.db-wal")
    log.write_bytes(b"\x37\x7f\x06\x82" + bytes(range(256)) * 40)
    carving.finish()
    return carving.findings()


def _kept(folder: Path) -> Carving:
    """A session that is done."""
    carving = Carving(folder)
    carving.finish()
    found = carving.findings()
    assert not found, found
    return carving


def _files(folder: Path) -> Mapping[str, bytes]:
    """The program's log is no part of the store."""
    files = [path for path in folder.iterdir() if path.is_file() and path.name != "longwatch.log"]
    return {path.name: path.read_bytes() for path in files}


def _empty_log(path: Path) -> None:
    store = apsw.Connection(str(path))
    store.pragma("wal_checkpoint(TRUNCATE)")
    store.close()


def cut(share: float, path: Path) -> None:
    body = path.read_bytes()
    path.write_bytes(body[: int(len(body) * share)])


def page_gone(share: float, path: Path) -> None:
    """One page is nothing but ones."""
    body = bytearray(path.read_bytes())
    at = int(len(body) // PAGE * share) * PAGE
    body[at : at + PAGE] = b"\xff" * PAGE
    path.write_bytes(body)


def page_zeroed(share: float, path: Path) -> None:
    body = bytearray(path.read_bytes())
    at = int(len(body) // PAGE * share) * PAGE
    body[at : at + PAGE] = bytes(PAGE)
    path.write_bytes(body)


def cases() -> Iterator[Case]:
    for spoil in REFUSED:
        for words in COMMANDS:
            yield Case(f"{spoil.__name__}, {words[0]}", partial(refused, spoil, words))
    for share in SHARES:
        for harm in (cut, page_gone, page_zeroed):
            yield Case(f"{harm.__name__} at {share:.0%}", partial(damaged, partial(harm, share)))
    yield Case("a foreign log", newer_log)


STORES = Kind("corrupt and newer stores", cases)
