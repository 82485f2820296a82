"""Asking something of a session from outside, whoever works on it, and waiting for the answer."""

import asyncio

from msgspec.structs import replace

from longwatch.engine.opening import events_of
from longwatch.engine.ports import Clock, Ids
from longwatch.engine.storing import LeaseHeld, NoSuchSession, Postbox, PostedIntent, Store
from longwatch.engine.supervisor import Supervisor
from longwatch.session import Intent, KnownEvent, UnknownEvent, encode_intent

POLL = 0.05


class NotAnswered(Exception):
    """The process that holds the session did not answer in time. The wish stays posted."""


def post(store: Postbox, clock: Clock, ids: Ids, session: str, intent: Intent) -> str:
    """Leave a wish for whoever works on the session; returns its id."""
    number = ids.new()
    body = encode_intent(replace(intent, id=number, at=clock.now()))
    store.post(PostedIntent(number, session, clock.now(), body))
    return number


async def ask(
    store: Store,
    supervisor: Supervisor,
    clock: Clock,
    ids: Ids,
    session: str,
    intent: Intent,
    patience: float = 10.0,
) -> list[KnownEvent]:
    """The events that answered. Nobody at work: the session is taken for just this."""
    summary = store.summary(session)
    if summary is None:
        raise NoSuchSession(f"There is no session {session}.")
    number = post(store, clock, ids, session, intent)
    until = clock.monotonic() + patience
    while any(posted.id == number for posted in store.unanswered(session)):
        try:
            await supervisor.answer(session)
        except LeaseHeld:
            if clock.monotonic() > until:
                raise NotAnswered(number) from None
            await clock.sleep(POLL)
    events = await asyncio.to_thread(list, events_of(store, session, summary.last_seq))
    return [e for e in events if not isinstance(e, UnknownEvent) and e.intent == number]
