"""Numbered, timed events for tests: a session's log as the engine would write it."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from longwatch.session import KnownEvent, SessionState, advance
from longwatch.session.fold import EMPTY, fold

START = datetime(2026, 11, 18, 8, 0, 0, tzinfo=UTC)


def at(seconds: float) -> str:
    """The event time that many seconds after the start."""
    moment = START + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


class Log:
    """Events of one session, each folded in as it is added."""

    def __init__(self, session: str = "s1") -> None:
        self.session = session
        self.events: list[KnownEvent] = []
        self.state: SessionState = EMPTY
        self.seconds = 0.0

    def add(self, *events: KnownEvent) -> SessionState:
        for event in events:
            numbered = replace(
                event, seq=len(self.events) + 1, at=at(self.seconds), session=self.session
            )
            self.events.append(numbered)
            self.state = advance(self.state, numbered, self.recall)
            self.seconds += 1
        return self.state

    def recall(self, seq: int) -> SessionState:
        return fold(self.upto(seq))

    def upto(self, seq: int) -> Iterable[KnownEvent]:
        return self.events[:seq]
