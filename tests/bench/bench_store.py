"""What the SQLite store costs: appends against raw apsw, polling, and a long session's end.

Run it with ``python tests/bench/bench_store.py [FOLDER]``; the folder decides which disk is
measured.
"""

import functools
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw
import msgspec

from longwatch.adapters.store.process import this_process
from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.storing import Batch, Record, Summary

ROUNDS = 5
SESSIONS = 32
AT = "2026-11-18T08:32:01.123Z"
KEYED = (
    "CREATE TABLE events (session TEXT, seq INTEGER, type TEXT, body BLOB, "
    "PRIMARY KEY (session, seq)) WITHOUT ROWID"
)
KEYLESS = "CREATE TABLE events (session TEXT, seq INTEGER, type TEXT, body BLOB)"

Groups = Sequence[Sequence[tuple[str, Sequence[Record]]]]
"""For each commit, what it brings to each session."""


def body(seq: int, session: str, words: Sequence[str], chance: random.Random) -> Record:
    """An event of an ordinary run: model, reply, tool, result in turn."""
    kind = ("model_started", "assistant_message", "tool_finished", "tool_started")[seq % 4]
    said_by: dict[str, dict[str, Any]] = {
        "model_started": {"model": "some/model", "attempt": 1},
        "assistant_message": {"text": " ".join(chance.choices(words, k=60)), "finish": "stop"},
        "tool_started": {"call": "c1", "name": "shell", "arguments": {"command": "make test"}},
        "tool_finished": {"call": "c1", "output": " ".join(chance.choices(words, k=150))},
    }
    made = {"type": kind, "seq": seq, "at": AT, "session": session, **said_by[kind]}
    return Record(seq, kind, msgspec.json.encode(made))


def groups(commits: int, sessions: int, events: int) -> Groups:
    """That many commits, each with that many events for each of that many sessions."""
    chance = random.Random(7)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9))) for _ in range(3000)]
    names = [f"20261118-083201-{number:04d}" for number in range(sessions)]
    return [
        [
            (name, [body(commit * events + n + 1, name, words, chance) for n in range(events)])
            for name in names
        ]
        for commit in range(commits)
    ]


def summary(session: str, last: int) -> Summary:
    return Summary(
        session=session,
        title="Make the parser faster",
        cwd="/home/someone/project",
        model="some/model",
        dialect="longwatch",
        created=AT,
        updated=AT,
        state="running",
        since=AT,
        current="Measure it",
        done=3,
        total=9,
        input=123_456,
        output=7_890,
        cost=1.25,
        last_seq=last,
    )


def by_store(folder: Path, work: Groups) -> float:
    store = SqliteStore.open(folder / "store.db")
    leases = {name: store.acquire(name, this_process(), 0.0) for name, _ in work[0]}
    began = time.perf_counter()
    for commit in work:
        store.append(
            [
                Batch(lease=leases[name], records=events, summary=summary(name, events[-1].seq))
                for name, events in commit
            ]
        )
    taken = time.perf_counter() - began
    store.close()
    return taken


def by_apsw(table: str) -> Callable[[Path, Groups], float]:
    def run(folder: Path, work: Groups) -> float:
        raw = apsw.Connection(str(folder / "raw.db"))
        raw.pragma("journal_mode", "wal")
        raw.execute("PRAGMA synchronous = FULL")
        raw.execute(table)
        began = time.perf_counter()
        for commit in work:
            rows = [(name, e.seq, e.type, e.body) for name, events in commit for e in events]
            raw.execute("BEGIN IMMEDIATE")
            raw.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", rows)
            raw.execute("COMMIT")
        taken = time.perf_counter() - began
        raw.close()
        return taken

    return run


def compare(name: str, work: Groups, target: float, disk: Path) -> None:
    ways = {"store": by_store, "keyed": by_apsw(KEYED), "keyless": by_apsw(KEYLESS)}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, run in ways.items():
            with tempfile.TemporaryDirectory(dir=disk) as folder:
                times[way].append(run(Path(folder), work))
    count = sum(len(events) for commit in work for _, events in commit)
    each = {way: statistics.median(taken) / count * 1e6 for way, taken in times.items()}
    print(
        f"{name}: store {each['store']:.1f} µs/event; raw apsw {each['keyed']:.1f} keyed, "
        f"{each['keyless']:.1f} without a key; "
        f"ratio {each['keyed'] / each['store']:.2f} and {each['keyless'] / each['store']:.2f} "
        f"(target {target})"
    )


def per_call(call: Callable[[], object], times: int) -> float:
    """Microseconds, the median of several rounds."""
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(times):
            call()
        taken.append((time.perf_counter() - began) / times * 1e6)
    return statistics.median(taken)


def long_session(disk: Path) -> None:
    with tempfile.TemporaryDirectory(dir=disk) as folder:
        store = SqliteStore.open(Path(folder) / "store.db")
        [short, long] = [store.acquire(name, this_process(), 0.0) for name in ("short", "long")]
        for lease, commits in ((short, 1), (long, 1000)):
            for [(_, events)] in groups(commits, 1, 100):
                made = summary(lease.session, events[-1].seq)
                store.append([Batch(lease=lease, records=events, summary=made)])
            store.release(lease)
        polling = per_call(store.version, 10_000)
        print(f"polling version(): {polling:.1f} µs")
        for lease in (short, long):
            read = functools.partial(store.records_before, lease.session, 1 << 31, 200)
            print(
                f"the last 200 events of the {lease.session} session: {per_call(read, 200):.0f} µs"
            )
        [second] = store.records("long", 1, 1)
        word = msgspec.json.decode(second.body)["output"].split()[0]
        for text in (word[:1], word[:2], word):
            search = functools.partial(store.search, text)
            print(f"searching {text!r} in 100,100 events: {per_call(search, 5) / 1000:.1f} ms")
        store.close()


def main() -> None:
    disk = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir())
    compare("appends one by one", groups(2000, 1, 1), 0.5, disk)
    compare(f"appends grouped, {SESSIONS} sessions × 1 event", groups(100, SESSIONS, 1), 0.3, disk)
    compare("appends grouped, 1 session × 100 events", groups(60, 1, 100), 0.3, disk)
    compare("appends grouped, 1 session × 1000 events", groups(10, 1, 1000), 0.3, disk)
    long_session(disk)


if __name__ == "__main__":
    main()
