"""A file's mapping as it was read, whatever it was written in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from longwatch.adapters.settings.problems import Problem

DEEPEST = 50
"""Levels of nesting that a file may have."""


@dataclass(frozen=True)
class Document:
    """A mapping as it was read. ``problems`` are those that did not keep it from being read."""

    file: str
    values: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def line(self, *path: str) -> int | None:
        """The line of a key, or of the nearest one around it that has one."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None

    def spoiled(self, key: str) -> bool:
        """Whether something is already known to be wrong with or under a key."""
        return any(known.key.split(".", 1)[0] == key for known in self.problems)
