"""TOML as plain values with the line of each key, or what is wrong with it."""

import re
import tomllib
from pathlib import Path
from typing import Any

from longwatch.adapters.settings.mapped import DEEPEST, Document
from longwatch.adapters.settings.opening import read_text
from longwatch.adapters.settings.problems import Problem, Problems

_PART = re.compile(r"[=,{}\[\]\n]")
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")
_HEADER = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?")
_KEY = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_.-]+))\s*=""")


def read_toml(path: Path) -> Document | None:
    text = read_text(path)
    return None if text is None else parse_toml(text, str(path))


def parse_toml(text: str, file: str) -> Document:
    # Its parser takes minutes for one key of very many parts.
    if any(part.count(".") > DEEPEST for part in _PART.split(text)):
        raise Problems([Problem(file, None, "", f"a key of more than {DEEPEST} parts", "fewer")])
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        said = _PLACE.sub("", str(error))
        raise Problems([Problem(file, line, "", f"no TOML ({said})", "TOML")]) from None
    except (RecursionError, ValueError):
        found = f"more than {DEEPEST} levels of nesting, or a number that is too long"
        raise Problems([Problem(file, None, "", found, "less")]) from None
    if _depth(values) > DEEPEST:
        found = f"more than {DEEPEST} levels of nesting"
        raise Problems([Problem(file, None, "", found, "fewer")])
    return Document(file, values, _lines(text))


def _depth(value: Any) -> int:
    """How deep a value is nested, found without recursion."""
    deepest, rest = 0, [(value, 0)]
    while rest:
        inner, depth = rest.pop()
        if isinstance(inner, dict | list):
            deepest = max(deepest, depth + 1)
            items = inner.values() if isinstance(inner, dict) else inner
            rest.extend((item, depth + 1) for item in items)
    return deepest


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """Where keys and tables begin, as far as that can be told line by line."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        key = _KEY.match(line)
        if header:
            table = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            lines.setdefault(table, number)
        elif key:
            name = key[1] or key[2]
            parts = (name,) if name else tuple(key[3].split("."))
            lines.setdefault((*table, *parts), number)
    return lines
