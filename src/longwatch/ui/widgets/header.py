"""The line at the top: where this is, what runs, what needs a person, what today has cost."""

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import msgspec
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widget import Widget

from longwatch.engine.storing import Summary
from longwatch.ui.words import NEEDS_PERSON, cost, cut_start, homely, one_line

BRAND = " longwatch"
PARTED = " · "
LEAST_FOLDER = 10
"""Cells of the folder that are kept before counts are left out."""


class Counts(msgspec.Struct, frozen=True):
    """What the line says at its right; an empty text is left out."""

    running: str = ""
    needing: str = ""
    spent: str = ""

    @property
    def width(self) -> int:
        said = [cell_len(text) for text in (self.running, self.needing, self.spent) if text]
        return sum(said) + len(PARTED) * max(0, len(said) - 1)

    def shorter(self) -> "Counts":
        """With the least telling part left out."""
        if self.spent:
            return Counts(self.running, self.needing)
        return Counts("", self.needing if self.running else "")


class Whereabouts(msgspec.Struct, frozen=True):
    """Where a person is at home, and in which zone; None takes it from the system."""

    home: str | None = None
    zone: tzinfo | None = None


class HeaderLine(Widget):
    """One line that is never focused; what needs a person is the only thing that stands out.

    ``home`` and ``zone`` are the person's; None takes them from the system.
    """

    DEFAULT_CSS = """
    HeaderLine {
        height: 1;
        width: 1fr;
        color: $text-muted;
        text-wrap: nowrap;
    }
    """

    def __init__(
        self,
        *,
        home: str | None = None,
        zone: tzinfo | None = None,
        id: str | None = None,  # noqa: A002 - as every widget names it
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._home = home
        self._zone = zone
        self._folder = ""
        self._counts = Counts()

    def show(self, folder: str, summaries: Sequence[Summary], *, now: str) -> None:
        """Say where the dashboard was opened and how its sessions are."""
        home = str(Path.home()) if self._home is None else self._home
        shown = one_line(homely(folder, home))
        counts = counted(summaries, midnight(now, self._zone))
        if (shown, counts) != (self._folder, self._counts):
            self._folder, self._counts = shown, counts
            self.refresh()

    def render(self) -> Content:
        counts = self._counts
        # The brand, two cells after it, two before the counts and one at the end.
        room = self.size.width - len(BRAND) - 5
        wanted = min(LEAST_FOLDER, cell_len(self._folder))
        while counts.width and room - counts.width < wanted:
            counts = counts.shorter()
        folder = cut_start(self._folder, room - counts.width)
        gap = room - counts.width - cell_len(folder) + 2
        told = [
            (text, style)
            for text, style in (
                (counts.running, ""),
                (counts.needing, "bold $text-warning"),
                (counts.spent, ""),
            )
            if text
        ]
        parts = [part for one in told for part in ((PARTED, ""), one)][1:]
        return Content.assemble(
            (BRAND, "bold $text-accent"),
            "  ",
            (folder, "$foreground"),
            " " * max(0, gap),
            *parts,
        )


def counted(summaries: Sequence[Summary], since: str) -> Counts:
    """How many run, how many need a person, and what those at work since then have cost."""
    alive = [summary for summary in summaries if not summary.archived]
    running = sum(summary.state in ("running", "waiting") for summary in alive)
    needing = sum(summary.state in NEEDS_PERSON for summary in alive)
    return Counts(
        running=f"{running} running" if alive else "",
        needing=f"{needing} need{'s' if needing == 1 else ''} you" if needing else "",
        spent=spent_today(summaries, since),
    )


def spent_today(summaries: Sequence[Summary], since: str) -> str:
    """The cost of the sessions at work since midnight.

    A summary holds a session's whole cost, so an older session makes it an upper bound.
    """
    today = [s for s in summaries if s.updated >= since and (s.cost or s.unpriced)]
    if not today:
        return ""
    bound = "≤ " if any(s.created < since for s in today) else ""
    return f"{bound}{cost(sum(s.cost for s in today), sum(s.unpriced for s in today))} today"


def midnight(now: str, zone: tzinfo | None) -> str:
    """When the person's day began, as an event's time."""
    if not now:
        return ""
    day = datetime.fromisoformat(now).astimezone(zone)
    began = day.replace(hour=0, minute=0, second=0, microsecond=0)
    return began.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def main() -> None:
    """Open the line alone, with sessions in every state."""
    from longwatch.ui.widgets.sessions_sample import NOW, SAMPLE  # noqa: PLC0415

    class Alone(App[None]):
        def compose(self) -> ComposeResult:
            yield HeaderLine(home="/home/ann")

        def on_mount(self) -> None:
            self.query_one(HeaderLine).show("/home/ann/code/shop", SAMPLE, now=NOW)

    Alone().run()


if __name__ == "__main__":
    main()
