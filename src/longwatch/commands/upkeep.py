"""`delete`, `prune` and `fsck`: keeping the store in order."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from longwatch.adapters.store.process import this_process
from longwatch.commands.choosing import chosen
from longwatch.commands.failure import CommandFailed
from longwatch.engine.fsck import check
from longwatch.engine.storing import LeaseHeld, PostedIntent
from longwatch.session import encode_intent
from longwatch.session.intents import ChildEnded
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
    _tell_parent(wiring, session)
    wiring.store.delete(session)


def _tell_parent(wiring: Wiring, session: str) -> None:
    """A parent must not wait for a child that is no more."""
    summary, now = wiring.store.summary(session), wiring.clock.now()
    if summary is None or summary.parent is None or wiring.store.summary(summary.parent) is None:
        return
    number = f"{session}.deleted"
    gone = ChildEnded(id=number, at=now, child=session, title=summary.title, outcome="deleted")
    wiring.store.post(PostedIntent(number, summary.parent, now, encode_intent(gone)))


def _age(text: str) -> timedelta:
    match = _AGE.fullmatch(text)
    if match is None:
        raise CommandFailed(
            f"--older-than takes a number with d, h or m, such as 30d, not {text!r}."
        )
    return timedelta(**{_UNITS[match[2]]: int(match[1])})
