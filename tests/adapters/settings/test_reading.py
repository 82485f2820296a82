"""YAML, front matter and TOML: what is read, with which lines, and what both parsers agree on."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longwatch.adapters.settings.mapped import DEEPEST
from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.reading import (
    parse_front_matter,
    parse_yaml,
    read_front_matter,
    read_yaml,
)
from longwatch.adapters.settings.toml import parse_toml, read_toml
from longwatch.adapters.settings.yaml_guard import MOST_ALIASES

CALM = settings(derandomize=True, deadline=None, max_examples=200)
BOTH = pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])


@BOTH
@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("# only a comment\n", {}),
        ("---\n", {}),
        ("null\n", {}),
        ("\ufeffa: 1\n", {"a": 1}),
        ("a: 1\r\nb: yes\r\n", {"a": 1, "b": True}),
        ("a: off\nb: On\nc: 'on'\n", {"a": False, "b": True, "c": "on"}),
        ("a: ~\nb:\nc: null\n", {"a": None, "b": None, "c": None}),
        ("a: 0x10\nb: 1_000\nc: -5\n", {"a": 16, "b": 1000, "c": -5}),
        ("a: 1.5\nb: .inf\nc: 1.0e+3\n", {"a": 1.5, "b": float("inf"), "c": 1000.0}),
        ("a: 010\nb: 1:30\nc: 1:30.5\n", {"a": "010", "b": "1:30", "c": "1:30.5"}),
        ("a: 2020-01-01\nb: 2020-99-99\nc: =\n", {"a": "2020-01-01", "b": "2020-99-99", "c": "="}),
        ("1: a\nyes: b\n~: c\n", {"1": "a", "yes": "b", "~": "c"}),
        ("a: [1, {b: c}]\n", {"a": [1, {"b": "c"}]}),
        ("a: &x [1, 2]\nb: *x\n", {"a": [1, 2], "b": [1, 2]}),
        ("a: |\n  one\n  \ttwo\n", {"a": "one\n\ttwo\n"}),
        ("a: >-\n  one\n  two\n", {"a": "one two"}),
        ("? a\n: 1\n? b\n", {"a": 1, "b": None}),
        ("%YAML 1.1\n---\na: 1\n...\n", {"a": 1}),
        ('a: "\\u00e9 \\x41"\n', {"a": "é A"}),
    ],
)
def test_yaml_means(text: str, values: dict[str, Any], pure: bool) -> None:
    assert parse_yaml(text, "file", pure=pure).values == values


@BOTH
def test_keys_keep_their_lines(pure: bool) -> None:
    text = "# one\na: 1\nb:\n  - x\n  - c: 2\n    d: 3\n'e': {f: 1,\n  g: 2}\n"
    document = parse_yaml(text, "file", pure=pure)
    lines = {
        ("a",): 2,
        ("b",): 3,
        ("b", "0"): 4,
        ("b", "1", "c"): 5,
        ("b", "1", "d"): 6,
        ("e", "f"): 7,
        ("e", "g"): 8,
        ("e", "unknown"): 7,
        ("nowhere",): None,
    }
    assert {path: document.line(*path) for path in lines} == lines


def nested(levels: int) -> str:
    return "a: " + "[" * (levels - 1) + "]" * (levels - 1)


@BOTH
def test_the_deepest_and_one_deeper(pure: bool) -> None:
    assert parse_yaml(nested(DEEPEST), "file", pure=pure).values
    with pytest.raises(Problems, match="found more than 50 levels of nesting"):
        parse_yaml(nested(DEEPEST + 1), "file", pure=pure)


@BOTH
def test_depth_counts_through_aliases(pure: bool) -> None:
    half = "a: &a " + "[" * 25 + "]" * 25 + "\n"
    assert parse_yaml(half + "b: " + "[" * 24 + "*a" + "]" * 24, "file", pure=pure).values
    with pytest.raises(Problems, match="levels of nesting"):
        parse_yaml(half + "b: " + "[" * 25 + "*a" + "]" * 25, "file", pure=pure)


@BOTH
def test_as_many_aliases_as_there_may_be(pure: bool) -> None:
    def text(count: int) -> str:
        return "a: &a x\nb: [" + ", ".join(["*a"] * count) + "]\n"

    assert len(parse_yaml(text(MOST_ALIASES), "file", pure=pure).values["b"]) == MOST_ALIASES
    with pytest.raises(Problems, match="found more than 100 aliases"):
        parse_yaml(text(MOST_ALIASES + 1), "file", pure=pure)


@BOTH
def test_what_can_be_passed_over_is_kept_with_the_rest(pure: bool) -> None:
    text = "a: 1\na: 2\nb: !x 3\nc: {d: 1, d: 2}\n<<: 5\n"
    document = parse_yaml(text, "file", pure=pure)
    assert [(problem.line, problem.key) for problem in document.problems] == [
        (2, "a"),
        (3, "b"),
        (4, "c.d"),
        (5, "<<"),
    ]
    assert [key for key in "abcde" if document.spoiled(key)] == ["a", "b", "c"]


@BOTH
def test_very_many_problems_are_cut_short(pure: bool) -> None:
    with pytest.raises(Problems) as refused:
        parse_yaml("a: 1\n" * 1000, "file", pure=pure)
    assert len(refused.value.problems) == 101


def test_a_problem_never_quotes_the_text_around_it() -> None:
    with pytest.raises(Problems) as refused:
        parse_yaml("key: sk-secret: x\n", "file")
    assert "secret" not in str(refused.value)


SCRAPS = st.lists(
    st.sampled_from(
        (
            *("a", "b: ", ": ", "- ", "\n", "  ", "[", "]", "{", "}", ",", "&x ", "*x", "!t "),
            *("'", '"', "|\n", ">\n", "---\n", "...\n", "# c\n", "? ", "<<: ", "\t", "~", "1"),
            *("%YAML 1.1\n", "\\", "\x85", "\u2028", "\ufeff", "é", "0x", ".nan", "1:2", "="),
            *("\r", "@", "`", "\x00", "\ud800"),
        )
    ),
    max_size=40,
).map("".join)


@BOTH
@CALM
@given(text=SCRAPS | st.text())
def test_any_text_is_a_document_or_problems(text: str, pure: bool) -> None:
    try:
        document = parse_yaml(text, "file", pure=pure)
    except Problems as refused:
        demand_lines(refused, text)
        return
    assert isinstance(document.values, dict)


def demand_lines(refused: Problems, text: str) -> None:
    assert all(str(problem).isprintable() for problem in refused.problems)
    most = len(text.replace("\r", "\n").replace("\x85", "\n").replace("\u2028", "\n").split("\n"))
    assert all(1 <= (problem.line or 1) <= most + 1 for problem in refused.problems)


@CALM
@given(data=st.binary(max_size=200))
def test_any_bytes_in_a_file_are_a_document_or_problems(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes"
    path.write_bytes(data)
    for read in (read_yaml, read_front_matter, read_toml):
        with suppress(Problems):
            assert read(path) is not None


@BOTH
@pytest.mark.parametrize(
    ("text", "values", "body"),
    [
        ("", {}, ""),
        ("You are.\n", {}, "You are."),
        ("---\n---\nYou are.\n", {}, "You are."),
        ("---\na: 1\n---\n\nYou are.\n\nAnd.\n", {"a": 1}, "You are.\n\nAnd."),
        ("---\r\na: 1\r\n---\r\nYou are.\r\n", {"a": 1}, "You are."),
        ("---  \na: 1\n--- \nBody\n---\nmore", {"a": 1}, "Body\n---\nmore"),
        ("---\na: 1\n---", {"a": 1}, ""),
        ("--- a\nb\n", {}, "--- a\nb"),
        ("\n---\na: 1\n---\n", {}, "---\na: 1\n---"),
    ],
)
def test_front_matter(text: str, values: dict[str, Any], body: str, pure: bool) -> None:
    document, rest = parse_front_matter(text, "file", pure=pure)
    assert (document.values, rest) == (values, body)


def test_front_matter_counts_lines_from_the_top_of_the_file() -> None:
    document, _ = parse_front_matter("---\na: 1\nb: 2\n---\n", "file")
    assert (document.line("a"), document.line("b")) == (2, 3)


def test_toml_with_its_lines() -> None:
    text = '# c\ntitle = "x"\n[keys]\nquit = "q"\n"a.b" = 1\n[[more]]\nx.y = 2\n'
    document = parse_toml(text, "file")
    assert document.values["keys"] == {"quit": "q", "a.b": 1}
    assert document.line("title") == 2
    assert document.line("keys") == 3
    assert document.line("keys", "quit") == 4
    assert document.line("keys", "a.b") == 5
    assert document.line("more", "x", "y") == 7


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a = 1\nb = \n", 2, "found no TOML"),
        ('a = "', 1, "found no TOML"),
        ("a = 1\na = 2\n", 2, "found no TOML"),
        ("a = " + "[" * 60 + "]" * 60, None, "more than 50 levels"),
        ("a = " + "[" * 1024 * 1024, None, "more than 50 levels"),
        ("a." * 60 + "b = 1", None, "a key of more than 50 parts"),
        ("[" + "a." * 500_000 + "b]", None, "a key of more than 50 parts"),
        ("a = {" + "b." * 60 + "c = 1}", None, "a key of more than 50 parts"),
        ("a = " + "9" * 5000, None, "a number that is too long"),
        ("a = 'x\x01'", 1, "found no TOML"),
    ],
)
def test_toml_that_is_none(text: str, line: int | None, said: str) -> None:
    with pytest.raises(Problems, match=said) as refused:
        parse_toml(text, "file")
    assert refused.value.problems[0].line == line
    assert str(refused.value).isprintable()


@CALM
@given(st.text() | SCRAPS)
def test_any_text_is_toml_or_problems(text: str) -> None:
    try:
        parse_toml(text, "file")
    except Problems as refused:
        demand_lines(refused, text)


def test_nothing_there_is_none(tmp_path: Path) -> None:
    assert read_yaml(tmp_path / "a") is None
    assert read_toml(tmp_path / "a") is None
    assert read_front_matter(tmp_path / "a") is None
