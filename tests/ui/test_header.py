"""The line at the top, as it is drawn."""

from datetime import UTC

import pytest
from textual.app import App, ComposeResult

from longwatch.engine.storing import Summary
from longwatch.ui.widgets.header import HeaderLine, counted, midnight, spent_today

NOW = "2026-11-18T12:00:00.000Z"
SINCE = midnight(NOW, UTC)
TODAY = "2026-11-18T06:00:00.000Z"
YESTERDAY = "2026-11-17T23:59:59.000Z"
RUNNING = Summary(session="a", state="running", created=TODAY, updated=TODAY, cost=1.5)
ASKING = Summary(session="b", state="awaiting_human", created=TODAY, updated=TODAY, cost=0.42)
FAILED = Summary(session="c", state="failed", created=YESTERDAY, updated=YESTERDAY, cost=9.0)


class Alone(App[None]):
    def compose(self) -> ComposeResult:
        yield HeaderLine(home="/home/ann", zone=UTC)


async def drawn(width: int, *summaries: Summary, folder: str = "/home/ann/code/shop") -> str:
    app = Alone()
    async with app.run_test(size=(width, 3)) as pilot:
        line = app.query_one(HeaderLine)
        line.show(folder, summaries, now=NOW)
        await pilot.pause()
        return line.render_line(0).text


async def test_it_says_where_and_what() -> None:
    text = await drawn(80, RUNNING, ASKING)
    assert text.startswith(" longwatch  ~/code/shop   ")
    assert text.endswith("   1 running · 1 needs you · $1.92 today")
    assert len(text) == 79


@pytest.mark.parametrize(
    ("width", "end"),
    [(60, "1 running · 1 needs you"), (40, "1 needs you"), (24, "…ode/shop"), (8, "")],
)
async def test_what_says_least_is_left_out_first(width: int, end: str) -> None:
    text = await drawn(width, RUNNING, ASKING)
    assert end in text
    assert "today" not in text
    assert len(text) <= width


async def test_of_a_long_folder_the_end_is_kept() -> None:
    text = await drawn(60, RUNNING, folder="/srv/" + "very/" * 20 + "shop")
    assert "…" in text
    assert "very/shop  1 running · $1.50 today" in text


async def test_a_folder_is_not_markup() -> None:
    assert "[red]x\u241b" in await drawn(80, folder="/srv/[red]x\x1b")


async def test_nothing_is_counted_without_sessions() -> None:
    assert (await drawn(40)).strip() == "longwatch  ~/code/shop"


def test_several_need_you() -> None:
    assert counted([RUNNING, ASKING, FAILED], SINCE).needing == "2 need you"


def test_archived_sessions_are_not_counted_but_their_cost_is() -> None:
    archived = Summary(
        session="d", state="failed", archived=True, created=TODAY, updated=TODAY, cost=1.0
    )
    counts = counted([RUNNING, archived], SINCE)
    assert (counts.running, counts.needing, counts.spent) == ("1 running", "", "$2.50 today")


def test_what_was_spent_before_today_makes_it_a_bound() -> None:
    older = Summary(session="e", created=YESTERDAY, updated=TODAY, cost=1.0)
    assert spent_today([RUNNING, older], SINCE) == "≤ $2.50 today"
    assert spent_today([FAILED], SINCE) == ""


def test_an_unknown_price_is_said() -> None:
    unpriced = Summary(session="f", created=TODAY, updated=TODAY, unpriced=2)
    assert spent_today([unpriced], SINCE) == "? today"
    assert spent_today([RUNNING, unpriced], SINCE) == "$1.50+? today"
