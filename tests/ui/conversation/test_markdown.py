"""Splitting a growing text: the pieces together are the whole, and the open one stays small."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from longwatch.ui.conversation.markdown import (
    CODE_LINES,
    MOST_CHARACTERS,
    MOST_LINES,
    Piece,
    Splitter,
    pieces_of,
)

LINES = st.sampled_from(
    [
        "",
        "",
        "Some text that says a thing.",
        "more of it",
        "# A heading",
        "### Another",
        "- one",
        "- two",
        "  goes on",
        "1. first",
        "2. second",
        "   - inner",
        "> quoted",
        "---",
        "***",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "    indented",
        "**bold** start",
        "```python",
        "```",
        "x = 1",
        "~~~",
        "=====",
    ]
)
PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


def shape(text: str) -> list[tuple[str, str]]:
    """What a parser makes of a text, without where it found it."""
    return [(token.type, token.content.rstrip("\n")) for token in PARSER.parse(text)]


def reparsed(pieces: list[Piece]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for piece in pieces:
        if piece.shape == "code":
            found.append(("fence", piece.text.rstrip("\n")))
        else:
            found.extend(shape(piece.text))
    return found


@given(st.lists(LINES, max_size=25))
@example(["   - inner", "", "- one"])
def test_pieces_parse_like_the_whole(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert reparsed(pieces_of(text)) == shape(text)


@given(st.lists(LINES, max_size=25), st.lists(st.integers(1, 9), max_size=40))
def test_however_it_comes_the_text_stays_the_same(lines: list[str], steps: list[int]) -> None:
    text = "\n".join(lines)
    splitter = Splitter()
    at = 0
    seen: list[Piece] = []
    for step in [*steps, len(text)]:
        splitter.feed(text[at : at + step])
        at += step
        splitter.open()
        assert splitter.finished[: len(seen)] == seen
        seen = list(splitter.finished)
    splitter.end()
    assert reparsed(splitter.finished) == shape(text)


@pytest.mark.parametrize(
    "line",
    ["- item", "1. item", "| a | b |", "words", "> quoted", "x" * 4_000],
)
def test_the_open_piece_stays_small(line: str) -> None:
    splitter = Splitter()
    if line.startswith("|"):
        splitter.feed("| a | b |\n|---|---|\n")
    for _ in range(1_000):
        splitter.feed(line + "\n")
        last = splitter.open()
        assert last is not None
        assert last.text.count("\n") <= MOST_LINES + 3
        assert len(last.text) <= MOST_CHARACTERS + 2 * len(line) + 100


def test_long_code_is_divided_and_keeps_its_language() -> None:
    code = "\n".join(f"x = {n}" for n in range(100))
    pieces = pieces_of(f"```python\n{code}\n```\nafter")
    assert [piece.shape for piece in pieces] == ["code"] * 4 + ["text"]
    assert {piece.language for piece in pieces[:4]} == {"python"}
    assert [piece.gap for piece in pieces] == [True, False, False, False, True]
    assert "\n".join(piece.text for piece in pieces[:4]) == code
    assert pieces[0].text.count("\n") == CODE_LINES - 1


def test_a_divided_list_goes_on_counting() -> None:
    pieces = pieces_of("\n".join("1. item" for _ in range(100)))
    assert [piece.number for piece in pieces] == [None, MOST_LINES + 1, 2 * MOST_LINES + 1]
    assert not any(piece.gap for piece in pieces[1:])


def test_a_divided_table_keeps_its_header() -> None:
    rows = "\n".join(f"| {n} | x |" for n in range(100))
    pieces = pieces_of(f"| n | what |\n|---|---|\n{rows}")
    assert len(pieces) == 3
    assert all(piece.text.startswith("| n | what |\n|---|---|\n| ") for piece in pieces)


def test_an_unclosed_fence_stays_code() -> None:
    splitter = Splitter()
    splitter.feed("```sh\nls\n\necho")
    last = splitter.open()
    assert last == Piece("code", "ls\n\necho", language="sh")
