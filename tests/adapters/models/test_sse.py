"""Splitting an event stream: every ending, every cut, every limit."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longwatch.adapters.models.sse import Event, LineTooLong, Splitter

STREAM = (
    b": a comment\n\n"
    b"data: one\n\n"
    b"event: named\ndata: two\n\n"
    b"data: three\ndata: and more\n\n"
    b"data:tight\n\n"
    b"\n\nid: 7\nretry: 10\ndata: after numbers\n\n"
    b"event: empty\n\n"
    b"error: {}\n\n"
    b"data\n\n"
    b"unknown: field\ndata: \xe2\x80\xa8 is no line end\n\n"
    b"data: unfinished"
)
EVENTS = [
    (b"", b"one"),
    (b"named", b"two"),
    (b"", b"three\nand more"),
    (b"", b"tight"),
    (b"", b"after numbers"),
    (b"error", b"{}"),
    (b"", b""),
    (b"", b"\xe2\x80\xa8 is no line end"),
]


def fed(*chunks: bytes, limit: int = 1000) -> list[Event]:
    splitter = Splitter(limit)
    return [event for chunk in chunks for event in splitter.feed(chunk)]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"], ids=["LF", "CR", "CRLF"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
def test_every_cut_gives_the_same_events(end: bytes, mark: bytes) -> None:
    stream = mark + STREAM.replace(b"\n", end)
    assert fed(stream) == EVENTS
    for at in range(len(stream) + 1):
        assert fed(stream[:at], stream[at:]) == EVENTS, at
    assert fed(*(stream[at : at + 1] for at in range(len(stream)))) == EVENTS


@given(st.lists(st.integers(0, len(STREAM)), max_size=8), st.sampled_from([b"\n", b"\r\n"]))
def test_any_cuts_give_the_same_events(cuts: list[int], end: bytes) -> None:
    stream = STREAM.replace(b"\n", end)
    ends = [0, *sorted(cuts), len(stream)]
    assert fed(*(stream[a:b] for a, b in pairwise(ends))) == EVENTS


def test_mixed_line_ends() -> None:
    assert fed(b"data: a\r\ndata: b\n\r\ndata: c\r\r") == [(b"", b"a\nb"), (b"", b"c")]


def test_a_mark_is_dropped_only_at_the_start() -> None:
    assert fed(b"data: \xef\xbb\xbfx\n\n") == [(b"", b"\xef\xbb\xbfx")]
    assert fed(b"", b"\xef", b"\xbb", b"\xbfdata: x\n\n") == [(b"", b"x")]


def test_what_is_never_ended_is_no_event() -> None:
    assert fed(b"data: x\n") == []


@pytest.mark.parametrize(
    "chunks",
    [
        [b"data: " + b"x" * 1001],
        [b"data: " + b"x" * 1001 + b"\n\n"],
        [b"x" * 600, b"x" * 600],
        [b"data: x\n" * 200],
        [b": " + b"x" * 1001 + b"\n\n"],
        [b"data: x\n\n" * 400, b"y" * 1001],
    ],
)
def test_too_much_without_an_end_is_refused(chunks: list[bytes]) -> None:
    with pytest.raises(LineTooLong):
        fed(*chunks)


def test_the_limit_is_on_one_event_and_not_on_all() -> None:
    assert len(fed(*[b"data: " + b"x" * 900 + b"\n\n"] * 50)) == 50
    assert len(fed(b"data: x\n\n" * 400)) == 400


def test_a_long_line_in_small_chunks_is_joined_once() -> None:
    size = 2 * 1024 * 1024
    pieces = [b"data: ", *[b"x" * 64] * (size // 64), b"\n", b"\n"]
    [(_, data)] = fed(*pieces, limit=8 * 1024 * 1024)
    assert len(data) == size
