"""`config check`: everything that is wrong in all configuration files, at once."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path

from longwatch.adapters.models.registry import TYPES, usual_providers
from longwatch.adapters.models.rehearsal.files import SUFFIXES, parse_scenario
from longwatch.adapters.models.rehearsal.scenario import ScenarioProblem
from longwatch.adapters.settings.appearance import read_appearance
from longwatch.adapters.settings.files import (
    A_NAME,
    Agent,
    Project,
    Role,
    load_global,
    load_project,
)
from longwatch.adapters.settings.kinds import nearest
from longwatch.adapters.settings.layers import Given, from_environment
from longwatch.adapters.settings.opening import read_text
from longwatch.adapters.settings.problems import Problem, Problems
from longwatch.adapters.settings.quoting import cut
from longwatch.adapters.settings.toml import read_toml
from longwatch.adapters.settings.trust import PROJECT_FOLDER, Trust, would_activate
from longwatch.commands.failure import CommandFailed
from longwatch.engine.secrets import Redactor
from longwatch.engine.visible import visible_line
from longwatch.wiring import Wiring

MEMORY_FILE = "ui.toml"


def report(wiring: Wiring, cwd: Path) -> tuple[list[str], list[str]]:
    """What is wrong, one line each, and what there is to say besides."""
    root = Path(os.path.realpath(cwd))
    if not root.is_dir():
        raise CommandFailed(f"{root} is not a folder.")
    examination = Examination(wiring, root)
    problems = examination.problems()
    redact = Redactor(wiring.house.secrets).text
    lines = [visible_line(redact(str(problem))) for problem in problems]
    count = len(examination.read)
    well = f"All is well: {count} file{'' if count == 1 else 's'} checked, and the environment."
    notes = examination.notes()
    return lines, [*notes, *([] if lines else [well])]


class Examination:
    """One look at all files that have a say in this folder."""

    def __init__(self, wiring: Wiring, root: Path) -> None:
        self.read: list[str] = []
        """The files that were looked into."""
        self._wiring = wiring
        self._root = root
        self._providers: Collection[str] = tuple(usual_providers(wiring.environ))

    @property
    def _trusted(self) -> bool:
        try:
            return self._wiring.trusts or Trust.at(self._wiring.places).covers(self._root)
        except Problems:
            return False

    def problems(self) -> list[Problem | str]:
        looks: tuple[Callable[[], Iterator[Problem | str]], ...] = (
            self._global,
            self._environment,
            self._library,
            self._rehearsals,
            self._appearance,
            self._own_files,
        )
        return [problem for look in looks for problem in look()]

    def notes(self) -> list[str]:
        brought = () if self._trusted else would_activate(self._root)
        if not brought:
            return []
        listed = ", ".join(brought)
        return [visible_line(f"Not checked, as {self._root} is not trusted: {listed}")]

    # --- one sort of file after the other ----------------------------------------------------

    def _global(self) -> Iterator[Problem | str]:
        places = self._wiring.places
        self._note(places.config_file)
        try:
            loaded = load_global(places, TYPES)
        except Problems as wrong:
            # Whether a model's provider is declared cannot be told without this file.
            self._providers = ()
            yield from wrong.problems
            return
        self._providers = (*self._providers, *loaded.providers)
        yield from self._unknown_provider(loaded.given)

    def _environment(self) -> Iterator[Problem | str]:
        try:
            given = from_environment(self._wiring.environ)
        except Problems as wrong:
            yield from wrong.problems
            return
        yield from self._unknown_provider(given)

    def _library(self) -> Iterator[Problem | str]:
        root = self._root if self._trusted else None
        library = self._wiring.house.library(root)
        shipped = self._wiring.shipped.config
        loads: list[tuple[Path, Callable[[], Role | Agent]]] = [
            *((path, partial(library.load_role, name)) for name, path in library.roles().items()),
            *((path, partial(library.load_agent, name)) for name, path in library.agents().items()),
        ]
        for path, load in loads:
            if not path.is_relative_to(shipped):
                yield from self._loaded(path, load)
        for path in library.misnamed():
            yield Problem(str(path), None, "", f"the name {cut(path.stem)}", A_NAME)
        if root is not None:
            path = root / PROJECT_FOLDER / "config.yaml"
            yield from self._loaded(path, partial(load_project, root))

    def _loaded(
        self, path: Path, load: Callable[[], Role | Agent | Project]
    ) -> Iterator[Problem | str]:
        self._note(path)
        try:
            loaded = load()
        except Problems as wrong:
            yield from wrong.problems
            return
        yield from self._unknown_provider(loaded.given)

    def _unknown_provider(self, given: Given) -> Iterator[Problem | str]:
        model = given.values.get("model")
        provider = model.partition(":")[0] if model else ""
        if provider and self._providers and provider not in self._providers:
            accepted = f"a provider that is there: {', '.join(sorted(self._providers))}"
            found = f"the provider {cut(provider)}"
            close = nearest(provider, self._providers)
            yield Problem(given.place("model"), None, "model", found, accepted, close)

    def _rehearsals(self) -> Iterator[Problem | str]:
        folder = self._wiring.places.config / "rehearsals"
        for path in _entries(folder, SUFFIXES):
            self._note(path)
            try:
                parse_scenario((read_text(path) or "").encode(), str(path))
            except Problems as wrong:
                yield from wrong.problems
            except ScenarioProblem as wrong:
                yield str(wrong)

    def _appearance(self) -> Iterator[Problem | str]:
        read = read_appearance(self._wiring.places, self._wiring.shipped)
        yield from read.problems
        shipped = self._wiring.shipped.themes
        own = [theme for theme in read.themes if not Path(theme.file).is_relative_to(shipped)]
        documents = [*own, *([read.keymap] if read.keymap else [])]
        self.read += [document.file for document in documents]
        if documents:
            # Textual is slow to load, and only these need it.
            from longwatch.ui.looks import looks_of  # noqa: PLC0415

            yield from looks_of(own, read.keymap).complaints

    def _own_files(self) -> Iterator[Problem | str]:
        """What the program writes itself; a person may have edited it all the same."""
        places = self._wiring.places
        looks: tuple[tuple[Path, Callable[[], object]], ...] = (
            (places.config / MEMORY_FILE, lambda: read_toml(places.config / MEMORY_FILE)),
            (places.trust_file, Trust.at(places).folders),
        )
        for path, read in looks:
            self._note(path)
            try:
                read()
            except Problems as wrong:
                yield from wrong.problems

    def _note(self, path: Path) -> None:
        if os.path.lexists(path):
            self.read.append(str(path))


def _entries(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix in suffixes)
    except OSError:
        return []
