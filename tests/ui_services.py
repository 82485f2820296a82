"""The dashboard's services for tests: a real store, a clock that stands still, no worker."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from events_made import START, Log, at
from store_made import ME
from ui_configuring import FakeConfiguring, FakeWelcoming

from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.asking import post
from longwatch.engine.storing import Batch, Record, Store
from longwatch.engine.summary import summarize
from longwatch.session import Intent, KnownEvent, decode, encode
from longwatch.session.events import SessionStarted, StateChanged, UnknownEvent, UserMessage
from longwatch.ui.services import Choices, Limits, NewSession, Refused, SettingRow

FOLDER = "/home/ann/code/shop"

SETTINGS = (
    SettingRow("model", "rehearsal:tour", "schema", "Which model works, as provider:name."),
    SettingRow("dialect", "longwatch", "session", "How a model speaks of its list."),
    SettingRow("auto_continue", "true", "dialect longwatch", "Whether open todos drive it on."),
    SettingRow("max_auto_continues", "40", "agent coder", "How many wakes an activation has."),
    SettingRow("approval", "ask", "global ~/.config/longwatch/config.yaml", "Who is asked."),
)
CHOICES = Choices(
    agents=("coder", "researcher", "reviewer"),
    roles=("coder", "writer"),
    models=("rehearsal:tour", "openai:gpt-4o"),
    dialects=("longwatch", "parley", "loki"),
    approvals=("ask", "edits", "auto", "readonly"),
)


class StillClock:
    """It is always this many seconds after the start of the events."""

    def __init__(self, seconds: float = 3600.0) -> None:
        self.seconds = seconds

    def now(self) -> str:
        return at(self.seconds)

    def wall(self) -> float:
        return START.timestamp() + self.seconds

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class Numbered:
    """Ids that a test can foresee: i1, i2 …"""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def new(self) -> str:
        return f"i{next(self._count)}"


class FakeServices:
    """What a dashboard asks of the world, kept for a test to look at."""

    def __init__(self, folder: Path) -> None:
        self._store = SqliteStore.open(folder / "longwatch.db", lease_seconds=15)
        self._clock = StillClock()
        self._ids = Numbered()
        self.folder = FOLDER
        self.posted: list[tuple[str, Intent]] = []
        self.started: list[NewSession] = []
        self.withdrawn: list[str] = []
        self.allowed: list[str] = []
        """Folders where `auto` was confirmed."""
        self.kinds: Collection[str] = ("done", "blocked", "approval", "idle", "failed")
        """What is announced."""
        self.memory: dict[str, Any] = {}
        self.rows: Sequence[SettingRow] = SETTINGS
        self.offered = CHOICES
        self.configuring = FakeConfiguring()
        self.welcoming = FakeWelcoming()
        self.refuses = ""
        """Why nothing can be started, if so."""

    @property
    def store(self) -> Store:
        return self._store

    @property
    def clock(self) -> StillClock:
        return self._clock

    def post(self, session: str, intent: Intent) -> str:
        self.posted.append((session, intent))
        return post(self._store, self._clock, self._ids, session, intent)

    def withdraw(self, intent: str) -> bool:
        self.withdrawn.append(intent)
        return self._store.withdraw(intent)

    def start(self, wanted: NewSession) -> str:
        self.started.append(wanted)
        if self.refuses:
            raise Refused(self.refuses)
        session = f"new{len(self.started)}"
        self.keep(session, begun(wanted.task[:30], cwd=wanted.cwd))
        return session

    def auto_risk(self, wanted: NewSession) -> str:
        free = wanted.approval != "auto" or wanted.cwd in self.allowed
        return "" if free else "bubblewrap is not installed"

    def allow_auto(self, cwd: str) -> None:
        self.allowed.append(cwd)

    def ensure_worker(self) -> None:
        pass

    def choices(self, cwd: str) -> Choices:
        del cwd
        return self.offered

    def settings(self, session: str | None) -> Sequence[SettingRow]:
        del session
        return self.rows

    def limits(self, session: str) -> Limits:
        del session
        return Limits(max_wakes=25, context=200_000)

    def announced(self, session: str) -> Collection[str]:
        del session
        return self.kinds

    def recall(self) -> Mapping[str, Any]:
        return self.memory

    def remember(self, **values: Any) -> None:
        self.memory.update(values)

    def keep(self, session: str, *events: KnownEvent, answered: Sequence[str] = ()) -> None:
        """Append events to a session, as its worker would."""
        log = Log(session)
        for kept in self._store.records(session):
            log.seconds = float(kept.seq)
            log.add(_decoded(kept))
        first = len(log.events)
        log.add(*events)
        records = [Record(e.seq, _type(e), encode(e)) for e in log.events[first:]]
        lease = self._store.acquire(session, ME, self._clock.wall())
        batch = Batch(
            lease=lease, records=records, summary=summarize(log.state, at(0)), answered=answered
        )
        assert self._store.append([batch]) == [None]
        self._store.release(lease)

    def close(self) -> None:
        self._store.close()


def begun(title: str, *, cwd: str = FOLDER, dialect: str = "longwatch") -> SessionStarted:
    return SessionStarted(title=title, cwd=cwd, model="rehearsal:tour", dialect=dialect)


def running(services: FakeServices, session: str, title: str) -> None:
    """A session at work."""
    services.keep(
        session,
        begun(title),
        UserMessage(text="Go on.", source="human"),
        StateChanged(state="running"),
    )


def resting(services: FakeServices, session: str, title: str, reason: str = "done") -> None:
    """A session that has come to its end."""
    running(services, session, title)
    services.keep(session, StateChanged(state="dormant", reason=reason))


def _decoded(record: Record) -> KnownEvent:
    event = decode(record.body)
    assert not isinstance(event, UnknownEvent)
    return event


def _type(event: KnownEvent) -> str:
    tag = event.__struct_config__.tag
    assert isinstance(tag, str)
    return tag
