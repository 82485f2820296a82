"""One pass over a YAML text's events that refuses what could harm, and notes each key's line."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from longwatch.adapters.settings.mapped import DEEPEST
from longwatch.adapters.settings.problems import MOST_PROBLEMS, Problem, Problems
from longwatch.adapters.settings.quoting import cut

if TYPE_CHECKING:
    import yaml

MOST_ALIASES = 100
# A few aliases of aliases can stand for billions of values.
MOST_REPEATED = 100_000
# Enough for any configuration; an exported session has lines beyond number.
MOST_LINES = 20_000

Path = tuple[str, ...]


@dataclass
class Level:
    """A list or mapping that has begun and not ended."""

    path: Path
    anchor: str | None = None
    mapping: bool = False
    keys: dict[str, int] = field(default_factory=dict)
    key: str | None = None
    count: int = 0
    size: int = 1
    height: int = 1

    @property
    def wants_key(self) -> bool:
        return self.mapping and self.key is None


@dataclass
class Guard:
    """What one pass has seen so far. ``problems`` leave the text readable; the rest raises."""

    file: str
    offset: int = 0
    problems: list[Problem] = field(default_factory=list)
    lines: dict[Path, int] = field(default_factory=dict)
    _levels: list[Level] = field(default_factory=list)
    _anchors: dict[str, tuple[int, int]] = field(default_factory=dict)
    _aliases: int = 0
    _repeated: int = 0
    _documents: int = 0

    def watch(self, events: "Iterator[yaml.Event]") -> None:
        """Look at every event; raises Problems where going on would be unsafe or pointless."""
        for event in events:
            self._look_at_anchor(event)
            match type(event).__name__:
                case "DocumentStartEvent":
                    self._document(event)
                case "ScalarEvent":
                    self._scalar(event)
                case "AliasEvent":
                    self._alias(event)
                case "SequenceStartEvent" | "MappingStartEvent":
                    self._begin(event)
                case "SequenceEndEvent" | "MappingEndEvent":
                    self._end()
                case _:
                    continue

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise self._fatal(event, "a second document", "one document")

    def _scalar(self, event: Any) -> None:
        self._look_at_tag(event)
        level = self._levels[-1] if self._levels else None
        if level is not None and level.wants_key:
            self._key(level, event)
            return
        self._place(event)
        self._ended(event.anchor, 1, 0)

    def _key(self, level: Level, event: Any) -> None:
        name, line = event.value, self._line(event)
        level.key = name
        path = (*level.path, name)
        if event.anchor is not None:
            self._anchors[event.anchor] = (1, 0)
        if name == "<<" and not event.style:
            self._note(event, path, "a merge key", "keys that are written out")
        elif name in level.keys:
            found = f"the key again, first on line {level.keys[name]}"
            self._note(event, path, found, "each key once")
        level.keys.setdefault(name, line)
        if len(path) == 1 or len(self.lines) < MOST_LINES:
            self.lines.setdefault(path, line)

    def _alias(self, event: Any) -> None:
        self._aliases += 1
        if self._aliases > MOST_ALIASES:
            raise self._fatal(event, f"more than {MOST_ALIASES} aliases", "fewer")
        if self._levels and self._levels[-1].wants_key:
            raise self._fatal(event, "an alias as a key", "a key that is text")
        if any(level.anchor == event.anchor for level in self._levels):
            found = f"the alias {cut('*' + event.anchor)} inside of what it names"
            raise self._fatal(event, found, "an alias of something that has ended")
        if event.anchor not in self._anchors:
            found = f"the alias {cut('*' + event.anchor)} of nothing"
            raise self._fatal(event, found, "an alias of something before it")
        size, height = self._anchors[event.anchor]
        self._repeated += size
        if self._repeated > MOST_REPEATED:
            found = f"aliases that stand for more than {MOST_REPEATED} values"
            raise self._fatal(event, found, "fewer")
        if len(self._levels) + height > DEEPEST:
            raise self._too_deep(event)
        self._place(event)
        self._ended(None, size, height)

    def _begin(self, event: Any) -> None:
        self._look_at_tag(event)
        mapping = type(event).__name__ == "MappingStartEvent"
        if self._levels and self._levels[-1].wants_key:
            found = f"a {'mapping' if mapping else 'list'} as a key"
            raise self._fatal(event, found, "a key that is text")
        if len(self._levels) >= DEEPEST:
            raise self._too_deep(event)
        path = self._place(event)
        self._levels.append(Level(path, event.anchor, mapping))

    def _end(self) -> None:
        level = self._levels.pop()
        self._ended(level.anchor, level.size, level.height)

    def _ended(self, anchor: str | None, size: int, height: int) -> None:
        """A value is complete: it counts for whatever it is in."""
        if anchor is not None:
            self._anchors[anchor] = (size, height)
        if self._levels:
            parent = self._levels[-1]
            parent.size += size
            parent.height = max(parent.height, height + 1)

    def _place(self, event: Any) -> Path:
        """The path of the value that this event begins."""
        if not self._levels:
            return ()
        level = self._levels[-1]
        if level.key is not None:
            path = (*level.path, level.key)
            level.key = None
            return path
        path = (*level.path, str(level.count))
        level.count += 1
        if len(self.lines) < MOST_LINES:
            self.lines[path] = self._line(event)
        return path

    def _look_at_tag(self, event: Any) -> None:
        if event.tag is not None:
            path = self._path()
            self._note(event, path, f"the tag {cut(event.tag)}", "values without a tag")

    def _look_at_anchor(self, event: Any) -> None:
        anchor = getattr(event, "anchor", None)
        if anchor is None or type(event).__name__ == "AliasEvent":
            return
        if anchor in self._anchors or any(level.anchor == anchor for level in self._levels):
            raise self._fatal(event, f"the anchor {cut('&' + anchor)} again", "each anchor once")

    def _path(self) -> Path:
        """Where the value stands that comes next."""
        if not self._levels:
            return ()
        level = self._levels[-1]
        if level.mapping:
            return (*level.path, level.key) if level.key is not None else level.path
        return (*level.path, str(level.count))

    def _note(self, event: Any, path: Path, found: str, accepted: str) -> None:
        if len(self.problems) >= MOST_PROBLEMS:
            raise self._fatal(event, f"more than {MOST_PROBLEMS} problems", "fewer")
        key = ".".join(path)
        self.problems.append(Problem(self.file, self._line(event), key, found, accepted))

    def _too_deep(self, event: Any) -> Problems:
        return self._fatal(event, f"more than {DEEPEST} levels of nesting", "fewer")

    def _fatal(self, event: Any, found: str, accepted: str) -> Problems:
        problem = Problem(self.file, self._line(event), "", found, accepted)
        return Problems([*self.problems, problem])

    def _line(self, event: Any) -> int:
        line: int = event.start_mark.line
        return line + 1 + self.offset
