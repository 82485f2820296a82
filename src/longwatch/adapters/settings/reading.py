"""YAML and front matter as plain values with the line of each key, or all that is wrong."""

import re
from pathlib import Path
from typing import Any, NoReturn

from longwatch.adapters.settings.kinds import describe_type
from longwatch.adapters.settings.mapped import Document
from longwatch.adapters.settings.opening import LIMIT, read_text
from longwatch.adapters.settings.problems import Problem, Problems
from longwatch.adapters.settings.yaml_guard import Guard

# What YAML itself forbids, so that both of its parsers answer alike.
_UNPRINTABLE = re.compile("[^\\t\\n\\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CORE = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float"))
# Base sixty and octal by a leading zero: hardly ever what the person meant.
_SURPRISING = re.compile(r"[-+]?0[0-9_]+|.*:.*")
_NUMBERS = frozenset({"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"})
_FENCE = re.compile(r"---[ \t]*\r?")
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def read_yaml(path: Path, limit: int = LIMIT) -> Document | None:
    """A file's mapping; None if there is no such file. Raises Problems."""
    text = read_text(path, limit)
    return None if text is None else parse_yaml(text, str(path))


def read_front_matter(path: Path) -> tuple[Document, str] | None:
    """The mapping between the first two --- lines, and the text after them."""
    text = read_text(path)
    return None if text is None else parse_front_matter(text, str(path))


def parse_yaml(text: str, file: str, *, offset: int = 0, pure: bool = False) -> Document:
    """A YAML mapping, ``offset`` lines into its file. ``pure`` does without the C library."""
    import yaml  # noqa: PLC0415 - slow to load, and not needed without a file

    _demand_printable(text, file, offset)
    loader_type: Any = yaml.SafeLoader if pure else getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    guard = Guard(file, offset)
    try:
        guard.watch(yaml.parse(text, Loader=loader_type))
        loader = loader_type(text)
        try:
            node = loader.get_single_node()
            builder = _Builder(loader, guard)
            values = None if node is None else builder.build(node, ())
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        _raise_syntax(error, text, guard)
    except yaml.YAMLError as error:
        raise Problems([*guard.problems, Problem(file, found=f"no YAML ({error})")]) from None
    if values is None and not guard.problems:
        values = {}
    return _document(values, guard)


def parse_front_matter(text: str, file: str, *, pure: bool = False) -> tuple[Document, str]:
    lines = text.split("\n")
    if not _FENCE.fullmatch(lines[0]):
        return Document(file), text.strip()
    for number, line in enumerate(lines[1:], 1):
        if _FENCE.fullmatch(line):
            document = parse_yaml("\n".join(lines[1:number]), file, offset=1, pure=pure)
            return document, "\n".join(lines[number + 1 :]).strip()
    found = "front matter without an end"
    raise Problems([Problem(file, 1, "", found, "a second line of three dashes")])


class _Builder:
    """Makes plain values of YAML nodes: keys are the text that was written, dates are text."""

    def __init__(self, loader: Any, guard: Guard) -> None:
        self._loader = loader
        self._guard = guard

    def build(self, node: Any, path: tuple[str, ...]) -> Any:
        if node.id == "mapping":
            return {key.value: self.build(item, (*path, key.value)) for key, item in node.value}
        if node.id == "sequence":
            return [self.build(item, (*path, str(at))) for at, item in enumerate(node.value)]
        if node.tag not in _CORE:
            return node.value
        if node.tag in _NUMBERS and _SURPRISING.fullmatch(node.value):
            return node.value
        try:
            return self._loader.construct_object(node)
        except ValueError:
            # Python refuses numbers of thousands of digits, and some that are no numbers at all.
            self._bad_number(node, path)
            return None

    def _bad_number(self, node: Any, path: tuple[str, ...]) -> None:
        line = node.start_mark.line + 1 + self._guard.offset
        found = "something like a number that cannot be read as one"
        problem = Problem(self._guard.file, line, ".".join(path), found, "a number, or quotes")
        self._guard.problems.append(problem)


def _document(values: Any, guard: Guard) -> Document:
    if not isinstance(values, dict):
        found = describe_type(values)
        problem = Problem(guard.file, 1 + guard.offset, "", found, "a mapping of keys to values")
        raise Problems([*guard.problems, problem])
    return Document(guard.file, values, guard.lines, tuple(guard.problems))


def _raise_syntax(error: Any, text: str, guard: Guard) -> NoReturn:
    """What the parser could not read. Its excerpt of the text stays out: it may hold a key."""
    mark = error.problem_mark or error.context_mark
    found, accepted = f"no YAML ({error.problem or error.context})", "YAML, as key: value"
    lines = _BREAK.split(text.rstrip("\r\n"))
    # What is missing at the end is missed on the last line.
    line = 0 if mark is None else min(mark.line, len(lines) - 1)
    if mark is not None and lines[line][mark.column : mark.column + 1] == "\t":
        found, accepted = "a tab", "spaces"
    problem = Problem(guard.file, line + 1 + guard.offset, "", found, accepted)
    raise Problems([*guard.problems, problem]) from None


def _demand_printable(text: str, file: str, offset: int) -> None:
    control = _UNPRINTABLE.search(text)
    if control is not None:
        line = text.count("\n", 0, control.start()) + 1 + offset
        found = f"the character U+{ord(control[0]):04X}"
        raise Problems([Problem(file, line, "", found, "printable text")])
