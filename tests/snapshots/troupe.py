"""The team's rehearsal, played by the real background worker in held time, kept at its moments."""

import asyncio
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache, cached_property
from pathlib import Path

from events_made import START
from held_time import HeldLoop, LoopClock
from msgspec import structs
from store_made import ME
from ui_services import FakeServices

from longwatch.commands.serving import Duty, info
from longwatch.engine.asking import post
from longwatch.engine.conduct import Conduct
from longwatch.engine.ledger import Listener
from longwatch.engine.reporting import DeltaListener
from longwatch.engine.storing import Batch, Draft, Record, Summary
from longwatch.engine.supervisor import Supervisor
from longwatch.governing import House
from longwatch.session import Intent, KnownEvent, SessionState
from longwatch.session.events import (
    Compacted,
    MessageSent,
    SessionStarted,
    StateChanged,
    UserMessage,
)
from longwatch.session.intents import Answer, Say, SetSetting
from longwatch.wiring import Wiring
from snapshots.tale import FOLDER

TEAM = "team"
MODEL = "rehearsal:team"
TASK = "Prepare the release with your team."
BEGAN = 4 * 3600.0 - 120
"""Seconds after the start of the events: two minutes before noon."""
COMPACTED_FROM = 600
"""Tokens: so few that the conversation is compacted on the way."""
LOOKING = 0.05
"""Seconds between two looks of the person."""
LONGEST = 3600.0
"""Seconds that the play may take; they pass in no time."""


@dataclass(frozen=True)
class Kept:
    """One session as the store had it."""

    records: Sequence[Record]
    summary: Summary
    draft: Draft | None


@dataclass(frozen=True)
class Moment:
    """All sessions at one time."""

    seconds: float
    sessions: Sequence[Kept]

    def show(self, services: FakeServices) -> str:
        """Let a dashboard find it so, at that time."""
        services.clock.seconds = self.seconds
        for kept in self.sessions:
            session = kept.summary.session
            lease = services.store.acquire(session, ME, 0.0)
            batch = Batch(lease=lease, records=kept.records, summary=kept.summary)
            assert services.store.append([batch]) == [None]
            if kept.draft is not None:
                services.store.put_draft(lease, kept.draft)
            services.store.release(lease)
        return TEAM


class Hall(House):
    """The usual governor; tools see a folder that is there, whatever its name is on screen."""

    root: Path

    def conduct(self, state: SessionState) -> Conduct:
        usual = super().conduct(state)
        return replace(usual, place=structs.replace(usual.place, root=self.root))


class Numbers:
    """Ids that are the same each time."""

    def __init__(self) -> None:
        self._last = 0

    def new(self) -> str:
        self._last += 1
        return f"i{self._last}"


@dataclass(frozen=True)
class Troupe(Wiring):
    """The program's own parts, on a clock that is held."""

    events: list[KnownEvent] = field(default_factory=list)

    @cached_property
    def clock(self) -> LoopClock:
        return LoopClock(START + timedelta(seconds=BEGAN))

    @cached_property
    def house(self) -> Hall:
        hall = Hall(super().house.outside)
        hall.root = self.places.data.parent
        return hall

    def supervisor(
        self, listener: Listener | None = None, on_delta: DeltaListener | None = None
    ) -> Supervisor:
        del listener
        return super().supervisor(lambda event, _: self.events.append(event), on_delta)

    async def until(self, seen: Callable[[KnownEvent], bool], times: int = 1) -> None:
        """Wait until so many such events have happened since the start; waiting takes no time."""
        while sum(map(seen, self.events)) < times:
            assert self.clock.monotonic() < LONGEST, self.events[-3:]
            await self.clock.sleep(LOOKING)

    def moment(self) -> Moment:
        store = self.store
        sessions = [
            Kept(list(store.records(one.session)), one, store.draft(one.session))
            for one in store.summaries()
        ]
        return Moment(BEGAN + self.clock.monotonic(), sessions)


@cache
def played() -> Mapping[str, Moment]:
    """The whole play, by the names of its moments; a thread of its own has a loop of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_play).result()


def _play() -> Mapping[str, Moment]:
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=HeldLoop) as runner:
        base = Path(folder)
        environ = {
            "LONGWATCH_CONFIG_DIR": str(base / "config"),
            "LONGWATCH_DATA_DIR": str(base / "data"),
            "TZ": "UTC",
        }
        for name in ("README.md", "manual.md"):
            (base / name).touch()
        troupe = Troupe(environ=environ)
        try:
            return runner.run(_acted(troupe))
        finally:
            troupe.store.close()


async def _acted(troupe: Troupe) -> Mapping[str, Moment]:
    ours, supervisor = info(troupe), troupe.supervisor()
    assert troupe.store.register_worker(ours)
    started = SessionStarted(
        title="release", cwd=FOLDER, model=MODEL, dialect="longwatch", attended=True
    )
    beginning = troupe.supervisor()
    await beginning.start(TEAM, [started])
    await beginning.close()
    person = asyncio.ensure_future(_person(troupe))
    duty = Duty(troupe, ours, supervisor)
    await supervisor.serve(duty.wanted, person.done)
    await supervisor.close()
    return person.result()


async def _person(troupe: Troupe) -> Mapping[str, Moment]:
    """What the person does, and which moments are kept."""
    ids, moments = Numbers(), {}

    def wish(*intents: Intent) -> None:
        for intent in intents:
            post(troupe.store, troupe.clock, ids, TEAM, intent)

    async def keep(name: str, after: float) -> None:
        await troupe.clock.sleep(after)
        moments[name] = troupe.moment()

    wish(
        SetSetting(key="schedule", value="*/5 * * * *"),
        SetSetting(key="compression_threshold", value=COMPACTED_FROM),
        Say(text=TASK),
    )
    await troupe.until(lambda e: isinstance(e, MessageSent))
    await keep("at_work", 0.5)
    await troupe.until(lambda e: isinstance(e, StateChanged) and e.state == "awaiting_human")
    await keep("asks", 1)
    wish(Answer(text="For staging."))
    await troupe.until(lambda e: isinstance(e, UserMessage) and e.source == "peer", times=2)
    await keep("replied", 0.2)
    await troupe.until(lambda e: isinstance(e, Compacted))
    await keep("compacted", 0.5)
    await troupe.until(_rests)
    await keep("rests", 5)
    await troupe.until(lambda e: isinstance(e, UserMessage) and e.source == "cron")
    await troupe.until(_rests, times=2)
    await keep("kicked", 5)
    return moments


def _rests(event: KnownEvent) -> bool:
    return isinstance(event, StateChanged) and event.session == TEAM and event.state == "dormant"
