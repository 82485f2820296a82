"""Where the files are that come with the program."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shipped:
    config: Path
    themes: Path


def find_shipped(package: Path | None = None) -> Shipped:
    """Inside the package as it is installed, else beside ``src`` in the source tree."""
    package = package or Path(__file__).resolve().parents[2]
    source = package.parents[1]
    installed = (package / "config").is_dir() or not (source / "pyproject.toml").is_file()
    root = package if installed else source
    return Shipped(root / "config", root / "themes")
