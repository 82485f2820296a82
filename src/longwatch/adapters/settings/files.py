"""Loading configuration files: the global one, roles, agents, and a trusted project's."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longwatch.adapters.settings.checking import Findings, Standing
from longwatch.adapters.settings.kinds import Selection, Text, nearest
from longwatch.adapters.settings.layers import Given
from longwatch.adapters.settings.mapped import Document
from longwatch.adapters.settings.opening import read_text
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.problems import Problem, Problems
from longwatch.adapters.settings.providers import (
    ModelFacts,
    models_in,
    providers_in,
    with_facts,
)
from longwatch.adapters.settings.quoting import cut
from longwatch.adapters.settings.reading import read_front_matter, read_yaml
from longwatch.adapters.settings.shipped import Shipped
from longwatch.adapters.settings.trust import INSTRUCTION_FILES, PROJECT_FOLDER

if TYPE_CHECKING:
    from longwatch.adapters.models.provider import ProviderConfig

GLOBAL_KEYS = ("providers", "models")
ROLE_KEYS = ("name", "prompt")
AGENT_KEYS = ("name", "description", "instructions", "tools", "conversation_starters")

A_NAME = "a name of letters, digits, _, . and -"

_NAME = re.compile(r"\w[\w.-]{0,63}")


@dataclass(frozen=True)
class Global:
    """config.yaml as it was read."""

    given: Given = field(default_factory=Given)
    providers: "Mapping[str, ProviderConfig]" = field(default_factory=dict)
    models: Mapping[str, ModelFacts] = field(default_factory=dict)

    def all_providers(self, usual: "Mapping[str, ProviderConfig]") -> "dict[str, ProviderConfig]":
        """The usual providers and the declared ones, which win, with what is known of models."""
        both = {**usual, **self.providers}
        return {name: with_facts(name, config, self.models) for name, config in both.items()}


@dataclass(frozen=True)
class Role:
    name: str
    title: str
    prompt: str
    given: Given


@dataclass(frozen=True)
class Agent:
    name: str
    title: str
    description: str
    instructions: str
    conversation_starters: tuple[str, ...]
    given: Given


@dataclass(frozen=True)
class Project:
    """What a trusted folder brings: settings, and its instruction files by name."""

    given: Given = field(default_factory=Given)
    instructions: Mapping[str, str] = field(default_factory=dict)


def load_global(places: Places, types: Collection[str] = ()) -> Global:
    """config.yaml, or nothing if there is none. ``types`` are the provider types there are."""
    document = read_yaml(places.config_file)
    return Global() if document is None else global_of(document, places.config, types)


def global_of(document: Document, folder: Path, types: Collection[str] = ()) -> Global:
    """A configuration that was read already; ``folder`` is what its paths are relative to."""
    findings = Findings(document)
    values = findings.settings(Standing("global"), GLOBAL_KEYS)
    providers = providers_in(findings, folder, types)
    models = models_in(findings)
    findings.finish()
    return Global(Given(values, document.file), providers, models)


def load_project(root: Path) -> Project:
    """A folder's settings and instructions. Only for a folder that the person has trusted."""
    path = root / PROJECT_FOLDER / "config.yaml"
    _demand_inside(path, root)
    document = read_yaml(path)
    given = Given()
    if document is not None:
        findings = Findings(document)
        for section in GLOBAL_KEYS:
            if section in document.values:
                findings.wrong((section,), "it in a project", "only in your own config.yaml")
        given = Given(findings.settings(Standing("project", True), GLOBAL_KEYS), document.file)
        findings.finish()
    return Project(given, _instructions(root))


