"""Values for tests of a store: owners, batches, intents and sessions that were begun."""

from collections.abc import Callable, Sequence

from longwatch.adapters.store.process import this_process
from longwatch.engine.storing import (
    Batch,
    Checkpoint,
    Lease,
    Owner,
    PostedIntent,
    Record,
    Store,
    Summary,
)
from longwatch.session import encode
from longwatch.session.events import KnownEvent, UserMessage

OpenStore = Callable[[], Store]
"""Opens the same store again at each call."""

ME = this_process()
GONE = Owner(pid=ME.pid, started="long ago", boot=ME.boot, host=ME.host)
REBOOTED = Owner(pid=ME.pid, started=ME.started, boot="an earlier one", host=ME.host)
ELSEWHERE = Owner(pid=1, started="0", boot="another", host="another.host")
LEASE_SECONDS = 15.0
LAST = 2**31


def record(session: str, seq: int, event: KnownEvent | None = None) -> Record:
    said = event or UserMessage(text=f"message {seq}", source="human")
    kind = said.__struct_config__.tag
    assert isinstance(kind, str)
    body = encode(said).replace(b'"seq":0', b'"seq":%d' % seq, 1)
    return Record(seq, kind, body.replace(b'"session":""', b'"session":"%s"' % session.encode(), 1))


def batch(
    lease: Lease,
    first: int,
    last: int,
    *,
    title: str = "",
    created: str = "",
    answered: Sequence[str] = (),
    checkpoint: Checkpoint | None = None,
    closes_draft: bool = False,
) -> Batch:
    """Messages from one seq to another, and a summary that fits them."""
    return Batch(
        lease=lease,
        records=[record(lease.session, seq) for seq in range(first, last + 1)],
        summary=Summary(session=lease.session, title=title, created=created, last_seq=last),
        answered=answered,
        checkpoint=checkpoint,
        closes_draft=closes_draft,
    )


def spoken(lease: Lease, first: int, *events: KnownEvent) -> Batch:
    """These events from one seq on."""
    records = [record(lease.session, seq, event) for seq, event in enumerate(events, first)]
    return Batch(
        lease=lease,
        records=records,
        summary=Summary(session=lease.session, last_seq=records[-1].seq),
    )


def begun(
    store: Store, session: str, events: int = 1, *, title: str = "", created: str = ""
) -> Lease:
    """A session that was taken and holds some events."""
    lease = store.acquire(session, ME, 0.0)
    assert store.append([batch(lease, 1, events, title=title, created=created)]) == [None]
    return lease


def seqs(store: Store, session: str) -> list[int]:
    return [kept.seq for kept in store.records(session)]


def intent(name: str, session: str = "s1") -> PostedIntent:
    return PostedIntent(id=name, session=session, posted="2026-11-18T08:00:00.000Z", body=b"{}")
