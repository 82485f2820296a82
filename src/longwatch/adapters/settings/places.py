"""Where configuration and data live."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CONFIG_VARIABLE = "LONGWATCH_CONFIG_DIR"
DATA_VARIABLE = "LONGWATCH_DATA_DIR"


@dataclass(frozen=True)
class Places:
    """The user's two folders. Either may not exist yet."""

    config: Path
    data: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.yaml"

    @property
    def trust_file(self) -> Path:
        return self.data / "trusted.json"

    @property
    def unsandboxed_file(self) -> Path:
        return self.data / "unsandboxed.json"


def find_places(environ: Mapping[str, str]) -> Places:
    """The folders that the environment names, else the platform's own."""
    return Places(
        _named(environ, CONFIG_VARIABLE) or _usual("user_config_path"),
        _named(environ, DATA_VARIABLE) or _usual("user_data_path"),
    )


def _named(environ: Mapping[str, str], variable: str) -> Path | None:
    value = environ.get(variable)
    if not value:
        return None
    home = environ.get("HOME")
    if home and (value == "~" or value.startswith("~/")):
        return Path(home) / value[2:]
    # Made absolute here, because the background worker runs in another folder.
    return Path(value).absolute()


def _usual(which: str) -> Path:
    import platformdirs  # noqa: PLC0415 - not needed where both folders are named

    path: Path = getattr(platformdirs, which)("longwatch", appauthor=False)
    return path
