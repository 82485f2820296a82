"""Each kind of value: what it admits, what it reads, and how it is written out again."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longwatch.adapters.settings.kinds import (
    MODEL,
    Amount,
    Choice,
    Count,
    Cron,
    Hosts,
    Kind,
    NotAccepted,
    Selection,
    Several,
    Switch,
    Text,
    describe,
    describe_type,
    nearest,
    spell,
)

CALM = settings(derandomize=True, deadline=None, max_examples=200)
SANDBOX = Choice(("auto", "off", "required"))
NOTIFY = Several(("done", "blocked", "idle"))
ADMITTED: tuple[tuple[Kind, Any, Any], ...] = (
    (Switch(), True, True),
    (Count(), 0, 0),
    (Count(least=1), 1, 1),
    (Count(), 1_000_000_000, 1_000_000_000),
    (Amount(most=2), 1, 1.0),
    (Amount(most=2), 2.0, 2.0),
    (Amount(most=2), 0, 0.0),
    (Amount(most=5, above=True), 0.01, 0.01),
    (SANDBOX, "required", "required"),
    (SANDBOX, False, "off"),
    (Text(), "", ""),
    (Text(), "a\n\tb\r\n", "a\n\tb\r\n"),
    (Text(), "Grüße 👋", "Grüße 👋"),
    (MODEL, "openai:gpt-4o", "openai:gpt-4o"),
    (MODEL, "ollama:qwen3:8b", "ollama:qwen3:8b"),
    (MODEL, "router:org/model", "router:org/model"),
    (Cron(), "0 9 * * 1-5", "0 9 * * 1-5"),
    (Cron(), "  */5   * * * *", "*/5 * * * *"),
    (Selection(), "all", "all"),
    (Selection(), "none", "none"),
    (Selection(), "", "none"),
    (Selection(), [], "none"),
    (Selection(), ["all"], "all"),
    (Selection(), "shell, read_file,,shell", ("shell", "read_file")),
    (Selection(), ["shell", "search"], ("shell", "search")),
    (Selection(), ("shell",), ("shell",)),
    (NOTIFY, "all", ("done", "blocked", "idle")),
    (NOTIFY, "none", ()),
    (NOTIFY, [], ()),
    (NOTIFY, ["idle", "done"], ("done", "idle")),
    (Hosts(), ["LAN.local", "10.0.0.5"], ("lan.local", "10.0.0.5")),
    (Hosts(), "[::1], fe80::1", ("::1", "fe80::1")),
    (Hosts(), "none", ()),
)
REFUSED: tuple[tuple[Kind, Any], ...] = (
    (Switch(), 1),
    (Switch(), "true"),
    (Count(), -1),
    (Count(), True),
    (Count(), 1.0),
    (Count(), 10**400),
    (Count(least=1), 0),
    (Amount(most=2), float("nan")),
    (Amount(most=2), float("inf")),
    (Amount(most=2), 2.01),
    (Amount(most=2), -0.01),
    (Amount(most=2), True),
    (Amount(most=2), 10**400),
    (Amount(most=5, above=True), 0),
    (SANDBOX, True),
    (SANDBOX, "Auto"),
    (SANDBOX, ["auto"]),
    (Choice(("a", "b")), False),
    (Text(), "a\x00"),
    (Text(), "\x1b[31m"),
    (Text(), "\ud800"),
    (Text(), 5),
    (MODEL, "gpt-4o"),
    (MODEL, "openai:"),
    (MODEL, ":gpt"),
    (MODEL, "open ai:gpt"),
    (MODEL, "openai: gpt"),
    (Cron(), "* * * *"),
    (Cron(), "٥ * * * *"),
    (Selection(), "all,shell"),
    (Selection(), ["a b"]),
    (Selection(), {"shell": True}),
    (Selection(), "a\x1b"),
    (NOTIFY, "done,later"),
    (NOTIFY, "all,done"),
    (Hosts(), "http://lan"),
    (Hosts(), "lan:8080"),
    (Hosts(), "lan/path"),
    (Hosts(), "[::1"),
)
READ: tuple[tuple[Kind, str, Any], ...] = (
    *((Switch(), text, True) for text in ("true", "yes", "on", "TRUE", " On ")),
    *((Switch(), text, False) for text in ("false", "no", "off", "False")),
    (Count(), "20", 20),
    (Count(), " +7 ", 7),
    (Amount(most=2), "0.7", 0.7),
    (Amount(most=2), "1", 1.0),
    (Amount(most=2), "1e-3", 0.001),
    (Amount(most=2), ".5", 0.5),
    (SANDBOX, "off", "off"),
    (Text(), "  as it stands, with=signs ", "  as it stands, with=signs "),
    (MODEL, " a:b ", "a:b"),
    (Selection(), "shell,search", ("shell", "search")),
    (NOTIFY, "idle", ("idle",)),
    (Hosts(), "a.lan, b.lan", ("a.lan", "b.lan")),
)
UNREAD: tuple[tuple[Kind, str], ...] = (
    (Switch(), "maybe"),
    (Switch(), "1"),
    (Switch(), ""),
    (Count(), "ten"),
    (Count(), "1.0"),
    (Count(), "1_000"),
    (Count(), "٣"),
    (Count(), "9" * 5000),
    (Amount(most=2), "nan"),
    (Amount(most=2), "inf"),
    (Amount(most=2), "1e999"),
    (Amount(most=2), ""),
    (SANDBOX, "on"),
    (Text(), "\udcff"),
)


@pytest.mark.parametrize(("kind", "value", "canonical"), ADMITTED)
def test_admits(kind: Kind, value: Any, canonical: Any) -> None:
    admitted = kind.admit(value)
    assert admitted == canonical
    assert type(admitted) is type(canonical)
    assert kind.admit(admitted) == admitted


@pytest.mark.parametrize(("kind", "value"), REFUSED)
def test_refuses(kind: Kind, value: Any) -> None:
    with pytest.raises(NotAccepted):
        kind.admit(value)


@pytest.mark.parametrize(("kind", "text", "value"), READ)
def test_reads(kind: Kind, text: str, value: Any) -> None:
    assert kind.read(text) == value


@pytest.mark.parametrize(("kind", "text"), UNREAD)
def test_does_not_read(kind: Kind, text: str) -> None:
    with pytest.raises(NotAccepted):
        kind.read(text)


KINDS: tuple[Kind, ...] = tuple({type(kind): kind for kind, _, _ in ADMITTED}.values())
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@CALM
@given(st.sampled_from(KINDS), JUNK)
def test_anything_is_admitted_or_refused_and_what_is_admitted_can_be_written(
    kind: Kind, value: Any
) -> None:
    assert describe(value).isprintable()
    assert describe_type(value).isprintable()
    try:
        admitted = kind.admit(value)
    except NotAccepted:
        return
    assert kind.admit(admitted) == admitted
    if not isinstance(kind, Text):
        assert kind.read(spell(admitted)) == admitted


@CALM
@given(st.sampled_from(KINDS), st.text())
def test_any_text_is_read_or_refused(kind: Kind, text: str) -> None:
    try:
        value = kind.read(text)
    except NotAccepted:
        return
    assert kind.read(spell(value)) == value


@pytest.mark.parametrize("kind", [*KINDS, Amount(most=5, above=True), Choice(("a",))])
def test_says_what_it_accepts(kind: Kind) -> None:
    assert re.fullmatch(r"[^.]*\S.*", kind.accepted)
    assert kind.schema()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "null"),
        (True, "true"),
        (5, "the number 5"),
        (0.5, "the number 0.5"),
        (-(10**400), "a huge number"),
        ("a\x1b", r"text 'a\x1b'"),
        ("x" * 99, "text '" + "x" * 59 + "…'"),
        (["a", 1], "the list 'a, 1'"),
        ([[]], "a list"),
        ([], "a list"),
        ({}, "a mapping"),
        (b"", "a date or time"),
    ],
)
def test_describes_what_was_found(value: Any, said: str) -> None:
    assert describe(value) == said


def test_the_nearest_name_or_none() -> None:
    assert nearest("auto_contineu", ["auto_continue", "stream"]) == "auto_continue"
    assert nearest("STREAM", ["stream"]) == "stream"
    assert nearest("zzz", ["stream"]) == ""
    assert nearest("s" * 100_000, ["stream"]) == ""
