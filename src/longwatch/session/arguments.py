"""Reading what a model sent as the arguments of a call: a JSON object, or not run at all."""

import json
from typing import Any

import msgspec

from longwatch.session.events import Arguments

MAX_DEPTH = 64


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
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        msgspec.json.encode(value)
    except json.JSONDecodeError as error:
        raise _NotAnObject(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise _NotAnObject("it is nested too deeply") from error
    except (UnicodeError, OverflowError) as error:
        raise _NotAnObject("a text or number in it cannot be represented") from error
    if not isinstance(value, dict):
        raise _NotAnObject(f"it is a JSON {_kind(value)}, not an object")
    if _depth(value) > MAX_DEPTH:
        raise _NotAnObject(f"it is nested more than {MAX_DEPTH} levels deep")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _NotAnObject(f"the key {twice!r} stands in it twice")
    infinite = next((name for name, value in pairs if _infinite(value)), None)
    if infinite is not None:
        raise _NotAnObject(f"the number at {infinite!r} is not finite")
    return found


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and value in (float("inf"), float("-inf"))


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
