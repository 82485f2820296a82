"""What is wrong in a file about looks or keys, told so that a person can mend it."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import msgspec

from longwatch.engine.visible import visible_line

LONGEST = 60
"""Characters of what was found that are shown."""


class Source(Protocol):
    """A file as it was read: plain values, and the line of each key."""

    @property
    def file(self) -> str: ...
    @property
    def values(self) -> Mapping[str, Any]: ...
    def line(self, *path: str) -> int | None: ...


class Complaint(msgspec.Struct, frozen=True):
    """One thing that is wrong: its key, what was found there and what is accepted."""

    key: str
    found: str
    accepted: str
    nearest: str = ""

    def __str__(self) -> str:
        hint = f"; did you mean '{self.nearest}'?" if self.nearest else ""
        return f"{self.key}: found {self.found}, accepted {self.accepted}{hint}"

    def within(self, source: Source) -> str:
        """The same with the place where it stands."""
        line = source.line(*self.key.split("."))
        place = f"{source.file}:{line}" if line is not None else source.file
        return visible_line(f"{place}: {self}")


def shown(value: Any) -> str:
    """What was found, short and in one line."""
    match value:
        case str():
            return visible_line(repr(value), LONGEST)
        case bool():
            return "true" if value else "false"
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            return visible_line(str(value), LONGEST)


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like this one, or nothing if none is."""
    close = difflib.get_close_matches(name[:100].lower(), tuple(known), n=1, cutoff=0.55)
    return close[0] if close else ""
