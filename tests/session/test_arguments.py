"""What a model sent as arguments: a JSON object, or the text back with what is wrong and where."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longwatch.session.arguments import MAX_DEPTH, complaint, read_arguments

CALM = settings(derandomize=True, deadline=None, max_examples=300)

DEEP = MAX_DEPTH - 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (' \n{"a": 1}\t', {"a": 1}),
        (
            '{"a": [1, 2.5, true, null, "x", {"b": {}}]}',
            {"a": [1, 2.5, True, None, "x", {"b": {}}]},
        ),
        ('{"": "", "a b": "\\u2028"}', {"": "", "a b": "\u2028"}),
        ('{"a": {"a": {"a": 1}}}', {"a": {"a": {"a": 1}}}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        ('{"a": "ü\U0001f600"}', {"a": "ü\U0001f600"}),
        ('{"a": 1e308, "b": -1e308, "c": 1e-999}', {"a": 1e308, "b": -1e308, "c": 0.0}),
        (f'{{"a": {2**64}, "b": {-(2**80)}}}', {"a": 2**64, "b": -(2**80)}),
        ('{"a": "NaN and Infinity"}', {"a": "NaN and Infinity"}),
    ],
)
def test_a_json_object_is_read_as_it_is(text: str, value: dict[str, Any]) -> None:
    assert read_arguments(text) == value


BAD = [
    ("", "line 1, column 1"),
    ("   ", "line 1, column 4"),
    ("Sure, here you go", "line 1, column 1"),
    ('{"a": 1', "line 1, column 8"),
    ('{"a": 1,}', "line 1, column"),
    ("{'a': 1}", "line 1, column 2"),
    ('{\n"a": 1,\n"b" 2}', "line 3, column 5"),
    ('{"a": 1} {"b": 2}', "line 1, column 10"),
    ('{"a": "two\nlines"}', "line 1, column 11"),
    ("\ufeff{}", "line 1, column 1"),
    ("[]", "array"),
    ('[{"a": 1}]', "array"),
    ('"{}"', "string"),
    ("null", "null"),
    ("true", "boolean"),
    ("17", "number"),
    ("1.5", "number"),
    ('{"a": NaN}', "NaN"),
    ('{"a": [Infinity]}', "Infinity"),
    ('{"a": {"b": -Infinity}}', "-Infinity"),
    ('{"a": 1e999}', "1e999"),
    ('{"a": [1, [-1e999]]}', "-1e999"),
    ('{"a": ' + "9" * 5_000 + "}", "9" * 20 + "…"),
    ('{"a": [' + "-" + "9" * 5_000 + "]}", "-" + "9" * 19 + "…"),
    ('{"a": 1, "b": 2, "a": 3}', "'a'"),
    ('{"x": [{"b": 1, "b": 1}]}', "'b'"),
    ('{"a": "half \\ud83d"}', r"'half \ud83d'"),
    ('{"half \\udc00": 1}', r"'half \udc00'"),
    ('{"a": ["half \ud800"]}', r"'half \ud800'"),
    ('{"a": ' + "[" * DEEP + "[]" + "]" * DEEP + "}", "64 levels"),
    ('{"a": ' + '{"a": ' * DEEP + "{}" + "}" * DEEP + "}", "64 levels"),
    ('{"a": ' * 100_000 + "1" + "}" * 100_000, "64 levels"),
    ('{"a": ' + "[" * 100_000, "64 levels"),
    ("[" * 100_000 + "]" * 100_000, "64 levels"),
]


@pytest.mark.parametrize(("text", "where"), BAD, ids=[text[:20] for text, _ in BAD])
def test_anything_else_comes_back_as_the_text_that_it_is(text: str, where: str) -> None:
    assert read_arguments(text) is text
    said = complaint(text)
    assert where in said
    assert len(said) < 120
    assert said.isprintable()


def test_an_object_may_be_as_deep_as_the_limit() -> None:
    text = '{"a": ' + "[" * (DEEP - 1) + "[]" + "]" * (DEEP - 1) + "}"
    assert isinstance(read_arguments(text), dict)


def test_a_complaint_about_what_is_no_object_says_so() -> None:
    assert complaint("[]") == "it is a JSON array, not an object"
    assert complaint("{}") == "it is not a JSON object"


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | TEXT
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@CALM
@given(st.dictionaries(TEXT, VALUES, max_size=4))
def test_every_json_object_is_read(value: dict[str, Any]) -> None:
    assert read_arguments(msgspec.json.encode(value).decode()) == value


@CALM
@given(st.text() | st.text('{}[]":,\\eE+-.0123456789nulltruefalseNaN \n', max_size=30))
def test_what_is_read_can_be_stored_and_what_is_not_is_explained(text: str) -> None:
    read = read_arguments(text)
    if isinstance(read, dict):
        assert msgspec.json.decode(msgspec.json.encode(read)) == read
    else:
        assert read is text
        assert complaint(text)
