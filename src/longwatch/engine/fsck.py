"""Does the store hold what it must? Everything derived is computed again and compared."""

from collections import Counter
from collections.abc import Iterator

import msgspec

from longwatch.engine.opening import restored
from longwatch.engine.storing import Readable, Store, Summary
from longwatch.engine.summary import summarize
from longwatch.session import (
    VERSION,
    AnyEvent,
    KnownEvent,
    NotAnEvent,
    UnknownEvent,
    decode,
    fold,
)
from longwatch.session.events import (
    AssistantMessage,
    ChecklistChanged,
    ModelStarted,
    ToolFinished,
    ToolStarted,
)
from longwatch.session.transcript import effective


def check(store: Store) -> list[str]:
    """What is wrong, one sentence each; nothing is changed."""
    problems = list(store.problems())
    for summary in store.summaries():
        problems.extend(f"session {summary.session}: {p}" for p in check_session(store, summary))
    return problems


def check_session(store: Readable, summary: Summary) -> Iterator[str]:
    session = summary.session
    events: list[AnyEvent] = []
    for record in store.records(session):
        try:
            event = decode(record.body)
        except NotAnEvent as error:
            yield f"event {record.seq} cannot be read: {error}"
            return
        if event.seq != record.seq or event.seq != len(events) + 1:
            yield f"event {record.seq} stands where {len(events) + 1} should"
            return
        if event.session != session:
            yield f"event {record.seq} belongs to session {event.session}"
        events.append(event)
    if not events:
        yield "it has no events"
        return
    state = fold(events)
    derived = summarize(
        state,
        events[0].at,
        temporary=summary.temporary,
        schedule=summary.schedule,
        next_kick=summary.next_kick,
    )
    if derived != summary:
        yield "its summary differs from what its events say"
    yield from _checkpoint_problems(store, session, events)
    counting = effective(events)
    yield from order_problems([e for e in counting if not isinstance(e, UnknownEvent)])


def _checkpoint_problems(store: Readable, session: str, events: list[AnyEvent]) -> Iterator[str]:
    checkpoint = store.checkpoint(session)
    if checkpoint is None or checkpoint.version != VERSION:
        return
    try:
        kept = restored(checkpoint)
    except msgspec.DecodeError as error:
        yield f"its checkpoint at {checkpoint.seq} cannot be read: {error}"
        return
    if kept != fold(events[: checkpoint.seq]):
        yield f"its checkpoint at {checkpoint.seq} differs from what its events say"


def order_problems(events: list[KnownEvent]) -> Iterator[str]:
    """What no run may ever record, whatever happened to its process."""
    started: Counter[str] = Counter()
    finished: Counter[str] = Counter()
    open_calls: set[str] = set()
    for event in events:
        match event:
            case AssistantMessage(partial=False):
                open_calls = {call.id for call in event.tool_calls}
            case ModelStarted() if open_calls:
                yield f"event {event.seq}: a request with unanswered calls"
            case ToolStarted():
                started[event.call] += 1
                if started[event.call] > 1:
                    yield f"event {event.seq}: the tool of call {event.call} was run twice"
            case ToolFinished():
                finished[event.call] += 1
                open_calls.discard(event.call)
                if finished[event.call] > 1:
                    yield f"event {event.seq}: the call {event.call} was answered twice"
            case ChecklistChanged():
                yield from _list_problems(event)
            case _:
                pass


def _list_problems(event: ChecklistChanged) -> Iterator[str]:
    if sum(item.status == "in_progress" for item in event.items) > 1:
        yield f"event {event.seq}: two items are in progress"
    if any(bool(item.reason) != (item.status == "blocked") for item in event.items):
        yield f"event {event.seq}: a blocked item without a reason, or a reason without a block"
    if len({item.uid for item in event.items}) != len(event.items):
        yield f"event {event.seq}: two items share a uid"
