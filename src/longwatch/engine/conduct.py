"""What governs one session's steps right now: rules, model, tools and permissions, as one value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from longwatch.discipline import Rules
from longwatch.engine.approval import Permissions
from longwatch.engine.deeds import SessionTool
from longwatch.engine.ports import Model, Place, Tool
from longwatch.engine.summary import Schedule
from longwatch.session import KnownEvent, SessionState
from longwatch.session.events import AgentChanged, RoleChanged, SessionStarted, SettingsChanged
from longwatch.session.intents import SetSetting

Changed = SettingsChanged | AgentChanged | RoleChanged


@dataclass(frozen=True)
class Sampling:
    """What is sent along with a request, each only when it is set."""

    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    reasoning_effort: str | None = None
    stream: bool = True


class Keepsake(Protocol):
    """Where replies are kept besides the store."""

    def keep(self, session: str, title: str, at: str, text: str) -> None:
        """Add one; whether that works is nothing to the session."""
        ...


@dataclass(frozen=True)
class Conduct:
    """All that a worker needs to know besides the state."""

    rules: Rules
    model: Model
    model_name: str
    place: Place
    tools: Mapping[str, Tool] = field(default_factory=dict)
    session_tools: Mapping[str, SessionTool] = field(default_factory=dict)
    permissions: Permissions = field(default_factory=Permissions)
    sampling: Sampling = field(default_factory=Sampling)
    approver: bool = False
    """Whether somebody can be asked."""
    summarization_prompt: str | None = None
    summary_context_prompt: str | None = None
    dry_run: bool = False
    keepsake: Keepsake | None = None
    temporary: bool = False
    schedule: Schedule | None = None


class Governor(Protocol):
    """Where conduct comes from: settings, roles, agents, flags."""

    def conduct(self, state: SessionState) -> Conduct:
        """What holds for a session now; raises Misconfigured."""
        ...

    def change(self, state: SessionState, wish: SetSetting) -> Changed:
        """The event that another setting, agent or role comes to; raises ChangeRefused.

        What is granted can be worked with: nothing is recorded that would stop the session.
        """
        ...

    def child(
        self, parent: SessionState, agent: str | None
    ) -> tuple[SessionStarted, Sequence[KnownEvent]]:
        """How a child of a session begins, and with which settings; raises Misconfigured.

        It may never do more than its parent.
        """
        ...

    @property
    def secrets(self) -> frozenset[str]:
        """Values that must never be written anywhere."""
        ...
