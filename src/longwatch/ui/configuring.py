"""What the dashboard needs from outside to set things up: dot commands, first run, trust."""

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from longwatch.session.intents import SetSetting
from longwatch.ui.dots.completing import Word
from longwatch.ui.dots.table import Kind

Editable = Literal["config", "role", "agent", "session"]


class Draft(msgspec.Struct, frozen=True):
    """A text that is to be edited; ``file`` is what it is called, ``suffix`` how it ends."""

    what: Editable
    file: str
    text: str
    suffix: str
    name: str = ""


class Server(msgspec.Struct, frozen=True):
    """A model server on this machine."""

    name: str
    address: str
    models: tuple[str, ...] = ()


class Configuring(Protocol):
    """Settings, roles and agents, of a session or of this run of the program.

    What cannot be done raises Refused with the reason and what to do; then nothing has changed.
    """

    def change(self, session: str | None, wish: SetSetting) -> str:
        """Ask for another setting, agent or role; gives what to tell the person."""
        ...

    def words(self, session: str | None, kind: Kind, given: Sequence[str]) -> Sequence[Word]:
        """What may stand in a place of a command; nothing is raised."""
        ...

    def info(self, session: str | None, topic: str | None) -> str: ...
    def starters(self, session: str | None) -> Sequence[str]: ...
    def export(self, session: str, form: str, file: str) -> str: ...

    def draft(self, session: str | None, what: str, name: str | None) -> Draft:
        """The text of what is to be edited."""
        ...

    def apply(self, session: str | None, draft: Draft, written: str) -> str:
        """Check an edited text as a whole, then put it in force; gives what to tell the person."""
        ...

    def scratch(self, draft: Draft) -> str:
        """A private file that holds the draft's text."""
        ...

    def editor(self) -> Sequence[str]:
        """The person's editor, as a command line."""
        ...


class Welcoming(Protocol):
    """What is asked before anything is done: how to begin, and whether a folder is trusted."""

    def is_new(self) -> bool:
        """Whether nothing is configured and nothing was ever started here."""
        ...

    def keys(self) -> Sequence[str]:
        """The environment variables with a provider's key in them, by name."""
        ...

    def servers(self) -> Sequence[Server]:
        """The model servers that answer on this machine; takes a moment."""
        ...

    def server_at(self, address: str) -> Server:
        """The server at an address that a person gave; takes a moment. Raises Refused."""
        ...

    def use_key(self, variable: str) -> str:
        """Write the first configuration; gives what to tell the person. Raises Refused."""
        ...

    def use_server(self, server: Server, model: str) -> str: ...

    def untrusted(self, folder: str) -> Sequence[str]:
        """What a folder would bring if it were trusted, where nobody has answered that yet."""
        ...

    def brings(self, folder: str) -> Sequence[str]:
        """The same, whatever was answered."""
        ...

    def trust(self, folder: str, *, trusted: bool) -> None:
        """Remember a person's answer. Raises Refused."""
        ...
