"""The dashboard's real services in folders of their own, with nobody who works on the sessions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from longwatch.adapters.store.process import this_process
from longwatch.dashboard import Desk
from longwatch.engine.asking import post
from longwatch.engine.opening import state_of
from longwatch.engine.storing import Batch, Record
from longwatch.engine.summary import summarize
from longwatch.session import Intent, KnownEvent, SessionState, decode_intent, encode, fold
from longwatch.session.events import SessionStarted
from longwatch.ui.configuring import Configuring, Welcoming
from longwatch.wiring import Wiring


class Counter(Desk):
    """A desk whose wishes are kept for the test to look at; no process is started for them."""

    def post(self, session: str, intent: Intent) -> str:
        return post(self.store, self.clock, self.wiring.ids, session, intent)

    def ensure_worker(self) -> None:
        pass

    def asked(self, session: str) -> list[Intent]:
        return [decode_intent(posted.body) for posted in self.store.unanswered(session)]

    @property
    def setup(self) -> Configuring:
        return self.configuring

    @property
    def welcome(self) -> Welcoming:
        return self.welcoming


def opened(base: Path, environ: Mapping[str, str] | None = None) -> Counter:
    folder = base / "work"
    folder.mkdir(exist_ok=True)
    own = {
        "LONGWATCH_CONFIG_DIR": str(base / "config"),
        "LONGWATCH_DATA_DIR": str(base / "data"),
    }
    return Counter(Wiring(environ={**own, **(environ or {})}), str(folder.resolve()))


def keep(desk: Desk, *events: KnownEvent, session: str = "s1", **started: Any) -> SessionState:
    """A session with these events after its beginning."""
    profile = {"title": "t", "cwd": desk.folder, "model": "rehearsal:tour", "dialect": "loki"}
    numbered = [
        replace(event, seq=seq, at=desk.clock.now(), session=session)
        for seq, event in enumerate((SessionStarted(**{**profile, **started}), *events), 1)
    ]
    lease = desk.store.acquire(session, this_process(), desk.clock.wall())
    records = [Record(e.seq, str(e.__struct_config__.tag), encode(e)) for e in numbered]
    summary = summarize(fold(numbered), numbered[0].at)
    assert desk.store.append([Batch(lease=lease, records=records, summary=summary)]) == [None]
    desk.store.release(lease)
    return state_of(desk.store, session)
