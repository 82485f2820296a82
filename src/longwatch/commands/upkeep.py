"""`delete`, `prune` and `fsck`: keeping the store in order."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from longwatch.adapters.store.process import this_process
from longwatch.commands.choosing import chosen
from longwatch.commands.failure import CommandFailed
from longwatch.engine.fsck import check
from longwatch.engine.ports import LeaseHeld
from longwatch.session.state import RESTING
from longwatch.wiring import Wiring

WATCHED = 10.0
"""Seconds since a dashboard last looked, after which nobody watches."""

_AGE = re.compile(r"([0-9]{1,6})([dhm])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def delete(wiring: Wiring, name: str) -> str:
    session = chosen(wiring.store, name)
    _remove(wiring, session)
    return f"Deleted {session}."


def prune(wiring: Wiring, older_than: str, *, archived: bool) -> Iterator[str]:
    """Delete what has rested for so long; what is worked on is left alone."""
    limit = datetime.now(UTC) - _age(older_than)
    count = 0
    for summary in wiring.store.summaries():
        old = datetime.fromisoformat(summary.updated) < limit
        resting = summary.state not in ("running", "waiting")
        if not (old and resting) or (archived and not summary.archived):
            continue
        try:
            _remove(wiring, summary.session)
        except CommandFailed as failed:
            yield str(failed)
            continue
        count += 1
        yield f"Deleted {summary.session}  {summary.title}"
    yield f"{count} session(s) deleted."


def forget_temporary(wiring: Wiring) -> None:
    """Delete sessions that were not to be saved, once they rest and nobody watches."""
    store = wiring.store
    if wiring.clock.wall() - store.last_seen() < WATCHED:
        return
    for summary in store.summaries():
        if summary.temporary and summary.state in RESTING:
            with suppress(CommandFailed):
                _remove(wiring, summary.session)


def fsck(wiring: Wiring) -> list[str]:
    """What is wrong with the store; nothing is changed."""
    return check(wiring.store)


def _remove(wiring: Wiring, session: str) -> None:
    try:
        wiring.store.acquire(session, this_process(), wiring.clock.wall())
    except LeaseHeld as held:
        raise CommandFailed(f"{session} is not deleted: {held}") from held
    wiring.store.delete(session)


def _age(text: str) -> timedelta:
    match = _AGE.fullmatch(text)
    if match is None:
        raise CommandFailed(
            f"--older-than takes a number with d, h or m, such as 30d, not {text!r}."
        )
    return timedelta(**{_UNITS[match[2]]: int(match[1])})
