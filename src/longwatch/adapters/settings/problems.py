"""What is wrong in configuration, told so that a person can mend it."""

from collections.abc import Iterable
from dataclasses import dataclass

from longwatch.adapters.settings.quoting import SHOWN_LENGTH, cut

# Nobody reads on after that many.
MOST_PROBLEMS = 100


class BadSetting(Exception):
    """A key or value that is not accepted; the message says what is."""

    def __init__(self, key: str, *, found: str, accepted: str, nearest: str = "") -> None:
        hint = f"; did you mean '{nearest}'?" if nearest else ""
        super().__init__(f"{key}: found {found}, accepted {accepted}{hint}")
        self.key = key
        self.found = found
        self.accepted = accepted
        self.nearest = nearest


class UnknownKey(BadSetting):
    """There is no setting of that name here."""

    def __init__(self, key: str, shown: str, nearest: str) -> None:
        super().__init__(key, found="an unknown key", accepted="a known one", nearest=nearest)
        hint = f"; did you mean '{nearest}'?" if nearest else ""
        self.args = (f"Unknown key {shown}{hint}",)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where, what was found, and what is accepted there."""

    file: str
    line: int | None = None
    key: str = ""
    found: str = ""
    accepted: str = ""
    nearest: str = ""
    unknown: str | None = None
    """The name that nobody knows here, if that is what is wrong."""

    def __str__(self) -> str:
        line = "" if self.line is None else f":{self.line}"
        place = f"{_printable(self.file)}{line}: " if self.file else ""
        hint = f"; did you mean '{self.nearest}'?" if self.nearest else ""
        key = f"{_short(self.key)}: " if self.key else ""
        if self.unknown is not None:
            return f"{place}{key}Unknown key {cut(self.unknown)}{hint}"
        accepted = f", accepted {self.accepted}" if self.accepted else ""
        return f"{place}{key}found {self.found}{accepted}{hint}"

    @classmethod
    def of(cls, bad: BadSetting, file: str, line: int | None = None, key: str = "") -> "Problem":
        """A setting that is not accepted, with the place where it stands."""
        return cls(
            file=file,
            line=line,
            key=key or bad.key,
            found=bad.found,
            accepted=bad.accepted,
            nearest=bad.nearest,
            unknown=bad.key if isinstance(bad, UnknownKey) else None,
        )


class Problems(Exception):
    """All that is wrong in what was read; nothing of it takes effect."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def _printable(text: str) -> str:
    """A file's name as it is, or escaped where it would not print as itself."""
    return text if text.isprintable() else repr(text)


def _short(key: str) -> str:
    return key if key.isprintable() and len(key) <= 2 * SHOWN_LENGTH else cut(key)
