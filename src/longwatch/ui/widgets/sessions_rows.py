"""The sidebar's rows as values: which sessions it lists, in what order, and what each one says."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Literal

import msgspec

from longwatch.engine.storing import Summary
from longwatch.ui.words import (
    NEEDS_PERSON,
    STATE_MARKS,
    age,
    kick_time,
    one_line,
    seconds_between,
    standing,
)

Tone = Literal["running", "resting", "needing", "failed"]
DEEPEST = 3
"""Levels of children that are indented."""


class Listed(msgspec.Struct, frozen=True):
    """A session at its place in the list."""

    summary: Summary
    depth: int


class Row(msgspec.Struct, frozen=True):
    """All that is drawn of a session; two equal rows look the same."""

    mark: str
    title: str
    count: str
    note: str
    """Why it rests or waits; empty where a progress bar says more."""
    progress: float
    age: str
    depth: int
    tone: Tone
    shown: bool = False
    cursor: bool = False
    unread: bool = False


def listed(summaries: Sequence[Summary], wanted: str = "") -> list[Listed]:
    """By creation, children under their parent. Only a filter brings archived ones back."""
    words = wanted.casefold().split()
    taken = [
        summary
        for summary in sorted(summaries, key=lambda summary: summary.created)
        if (_matches(summary, words) if words else not summary.archived)
    ]
    known = {summary.session for summary in taken}
    children: dict[str, list[Summary]] = {}
    for summary in taken:
        parent = summary.parent if summary.parent in known else None
        children.setdefault(parent or "", []).append(summary)
    found: list[Listed] = []
    ahead = [(summary, 0) for summary in reversed(children.get("", ()))]
    while ahead:
        summary, depth = ahead.pop()
        found.append(Listed(summary, min(depth, DEEPEST)))
        ahead += [(child, depth + 1) for child in reversed(children.get(summary.session, ()))]
    return found


def row(
    one: Listed,
    now: str,
    zone: tzinfo | None = None,
    *,
    shown: bool = False,
    cursor: bool = False,
    unread: bool = False,
) -> Row:
    """What is drawn of a session at this moment."""
    summary = one.summary
    running = summary.state == "running"
    says_bar = running and summary.total > 0
    return Row(
        mark=STATE_MARKS[summary.state],
        title=title_of(summary),
        count=f"{summary.done}/{summary.total}" if summary.total else "",
        note="" if says_bar else note(summary, now, zone),
        progress=summary.done / summary.total if summary.total else 0.0,
        age=age(seconds_between(summary.since, now)) if summary.since else "",
        depth=one.depth,
        tone=_tone(summary),
        shown=shown,
        cursor=cursor,
        unread=unread,
    )


def title_of(summary: Summary) -> str:
    return one_line(summary.title) or summary.session


def note(summary: Summary, now: str = "", zone: tzinfo | None = None) -> str:
    """Why a session rests or waits, in words."""
    said = standing(summary.state, one_line(summary.reason))
    if summary.state == "running":
        said = one_line(summary.current) or "running"
    if summary.next_kick:
        said = f"{kick_time(summary.next_kick, now, zone)} · {said}"
    return f"archived, {said}" if summary.archived else said


def _tone(summary: Summary) -> Tone:
    if summary.state == "failed":
        return "failed"
    if summary.state in NEEDS_PERSON:
        return "needing"
    return "running" if summary.state == "running" else "resting"


def _matches(summary: Summary, words: Sequence[str]) -> bool:
    said = " ".join(
        (
            summary.title,
            summary.session,
            summary.state,
            summary.reason,
            summary.model,
            summary.agent or "",
            summary.cwd,
            "archived" if summary.archived else "",
        )
    ).casefold()
    return all(word in said for word in words)
