"""What a write changes, as a unified diff in which every character can be seen."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from longwatch.engine.visible import visible, visible_line

CONTEXT = 3
# Above this many pairs of lines, finding the smallest diff takes longer than anyone waits.
MOST_PAIRS = 500_000

Change = tuple[int, int, int, int]
"""Lines from-to of the old text that become lines from-to of the new one."""


def unified(before: str | None, after: str, name: str) -> str:
    """The diff; without a before, the whole text as additions."""
    old, new = _lines(before or ""), _lines(after)
    shown = visible_line(name)
    out = ["--- /dev/null" if before is None else f"--- {shown}", f"+++ {shown}"]
    for group in _groups(_changes(old, new)):
        out.extend(_hunk(group, old, new))
    return "\n".join(out)


def _lines(text: str) -> list[str]:
    """Lines with their line feeds; nothing else ends a line."""
    parts = text.split("\n")
    last = parts.pop()
    lines = [part + "\n" for part in parts]
    return [*lines, last] if last else lines


def _changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    shortest = min(len(old), len(new))
    head = 0
    while head < shortest and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shortest - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    if not left and not right:
        return []
    if not left or not right:
        return [(head, len(old) - tail, head, len(new) - tail)]
    if len(left) * len(right) > MOST_PAIRS:
        return _coarse(left, right, head)
    found = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [
        (head + i1, head + i2, head + j1, head + j2)
        for tag, i1, i2, j1, j2 in found
        if tag != "equal"
    ]


def _coarse(left: Sequence[str], right: Sequence[str], head: int) -> list[Change]:
    """Line by line where both have as many lines, else all of it as one change."""
    if len(left) != len(right):
        return [(head, head + len(left), head, head + len(right))]
    differ = [k for k, (one, other) in enumerate(zip(left, right, strict=True)) if one != other]
    return [(head + k, head + k + 1, head + k, head + k + 1) for k in differ]


def _groups(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Changes near enough to share their context."""
    group: list[Change] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(group: Sequence[Change], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    start = max(0, group[0][0] - CONTEXT)
    end = min(len(old), group[-1][1] + CONTEXT)
    new_start = group[0][2] - (group[0][0] - start)
    new_end = group[-1][3] + (end - group[-1][1])
    yield f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@"
    at = start
    for i1, i2, j1, j2 in group:
        yield from _marked(" ", old[at:i1])
        yield from _marked("-", old[i1:i2])
        yield from _marked("+", new[j1:j2])
        at = i2
    yield from _marked(" ", old[at:end])


def _range(start: int, end: int) -> str:
    if start == end:
        return f"{start},0"
    return f"{start + 1}" if end - start == 1 else f"{start + 1},{end - start}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield mark + visible(line.removesuffix("\n"))
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"
