"""Differences between two texts, as the lines of a unified diff."""

from collections.abc import Iterator
from difflib import SequenceMatcher

CONTEXT = 3
MOST_PAIRS = 250_000
"""Above this many pairs of lines the smallest diff takes longer than a key press may."""


def difference(old: str, new: str) -> list[str]:
    """Lines that begin with a space, - or +; far apart changes are divided by a line of @@."""
    before, after = _lines(old), _lines(new)
    if len(before) * len(after) > MOST_PAIRS:
        return [*(f"-{line}" for line in before), *(f"+{line}" for line in after)]
    out: list[str] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        if out:
            out.append("@@")
        for tag, i1, i2, j1, j2 in group:
            out.extend(_marked(tag, before[i1:i2], after[j1:j2]))
    return out


def counts(lines: list[str]) -> tuple[int, int]:
    """How many lines a diff adds and takes away."""
    added = sum(line.startswith("+") and not line.startswith("+++ ") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("--- ") for line in lines)
    return added, removed


def looks_like_diff(text: str) -> bool:
    """Whether a text is a unified diff, by the headers that every one has."""
    start = text[:2_000]
    return "\n@@ -" in f"\n{start}" and ("\n+++ " in f"\n{start}" or start.startswith("@@ -"))


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    if parts[-1] == "":
        parts.pop()
    return parts


def _marked(tag: str, before: list[str], after: list[str]) -> Iterator[str]:
    if tag == "equal":
        yield from (f" {line}" for line in before)
        return
    yield from (f"-{line}" for line in before)
    yield from (f"+{line}" for line in after)
