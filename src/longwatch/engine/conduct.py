"""What governs one session's steps right now: rules, model, tools and permissions, as one value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from longwatch.discipline import Rules
from longwatch.engine.approval import Permissions
from longwatch.engine.ports import Model, Place, Tool
from longwatch.session import SessionState


class Misconfigured(Exception):
    """The session cannot be worked on as it is set up; the message says what to change."""


class SettingRefused(Exception):
    """A setting's name or value is not accepted; the message says what is."""


@dataclass(frozen=True)
class Sampling:
    """What is sent along with a request, each only when it is set."""

    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    reasoning_effort: str | None = None
    stream: bool = True


@dataclass(frozen=True)
class Conduct:
    """All that a worker needs to know besides the state."""

    rules: Rules
    model: Model
    model_name: str
    place: Place
    tools: Mapping[str, Tool] = field(default_factory=dict)
    permissions: Permissions = field(default_factory=Permissions)
    sampling: Sampling = field(default_factory=Sampling)
    approver: bool = False
    """Whether somebody can be asked."""
    compression_threshold: int | None = None
    summarization_prompt: str | None = None
    summary_context_prompt: str | None = None
    dry_run: bool = False
    temporary: bool = False


class Governor(Protocol):
    """Where conduct comes from: settings, roles, agents, flags."""

    def conduct(self, state: SessionState) -> Conduct:
        """What holds for a session now; raises Misconfigured."""
        ...

    def accept(self, key: str, value: Any) -> Any:
        """A setting's value as it is recorded; raises SettingRefused."""
        ...

    @property
    def secrets(self) -> frozenset[str]:
        """Values that must never be written anywhere."""
        ...