@dataclass(frozen=True)
class Library:
    """Roles and agents by name: the user's own, then a trusted project's, then what ships."""

    places: Places
    shipped: Shipped
    project: Path | None = None

    def roles(self) -> dict[str, Path]:
        """Every role there is and the file that it is read from."""
        return self._named("roles", lambda entry: entry if entry.suffix == ".md" else None)

    def agents(self) -> dict[str, Path]:
        return self._named("agents", lambda entry: entry / "config.yaml")

    def misnamed(self) -> list[Path]:
        """Roles and agents of the person's own and of the project that no name can reach."""
        own = [folder for folder, _ in self._folders() if folder != self.shipped.config]
        roles = [path for folder in own for path in _entries(folder / "roles")]
        agents = [path for folder in own for path in _entries(folder / "agents")]
        return [
            *(path for path in roles if path.suffix == ".md" and not _NAME.fullmatch(path.stem)),
            *(path for path in agents if path.is_dir() and not _NAME.fullmatch(path.name)),
        ]

    def load_role(self, name: str) -> Role:
        path, in_project = self.role_file(name)
        read = read_front_matter(path)
        if read is None:
            raise self._missing("role", name)
        return role_of(name, *read, in_project=in_project)

    def load_agent(self, name: str) -> Agent:
        path, in_project = self.agent_file(name)
        document = read_yaml(path)
        if document is None:
            raise self._missing("agent", name)
        return agent_of(name, document, in_project=in_project)

    def role_file(self, name: str) -> tuple[Path, bool]:
        """Where a role is read from, and whether that is in a workspace; raises Problems."""
        return self._find("role", name, f"roles/{name}.md")

    def agent_file(self, name: str) -> tuple[Path, bool]:
        return self._find("agent", name, f"agents/{name}/config.yaml")

    def _folders(self) -> list[tuple[Path, bool]]:
        """Where to look, in order, and whether a place belongs to a workspace."""
        project = [] if self.project is None else [(self.project / PROJECT_FOLDER, True)]
        return [(self.places.config, False), *project, (self.shipped.config, False)]

    def _find(self, what: str, name: str, relative: str) -> tuple[Path, bool]:
        if not _NAME.fullmatch(name):
            raise Problems([Problem("", None, what, cut(name), A_NAME)])
        for folder, in_project in self._folders():
            path = folder / relative
            if _is_there(path):
                if in_project and self.project is not None:
                    _demand_inside(path, self.project)
                return path, in_project
        raise self._missing(what, name)

    def _missing(self, what: str, name: str) -> Problems:
        known = sorted(self.roles() if what == "role" else self.agents())
        accepted = f"one of {', '.join(known[:50])}" if known else f"no {what}: there is none"
        return Problems([Problem("", None, what, cut(name), accepted, nearest(name, known))])

    def _named(self, section: str, file_of: Callable[[Path], Path | None]) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for folder, _ in reversed(self._folders()):
            for entry in _entries(folder / section):
                path = file_of(entry)
                name = entry.stem if section == "roles" else entry.name
                if path is not None and _NAME.fullmatch(name) and _is_there(path):
                    found[name] = path
        return dict(sorted(found.items()))


def role_of(name: str, document: Document, body: str, *, in_project: bool = False) -> Role:
    """A role that was read already; raises Problems."""
    findings = Findings(document)
    values = findings.settings(Standing("role", in_project), ROLE_KEYS)
    title, prompt = (_text(findings, key).strip() for key in ROLE_KEYS)
    findings.finish()
    return Role(name, title or name, body or prompt, Given(values, document.file, name))


def agent_of(name: str, document: Document, *, in_project: bool = False) -> Agent:
    findings = Findings(document)
    values = findings.settings(Standing("agent", in_project), AGENT_KEYS)
    values.update(_tools(findings, values))
    title, description, instructions = (_text(findings, key).strip() for key in AGENT_KEYS[:3])
    starters = _starters(findings)
    findings.finish()
    given = Given(values, document.file, name)
    return Agent(name, title or name, description, instructions, starters, given)


def _text(findings: Findings, key: str) -> str:
    value = findings.document.values.get(key)
    if value is None or findings.document.spoiled(key):
        return ""
    return str(findings.take((key,), value, Text()) or "")


def _tools(findings: Findings, values: Mapping[str, Any]) -> dict[str, Any]:
    """An agent's ``tools``, which are its enabled_tools."""
    given = findings.document.values.get("tools")
    if given is None or findings.document.spoiled("tools"):
        return {}
    if "enabled_tools" in values:
        findings.wrong(("tools",), "it and enabled_tools, which are the same", "one of them")
    tools = findings.take(("tools",), given, Selection())
    return {} if tools is None else {"enabled_tools": tools}


def _starters(findings: Findings) -> tuple[str, ...]:
    key = "conversation_starters"
    value = findings.document.values.get(key)
    if value is None or findings.document.spoiled(key):
        return ()
    return findings.texts((key,), value, Text())


def _instructions(root: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in INSTRUCTION_FILES:
        _demand_inside(root / name, root)
        text = read_text(root / name)
        if text is not None and text.strip():
            found[name] = text.strip()
    return found


def _demand_inside(path: Path, root: Path) -> None:
    """A project's files may not be links to what lies elsewhere on this machine."""
    try:
        inside = path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        # A link to itself: opening it says so.
        return
    if not inside:
        found, accepted = "a link that leaves the project", "a file in it"
        raise Problems([Problem(str(path), None, "", found, accepted)])


def _is_there(path: Path) -> bool:
    """Also a link that leads nowhere and what cannot be opened: told, not passed over."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
