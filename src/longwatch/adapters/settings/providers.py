"""The providers and models that a person declares in config.yaml."""

import re
import stat
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from longwatch.adapters.settings.checking import Findings
from longwatch.adapters.settings.kinds import MODEL, Amount, Count, NotAccepted, Switch, Text
from longwatch.adapters.settings.kinds import nearest as nearest_of

if TYPE_CHECKING:
    # Loaded where it is used: most configurations declare no provider, and models are slow to load.
    from longwatch.adapters.models.provider import Prices, ProviderConfig

FIELDS = {
    "type": "The wire protocol: `openai`, `anthropic` or `rehearsal`.",
    "base_url": "Where it is; without it, the protocol's own address.",
    "api_key_env": "The environment variable that holds the key.",
    "api_key_file": "A file that holds the key, with mode 0600; relative to config.yaml.",
    "headers": "Headers that are sent along, by name.",
    "context": "How many tokens its models can read: a number, or one by model name or pattern.",
    "prices": "What a million tokens cost (`input`, `output`, `cached`, `cache_write`): for all "
    "its models, or by model name or pattern.",
    "send_reasoning": "Whether a model's reasoning is sent back to it.",
    "max_output_tokens": "How long a reply may be where the setting does not say.",
}
MODEL_FIELDS = ("context", "prices")
PRICE_FIELDS = ("input", "output", "cached", "cache_write")
EVERY_MODEL = "*"

