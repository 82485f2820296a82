"""Clean text: nothing steers the terminal, whatever way it comes."""

import re

from hypothesis import given
from hypothesis import strategies as st

from longwatch.ui.conversation.cleaning import Cleaner, clean
from longwatch.ui.words import LONGEST_LINE

STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
HOSTILE = "\x1b[31mred\x1b]52;c;aGk=\x07 \x9b2J \x00 \u202eabc\u2066 \ud800 \r over"


def test_what_steers_a_terminal_is_shown() -> None:
    shown = clean(HOSTILE)
    assert shown.isprintable()
    assert "␛[31mred" in shown
    assert "⟨U+202E⟩" in shown


def test_lines_are_cut() -> None:
    lines = clean("x" * 2**20 + "\nshort").split("\n")
    assert lines == ["x" * LONGEST_LINE + "…", "short"]


def test_a_line_is_cut_once_when_it_comes_in_parts() -> None:
    cleaner = Cleaner()
    shown = "".join(cleaner.feed("y" * 1_000) for _ in range(10)) + cleaner.feed("\nnext")
    assert shown == "y" * LONGEST_LINE + "…\nnext"


def test_line_ends_of_other_systems() -> None:
    cleaner = Cleaner()
    assert cleaner.feed("a\r") + cleaner.feed("\nb\r\nc") == "a\nb\nc"


@given(st.text(max_size=200), st.lists(st.integers(1, 20), max_size=20))
def test_parts_are_cleaned_like_the_whole(text: str, steps: list[int]) -> None:
    cleaner, at, parts = Cleaner(), 0, []
    for step in [*steps, len(text)]:
        parts.append(cleaner.feed(text[at : at + step]))
        at += step
    assert "".join(parts) == clean(text)
    assert not STEERING.search("".join(parts).replace("\n", ""))
