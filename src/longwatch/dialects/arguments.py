"""Reading the loosely typed arguments of a todo call."""

from collections.abc import Mapping
from typing import Any


def not_an_object(problem: str) -> str:
    """What is said of arguments that are no JSON object, and where they go wrong."""
    where = f" ({problem})" if problem else ""
    return f"the arguments must be one JSON object{where}"


def as_int(value: Any) -> int | None:
    """A whole number, also when it came as text; a boolean is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        digits = value.strip().removeprefix("#")
        if digits.isascii() and digits.removeprefix("-").isdigit() and len(digits) <= 18:
            return int(digits)
    return None


def as_texts(arguments: Mapping[str, Any], key: str) -> list[str] | None:
    """A list of texts, trimmed, or None if it is not one."""
    value = arguments.get(key)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        return None
    return [text.strip() for text in value]
