"""Diffs show all of a change and can be checked against the text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longwatch.adapters.tools.diffs import unified

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "  x", "y" * 30]), max_size=30)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


def changed(diff: str) -> list[str]:
    return [line for line in diff.split("\n")[2:] if not line.startswith(("@@", " "))]


def test_a_new_file_is_all_additions() -> None:
    assert unified(None, "one\ntwo\n", "a.txt") == (
        "--- /dev/null\n+++ a.txt\n@@ -0,0 +1,2 @@\n+one\n+two"
    )


def test_an_empty_new_file() -> None:
    assert unified(None, "", "a.txt") == "--- /dev/null\n+++ a.txt"


def test_a_change_has_three_lines_around_it() -> None:
    before = "".join(f"{n}\n" for n in range(20))
    diff = unified(before, before.replace("10\n", "ten\n"), "n")
    assert diff.split("\n")[2:] == [
        "@@ -8,7 +8,7 @@",
        *(" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13"),
    ]


def test_a_missing_line_feed_is_a_change() -> None:
    assert changed(unified("a\n", "a", "n")) == ["-a", "+a", "\\ No newline at end of file"]


def test_hidden_characters_and_line_ends_are_seen() -> None:
    diff = unified("a\r\n", "a\u202e\n\x1b\u2028b\n", "n\n+x")
    assert changed(diff) == ["-a␍", "+a⟨U+202E⟩", "+␛⟨U+2028⟩b"]
    assert "+++ n␊+x" in diff


def test_bytes_that_are_not_text() -> None:
    before = b"\xff\xfe\n".decode(errors="surrogateescape")
    assert changed(unified(before, "x\n", "n")) == ["-⟨U+DCFF⟩⟨U+DCFE⟩", "+x"]


def applied(before: str, diff: str) -> str:
    """What patch would make of it."""
    old = re.findall(r"[^\n]*\n|[^\n]+", before)
    out: list[str] = []
    at = 0
    for line in diff.split("\n")[2:]:
        if line.startswith("@@"):
            start, _, count = line.split()[1][1:].partition(",")
            first = int(start) - (count != "0")
            out += old[at:first]
            at = first
        elif line.startswith("\\"):
            out[-1] = out[-1].removesuffix("\n")
        elif line.startswith("+"):
            out.append(line[1:] + "\n")
        else:
            assert old[at].removesuffix("\n") == line[1:]
            out += [old[at]] if line[0] == " " else []
            at += 1
    return "".join([*out, *old[at:]])


@given(TEXTS, TEXTS)
def test_applied_to_the_old_text_it_gives_the_new_one(before: str, after: str) -> None:
    if before == after:
        assert unified(before, after, "n").count("\n") == 1
    elif before.endswith("\n") or not before:
        assert applied(before, unified(before, after, "n")) == after


@pytest.mark.parametrize("shift", [0, 1])
def test_a_large_change_is_told_in_bounded_time(shift: int) -> None:
    """Many equal lines are the worst case for the smallest diff."""
    before = "same\nother\n" * 5000
    after = "x\n" * shift + before.replace("other", "changed")
    diff = unified(before, after, "n")
    assert diff.count("\n+changed") == 5000
    assert diff.count("\n-other") == 5000
