"""Reading what a model sent as the arguments of a call: a JSON object, or not run at all."""

import json
from typing import Any

import msgspec

from longwatch.session.events import Arguments

MAX_DEPTH = 64
TOO_DEEP = f"it is nested more than {MAX_DEPTH} levels deep"
SHOWN = 20
"""How many characters of a bad text or number are quoted."""


class _NotAnObject(ValueError):
    """Why the text is no arguments object, and where."""


def read_arguments(text: str) -> Arguments:
    """The JSON object, or the text itself where it is none. Nothing is repaired."""
    try:
        return _parse(text)
    except _NotAnObject:
        return text


def complaint(text: str) -> str:
    """What is wrong with a text that ``read_arguments`` gave back."""
    try:
        _parse(text)
    except _NotAnObject as error:
        return str(error)
    return "it is not a JSON object"


def _parse(text: str) -> dict[str, Any]:
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
        )
        msgspec.json.encode(value)
    except json.JSONDecodeError as error:
        raise _NotAnObject(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise _NotAnObject(TOO_DEEP) from error
    except UnicodeEncodeError as error:
        near = error.object[max(0, error.start - SHOWN) : error.end]
        raise _NotAnObject(f"half a character stands at the end of {near!r}") from error
    if not isinstance(value, dict):
        raise _NotAnObject(f"it is a JSON {_kind(value)}, not an object")
    if _depth(value) > MAX_DEPTH:
        raise _NotAnObject(TOO_DEEP)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _NotAnObject(f"the key {twice!r} stands in it twice")
    return found


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _NotAnObject(f"the number {digits[:SHOWN]} is too large")
    return number


def _whole(digits: str) -> int:
    try:
        return int(digits)
    except ValueError as error:
        raise _NotAnObject(f"the number {digits[:SHOWN]}… has too many digits") from error


def _no_constant(name: str) -> Any:
    raise _NotAnObject(f"{name} is not JSON")


def _kind(value: Any) -> str:
    match value:
        case list():
            return "array"
        case str():
            return "string"
        case None:
            return "null"
        case bool():
            return "boolean"
        case _:
            return "number"


def _depth(value: Any) -> int:
    """How deeply it is nested; levels are visited one by one, so that no depth is too much."""
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return depth
