"""The rows of a checklist for any width, and the list in one line."""

import pytest
from made_lists import made
from textual.app import App, ComposeResult

from longwatch.checklist import Checklist, millis
from longwatch.ui.widgets.checklist import ChecklistLine
from longwatch.ui.widgets.checklist_rows import bar, goal_lines, lay_out, spent, wrapped

FOUR = made("a [x] Read", "b [>] Write", "c [ ] Test", "d [!] Ship (no key)", goal="Release")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", [""]),
        ("one two", ["one", "two"]),
        ("one two three four", ["one", "two three", "four"]),
        ("abcdefghijklmnopqrstuvwxyz", ["abcdef", "ghijklmnop", "qrstuvwxyz"]),
        ("漢字漢字漢字漢字漢字", ["漢字漢", "字漢字漢字", "漢字"]),
    ],
)
def test_words_wrap_by_cells(text: str, rows: list[str]) -> None:
    assert wrapped(text, 6, 10) == rows


def test_a_goal_is_cut_after_some_lines() -> None:
    assert goal_lines("one two three four five", 6, 2) == ["one", "two t…"]
    assert goal_lines("  ", 6) == []


@pytest.mark.parametrize(
    ("done", "drawn"),
    [
        (0, ("", "━━━━━━━━")),
        (1, ("━━╸", "━━━━━")),
        (3, ("━━━━━━╸", "━")),
        (4, ("━━━━━━━━", "")),
    ],
)
def test_the_bar(done: int, drawn: tuple[str, str]) -> None:
    assert bar(done, 4, 8) == drawn


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0:00"), (41, "0:41"), (754, "12:34"), (3_599, "59:59"), (4_440, "1h14"), (4e5, "111h")],
)
def test_times_fit_five_cells(seconds: float, shown: str) -> None:
    current = FOUR.current
    assert current is not None
    assert current.history.started is not None
    start = millis(current.history.started.at)
    assert spent(current, start + int(seconds * 1000)) == shown


def test_texts_begin_in_one_column_whatever_the_ids() -> None:
    listed = made(*[f"i{k} [ ] Item" for k in range(12)])
    laid = lay_out(listed, frozenset(), 40)
    assert {row.label for row in laid.rows} >= {" 1", "12"}
    assert laid.indent == 7


def test_a_very_long_text_is_cut() -> None:
    laid = lay_out(made("a [ ] " + "x" * 9_000), frozenset(), 40)
    assert sum(len(row.text) for row in laid.rows) == 4_097


# --- the line -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("checklist", "shown"),
    [
        (FOUR, "1/4 ▸ Write"),
        (Checklist(), "No todos yet"),
        (made("a [x] Read", "b [ ] Write"), "1/2 ▸ Write"),
        (made("a [x] Read", "b [!] Ship (no key)"), "1/2 ! blocked: no key"),
        (made("a [!] Read (x)", "b [!] Ship (no key)"), "0/2 ! blocked: x (and 1 more)"),
        (made("a [x] Read"), "1/1 ✓ all done"),
        (made("a [>] [b]x\x1b"), "0/1 ▸ [b]x␛"),
        (made("a [>] " + "漢字" * 30), "0/1 ▸ " + "漢字" * 12 + "漢…"),
    ],
)
async def test_the_line_says_what_the_list_is_at(checklist: Checklist, shown: str) -> None:
    class Narrow(App[None]):
        def compose(self) -> ComposeResult:
            yield ChecklistLine()

    app = Narrow()
    async with app.run_test(size=(60, 16)) as pilot:
        app.query_one(ChecklistLine).show(checklist)
        await pilot.pause()
        first = app.screen._compositor.render_strips()[0]
        assert first.text.strip() == shown
