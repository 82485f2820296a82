"""Reading how the dashboard looks and which keys it has: themes and the keymap."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from longwatch.adapters.settings.mapped import Document
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.problems import Problem, Problems
from longwatch.adapters.settings.shipped import Shipped
from longwatch.adapters.settings.toml import read_toml

KEYMAP_FILE = "keymap.toml"
THEMES_FOLDER = "themes"


@dataclass(frozen=True)
class Appearance:
    """Plain values as they were read. A file that could not be read is among the problems."""

    themes: tuple[Document, ...] = ()
    """The person's own first, then what ships; a name may come twice."""
    keymap: Document | None = None
    problems: tuple[Problem, ...] = ()


def read_theme(places: Places, shipped: Shipped, name: str) -> tuple[Document, ...]:
    """One theme, the person's own first. What is wrong with it is told when all are read."""
    files = [folder / f"{name}.toml" for folder in (places.config / THEMES_FOLDER, shipped.themes)]
    return tuple(document for path in files if (document := _read(path)))


def read_keymap(places: Places) -> Document | None:
    """The person's keymap, if there is one that can be read."""
    return _read(places.config / KEYMAP_FILE)


def read_appearance(places: Places, shipped: Shipped) -> Appearance:
    """All themes, and the person's keymap if there is one. Nothing is raised."""
    problems: list[Problem] = []
    files = [*_theme_files(places.config / THEMES_FOLDER), *_theme_files(shipped.themes)]
    themes = [document for path in files if (document := _read(path, problems.extend))]
    keymap = _read(places.config / KEYMAP_FILE, problems.extend)
    return Appearance(tuple(themes), keymap, tuple(problems))


def _theme_files(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if entry.suffix == ".toml")
    except OSError:
        return []


def _read(
    path: Path, report: Callable[[tuple[Problem, ...]], None] | None = None
) -> Document | None:
    try:
        return read_toml(path)
    except Problems as wrong:
        if report is not None:
            report(wrong.problems)
        return None
