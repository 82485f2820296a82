"""A session as a YAML file: its settings, its title, and its events if they are wanted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longwatch.adapters.settings.checking import Findings, Standing
from longwatch.adapters.settings.declared import SETTINGS
from longwatch.adapters.settings.kinds import Text, describe_type
from longwatch.adapters.settings.opening import read_text
from longwatch.adapters.settings.reading import parse_yaml

SESSION_KEYS = ("title", "events")
# A session's events are longer than any configuration.
LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True)
class SessionFile:
    """What a file says of a session. Events are JSON objects, not yet decoded.

    ``safety`` holds the settings that a file from elsewhere has no say in: they count only where
    the person has written them just now.
    """

    title: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    safety: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Mapping[str, Any], ...] | None = None


def read_session(path: Path) -> SessionFile | None:
    """None if there is no such file; raises Problems."""
    text = read_text(path, LIMIT)
    return None if text is None else parse_session(text, str(path))


def parse_session(text: str, file: str) -> SessionFile:
    """Raises Problems."""
    document = parse_yaml(text, file)
    findings = Findings(document)
    values = findings.settings(Standing("session"), SESSION_KEYS)
    title = document.values.get("title")
    if title is not None and not document.spoiled("title"):
        title = findings.take(("title",), title, Text())
    events = _events(findings)
    findings.finish()
    return SessionFile(
        title,
        {key: value for key, value in values.items() if not SETTINGS[key].safety},
        {key: value for key, value in values.items() if SETTINGS[key].safety},
        events,
    )


def print_session(
    title: str, settings: Mapping[str, Any], events: Sequence[Mapping[str, Any]] | None = None
) -> str:
    """The text of such a file; parsing it gives the same back."""
    import yaml  # noqa: PLC0415 - slow to load, and needed only to write YAML

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    plain = type("Plain", (base,), {"ignore_aliases": lambda *_: True})
    told: dict[str, Any] = {"title": title}
    told.update({key: list(v) if isinstance(v, tuple) else v for key, v in settings.items()})
    if events is not None:
        told["events"] = [dict(event) for event in events]
    text: str = yaml.dump(told, Dumper=plain, sort_keys=False, allow_unicode=True, width=100)
    return text


def _events(findings: Findings) -> tuple[Mapping[str, Any], ...] | None:
    value = findings.document.values.get("events")
    if value is None or findings.document.spoiled("events"):
        return None
    if not isinstance(value, list):
        findings.wrong(("events",), describe_type(value), "a list of events")
        return None
    for at, event in enumerate(value):
        if not isinstance(event, dict):
            findings.wrong(("events", str(at)), describe_type(event), "an event, as a mapping")
    return tuple(event for event in value if isinstance(event, dict))
