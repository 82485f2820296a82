"""What the configuration of a session depends on, and what it comes to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from longwatch.adapters.settings.files import Agent, Global, Role
from longwatch.adapters.settings.layers import Given, Resolved
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.shipped import Shipped


@dataclass(frozen=True)
class Outside:
    """What of the world the configuration depends on."""

    places: Places
    shipped: Shipped
    environ: Mapping[str, str]
    flags: Given = field(default_factory=Given)
    approver: bool = False
    trusts: bool = False
    """The person said on the command line that the folder is trusted."""
    speed: float = 1.0


@dataclass(frozen=True)
class Setup:
    """One session's configuration, resolved."""

    resolved: Resolved
    configuration: Global
    model: str
    """The one in use: the configured one, else that of a key found, else the rehearsal."""
    role: Role | None = None
    agent: Agent | None = None
    instructions: Mapping[str, str] = field(default_factory=dict)
