"""`longwatch worker`: the background process that works on what dashboards ask for."""

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from longwatch import __version__
from longwatch.adapters.store.process import this_process
from longwatch.commands.kicking import kick
from longwatch.commands.signals import until_a_signal
from longwatch.commands.upkeep import forget_temporary
from longwatch.engine.storing import Summary, WorkerInfo
from longwatch.engine.supervisor import Supervisor
from longwatch.session.codec import is_letter
from longwatch.wiring import Wiring

LINGER = 60.0
"""Seconds that a worker with nothing to do waits for somebody to look."""
HEARTBEAT = 3.0
RELEVANT = ("LONGWATCH_", "OPENAI_", "ANTHROPIC_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def fingerprint(environ: Mapping[str, str], salt: str) -> str:
    """The environment that matters: names and salted hashes of values, as one word."""
    digest = hashlib.blake2b(salt.encode(), digest_size=16)
    for name in sorted(environ):
        if name.upper().startswith(RELEVANT):
            digest.update(f"{name}={environ[name]}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def info(wiring: Wiring) -> WorkerInfo:
    """This process, as it registers itself."""
    return WorkerInfo(
        owner=this_process(),
        version=__version__,
        fingerprint=fingerprint(wiring.environ, str(wiring.store_path)),
        started=wiring.clock.now(),
        heartbeat=wiring.clock.wall(),
    )


def ensure_worker(wiring: Wiring) -> None:
    """Have a worker of this version and environment; another one is asked to hand over."""
    current = wiring.store.worker()
    if current is not None and not current.stopping:
        ours = info(wiring)
        if (current.version, current.fingerprint) == (ours.version, ours.fingerprint):
            return
        wiring.store.stop_worker()
    spawn(wiring)


def spawn(wiring: Wiring) -> None:
    """Start a worker that does not depend on this process or its terminal."""
    log = wiring.places.data / "worker.out"
    wiring.places.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        subprocess.Popen(
            [sys.executable, "-m", "longwatch", "worker"],
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            cwd="/",
            start_new_session=True,
            env={**os.environ, **wiring.environ},
        )
    finally:
        os.close(descriptor)


def serve(wiring: Wiring) -> int:
    """Be the store's worker until there is nothing to do and nobody looks."""
    with wiring.logging("worker"):
        return asyncio.run(_serve(wiring))


async def _serve(wiring: Wiring) -> int:
    ours, supervisor = info(wiring), wiring.supervisor()
    task = asyncio.ensure_future(_work(wiring, ours, supervisor))
    try:
        ended = await until_a_signal(task)
    finally:
        await supervisor.close()
        await wiring.house.close()
        wiring.store.unregister_worker(ours.owner)
    if ended is None:
        task.result()
    return 0


async def _work(wiring: Wiring, ours: WorkerInfo, supervisor: Supervisor) -> None:
    """Register, after a worker that is stopping if there is one, and serve."""
    while not wiring.store.register_worker(ours):
        current = wiring.store.worker()
        if current is None or not current.stopping:
            return
        await wiring.clock.sleep(0.1)
    duty = Duty(wiring, ours, supervisor)
    await supervisor.serve(duty.wanted, duty.over)


@dataclass
class Duty:
    """What the background worker has to do, looked up in the store."""

    wiring: Wiring
    ours: WorkerInfo
    supervisor: Supervisor
    _version: int = -1
    _wanted: tuple[str, ...] = ()
    _idle_since: float | None = None
    _beaten: float = 0.0
    _kicks: tuple[tuple[str, str], ...] = ()
    """Which session is to be kicked, and when."""

    def wanted(self) -> tuple[str, ...]:
        """Sessions that somebody asked something of, and those that a worker left cut off."""
        store = self.wiring.store
        version = store.version()
        if version != self._version:
            self._version = version
            summaries = {summary.session: summary for summary in store.summaries()}
            self._wanted = tuple(sorted(self._to_do(summaries)))
            due = ((s.session, s.next_kick) for s in summaries.values() if s.next_kick)
            self._kicks = tuple(due)
        for session, due_at in self._kicks:
            if due_at <= self.wiring.clock.now():
                kick(self.wiring, session, due_at)
        return self._wanted

    def _to_do(self, summaries: Mapping[str, Summary]) -> Iterator[str]:
        put_off = self.supervisor.put_off
        posted = [one for one in self.wiring.store.unanswered() if one.id not in put_off]
        asked = {one.session for one in posted}
        by_person = {one.session for one in posted if not is_letter(one.body)}
        for session, summary in summaries.items():
            cut_off = summary.state in ("running", "waiting")
            if session not in asked and not cut_off:
                continue
            above = _above(summary, summaries)
            root = above[-1] if above else summary
            # What `run` left is only resumed by hand, and while it runs its children are its own.
            left_to_us = root.attended or bool(root.schedule) or not cut_off
            if (left_to_us or session in by_person) and not self._are_anothers(above):
                yield session

    def over(self) -> bool:
        """Whether to end: asked to, replaced, or idle for long with nobody watching."""
        store, now = self.wiring.store, self.wiring.clock.wall()
        current = store.worker()
        if current is None or current.owner != self.ours.owner or current.stopping:
            return True
        if now - self._beaten >= HEARTBEAT:
            self._beaten = now
            store.register_worker(self.ours)
            forget_temporary(self.wiring)
        if self.supervisor.busy or self._wanted or self._kicks:
            self._idle_since = None
            return False
        self._idle_since = self._idle_since or now
        looked = max(self._idle_since, store.last_seen())
        return now - looked > float(self.wiring.environ.get("LONGWATCH_LINGER") or LINGER)

    def _are_anothers(self, sessions: Iterable[Summary]) -> bool:
        store, now = self.wiring.store, self.wiring.clock.wall()
        holders = (store.holder(one.session, now) for one in sessions)
        return any(holder not in (None, self.ours.owner) for holder in holders)


def _above(summary: Summary, summaries: Mapping[str, Summary]) -> list[Summary]:
    """A session's parent, that one's parent, and so on."""
    found: list[Summary] = []
    parent = summary.parent
    while parent is not None and parent in summaries:
        found.append(summaries[parent])
        parent = summaries[parent].parent
    return found


def status_lines(wiring: Wiring, *, as_json: bool) -> list[str]:
    """Who works on this store, for people and scripts."""
    current = wiring.store.worker()
    told: dict[str, object] = {"running": current is not None}
    if current is not None:
        told |= {
            "pid": current.owner.pid,
            "version": current.version,
            "started": current.started,
            "stopping": current.stopping,
        }
    if as_json:
        return [json.dumps(told)]
    if current is None:
        return ["No worker is running."]
    ending = ", stopping" if current.stopping else ""
    return [
        f"Worker {current.owner.pid} (version {current.version}) since {current.started}{ending}"
    ]
