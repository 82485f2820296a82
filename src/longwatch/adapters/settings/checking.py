"""Checking a document key by key, so that everything wrong in it is told at once."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from longwatch.adapters.settings.declared import check, setting_named
from longwatch.adapters.settings.kinds import (
    NotAccepted,
    Sieve,
    describe,
    describe_type,
    nearest,
)
from longwatch.adapters.settings.mapped import Document
from longwatch.adapters.settings.problems import MOST_PROBLEMS, BadSetting, Problem, Problems
from longwatch.adapters.settings.setting import Layer, Setting

_PLACES: dict[Layer, str] = {
    "flag": "a flag",
    "agent": "an agent of your own",
    "session": "a session",
    "role": "a role of your own",
    "project": "a project",
    "global": "config.yaml",
}


@dataclass(frozen=True)
class Standing:
    """Where settings stand: their layer, and whether the file belongs to a workspace."""

    layer: Layer
    in_project: bool = False

    def admits(self, setting: Setting) -> bool:
        return self.layer in setting.layers and not (self.in_project and setting.safety)

    def __str__(self) -> str:
        place = _PLACES[self.layer].removesuffix(" of your own")
        return f"{place} of a project" if self.in_project and self.layer != "project" else place


class Findings:
    """What is wrong in one document. ``finish`` raises all of it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = list(document.problems)

    def finish(self) -> None:
        if self.problems:
            raise Problems(self.problems)

    def _add(self, problem: Problem) -> None:
        self.problems.append(problem)
        if len(self.problems) > MOST_PROBLEMS:
            found = f"more than {MOST_PROBLEMS} problems"
            raise Problems([*self.problems, Problem(problem.file, problem.line, "", found)])

    def wrong(self, path: tuple[str, ...], found: str, accepted: str, near: str = "") -> None:
        line = self.document.line(*path)
        key = ".".join(path)
        self._add(Problem(self.document.file, line, key, found, accepted, near))

    def unknown(self, path: tuple[str, ...], known: Iterable[str]) -> None:
        near = nearest(path[-1], known)
        line = self.document.line(*path)
        key = ".".join(path)
        problem = Problem(self.document.file, line, key, "", "", near, unknown=path[-1])
        self._add(problem)

    def take(self, path: tuple[str, ...], value: Any, kind: Sieve, *, secret: bool = False) -> Any:
        """The value in its canonical form, or None and a problem."""
        try:
            return kind.admit(value)
        except NotAccepted:
            found = describe_type(value) if secret else describe(value)
            self.wrong(path, found, kind.accepted)
            return None

    def mapping(self, path: tuple[str, ...], value: Any) -> dict[str, Any]:
        """A mapping's entries; anything else is a problem and has none."""
        if value is None:
            return {}
        if isinstance(value, dict):
            return value
        self.wrong(path, describe_type(value), "a mapping")
        return {}

    def texts(self, path: tuple[str, ...], value: Any, kind: Sieve) -> tuple[str, ...]:
        """A list's items, each of that kind."""
        if not isinstance(value, list):
            self.wrong(path, describe_type(value), f"a list, each item {kind.accepted}")
            return ()
        items = [self.take((*path, str(at)), item, kind) for at, item in enumerate(value)]
        return tuple(item for item in items if item is not None)

    def settings(self, standing: Standing, others: Iterable[str] = ()) -> dict[str, Any]:
        """All settings of the document. ``others`` are its keys that are no settings."""
        others = frozenset(others)
        taken: dict[str, Any] = {}
        written: dict[str, str] = {}
        for key, value in self.document.values.items():
            if key in others or self.document.spoiled(key):
                continue
            try:
                setting = setting_named(key, others)
                demand_place(setting, standing)
                taken[setting.name] = check(key, value)
            except BadSetting as bad:
                line = self.document.line(key)
                self._add(Problem.of(bad, self.document.file, line, key))
                continue
            if setting.name in written:
                found = f"it and {written[setting.name]}, which are the same"
                self.wrong((key,), found, "one of them")
            written[setting.name] = key
        return {key: value for key, value in taken.items() if value is not None}


def demand_place(setting: Setting, standing: Standing) -> None:
    """Raises BadSetting if a setting may not stand there."""
    if not standing.admits(setting):
        layers = [layer for layer in setting.layers if layer != "project" or not setting.safety]
        places = ", ".join(_PLACES[layer] for layer in layers)
        raise BadSetting(setting.name, found=f"it in {standing}", accepted=f"only in: {places}")
