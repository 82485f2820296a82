"""Which folders a person has trusted, and what a folder would bring if it were."""

import errno
import json
import os
from dataclasses import dataclass
from pathlib import Path

from longwatch.adapters.settings.opening import read_text
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.problems import Problem, Problems
from longwatch.adapters.settings.writing import alone_in, write_private

PROJECT_FOLDER = ".longwatch"
INSTRUCTION_FILES = ("AGENTS.md",)
MOST_LISTED = 200


@dataclass(frozen=True)
class Trust:
    """Folders that a person gave their word for, by real path. It is not inherited."""

    file: Path

    @classmethod
    def at(cls, places: Places) -> "Trust":
        """Folders whose own configuration is read."""
        return cls(places.trust_file)

    @classmethod
    def unsandboxed(cls, places: Places) -> "Trust":
        """Folders where commands may run unasked though there is no sandbox."""
        return cls(places.unsandboxed_file)

    def folders(self) -> tuple[Path, ...]:
        """Raises Problems if the file cannot be read: nothing is trusted by guessing."""
        text = read_text(self.file)
        return () if text is None else tuple(map(Path, self._parsed(text)))

    def covers(self, folder: Path) -> bool:
        return _real(folder) in self.folders()

    def add(self, folder: Path) -> None:
        """Raises OSError if there is no such folder or the file cannot be written."""
        self._change(_real(folder, strict=True), trusted=True)

    def remove(self, folder: Path) -> None:
        self._change(_real(folder), trusted=False)

    def _change(self, folder: Path, *, trusted: bool) -> None:
        with alone_in(self.file.parent):
            others = [str(known) for known in self.folders() if known != folder]
            kept = sorted({*others, *([str(folder)] if trusted else [])})
            # Escaped to ASCII, because a path may hold bytes that are no text.
            data = json.dumps({"trusted": kept}, indent=1).encode("ascii")
            write_private(self.file, data + b"\n")

    def _parsed(self, text: str) -> list[str]:
        try:
            match json.loads(text):
                case {"trusted": list(paths)} if all(map(_is_absolute, paths)):
                    return paths
                case _:
                    pass
        except (ValueError, RecursionError):
            pass
        found = "something that this program has not written"
        accepted = "a list of trusted folders; remove the file to be asked again"
        raise Problems([Problem(str(self.file), None, "", found, accepted)])


def would_activate(root: Path) -> tuple[str, ...]:
    """What trusting a folder brings, as paths in it. Only names are looked at, nothing is read."""
    folder = root / PROJECT_FOLDER
    paths = [root / name for name in INSTRUCTION_FILES]
    paths.append(folder / "config.yaml")
    paths.extend(path for path in _entries(folder / "roles") if path.suffix == ".md")
    paths.extend(path / "config.yaml" for path in _entries(folder / "agents"))
    found = [str(path.relative_to(root)) for path in paths if os.path.lexists(path)]
    left = len(found) - MOST_LISTED
    return (*found[:MOST_LISTED], *([f"and {left} more"] if left > 0 else ()))


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _real(folder: Path, *, strict: bool = False) -> Path:
    # Path.resolve raises on a link to itself, where this gives it back.
    try:
        return Path(os.path.realpath(folder, strict=strict))
    except ValueError as error:
        # A name with a NUL in it, which no folder has.
        if strict:
            raise FileNotFoundError(errno.ENOENT, str(error)) from error
        return folder


def _is_absolute(path: object) -> bool:
    return isinstance(path, str) and os.path.isabs(path)  # noqa: PTH117 - it may be no path at all
