"""What the dashboard needs from outside, as one protocol; the wiring provides it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from longwatch.engine.ports import Clock
from longwatch.engine.storing import Store
from longwatch.session import Intent
from longwatch.ui.configuring import Configuring, Welcoming


class NewSession(msgspec.Struct, frozen=True, kw_only=True):
    """What a person chose for a session that is to be started."""

    task: str
    cwd: str
    agent: str | None = None
    role: str | None = None
    model: str | None = None
    dialect: str | None = None
    approval: str | None = None


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to choose from."""

    agents: Sequence[str] = ()
    roles: Sequence[str] = ()
    models: Sequence[str] = ()
    dialects: Sequence[str] = ()
    approvals: Sequence[str] = ()


class SettingRow(msgspec.Struct, frozen=True):
    """One setting as the settings screen shows it."""

    key: str
    value: str
    origin: str
    sentence: str


class Limits(msgspec.Struct, frozen=True):
    """What the status line measures against, and what holds commands in."""

    max_wakes: int = 0
    context: int | None = None
    sandbox: bool | None = None
    """Whether commands that nobody is asked about run in one; None where they are asked about."""


class Refused(Exception):
    """Something that was asked for cannot be done; the message says why and what to do."""


class Services(Protocol):
    """The world behind the dashboard. Every method returns at once or is fast."""

    @property
    def store(self) -> Store: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def folder(self) -> str:
        """Where the dashboard was opened."""
        ...

    @property
    def configuring(self) -> Configuring: ...
    @property
    def welcoming(self) -> Welcoming: ...

    def post(self, session: str, intent: Intent) -> str:
        """Leave a wish for the worker; returns its id."""
        ...

    def withdraw(self, intent: str) -> bool:
        """Take back a wish that nobody answered yet."""
        ...

    def start(self, wanted: NewSession) -> str:
        """Start a session; returns its id. Raises Refused."""
        ...

    def auto_risk(self, wanted: NewSession) -> str:
        """Why its commands would run unasked and without a sandbox; empty if that is not so."""
        ...

    def allow_auto(self, cwd: str) -> None:
        """A person's word that this may happen in this folder. Raises Refused."""
        ...

    def ensure_worker(self) -> None:
        """Have a background worker; does not wait for it."""
        ...

    def choices(self, cwd: str) -> Choices: ...
    def settings(self, session: str | None) -> Sequence[SettingRow]: ...
    def limits(self, session: str) -> Limits:
        """As the session is configured now; nothing is raised."""
        ...

    def announced(self, session: str) -> Collection[str]:
        """What of a session is told to a person who looks elsewhere; nothing is raised."""
        ...

    def recall(self) -> Mapping[str, Any]:
        """What the dashboard remembered (ui.toml)."""
        ...

    def remember(self, **values: Any) -> None: ...
