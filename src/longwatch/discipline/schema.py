"""Does a call fit its tool's schema? The part of JSON schema that tools use, with a place named."""

from collections.abc import Mapping
from typing import Any

TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def misfit(value: Any, schema: Mapping[str, Any], where: str = "arguments") -> str | None:
    """What does not fit, in one sentence, or None."""
    expected = schema.get("type")
    if expected is not None and not _is_a(value, expected):
        return f"{where} must be {_article(expected)}"
    if "enum" in schema and value not in schema["enum"]:
        allowed = ", ".join(repr(one) for one in schema["enum"])
        return f"{where} must be one of {allowed}"
    if isinstance(value, Mapping):
        return _misfit_object(value, schema, where)
    if isinstance(value, list):
        return _misfit_array(value, schema, where)
    return _misfit_number(value, schema, where)


def _is_a(value: Any, expected: str | list[str]) -> bool:
    names = [expected] if isinstance(expected, str) else expected
    return any(_is_one(value, name) for name in names)


def _is_one(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, TYPES.get(name, object))


def _article(expected: str | list[str]) -> str:
    name = expected if isinstance(expected, str) else " or ".join(expected)
    return f"{'an' if name[0] in 'aio' else 'a'} {name}"


def _misfit_object(value: Mapping[str, Any], schema: Mapping[str, Any], where: str) -> str | None:
    for name in schema.get("required", ()):
        if name not in value:
            return f"{where} lacks {name!r}"
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name, inner in value.items():
        if name in properties:
            wrong = misfit(inner, properties[name], name)
            if wrong is not None:
                return wrong
        elif schema.get("additionalProperties") is False:
            known = ", ".join(properties) or "none"
            return f"{where} has an unknown {name!r} (known: {known})"
    return None


def _misfit_array(value: list[Any], schema: Mapping[str, Any], where: str) -> str | None:
    if len(value) < schema.get("minItems", 0):
        return f"{where} needs at least {schema['minItems']} item(s)"
    inner = schema.get("items", {})
    wrongs = (misfit(one, inner, f"{where}[{k}]") for k, one in enumerate(value))
    return next((wrong for wrong in wrongs if wrong is not None), None)


def _misfit_number(value: Any, schema: Mapping[str, Any], where: str) -> str | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    if "minimum" in schema and value < schema["minimum"]:
        return f"{where} must be at least {schema['minimum']}"
    if "maximum" in schema and value > schema["maximum"]:
        return f"{where} must be at most {schema['maximum']}"
    return None
