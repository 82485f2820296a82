"""The only module that knows everyone: it puts a process together."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from longwatch import __version__
from longwatch.adapters.settings.places import Places, find_places
from longwatch.adapters.settings.shipped import Shipped, find_shipped
from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.adapters.system import RandomIds, SystemClock
from longwatch.engine.storing import Store

# A dashboard's process has no engine and is governed by nothing until it is asked about it.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    from typing import TextIO

    from longwatch.adapters.settings.layers import Given
    from longwatch.engine.faults import Patience
    from longwatch.engine.ledger import Listener
    from longwatch.engine.reporting import DeltaListener
    from longwatch.engine.supervisor import Supervisor
    from longwatch.governing import House
    from longwatch.session import KnownEvent

STORE_FILE = "longwatch.db"
LEASE_SECONDS = 15.0
BEATS = 5
"""Heartbeats in the time that a lease may be silent."""


@dataclass(frozen=True)
class Wiring:
    """What one process is made of. Nothing is opened before it is asked for."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    flags: "Given | None" = None
    approver: bool = False
    trusts: bool = False

    @cached_property
    def places(self) -> Places:
        return find_places(self.environ)

    @cached_property
    def shipped(self) -> Shipped:
        return find_shipped()

    @cached_property
    def clock(self) -> SystemClock:
        return SystemClock()

    @cached_property
    def ids(self) -> RandomIds:
        return RandomIds()

    @property
    def store_path(self) -> Path:
        return self.places.data / STORE_FILE

    @cached_property
    def store(self) -> Store:
        return SqliteStore.open(self.store_path, lease_seconds=self._lease_seconds)

    @cached_property
    def house(self) -> "House":
        from longwatch.adapters.settings.layers import Given
        from longwatch.governing import House, Outside

        return House(
            Outside(
                places=self.places,
                shipped=self.shipped,
                environ=self.environ,
                flags=self.flags or Given(),
                approver=self.approver,
                trusts=self.trusts,
                speed=self._speed,
            )
        )

    def supervisor(
        self, listener: "Listener | None" = None, on_delta: "DeltaListener | None" = None
    ) -> "Supervisor":
        """An engine on this process's store. Call it inside a running loop."""
        import random

        from longwatch.adapters.store.process import this_process
        from longwatch.engine.calling import Caller
        from longwatch.engine.limiter import Limiters
        from longwatch.engine.supervisor import Rhythm, Supervisor

        draw = random.SystemRandom().random
        caller = Caller(self.clock, draw, Limiters(self.clock, draw), self._patience)
        return Supervisor(
            self.store,
            self.house,
            caller,
            self.clock,
            this_process(),
            listener=_noting(listener),
            on_delta=on_delta,
            rhythm=Rhythm(heartbeat=self._lease_seconds / BEATS),
        )

    @contextmanager
    def logging(self, what: str, echo: "TextIO | None" = None) -> Iterator[None]:
        """Keep the log of a process, from its start to its end; ``echo`` is told of warnings."""
        from longwatch.adapters.logs import OURS, log_file, logging_to

        with logging_to(log_file(self.places), lambda: self.house.secrets, echo):
            OURS.info(f"{what} begins, version {__version__}")
            try:
                yield
            finally:
                OURS.info(f"{what} ends")

    @property
    def _lease_seconds(self) -> float:
        """How long a process may be silent before its sessions are anybody's."""
        return float(self.environ.get("LONGWATCH_LEASE_SECONDS") or LEASE_SECONDS)

    @property
    def _speed(self) -> float:
        """How fast rehearsals are played; the demo sets it for its worker."""
        return float(self.environ.get("LONGWATCH_SPEED") or 1)

    @property
    def _patience(self) -> "Patience":
        """As the spec says; a test may make it short."""
        from longwatch.engine.faults import Patience

        factor = float(self.environ.get("LONGWATCH_PATIENCE") or 1)
        usual = Patience()
        return Patience(
            attempts=usual.attempts,
            first_delay=usual.first_delay * factor,
            longest_delay=usual.longest_delay * factor,
            first_probe=usual.first_probe * factor,
            longest_probe=usual.longest_probe * factor,
            max_outage=usual.max_outage * factor,
        )


def _noting(listener: "Listener | None") -> "Listener":
    """Tells the log of what matters in it, and whoever listens of everything."""
    from longwatch.engine.noting import note

    def heard(event: "KnownEvent", body: bytes) -> None:
        note(event)
        if listener is not None:
            listener(event, body)

    return heard
