"""Every dot command, declared once: parsing, completion, help and the palette are made of this."""

from typing import Literal

import msgspec

Kind = Literal[
    "word", "key", "value", "agent", "role", "session", "command", "number", "file", "text"
]
"""What stands in a parameter's place; all but ``word`` are looked up or free."""

TOPICS = ("todo", "session", "agent", "role", "tools", "settings")
EDITABLE = ("config", "role", "agent", "session", "agent-config")
FORMATS = ("jsonl", "yaml", "md")


class Parameter(msgspec.Struct, frozen=True):
    """One word after a command. The last one of a command takes the rest of the line."""

    name: str
    kind: Kind = "word"
    options: tuple[str, ...] = ()
    optional: bool = False

    def __str__(self) -> str:
        shown = self.name or "|".join(self.options)
        return f"[{shown}]" if self.optional else shown


class DotCommand(msgspec.Struct, frozen=True):
    """One command: how it is written and what it does."""

    name: str
    sentence: str
    parameters: tuple[Parameter, ...] = ()
    needs_session: bool = True
    """Whether it is about the session that is open."""

    @property
    def usage(self) -> str:
        return " ".join((f".{self.name}", *map(str, self.parameters)))

    @property
    def least(self) -> int:
        """How many parameters must be given."""
        return sum(not parameter.optional for parameter in self.parameters)


COMMANDS: tuple[DotCommand, ...] = (
    DotCommand(
        "set",
        "Set something for this session; null unsets it",
        (Parameter("KEY", "key"), Parameter("VALUE", "value")),
        needs_session=False,
    ),
    DotCommand(
        "clear",
        "Clear the list, reset the wake count, stop continuing",
        (Parameter("", options=("todo",)),),
    ),
    DotCommand(
        "info",
        "Show the list, the session, its agent, role, tools or settings",
        (Parameter("", options=TOPICS, optional=True),),
        needs_session=False,
    ),
    DotCommand(
        "agent",
        "Work as this agent from now on",
        (Parameter("NAME", "agent"),),
        needs_session=False,
    ),
    DotCommand(
        "role", "Work in this role from now on", (Parameter("NAME", "role"),), needs_session=False
    ),
    DotCommand(
        "session", "Go to another session", (Parameter("NAME", "session"),), needs_session=False
    ),
    DotCommand(
        "exit",
        "Leave the agent, the role or the session; alone: quit",
        (Parameter("", options=("agent", "role", "session"), optional=True),),
        needs_session=False,
    ),
    DotCommand(
        "starter",
        "Show the agent's conversation starters, or use one",
        (Parameter("N", "number", optional=True),),
        needs_session=False,
    ),
    DotCommand(
        "edit",
        "Open the configuration, a role, an agent or this session in your editor",
        (Parameter("", options=EDITABLE), Parameter("NAME", "text", optional=True)),
        needs_session=False,
    ),
    DotCommand("compact", "Sum up the older turns for the model"),
    DotCommand("fork", "Go on from here in a copy of this session"),
    DotCommand(
        "rename",
        "Give this session another title",
        (Parameter("TITLE", "text", optional=True),),
    ),
    DotCommand(
        "export",
        "Write this session to a file",
        (Parameter("FORMAT", options=FORMATS), Parameter("FILE", "file")),
    ),
    DotCommand("retry", "Take back the last reply and ask for another"),
    DotCommand("undo", "Take back the last message and what came of it"),
    DotCommand("continue", "Go on with this session"),
    DotCommand(
        "help",
        "Show these commands, or how one is written",
        (Parameter("COMMAND", "command", optional=True),),
        needs_session=False,
    ),
)
BY_NAME = {command.name: command for command in COMMANDS}
