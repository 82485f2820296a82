"""A session as YAML: read, printed, and the same after both."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.sessions import (
    SessionFile,
    parse_session,
    print_session,
    read_session,
)

CALM = settings(derandomize=True, deadline=None, max_examples=200)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def test_settings_alone() -> None:
    text = "auto_continue: true\nmax_auto_continues: 10\ncontinuation_prompt: null\n"
    read = parse_session(text, "file")
    assert read == SessionFile(None, {"auto_continue": True, "max_auto_continues": 10}, {}, None)


def test_title_and_events() -> None:
    text = "title: Release\nstream: no\nevents:\n- type: session_started\n  seq: 1\n"
    read = parse_session(text, "file")
    assert read.title == "Release"
    assert read.settings == {"stream": False}
    assert read.events == ({"type": "session_started", "seq": 1},)


def test_what_a_file_from_elsewhere_has_no_say_in_is_set_apart() -> None:
    read = parse_session("approval: auto\nsandbox: off\nsave: true\n", "file")
    assert read.settings == {"save": True}
    assert read.safety == {"approval": "auto", "sandbox": "off"}


def test_an_empty_file_is_a_session_too() -> None:
    assert parse_session("", "file") == SessionFile()


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("a: 1\n", 1, "a"),
        ("save: 1\n", 1, "save"),
        ("title: [a]\n", 1, "title"),
        ("events: 5\n", 1, "events"),
        ("events:\n- a: 1\n- b\n", 3, "events.1"),
        ("strict_agents: true\n", 1, "strict_agents"),
        ("title: a\ntitle: b\n", 2, "title"),
        ("providers: {}\n", 1, "providers"),
    ],
)
def test_what_is_wrong_is_told(text: str, line: int, key: str) -> None:
    with pytest.raises(Problems) as refused:
        parse_session(text, "file")
    assert [(problem.line, problem.key) for problem in refused.value.problems] == [(line, key)]


def test_printed_and_read_again() -> None:
    values = {"notify": ("done",), "continuation_prompt": "Go on.\nNow.\n", "temperature": 0.7}
    text = print_session("A: title # no comment", values)
    assert parse_session(text, "file") == SessionFile("A: title # no comment", values, {}, None)


@CALM
@given(TEXT, st.lists(st.dictionaries(TEXT, JSON, max_size=4), max_size=4))
def test_any_events_come_back_the_same(title: str, events: list[dict[str, Any]]) -> None:
    read = parse_session(print_session("title", {}, events), "file")
    assert list(read.events or ()) == events
    assert [list(event) for event in read.events or ()] == [list(event) for event in events]
    if title.isprintable():
        assert parse_session(print_session(title, {}), "file").title == title


def test_the_same_value_twice_is_written_twice() -> None:
    shared = {"a": [1]}
    text = print_session("t", {}, [{"x": shared, "y": shared}] * 200)
    assert "&" not in text
    assert len(parse_session(text, "file").events or ()) == 200


def test_a_session_may_be_longer_than_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "session.yaml"
    path.write_text(print_session("t", {}, [{"text": "x" * 2000}] * 700))
    read = read_session(path)
    assert read is not None
    assert len(read.events or ()) == 700
    assert read_session(tmp_path / "none") is None
