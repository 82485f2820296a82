"""`config show`, `init`, `path` and `schema`: what is set and from where, and how to begin."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec.structs import replace

from longwatch.adapters.settings.declared import setting_named
from longwatch.adapters.settings.kinds import spell
from longwatch.adapters.settings.layers import Row
from longwatch.adapters.settings.problems import BadSetting, Problem, Problems
from longwatch.adapters.settings.schema import File, json_schema
from longwatch.adapters.settings.trust import PROJECT_FOLDER, Trust
from longwatch.adapters.settings.writing import write_new
from longwatch.commands.choosing import chosen
from longwatch.commands.failure import CommandFailed
from longwatch.engine.opening import state_of
from longwatch.engine.secrets import Redactor
from longwatch.engine.visible import visible_line
from longwatch.session.state import Profile
from longwatch.wiring import Wiring

WIDEST_VALUE = 60
TEMPLATES = ("config.yaml", "keymap.toml")
FOLDERS = ("roles", "agents", "rehearsals")


@dataclass(frozen=True)
class Choice:
    """Whose configuration is meant."""

    cwd: Path
    session: str | None = None
    agent: str | None = None
    role: str | None = None


def show(wiring: Wiring, choice: Choice, keys: Sequence[str], *, as_json: bool) -> Iterator[str]:
    """The lines of `longwatch config show`."""
    wanted = _names(keys)
    profile = profile_of(wiring, choice)
    setup = wiring.house.setup(profile)
    rows = [
        replace(row, name=profile.title) if row.layer == "session" else row
        for row in setup.resolved.as_rows()
        if not wanted or row.key in wanted
    ]
    redactor = Redactor(wiring.house.secrets)
    if as_json:
        yield redactor.encoded(msgspec.json.encode(rows)).decode()
        return
    for line in _table(rows, setup.model):
        yield redactor.text(line)


def profile_of(wiring: Wiring, choice: Choice) -> Profile:
    """The session that is named, or one that would be started like that."""
    if choice.session is None:
        cwd = Path(os.path.realpath(choice.cwd))
        if not cwd.is_dir():
            raise CommandFailed(f"{cwd} is not a folder.")
        return Profile(
            cwd=str(cwd), agent=choice.agent, role=choice.role, title="", model="", dialect=""
        )
    profile = state_of(wiring.store, chosen(wiring.store, choice.session)).profile
    return replace(profile, agent=choice.agent or profile.agent, role=choice.role or profile.role)


def _names(keys: Sequence[str]) -> frozenset[str]:
    problems: list[Problem] = []
    names: set[str] = set()
    for key in keys:
        try:
            names.add(setting_named(key).name)
        except BadSetting as bad:
            problems.append(Problem.of(bad, ""))
    if problems:
        raise Problems(problems)
    return frozenset(names)


def _table(rows: Sequence[Row], model: str) -> Iterator[str]:
    values = [_value(row, model) for row in rows]
    places = [" ".join(part for part in (row.layer, row.name) if part) for row in rows]
    key_width = max(len(row.key) for row in rows)
    value_width = max(map(len, values))
    place_width = max(map(len, places))
    for row, value, place in zip(rows, values, places, strict=True):
        line = f"{row.key:{key_width}}  {value:{value_width}}  {place:{place_width}}  {row.file}"
        yield visible_line(line.rstrip())


def _value(row: Row, model: str) -> str:
    if row.key == "model" and row.value is None:
        return f"null (now {model})"
    return visible_line(spell(row.value), WIDEST_VALUE)


def init(wiring: Wiring, *, everything: bool) -> Iterator[str]:
    """Copy what ships to where it is edited. A file that is there is never touched."""
    folder, shipped = wiring.places.config, wiring.shipped
    files = {name: shipped.config / name for name in TEMPLATES}
    if everything:
        inside = [path for name in FOLDERS for path in _files(shipped.config / name)]
        files |= {str(path.relative_to(shipped.config)): path for path in inside}
        files |= {f"themes/{path.name}": path for path in _files(shipped.themes)}
    for name, source in files.items():
        target = folder / name
        try:
            written = write_new(target, source.read_bytes())
        except OSError as error:
            said = error.strerror or error
            raise CommandFailed(f"{target} cannot be written: {said}.", 1) from error
        yield visible_line(f"{'Wrote' if written else 'Left alone, it is there:'} {target}")
    yield "`longwatch config check` looks for mistakes, `longwatch config show` says what holds."


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def paths(wiring: Wiring, cwd: Path, *, as_json: bool) -> Iterator[str]:
    """The lines of `longwatch config path`."""
    root = Path(os.path.realpath(cwd))
    told = {
        "config": str(wiring.places.config),
        "data": str(wiring.places.data),
        "project": str(root / PROJECT_FOLDER),
    }
    if as_json:
        yield json.dumps(told)
        return
    trusted = Trust.at(wiring.places).covers(root)
    notes = {"project": "trusted" if trusted else "not trusted"}
    for name, path in told.items():
        note = notes.get(name) or ("" if Path(path).is_dir() else "not there yet")
        yield visible_line(f"{name:8} {path}{f'  ({note})' if note else ''}")


def schema(sort: File) -> str:
    return json.dumps(json_schema(sort), indent=2, ensure_ascii=False)
