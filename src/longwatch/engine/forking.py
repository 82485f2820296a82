"""Another session that begins as this one was at some moment."""

import asyncio
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec.structs import replace

from longwatch.discipline import pause
from longwatch.engine.intents import refused
from longwatch.engine.journal import Journal
from longwatch.engine.ledger import Ledger
from longwatch.engine.opening import checkpoint_of, events_of
from longwatch.engine.ports import Clock
from longwatch.engine.storing import Batch, Lease, Readable, Record
from longwatch.engine.summary import summarize
from longwatch.session import (
    AnyEvent,
    KnownEvent,
    SessionState,
    UnknownEvent,
    advance,
    encode,
    fold,
)
from longwatch.session.events import (
    Origin,
    Renamed,
    Rewound,
    SessionStarted,
    StateChanged,
)
from longwatch.session.intents import Fork


def fork_id(wish: str) -> str:
    """The id of the session that a wish leads to: the same however often it is carried out."""
    return blake2b(f"fork {wish}".encode(), digest_size=5).hexdigest()


async def fork(
    ledger: Ledger, journal: Journal, store: Readable, clock: Clock, wish: Fork
) -> tuple[KnownEvent, ...]:
    """Make the new session, all at once; its events are the answer, unless it is refused."""
    seq = ledger.state.seq if wish.seq is None else wish.seq
    if not 1 <= seq <= ledger.state.seq:
        return refused(wish, f"There is no event {seq} to fork at.")
    session = fork_id(wish.id)
    if store.summary(session) is None:
        now, owner = clock.wall(), ledger.lease.owner
        lease = await journal.do(lambda store: store.acquire(session, owner, now))
        try:
            await journal.append(await asyncio.to_thread(_copy, store, ledger, clock, wish, lease))
        finally:
            await journal.do(lambda store: store.release(lease))
    return ()


def _copy(store: Readable, ledger: Ledger, clock: Clock, wish: Fork, lease: Lease) -> Batch:
    """All that the new session begins with, in one piece."""
    source = list(events_of(store, ledger.lease.session))
    events = _turns_upto(source, len(source) if wish.seq is None else wish.seq)
    first = events[0]
    assert isinstance(first, SessionStarted)
    now, title = clock.now(), _title(store, fold(events).profile.title)
    events[0] = replace(
        first,
        at=now,
        title=title,
        parent=None,
        attended=True,
        forked_from=Origin(first.session, len(events)),
        intent=wish.id,
    )
    state = fold(events)
    ending = [
        replace(event, seq=number, at=now)
        for number, event in enumerate(_ending(state, first, title, wish), start=state.seq + 1)
    ]
    own = [_moved(event, lease.session) for event in (*events, *ending)]
    state = fold(own)
    return Batch(
        lease=lease,
        records=[_record(event) for event in own],
        summary=summarize(state, now),
        checkpoint=checkpoint_of(state),
    )


def _turns_upto(source: list[AnyEvent], seq: int) -> list[AnyEvent]:
    """The events up to one, and on to where the calls of its turn are answered."""
    state, end = fold(source[:seq]), seq
    while state.turn.pending and end < len(source) and not isinstance(source[end], Rewound):
        state = advance(state, source[end])
        end += 1
    return source[:end]


def _ending(state: SessionState, first: SessionStarted, title: str, wish: Fork) -> list[KnownEvent]:
    """A fork rests until somebody writes: calls that are open are closed, nothing runs."""
    *answers, _ = pause(state, wish.id)
    reason = f"forked from {first.title or first.session}: write or resume to go on"
    rest = StateChanged(
        state="idle" if state.checklist.open_count else "dormant", reason=reason, intent=wish.id
    )
    # A title that was given later than the first one is copied along.
    renamed = [Renamed(title=title)] if state.profile.title != title else []
    return [*answers, *renamed, rest]


def _title(store: Readable, title: str) -> str:
    """The title with a number that no other session has."""
    taken = {summary.title for summary in store.summaries()}
    base = title or "session"
    number = 2
    while f"{base} ({number})" in taken:
        number += 1
    return f"{base} ({number})"


def _moved(event: AnyEvent, session: str) -> AnyEvent:
    if not isinstance(event, UnknownEvent):
        return replace(event, session=session)
    fields: dict[str, Any] = msgspec.json.decode(event.raw)
    raw = msgspec.json.encode({**fields, "session": session})
    return replace(event, session=session, raw=msgspec.Raw(raw))


def _record(event: AnyEvent) -> Record:
    if isinstance(event, UnknownEvent):
        return Record(event.seq, event.type, bytes(event.raw))
    return Record(event.seq, str(event.__struct_config__.tag), encode(event))
