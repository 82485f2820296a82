"""Arguments against a tool's schema: what fits, and what is said of what does not."""

from typing import Any

import pytest

from longwatch.discipline.schema import misfit

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "ratio": {"type": "number"},
        "all": {"type": "boolean"},
        "mode": {"type": "string", "enum": ["a", "b"]},
        "items": {"type": "array", "minItems": 1, "items": {"type": "string"}},
        "inner": {"type": "object", "required": ["x"], "properties": {"x": {"type": "null"}}},
        "either": {"type": ["string", "null"]},
    },
    "required": ["path"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "a"},
        {"path": "", "count": 1, "ratio": 1, "all": False, "mode": "b", "items": ["x"]},
        {"path": "a", "count": 2.0, "ratio": 0.5},
        {"path": "a", "inner": {"x": None, "more": 1}},
        {"path": "a", "either": None},
    ],
)
def test_what_fits(arguments: dict[str, Any]) -> None:
    assert misfit(arguments, SCHEMA) is None


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "arguments lacks 'path'"),
        ([], "arguments must be an object"),
        ({"path": 1}, "path must be a string"),
        ({"path": "a", "count": True}, "count must be an integer"),
        ({"path": "a", "count": 1.5}, "count must be an integer"),
        ({"path": "a", "count": 0}, "count must be at least 1"),
        ({"path": "a", "count": 10}, "count must be at most 9"),
        ({"path": "a", "ratio": "1"}, "ratio must be a number"),
        ({"path": "a", "all": 1}, "all must be a boolean"),
        ({"path": "a", "mode": "c"}, "mode must be one of 'a', 'b'"),
        ({"path": "a", "items": []}, "items needs at least 1 item(s)"),
        ({"path": "a", "items": ["x", 2]}, "items[1] must be a string"),
        ({"path": "a", "inner": {}}, "inner lacks 'x'"),
        ({"path": "a", "either": 3}, "either must be a string or null"),
    ],
)
def test_what_does_not_fit_is_named(arguments: Any, complaint: str) -> None:
    assert misfit(arguments, SCHEMA) == complaint


def test_an_unknown_argument_is_refused_with_the_known_names_where_the_schema_is_closed() -> None:
    closed = {"type": "object", "properties": {"path": {}}, "additionalProperties": False}
    assert misfit({"pth": 1}, closed) == "arguments has an unknown 'pth' (known: path)"
    assert misfit({"pth": 1}, {"type": "object"}) is None
