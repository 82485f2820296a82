"""What a provider is declared as: where it is, what it costs, and the secret that opens it."""

import asyncio
import os
import re
import stat
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

import msgspec

MASK = "***"
MAX_KEY_FILE = 64 * 1024
MEBIBYTE = 1024 * 1024

_KEY = re.compile(r"[\x21-\x7e]+")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]*")
_NOT_OURS_TO_SET = {"connection", "content-length", "host", "transfer-encoding", "upgrade"}

T = TypeVar("T")


class ProviderProblem(Exception):
    """A provider or model that cannot be used as it is declared; it says what to change."""


class Secret:
    """A text that is never printed."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __str__(self) -> str:
        return MASK

    def __repr__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return format(MASK, spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")


class Prices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Money for a million tokens. What is not told of the cache costs what the provider says."""

    input: float
    output: float
    cached: float | None = None
    cache_write: float | None = None


class ProviderConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry under ``providers``. ``prices`` and ``context`` go by model name or pattern."""

    type: str
    base_url: str | None = None
    api_key_env: str | None = None
    api_key_file: str | None = None
    headers: dict[str, str] = {}
    context: int | dict[str, int] | None = None
    prices: dict[str, Prices] = {}
    send_reasoning: bool = False
    max_output_tokens: int | None = None

    def __repr__(self) -> str:
        """Without the values of headers, which may hold a key."""
        shown = [
            f"{name}={dict.fromkeys(value, MASK) if name == 'headers' else value!r}"
            for name in self.__struct_fields__
            if (value := getattr(self, name))
        ]
        return f"ProviderConfig({', '.join(shown)})"

    def context_of(self, model: str) -> int | None:
        if isinstance(self.context, dict):
            return _for_model(self.context, model)
        return self.context

    def prices_of(self, model: str) -> Prices | None:
        return _for_model(self.prices, model)


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How long is waited, in seconds, and how much is read, in bytes."""

    connect: float = 30.0
    first_byte: float = 120.0
    first_byte_reasoning: float = 300.0
    between_events: float = 300.0
    after_the_end: float = 5.0
    """For the usage report that follows a finished reply."""
    drain: float = 0.25
    """For the end of the response, so that the connection can be used again."""
    model_names: float = 3.0
    line: int = 8 * MEBIBYTE
    response: int = 64 * MEBIBYTE


@dataclass(frozen=True)
class Surroundings:
    """What a model is given of the world it runs in."""

    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    insecure_http: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    rehearsals: tuple[Path, ...] = ()
    speed: float = 1.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.time


@dataclass(frozen=True)
class KeySource:
    """Where a provider's key is found. It is looked up for each request and kept nowhere."""

    config: ProviderConfig
    environ: Mapping[str, str] = field(repr=False)

    @property
    def place(self) -> str:
        """Where a person finds or changes the key."""
        if self.config.api_key_file:
            return self.config.api_key_file
        return self.config.api_key_env or "the provider's api_key_env"

    def read(self) -> Secret | None:
        """The key, or None where the provider needs none."""
        if self.config.api_key_file:
            return self._checked(_key_file(Path(self.config.api_key_file).expanduser()))
        if not self.config.api_key_env:
            return None
        value = self.environ.get(self.config.api_key_env, "")
        if not value.strip():
            raise ProviderProblem(f"there is no key: set {self.config.api_key_env}")
        return self._checked(value)

    def _checked(self, value: str) -> Secret:
        value = value.strip()
        if not _KEY.fullmatch(value):
            raise ProviderProblem(
                f"the key in {self.place} is empty, or has a space or a character that is not ASCII"
            )
        return Secret(value)


def checked_headers(name: str, headers: Mapping[str, str]) -> dict[str, Secret]:
    """A provider's own headers, lower-cased; a value that cannot be sent is not shown."""
    for header, value in headers.items():
        if not _HEADER_NAME.fullmatch(header) or header.lower() in _NOT_OURS_TO_SET:
            raise ProviderProblem(f"provider {name!r}: the header {header!r} cannot be set")
        if not _HEADER_VALUE.fullmatch(value):
            raise ProviderProblem(
                f"provider {name!r}: the value of the header {header!r} has a character "
                "that cannot be sent"
            )
    return {header.lower(): Secret(value) for header, value in headers.items()}


def _key_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                raise ProviderProblem(f"the key file {path} can be read by others: chmod 600 it")
            return file.read(MAX_KEY_FILE).decode("ascii", "replace")
    except OSError as error:
        raise ProviderProblem(
            f"the key file {path} cannot be read: {error.strerror or error}"
        ) from None


def _for_model(table: Mapping[str, T], model: str) -> T | None:
    """The entry of that name, else of the first pattern that fits it."""
    if model in table:
        return table[model]
    return next((value for name, value in table.items() if fnmatchcase(model, name)), None)
