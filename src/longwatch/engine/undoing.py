"""Taking back the last turn: to before the person's last message, or to ask it again."""

from collections.abc import Iterator

import msgspec

from longwatch.discipline import pause
from longwatch.engine.intents import refused
from longwatch.engine.opening import events_of, state_of
from longwatch.engine.storing import Readable
from longwatch.session import AnyEvent, KnownEvent, SessionState, decode
from longwatch.session.events import (
    Rewound,
    StateChanged,
    ToolFinished,
    UserMessage,
)
from longwatch.session.intents import Undo
from longwatch.session.state import RESTING

PAGE = 200
FRESH = ("human", "answer", "cron")
"""Messages that begin a turn of their own."""
AT_WORK = "It is at work: pause it first, then undo."
NOTHING = "There is no message to go back to."
UNDONE = "undone: write or resume to go on"
ASKED_AGAIN = "asked again"


def undo(store: Readable, state: SessionState, wish: Undo) -> tuple[KnownEvent, ...]:
    """The events that answer the wish, for a session whose events are all in the store.

    The list goes back too, with what a person changed in it since; so do approvals. Settings and
    the title stay, what was spent stays spent, and files stay as the tools left them.
    """
    if state.state in ("running", "waiting", "awaiting_approval"):
        return refused(wish, AT_WORK)
    message = _last_message(store, state)
    if message is None:
        return refused(wish, NOTHING)
    to = message.seq if wish.retry else message.seq - 1
    files = _changed_files(store, state.session, to) or msgspec.UNSET
    rewound = Rewound(to=to, files=files, intent=wish.id)
    return rewound, *_after(state_of(store, state.session, to), wish)


def _after(then: SessionState, wish: Undo) -> tuple[KnownEvent, ...]:
    """A session goes on only where the message is asked again."""
    if wish.retry:
        if then.state == "running":
            return ()
        return (StateChanged(state="running", reason=ASKED_AGAIN, intent=wish.id),)
    if then.state in RESTING:
        return ()
    *answers, _ = pause(then, wish.id)
    return *answers, StateChanged(state="paused", reason=UNDONE, intent=wish.id)


def _last_message(store: Readable, state: SessionState) -> UserMessage | None:
    for event in _backwards(store, state.session, state.seq):
        if isinstance(event, UserMessage) and event.source in FRESH:
            return event
    return None


def _backwards(store: Readable, session: str, seq: int) -> Iterator[AnyEvent]:
    """The events that count, from the end, without reading more than is looked at."""
    before = seq + 1
    while before > 1:
        page = store.records_before(session, before, PAGE)
        if not page:
            return
        for record in reversed(page):
            if record.seq >= before:
                continue
            before = record.seq
            event = decode(record.body)
            if isinstance(event, Rewound):
                before = event.to + 1
            yield event


def _changed_files(store: Readable, session: str, to: int) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for event in events_of(store, session, to):
        if isinstance(event, ToolFinished) and isinstance(event.files, tuple):
            found |= dict.fromkeys(event.files)
    return tuple(found)
