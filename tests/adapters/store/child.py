"""Another process at the same store: says on stdout what it did, does more when told on stdin."""

import resource
import sys
from itertools import count
from pathlib import Path

from longwatch.adapters.store.process import this_process
from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import (
    Batch,
    Lease,
    LeaseHeld,
    Record,
    StoreError,
    StoreUnwritable,
    Summary,
)

NOW = 1000.0


def say(*words: object) -> None:
    print(*words, flush=True)


def wait() -> None:
    sys.stdin.readline()


def batch(lease: Lease, first: int, last: int) -> Batch:
    records = [
        Record(
            seq,
            "user_message",
            b'{"seq":%d,"session":"%s","type":"user_message","text":"message %d"}'
            % (seq, lease.session.encode(), seq),
        )
        for seq in range(first, last + 1)
    ]
    return Batch(
        lease=lease, records=records, summary=Summary(session=lease.session, last_seq=last)
    )


def append(store: SqliteStore, lease: Lease, first: int, last: int) -> StoreError | None:
    [outcome] = store.append([batch(lease, first, last)])
    return outcome


def last_seq(store: SqliteStore, session: str) -> int:
    found = store.summary(session)
    return 0 if found is None else found.last_seq


def hold(store: SqliteStore) -> None:
    """Take a session and append, twice; in between, whatever may happen."""
    lease = store.acquire("s1", this_process(), NOW)
    say(type(append(store, lease, 1, 1)).__name__)
    wait()
    say(type(append(store, lease, 2, 2)).__name__)


def fight(store: SqliteStore) -> None:
    """Append forty events, each under a lease of its own."""
    done = 0
    while done < 40:
        try:
            lease = store.acquire("s1", this_process(), NOW)
        except LeaseHeld:
            continue
        seq = last_seq(store, "s1") + 1
        if append(store, lease, seq, seq) is None:
            say(seq)
            done += 1
        store.release(lease)


def stream(store: SqliteStore) -> None:
    """Append until the end, and name each event when it is kept."""
    lease = store.acquire("s1", this_process(), NOW)
    for seq in count(last_seq(store, "s1") + 1):
        if append(store, lease, seq, seq) is None:
            say(seq)
        if seq % 20 == 0:
            store.renew([lease], NOW)


def triples(store: SqliteStore) -> None:
    """Append three events at a time, a hundred times."""
    lease = store.acquire("s1", this_process(), NOW)
    for first in range(1, 301, 3):
        append(store, lease, first, first + 2)
    store.release(lease)


def cramped(store: SqliteStore) -> None:
    """Append until no file may grow any more, then where they may again."""
    lease = store.acquire("s1", this_process(), NOW)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, most))
    for seq in count(1):
        try:
            append(store, lease, seq, seq)
        except StoreUnwritable as error:
            say(seq - 1)
            say(error)
            break
    say(last_seq(store, "s1"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    say(type(append(store, lease, seq, seq)).__name__)


def idle(store: SqliteStore) -> None:
    """Have it open."""
    say(store.take_ids(1))
    wait()


def main() -> None:
    roles = {role.__name__: role for role in (hold, fight, stream, triples, cramped, idle)}
    name, path = sys.argv[1:]
    say("ready")
    wait()
    store = SqliteStore.open(Path(path))
    roles[name](store)
    store.close()


if __name__ == "__main__":
    main()
