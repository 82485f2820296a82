"""What a setting's value can be: how it is checked, read from text, written out and described."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

import msgspec

from longwatch.adapters.settings.quoting import cut

Schema = dict[str, Any]

_SWITCHES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})([eE][+-]?[0-9]{1,3})?")
# Line breaks and tabs are what a prompt needs; every other control character is a slip or a trick.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_MODEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*:[^\s:][^\s]*")
_TOOL = re.compile(r"[^\s,]{1,128}")
_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?\.?")


class NotAccepted(Exception):
    """The value is not of this kind."""


class Sieve(Protocol):
    """A set of values."""

    @property
    def accepted(self) -> str:
        """What is accepted, to follow the word in a sentence."""
        ...

    def admit(self, value: Any) -> Any:
        """The value in its one canonical form; raises NotAccepted."""
        ...


class Kind(Sieve, Protocol):
    """A set of values that can also be written on a command line."""

    def read(self, text: str) -> Any:
        """The value that a text stands for; raises NotAccepted."""
        ...

    def schema(self) -> Schema:
        """The same as JSON schema."""
        ...


def convert(value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise NotAccepted from None


@dataclass(frozen=True)
class Switch:
    accepted: str = "true or false"

    def admit(self, value: Any) -> bool:
        switch: bool = convert(value, bool)
        return switch

    def read(self, text: str) -> bool:
        try:
            return _SWITCHES[text.strip().lower()]
        except KeyError:
            raise NotAccepted from None

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Count:
    """A whole number. The upper bound keeps "as many as you like" within what can be counted."""

    least: int = 0
    most: int = 1_000_000_000

    @property
    def accepted(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def admit(self, value: Any) -> int:
        bounds = msgspec.Meta(ge=self.least, le=self.most)
        number: int = convert(value, Annotated[int, bounds])
        return number

    def read(self, text: str) -> int:
        if not _INTEGER.fullmatch(text.strip()):
            raise NotAccepted
        return self.admit(int(text))

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class Amount:
    """A number that may have a fraction; never NaN, which fails both comparisons."""

    most: float
    least: float = 0.0
    above: bool = False

    @property
    def accepted(self) -> str:
        if self.above:
            return f"a number above {self.least:g}, up to {self.most:g}"
        return f"a number from {self.least:g} to {self.most:g}"

    def admit(self, value: Any) -> float:
        number: float = convert(value, float)
        above = number > self.least if self.above else number >= self.least
        if not (above and number <= self.most):
            raise NotAccepted
        return number

    def read(self, text: str) -> float:
        if not _DECIMAL.fullmatch(text.strip()):
            raise NotAccepted
        return self.admit(float(text))

    def schema(self) -> Schema:
        lower = "exclusiveMinimum" if self.above else "minimum"
        return {"type": "number", lower: self.least, "maximum": self.most}


@dataclass(frozen=True)
class Choice:
    options: tuple[str, ...]

    @property
    def accepted(self) -> str:
        return _listed(self.options, "or")

    def admit(self, value: Any) -> str:
        # YAML reads a bare off as false; where off is a choice, that is what was written.
        word = "off" if value is False else value
        if not isinstance(word, str) or word not in self.options:
            raise NotAccepted
        return word

    def read(self, text: str) -> str:
        return self.admit(text.strip())

    def schema(self) -> Schema:
        words: list[Any] = [*self.options, *([False] if "off" in self.options else [])]
        return {"enum": words}


@dataclass(frozen=True)
class Text:
    """Text as it stands, also empty."""

    accepted: str = "text without control characters"
    pattern: re.Pattern[str] | None = None

    def admit(self, value: Any) -> str:
        text: str = convert(value, str)
        if _UNPRINTABLE.search(text) or (self.pattern and not self.pattern.fullmatch(text)):
            raise NotAccepted
        return text

    def read(self, text: str) -> str:
        return self.admit(text.strip() if self.pattern else text)

    def schema(self) -> Schema:
        return {"type": "string"} | ({"pattern": _anchored(self.pattern)} if self.pattern else {})


@dataclass(frozen=True)
class Cron:
    accepted: str = "five cron fields, such as '0 9 * * 1-5'"

    def admit(self, value: Any) -> str:
        from datetime import UTC, datetime  # noqa: PLC0415 - needed by few, and slow to load

        from cronsim import CronSim, CronSimError  # noqa: PLC0415

        text: str = convert(value, str)
        if len(text) > 200 or not text.isascii():
            raise NotAccepted
        try:
            CronSim(text, datetime(2000, 1, 1, tzinfo=UTC))
        except CronSimError:
            raise NotAccepted from None
        return " ".join(text.split())

    def read(self, text: str) -> str:
        return self.admit(text)

    def schema(self) -> Schema:
        return {"type": "string"}


@dataclass(frozen=True)
class Several:
    """Some words of a closed list; ``all`` and ``none`` stand for all and for none of them."""

    options: tuple[str, ...]

    @property
    def accepted(self) -> str:
        return f"all, none, or a list of {_listed(self.options, 'and')}"

    def admit(self, value: Any) -> tuple[str, ...]:
        names = items_of(value)
        if names in (("all",), ("none",)):
            return self.options if names == ("all",) else ()
        if not set(names) <= set(self.options):
            raise NotAccepted
        return tuple(option for option in self.options if option in names)

    def read(self, text: str) -> tuple[str, ...]:
        return self.admit(text)

    def schema(self) -> Schema:
        several = {"type": "array", "items": {"enum": list(self.options)}}
        return {"anyOf": [several, {"type": "string"}]}


@dataclass(frozen=True)
class Selection:
    """``all``, ``none``, or a tuple of names that are known only where the tools are."""

    accepted: str = "all, none, or names: a list, or text with commas between them"

    def admit(self, value: Any) -> str | tuple[str, ...]:
        names = items_of(value)
        if names in ((), ("none",)):
            return "none"
        if names == ("all",):
            return "all"
        if {"all", "none"} & set(names) or not all(map(_is_tool_name, names)):
            raise NotAccepted
        return names

    def read(self, text: str) -> str | tuple[str, ...]:
        return self.admit(text)

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]}


@dataclass(frozen=True)
class Hosts:
    """Hosts in lower case, as they stand between the slashes of an address."""

    accepted: str = "host names or addresses, without scheme and port: a list, or with commas"

    def admit(self, value: Any) -> tuple[str, ...]:
        names = items_of(value)
        return () if names == ("none",) else tuple(dict.fromkeys(map(_host, names)))

    def read(self, text: str) -> tuple[str, ...]:
        return self.admit(text)

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]}


MODEL = Text(accepted="provider:name, such as openai:gpt-4o", pattern=_MODEL)


def items_of(value: Any) -> tuple[str, ...]:
    """A list of texts, or one text with commas, without blanks and repetitions."""
    given: Iterable[str] = value.split(",") if isinstance(value, str) else _texts(value)
    return tuple(dict.fromkeys(item.strip() for item in given if item.strip()))


def describe(value: Any) -> str:
    """A value that was found, in a few words that are safe to print."""
    if value is None or isinstance(value, bool):
        return spell(value)
    if isinstance(value, int) and abs(value) >= 10**30:
        # A number of thousands of digits cannot even be written out.
        return "a huge number"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"text {cut(value)}"
    if isinstance(value, list | tuple) and 0 < len(value) <= 20 and all(map(_is_plain, value)):
        return f"the list {cut(', '.join(map(spell, value)))}"
    return describe_type(value)


def describe_type(value: Any) -> str:
    """What sort of value was found, without saying which: it may be a key."""
    names: tuple[tuple[type, str], ...] = (
        (bool, "true or false"),
        (int, "a number"),
        (float, "a number"),
        (str, "text"),
        (list, "a list"),
        (tuple, "a list"),
        (dict, "a mapping"),
    )
    if value is None:
        return "null"
    return next((name for kind, name in names if isinstance(value, kind)), "a date or time")


def spell(value: Any) -> str:
    """A value as it is written on a command line, so that reading it gives it back."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    if isinstance(value, list | tuple):
        return ",".join(map(str, value)) or "none"
    return str(value)


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like this one, or nothing if none is."""
    import difflib  # noqa: PLC0415 - only where something is wrong

    folded = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name[:100].lower(), folded, n=1, cutoff=0.55)
    return folded[close[0]] if close else ""


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | bool | float) or (isinstance(value, int) and abs(value) < 10**30)


def _texts(value: Any) -> list[str]:
    texts: list[str] = convert(value, list[str])
    return texts


def _is_tool_name(name: str) -> bool:
    return bool(_TOOL.fullmatch(name)) and not _UNPRINTABLE.search(name)


def _host(name: str) -> str:
    bare = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    if not (_HOST.fullmatch(bare) or _quiet(_address, bare)):
        raise NotAccepted
    return bare.lower()


def _address(name: str) -> object:
    import ipaddress  # noqa: PLC0415 - only for addresses with colons

    return ipaddress.ip_address(name)


def _quiet(build: Callable[[str], object], text: str) -> bool:
    try:
        build(text)
    except ValueError:
        return False
    return True


def _listed(words: tuple[str, ...], last: str) -> str:
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else words[0]


def _anchored(pattern: re.Pattern[str]) -> str:
    return f"^(?:{pattern.pattern})$"
