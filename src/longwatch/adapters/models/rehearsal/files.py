"""Finds and reads scenario files; what is wrong with one is told with its line."""

import difflib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import longwatch
from longwatch.adapters.models.rehearsal.scenario import (
    STRUCTS,
    NoSuchScenario,
    Scenario,
    ScenarioProblem,
    complaint,
)
from longwatch.adapters.models.speech import sendable

if TYPE_CHECKING:
    import yaml

MAX_SIZE = 1024 * 1024
MAX_NESTING = 50
SUFFIXES = (".yaml", ".yml")

_AT = re.compile(r" - at `\$(.*)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"unknown field `(.*?)`")

Lines = dict[str, int]


def shipped_rehearsals() -> Path:
    """Where the scenarios are that come with the program: in the wheel, or in the repository."""
    package = Path(longwatch.__file__).parent
    inside = package / "config" / "rehearsals"
    return inside if inside.is_dir() else package.parents[1] / "config" / "rehearsals"


def find_scenario(name: str, folders: Sequence[Path]) -> Path:
    """The file of that name in the first folder that has it, or at that path."""
    if name.endswith(SUFFIXES) or "/" in name:
        return Path(name).expanduser()
    for folder in folders:
        for suffix in SUFFIXES:
            path = folder / f"{name}{suffix}"
            if path.is_file():
                return path
    known = sorted(set(_names(folders)))
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known) or 'none'}."
    raise NoSuchScenario(f"there is no rehearsal {name!r}. {hint}")


def _names(folders: Iterable[Path]) -> Iterable[str]:
    for folder in folders:
        if folder.is_dir():
            yield from (path.stem for path in folder.iterdir() if path.suffix in SUFFIXES)


def load_scenario(path: Path) -> Scenario:
    """A scenario from its file. Raises ScenarioProblem."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_SIZE + 1)
    except OSError as error:
        words = error.strerror or type(error).__name__
        raise ScenarioProblem(f"{path}: cannot be read: {words}") from None
    if len(content) > MAX_SIZE:
        raise ScenarioProblem(f"{path}: is larger than {MAX_SIZE // 1024} KiB")
    return parse_scenario(content, str(path))


def parse_scenario(content: bytes, name: str) -> Scenario:
    value, lines = _read(content, name)
    try:
        scenario = msgspec.convert(sendable(value), Scenario)
    except msgspec.ValidationError as error:
        raise ScenarioProblem(_told(str(error), name, lines)) from None
    wrong = complaint(scenario)
    if wrong is not None:
        raise ScenarioProblem(f"{name}:{_line(lines, wrong[0])}: {wrong[1]}")
    return scenario


def _told(words: str, name: str, lines: Lines) -> str:
    """A decoder's complaint with the line, and the fields that are accepted there."""
    found = _AT.search(words)
    path = found[1] if found else ""
    words = _AT.sub("", words)
    unknown = _UNKNOWN.search(words)
    if not unknown:
        return f"{name}:{_line(lines, path)}: {words[:1].lower()}{words[1:]} at {path or 'the top'}"
    keys = re.findall(r"\.(\w+)", path)
    accepted = sorted(STRUCTS.get(keys[-1] if keys else "", Scenario).__struct_fields__)
    close = difflib.get_close_matches(unknown[1], accepted, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    line = _line(lines, f"{path}.{unknown[1]}")
    return f"{name}:{line}: unknown key {unknown[1]!r}.{hint} Accepted: {', '.join(accepted)}"


def _line(lines: Lines, path: str) -> int:
    """The line of the innermost part of a path that has one."""
    while path and path not in lines:
        steps = list(_STEP.finditer(path))
        path = path[: steps[-1].start()] if steps else ""
    return lines.get(path, 1)


def _read(content: bytes, name: str) -> tuple[Any, Lines]:
    # Imported here: only a rehearsal needs it.
    import yaml  # noqa: PLC0415

    try:
        text = content.decode("utf-8")
        _check_events(yaml.parse(text, Loader=yaml.SafeLoader), name)
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            lines: Lines = {}
            _walk(node, "", lines, name)
            return loader.construct_document(node) if node else None, lines
        finally:
            loader.dispose()
    except UnicodeDecodeError:
        raise ScenarioProblem(f"{name}: is not UTF-8 text") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 1
        raise ScenarioProblem(f"{name}:{line}: {error.problem or 'is not YAML'}") from None
    except yaml.YAMLError as error:
        raise ScenarioProblem(f"{name}: is not YAML: {error}") from None
    except ValueError as error:
        raise ScenarioProblem(f"{name}: has a value that cannot be read: {error}") from None


def _check_events(events: Iterable["yaml.Event"], name: str) -> None:
    """Refuse what a scenario has no use for, before anything is built from it."""
    import yaml  # noqa: PLC0415

    depth = 0
    for event in events:
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ScenarioProblem(f"{name}:{line}: anchors and aliases are not accepted")
        if getattr(event, "tag", None):
            raise ScenarioProblem(f"{name}:{line}: tags are not accepted")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_NESTING:
            raise ScenarioProblem(f"{name}:{line}: is nested more than {MAX_NESTING} levels deep")


def _walk(node: "yaml.Node | None", path: str, lines: Lines, name: str) -> None:
    """Note the line of every part, and refuse keys that stand twice."""
    import yaml  # noqa: PLC0415

    if node is None:
        return
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        for at, inner in enumerate(node.value):
            _walk(inner, f"{path}[{at}]", lines, name)
    elif isinstance(node, yaml.MappingNode):
        for key, inner in node.value:
            key_path = f"{path}.{key.value}"
            line = key.start_mark.line + 1
            if key_path in lines:
                raise ScenarioProblem(f"{name}:{line}: the key {key.value!r} stands here twice")
            lines[key_path] = line
            _walk(inner, key_path, lines, name)