_PROVIDER_NAME = Text("letters, digits, _, . and -", re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*"))
_VARIABLE = Text("a variable's name, never the key itself", re.compile(r"[A-Za-z_][A-Za-z0-9_]*"))
_FILE = Text("a file's path", re.compile(r"[^\r\n]+"))
_TOKENS = Count(least=1)
_PRICE = Amount(most=1e6)


Where = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """What is known of one model, more exact than what its provider says of all."""

    context: int | None = None
    prices: "Prices | None" = None


class _Url:
    accepted = "an http or https address without a user, a query or a fragment"

    def admit(self, value: Any) -> str:
        text = Text().admit(value)
        try:
            parts = urlsplit(text)
            named = bool(parts.hostname) and parts.port != 0
        except ValueError:
            raise NotAccepted from None
        plain = not (parts.username or parts.password or parts.query or parts.fragment)
        if parts.scheme not in ("http", "https") or not named or not plain or " " in text:
            raise NotAccepted
        return text


def providers_in(
    findings: Findings, folder: Path, types: Collection[str] = ()
) -> "dict[str, ProviderConfig]":
    """The section ``providers``; what is wrong in it goes to the findings."""
    where = ("providers",)
    made: dict[str, ProviderConfig] = {}
    if findings.document.spoiled("providers"):
        return made
    for name, entry in findings.mapping(where, findings.document.values.get("providers")).items():
        before = len(findings.problems)
        findings.take((*where, name), name, _PROVIDER_NAME)
        fields = _provider(findings, (*where, name), entry, folder)
        if "type" not in fields:
            if before == len(findings.problems):
                findings.wrong((*where, name), "no type", "a provider with a type")
        elif types and fields["type"] not in types:
            accepted, near = ", ".join(sorted(types)), nearest_of(fields["type"], types)
            findings.wrong((*where, name, "type"), repr(fields["type"]), accepted, near)
        if before == len(findings.problems):
            made[name] = _built(fields)
    return made


def models_in(findings: Findings) -> dict[str, ModelFacts]:
    """The section ``models``, by ``provider:name``."""
    made: dict[str, ModelFacts] = {}
    if findings.document.spoiled("models"):
        return made
    for name, entry in findings.mapping(
        ("models",), findings.document.values.get("models")
    ).items():
        where = ("models", name)
        findings.take(where, name, MODEL)
        facts: dict[str, Any] = {}
        for key, value in findings.mapping(where, entry).items():
            if key not in MODEL_FIELDS:
                findings.unknown((*where, key), MODEL_FIELDS)
            elif value is not None and key == "context":
                facts[key] = findings.take((*where, key), value, _TOKENS)
            elif value is not None:
                facts[key] = _prices_of_one(findings, (*where, key), value)
        made[name] = ModelFacts(**facts)
    return made


def with_facts(
    name: str, config: "ProviderConfig", models: Mapping[str, ModelFacts]
) -> "ProviderConfig":
    """A provider that also knows what is declared of its models."""
    contexts: dict[str, int] = {}
    prices: dict[str, Prices] = {}
    for selection, facts in models.items():
        provider, _, model = selection.partition(":")
        if provider == name and facts.context is not None:
            contexts[model] = facts.context
        if provider == name and facts.prices is not None:
            prices[model] = facts.prices
    if not contexts and not prices:
        return config
    known = config.context
    if not isinstance(known, dict):
        known = {} if known is None else {EVERY_MODEL: known}
    # A name comes before any pattern, so that the order does not matter.
    return replace(
        config, context={**known, **contexts} or None, prices={**config.prices, **prices}
    )


def _built(fields: Mapping[str, Any]) -> "ProviderConfig":
    from longwatch.adapters.models.provider import ProviderConfig  # noqa: PLC0415

    return ProviderConfig(**fields)


def _provider(findings: Findings, where: Where, entry: Any, folder: Path) -> dict[str, Any]:
    takers: dict[str, Callable[[Where, Any], Any]] = {
        "type": lambda path, value: findings.take(path, value, _PROVIDER_NAME),
        "base_url": lambda path, value: findings.take(path, value, _Url(), secret=True),
        "api_key_env": lambda path, value: findings.take(path, value, _VARIABLE, secret=True),
        "api_key_file": lambda path, value: _key_file(findings, path, value, folder),
        "headers": lambda path, value: _headers(findings, path, value),
        "context": lambda path, value: _contexts(findings, path, value),
        "prices": lambda path, value: _prices(findings, path, value),
        "send_reasoning": lambda path, value: findings.take(path, value, Switch()),
        "max_output_tokens": lambda path, value: findings.take(path, value, _TOKENS),
    }
    fields: dict[str, Any] = {}
    for key, value in findings.mapping(where, entry).items():
        if key not in takers:
            findings.unknown((*where, key), takers)
        elif value is not None:
            fields[key] = takers[key]((*where, key), value)
    fields = {key: value for key, value in fields.items() if value is not None}
    if "api_key_env" in fields and "api_key_file" in fields:
        findings.wrong((*where, "api_key_file"), "api_key_env too", "one of them")
    return fields


def _key_file(findings: Findings, where: Where, value: Any, folder: Path) -> str | None:
    """An absolute path. A key that others can read is refused; a missing one only when used."""
    text = findings.take(where, value, _FILE, secret=True)
    if text is None:
        return None
    try:
        # Never relative to the current folder, which may be a stranger's workspace.
        path = folder / Path(text).expanduser()
        mode = path.stat().st_mode
    except FileNotFoundError:
        return str(path)
    except (OSError, ValueError, RuntimeError):
        findings.wrong(where, "a file that cannot be looked at", "a file of mode 0600")
        return None
    if not stat.S_ISREG(mode):
        findings.wrong(where, "something that is no file", "a file of mode 0600")
    elif stat.S_IMODE(mode) & 0o077:
        found = f"a file of mode {stat.S_IMODE(mode):04o}, which others can open"
        findings.wrong(where, found, "a file of mode 0600")
    return str(path)


def _headers(findings: Findings, where: Where, value: Any) -> dict[str, str]:
    from longwatch.adapters.models.provider import (  # noqa: PLC0415
        ProviderProblem,
        checked_headers,
    )

    headers: dict[str, str] = {}
    for name, given in findings.mapping(where, value).items():
        text = findings.take((*where, name), given, Text("text, in quotes"), secret=True)
        try:
            checked_headers("", {name: text or ""})
        except ProviderProblem:
            accepted = "a name that is not the connection's own, and visible ASCII"
            findings.wrong((*where, name), "a header that cannot be sent", accepted)
        headers[name] = text or ""
    return headers


def _contexts(findings: Findings, where: Where, value: Any) -> Any:
    if not isinstance(value, dict):
        return findings.take(where, value, _TOKENS)
    return {name: findings.take((*where, name), item, _TOKENS) for name, item in value.items()}


def _prices(findings: Findings, where: Where, value: Any) -> "dict[str, Prices]":
    entries = findings.mapping(where, value)
    if set(entries) & set(PRICE_FIELDS):
        made = {EVERY_MODEL: _prices_of_one(findings, where, entries)}
    else:
        made = {
            name: _prices_of_one(findings, (*where, name), entry) for name, entry in entries.items()
        }
    return {name: prices for name, prices in made.items() if prices is not None}


def _prices_of_one(findings: Findings, where: Where, value: Any) -> "Prices | None":
    from longwatch.adapters.models.provider import Prices  # noqa: PLC0415

    before = len(findings.problems)
    given: dict[str, float] = {}
    for key, amount in findings.mapping(where, value).items():
        if key not in PRICE_FIELDS:
            findings.unknown((*where, key), PRICE_FIELDS)
        elif amount is not None:
            given[key] = findings.take((*where, key), amount, _PRICE)
    if before == len(findings.problems) and not {"input", "output"} <= set(given):
        findings.wrong(where, "prices without input or output", "both, for a million tokens")
    return Prices(**given) if before == len(findings.problems) else None
