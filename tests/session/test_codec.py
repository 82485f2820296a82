"""The codec: strict where it writes, tolerant where it reads, and never one to lose bytes."""

import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longwatch.session import (
    Intent,
    KnownEvent,
    NotAnEvent,
    UnknownEvent,
    decode,
    decode_intent,
    encode,
    encode_intent,
)
from longwatch.session.events import Archived, ChecklistChanged, Renamed, StateChanged

CALM = settings(derandomize=True, deadline=None, max_examples=400)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
WHOLE = st.integers(-(2**53), 2**53)
REAL = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | REAL | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    int: WHOLE,
    float: REAL,
    bool: st.booleans(),
    Any: JSON,
    type(None): st.none(),
    msgspec.UnsetType: st.just(msgspec.UNSET),
}

LIST = (
    b'"type":"checklist_changed","action":"","goal":"","done":0,"total":1,"by":"%b",'
    b'"items":[{"uid":"1.1","id":1,"text":"x","status":"%b"}]'
)


def values(wanted: Any) -> st.SearchStrategy[Any]:
    """All values of a type that a struct's field may have."""
    if wanted in PLAIN:
        return PLAIN[wanted]
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        return st.one_of([values(part) for part in parts])
    if origin is Literal:
        return st.sampled_from(parts)
    if origin is tuple:
        return st.lists(values(parts[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(values(parts[0]), values(parts[1]), max_size=3)
    return structs(wanted)


def structs(struct: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    hints = get_type_hints(struct)
    fields = {name: values(hints[name]) for name in struct.__struct_fields__}
    return st.builds(struct, **fields)


def numbered(struct: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Events as they are stored: with a number, a time and a session."""
    hints = get_type_hints(struct)
    fields = {name: values(hints[name]) for name in struct.__struct_fields__}
    some = TEXT.filter(bool)
    return st.builds(struct, **fields | {"seq": st.integers(1, 2**53), "at": some, "session": some})


EVENTS = st.one_of([numbered(event) for event in get_args(KnownEvent)])
INTENTS = st.one_of([structs(intent) for intent in get_args(Intent)])


@CALM
@given(EVENTS)
def test_every_event_comes_back_equal(event: KnownEvent) -> None:
    line = encode(event)
    assert b"\n" not in line
    assert decode(line) == event
    back = decode(line)
    assert not isinstance(back, UnknownEvent)
    assert encode(back) == line


@CALM
@given(INTENTS)
def test_every_intent_comes_back_equal(intent: Intent) -> None:
    assert decode_intent(encode_intent(intent)) == intent


@CALM
@given(EVENTS, st.dictionaries(TEXT.map("x_{}".format), JSON, min_size=1, max_size=3))
def test_fields_that_this_version_does_not_know_are_ignored(
    event: KnownEvent, more: dict[str, Any]
) -> None:
    line = msgspec.json.encode(more | msgspec.json.decode(encode(event)))
    assert decode(line) == event


@CALM
@given(st.binary(max_size=60) | JSON.map(msgspec.json.encode))
def test_bytes_are_an_event_or_are_refused(line: bytes) -> None:
    with pytest.raises(NotAnEvent):
        decode(line)


@pytest.mark.parametrize(
    "rest",
    [
        b'"type":"dreamt","of":[ {"sheep": 1} ]',
        b'"type":"state_changed","state":"asleep"',
        b'"type":"user_message","text":"x","source":"oracle"',
        b'"type":"injected","text":"x","source":"oracle"',
        b'"type":"assistant_message","text":"","tool_calls":[],"finish":"exploded"',
        b'"type":"checklist_refused","rule":"too_shiny","message":"","call":"c1"',
        LIST % (b"a muse", b"pending"),
        LIST % (b"model", b"shiny"),
        b'"type":"approval_given","call":"c1","answer":"perhaps","by":"human","scope":"once"',
        b'"type":"renamed"',
        b'"type":"renamed","title":7',
    ],
)
def test_what_a_newer_version_wrote_comes_back_byte_for_byte(rest: bytes) -> None:
    line = b'{ "seq": 17,  "at":"later","session":"s1",' + rest + b" }"
    event = decode(line)
    assert isinstance(event, UnknownEvent)
    assert (event.seq, event.at, event.session) == (17, "later", "s1")
    assert event.type == msgspec.json.decode(line)["type"]
    assert bytes(event.raw) == line


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"archived"',
        b"{}",
        b'{"type":"archived"}',
        b'{"type":"dreamt"}',
        b'{"at":"t","session":"s","type":"archived"}',
        b'{"seq":1,"session":"s","type":"archived"}',
        b'{"seq":1,"at":"t","type":"archived"}',
        b'{"seq":1,"at":"t","session":"s"}',
        b'{"seq":1,"at":"t","type":"dreamt"}',
        b'{"seq":"1","at":"t","session":"s","type":"archived"}',
        b'{"seq":1.5,"at":"t","session":"s","type":"dreamt"}',
        b'{"seq":1,"at":"t","session":"s","type":7}',
        b'{"seq":1,"at":"\xff","session":"s","type":"archived"}',
        b'{"seq":1,"at":"\xff","session":"s","type":"dreamt"}',
        b'{"seq":1,"at":"t","session":"s","type":"renamed","title":"\\ud800"}',
        b'{"seq":1,"at":"t","session":"s","type":"archived"} {}',
        b"\xef\xbb\xbf" + b'{"seq":1,"at":"t","session":"s","type":"archived"}',
        b'{"seq":1,"at":"t","session":"s","type":"archived","x":' + b"[" * 100_000,
        b'{"seq":1,"at":"t","session":"s","type":"dreamt","x":' + b"[" * 100_000,
    ],
    ids=lambda line: str(line[:60]),
)
def test_garbage_is_not_an_event(line: bytes) -> None:
    with pytest.raises(NotAnEvent):
        decode(line)


def test_the_list_of_the_unknown_ones_is_known_with_known_words() -> None:
    line = b'{"seq":17,"at":"later","session":"s1",' + LIST % (b"model", b"pending") + b"}"
    assert isinstance(decode(line), ChecklistChanged)


def test_a_line_break_after_an_event_is_no_part_of_it() -> None:
    event = Archived(seq=1, at="t", session="s1")
    assert decode(encode(event) + b"\n") == event


def test_characters_are_kept_as_they_are() -> None:
    event = Renamed(seq=1, at="t", session="s1", title="⏳ “naïve” \u2028 \x00 \U0001f600")
    assert decode(encode(event)) == event
    assert "⏳".encode() in encode(event)


def test_what_stands_in_the_bytes_decides_not_its_order() -> None:
    line = b'{"state":"idle","type":"state_changed","session":"s1","at":"t","seq":3}'
    assert decode(line) == StateChanged(seq=3, at="t", session="s1", state="idle")
