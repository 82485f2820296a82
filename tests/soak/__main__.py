"""`make soak`: sixteen sessions at work, faults, dashboards that come and go; judged at the end.

python -m soak --minutes 10       (from tests/)
"""

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import astuple, dataclass, field
from pathlib import Path
from random import Random

from bench import processes
from bench.bench_conversation import session as past
from bench.kept_sessions import Writer
from command_line import Home

from longwatch.adapters.store.process import is_gone
from longwatch.dashboard import Desk
from longwatch.session import UnknownEvent, decode
from longwatch.session.events import Compacted, ToolFinished, ToolStarted
from longwatch.session.intents import Rename, Say
from longwatch.session.state import RESTING
from longwatch.wiring import Wiring
from soak.judging import Account, confidence, rows
from soak.samples import Sample, anonymous, descriptors, size
from soak.steady_model import serving
from soak.visitors import Visitor, leaf_back, look_around, visits

SESSIONS = 16
CONTEXT = 12_000
"""Tokens that the model reads: conversations are compacted, as they are in a long run."""
HISTORY = 3_000
"""Events that each session has when the soak begins."""
SETTLING = 90.0
"""Seconds that the sessions have to come to rest when nothing more is asked of them."""


@dataclass
class Soak:
    """One soak in folders of its own."""

    home: Home
    seconds: float
    curve: Path | None = None
    """Where every sample is written as a line, for whoever wants to plot it."""
    account: Account = field(default_factory=Account)
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.wiring = Wiring(environ=self.home.env)
        self.desk = Desk(self.wiring, str(self.home.work))
        self.rng = Random(7)
        self.posted: dict[str, list[str]] = {}

    # --- the run ----------------------------------------------------------------------------

    def run(self) -> None:
        self.sessions = [self._begin(number) for number in range(SESSIONS)]
        self.desk.ensure_worker()
        with Visitor(self.home) as watcher:
            watcher.ready()
            leaf_back(watcher)
            helpers = [
                threading.Thread(target=self._receive_visitors),
                threading.Thread(target=self._look_around, args=(watcher,)),
            ]
            for helper in helpers:
                helper.start()
            self._go_on(watcher)
            self.over.set()
            for helper in helpers:
                helper.join()
            self._settle()
            wrong = watcher.leave() or watcher.complaint
            self.account.complaints += [wrong] if wrong else []
        self._stop_worker()

    def _begin(self, number: int) -> str:
        """A session with hours behind it, so that what fills up is full soon."""
        folder = self.home.work / f"{number:02d}"
        folder.mkdir()
        self.desk.allow_auto(str(folder))
        session = self.wiring.ids.new()
        writer = Writer(self.desk.store, session)
        writer.begin(str(folder), f"List {number}")
        writer.write(*(e for e in past(HISTORY - 3) if not isinstance(e, UnknownEvent)))
        writer.write(Compacted(before=CONTEXT, after=20, summary="All lists are finished so far."))
        writer.rest()
        self.posted[session] = []
        return session

    def _go_on(self, watcher: Visitor) -> None:
        """Keep every session at work, ask something of one now and then, and look at everything."""
        began = time.monotonic()
        every = min(5.0, max(0.5, self.seconds / 150))
        next_sample = 0.0
        while (now := time.monotonic() - began) < self.seconds:
            if now >= next_sample:
                next_sample += every
                self.account.samples.append(self._sample(now, watcher))
                self._write(self.account.samples[-1])
            self._wake_who_rests()
            self._ask(now)
            time.sleep(0.1)

    def _wake_who_rests(self) -> None:
        waiting = {posted.session for posted in self.desk.store.unanswered()}
        for summary in self.desk.store.summaries():
            if summary.state in RESTING and summary.session not in waiting:
                self._post(summary.session, Say(text=f"Again, list {self.account.messages}."))
                self.account.messages += 1

    def _ask(self, now: float) -> None:
        """How long the worker takes to answer: its loop's lag, as a person feels it."""
        session = self.rng.choice(self.sessions)
        began = time.perf_counter()
        wish = self._post(session, Rename(title=f"renamed at {now:.1f} s"))
        while any(posted.id == wish for posted in self.desk.store.unanswered(session)):
            if time.perf_counter() - began > 30:
                self.account.complaints.append(f"the wish {wish} was not answered in 30 s")
                return
            time.sleep(0.002)
        self.account.answers.append((now, time.perf_counter() - began))

    def _post(self, session: str, intent: Say | Rename) -> str:
        wish = self.desk.post(session, intent)
        self.posted[session].append(wish)
        return wish

    def _sample(self, now: float, watcher: Visitor) -> Sample:
        worker = self.desk.store.worker()
        assert worker is not None, "the worker is gone"
        path = self.wiring.store_path
        return Sample(
            at=now,
            worker=anonymous(worker.owner.pid),
            dashboard=anonymous(watcher.pid),
            worker_files=descriptors(worker.owner.pid),
            dashboard_files=descriptors(watcher.pid),
            store=size(path),
            log=size(path.with_name(path.name + "-wal")),
            events=sum(summary.last_seq for summary in self.desk.store.summaries()),
        )

    def _write(self, sample: Sample) -> None:
        if self.curve is not None:
            with self.curve.open("a") as lines:
                lines.write(",".join(f"{value:g}" for value in astuple(sample)) + "\n")

    def _receive_visitors(self) -> None:
        for wrong in visits(self.home, self.over):
            self.account.visits += 1
            if wrong:
                self.account.complaints.append(wrong)

    def _look_around(self, watcher: Visitor) -> None:
        rng = Random(3)
        while not self.over.wait(4):
            look_around(watcher, rng, 1)

    def _settle(self) -> None:
        """Nothing more is asked, so every session comes to rest."""
        end = time.monotonic() + SETTLING
        while (left := self._at_work()) and time.monotonic() < end:
            time.sleep(0.1)
        self.account.complaints += [f"it did not come to rest: {words}" for words in left]

    def _at_work(self) -> list[str]:
        store = self.desk.store
        unanswered = [f"wish {posted.id} of {posted.session}" for posted in store.unanswered()]
        busy = [summary for summary in store.summaries() if summary.state not in RESTING]
        return [*unanswered, *(f"{s.session} is {s.state} {s.reason}" for s in busy)]

    def _stop_worker(self) -> None:
        worker = self.desk.store.worker()
        if worker is None:
            return
        self.desk.store.stop_worker()
        end = time.monotonic() + 20
        while not is_gone(worker.owner):
            if time.monotonic() > end:
                self.account.complaints.append("the worker did not end when it was asked to")
                os.kill(worker.owner.pid, signal.SIGKILL)
                return
            time.sleep(0.1)

    # --- what became of it ------------------------------------------------------------------

    def examine(self) -> None:
        checked = self.home.command("fsck")
        if checked.code:
            self.account.lost.append(f"fsck: {checked.out} {checked.err}"[:1000])
        for session in self.sessions:
            self._examine(session)
        self.wiring.store.close()

    def _examine(self, session: str) -> None:
        """Every mark that is reported was left, once; every wish has one answer."""
        account, wishes = self.account, self.posted[session]
        asked: dict[str, str] = {}
        reported: set[str] = set()
        answers: dict[str, list[int]] = {}
        cwd = Path(self.desk.store.summary(session).cwd)  # type: ignore[union-attr]
        for record in self.desk.store.records(session, HISTORY):
            event = decode(record.body)
            if isinstance(event, UnknownEvent):
                account.lost.append(f"{session}: event {record.seq} cannot be read")
                continue
            if event.intent:
                answers.setdefault(event.intent, []).append(event.seq)
            if isinstance(event, ToolStarted) and event.name == "shell":
                asked[event.call] = str(dict(event.arguments)["command"]).split()[1]  # type: ignore[arg-type]
            if isinstance(event, ToolFinished) and event.ok and event.call in asked:
                reported.add(asked[event.call])
        left = (
            Counter((cwd / "marks").read_text().split()) if (cwd / "marks").exists() else Counter()
        )
        account.marks += len(reported)
        account.lost += [f"{session}: mark {mark} is not there" for mark in reported - left.keys()]
        account.doubled += [f"{session}: mark {m} {n} times" for m, n in left.items() if n > 1]
        account.lost += [f"{session}: wish {w} unanswered" for w in wishes if w not in answers]
        for wish, seqs in answers.items():
            if seqs[-1] - seqs[0] + 1 != len(seqs):
                account.doubled.append(f"{session}: wish {wish} answered twice")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--curve", type=Path, help="write every sample there, comma-separated")
    options = parser.parse_args()
    # Told to end, it ends what it has started too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"{options.minutes:g} minutes, {SESSIONS} sessions; {processes.shape()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, serving() as url:
        home = Home(
            Path(folder), {"TEST_KEY": "a-key-for-nothing", "LONGWATCH_LINGER": "20"}
        ).made()
        home.serve_from(
            url, approval="auto", sandbox="off", models={"test:m": {"context": CONTEXT}}
        )
        soak = Soak(home, options.minutes * 60, options.curve)
        try:
            soak.run()
        finally:
            with suppress(Exception):
                soak._stop_worker()
        soak.examine()
        log = (home.data / "longwatch.log").read_text()
    return _told(soak.account, log)


def _told(account: Account, log: str) -> int:
    if "Traceback" in log:
        account.complaints.append("the log holds a traceback")
    judged = list(rows(account))
    head = f"{'':<34}{'first':>12}{'last':>12}"
    print(head, *(row.line for row in judged), sep="\n")
    print(
        f"{account.messages} messages, {len(account.answers)} wishes timed, {account.marks} tool "
        f"runs, {account.visits} visits by dashboards."
    )
    print(confidence(account))
    for words in (*account.lost, *account.doubled, *account.complaints):
        sys.stderr.write(f"{words}\n")
    return 0 if all(row.holds for row in judged) else 1


if __name__ == "__main__":
    sys.exit(main())
