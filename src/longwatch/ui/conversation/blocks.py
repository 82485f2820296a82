"""What a conversation is made of, as values: one block for each thing a person can tell apart."""

from typing import Literal

import msgspec

from longwatch.session.events import Arguments, MessageSource

Tone = Literal["quiet", "plain", "good", "notice", "bad"]
"""How much a line asks to be seen."""

SUBS = 4
"""Blocks that one event can make; a block's key is its event's seq times this, plus which."""


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """``key`` orders the blocks and names one for as long as the session is shown."""

    key: int

    @property
    def seq(self) -> int:
        return self.key // SUBS


class Said(Base, frozen=True):
    """A message that came from outside: a person, a peer, a schedule."""

    text: str
    source: MessageSource = "human"
    sender: str | None = None


class Prose(Base, frozen=True):
    """What the model said, in Markdown."""

    text: str


class Thought(Base, frozen=True):
    """The model's reasoning, folded."""

    text: str


class Tool(Base, frozen=True):
    """A call, from the question whether it may run to its result."""

    call: str
    name: str = ""
    arguments: Arguments = ""
    todo: bool = False
    asked: bool = False
    """A person was asked, and has not answered."""
    question: str = ""
    answer: str = ""
    """How it was allowed or denied, and by whom."""
    denied: bool = False
    rule: str = ""
    """The rule of the list that it broke."""
    done: bool = False
    ok: bool = False
    output: str = ""
    truncated: bool = False
    seconds: float = 0.0


class Told(Base, frozen=True):
    """What the program wrote to the model, folded."""

    source: str
    text: str


class Note(Base, frozen=True):
    """A status line; what ``more`` holds shows when it is opened."""

    mark: str
    text: str
    tone: Tone = "quiet"
    more: str = ""
    loop: bool = False
    """Whether it belongs to the wake loop, which is never left out."""


class Divider(Base, frozen=True):
    """A line across the pane: before it, the model no longer remembers word for word."""

    text: str
    more: str = ""


Block = Said | Prose | Thought | Tool | Told | Note | Divider


def can_open(block: Block) -> bool:
    """Whether there is more of it than its one line."""
    match block:
        case Tool() | Thought() | Told():
            return True
        case Note() | Divider():
            return bool(block.more)
        case Said() | Prose():
            return False
