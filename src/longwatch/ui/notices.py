"""Telling a person who looks elsewhere: a toast, the bell, and the terminal's own notification."""

from collections.abc import Callable, Collection
from typing import Literal

from textual.app import App

from longwatch.engine.storing import Summary
from longwatch.engine.visible import visible_line

Kind = Literal["done", "blocked", "approval", "idle", "failed"]
LONGEST = 160

Announced = Callable[[str], Collection[str]]
"""What a person wants to be told of a session."""


def kind_of(summary: Summary) -> Kind | None:
    """What there is to tell of a session that has just changed state."""
    match summary.state:
        case "dormant":
            return "blocked" if summary.blocked else "done"
        case "awaiting_approval" | "awaiting_human":
            return "approval"
        case "idle":
            return "idle"
        case "failed":
            return "failed"
        case "running" | "waiting" | "awaiting_peer" | "paused":
            return None


def words(summary: Summary) -> str:
    reason = f": {summary.reason}" if summary.reason else ""
    return visible_line(f"{summary.title} {summary.state.replace('_', ' ')}{reason}", LONGEST)


def escape_sequences(text: str, *, tmux: bool) -> str:
    """OSC 9 and 777, which terminals turn into a desktop notification; through tmux if need be."""
    plain = text.replace(";", ",")
    sequences = (f"\x1b]9;{plain}\x07", f"\x1b]777;notify;Longwatch;{plain}\x07")
    if not tmux:
        return "".join(sequences)
    return "".join(f"\x1bPtmux;{s.replace(chr(27), chr(27) * 2)}\x1b\\" for s in sequences)


def notice(app: App[None], summary: Summary, announced: Announced, *, shown: bool) -> None:
    """A toast for what is not shown; bell and notification only while nobody looks here."""
    kind = kind_of(summary)
    if kind is None or kind not in announced(summary.session):
        return
    severity: Literal["information", "warning", "error"] = "information"
    if kind in ("approval", "blocked", "idle"):
        severity = "warning"
    elif kind == "failed":
        severity = "error"
    if not shown:
        app.notify(words(summary), severity=severity, markup=False)
    if not app.app_focus and app._driver is not None:
        app.bell()
        app._driver.write(escape_sequences(words(summary), tmux=_tmux(app)))


def _tmux(app: App[None]) -> bool:
    return bool(getattr(app, "tmux", False))
