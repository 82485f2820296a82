"""What one setting is: its kind, default, meaning, and the layers that may set it."""

from typing import Any, Literal, get_args

import msgspec

from longwatch.adapters.settings.kinds import Kind

Layer = Literal["flag", "agent", "session", "role", "project", "global"]
Group = Literal[
    "model",
    "loop",
    "reminders",
    "limits",
    "tools",
    "safety",
    "conversation",
    "program",
]

LAYERS: tuple[Layer, ...] = get_args(Layer)
GROUPS: dict[Group, str] = {
    "model": "Model and dialect",
    "loop": "The wake loop",
    "reminders": "Reminders and guards",
    "limits": "Limits of one run",
    "tools": "Tools",
    "safety": "Safety",
    "conversation": "Sampling and compaction",
    "program": "The program",
}
# Under strict_agents an agent stands alone in how it works. Which model it has, what it may spend
# and do, and what the program does around it stay the person's.
STRICT_GROUPS: frozenset[Group] = frozenset({"loop", "reminders", "tools", "conversation"})


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One setting, declared once; documentation, checks and schema are made from this."""

    name: str
    group: Group
    kind: Kind
    default: Any
    sentence: str
    layers: tuple[Layer, ...] = LAYERS
    aliases: tuple[str, ...] = ()
    by_dialect: bool = False
    """Whether the dialect's default comes before the schema's."""

    @property
    def safety(self) -> bool:
        """Whether a workspace must never have a say in it."""
        return self.group == "safety"

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"LONGWATCH_{self.name.upper()}"
