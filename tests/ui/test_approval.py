"""The question before a call: everything is shown, and no stray key answers it."""

from collections.abc import Sequence
from typing import ClassVar

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from longwatch.ui.widgets.approval import ApprovalPanel, Waiting
from longwatch.ui.widgets.approval_rows import folded, kinds, question_rows, tabless

FOLDER = "/home/ada/shop"
PUSH = Waiting("c1", f"shell, at most 120 s\nin {FOLDER}\n$ git push", "shell", FOLDER)
PULL = Waiting("c2", f"shell, at most 120 s\nin {FOLDER}\n$ git pull", "shell", FOLDER)
LONG = Waiting("c3", "\n".join(["write_file", *(f"+line {k}" for k in range(60))]), "w", FOLDER)


class Watch:
    """A clock that stands until it is set on."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


class Desk(App[None]):
    """The panel over a box that takes text."""

    CSS = "Screen { align: left bottom; }"
    BINDINGS: ClassVar[list[BindingType]] = ApprovalPanel.SCREEN_BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self.watch_ = Watch()
        self.said: list[tuple[str, bool, str]] = []
        self.edits: list[str] = []

    def compose(self) -> ComposeResult:
        yield ApprovalPanel(monotonic=self.watch_)
        yield Input()

    @property
    def panel(self) -> ApprovalPanel:
        return self.query_one(ApprovalPanel)

    @property
    def asking(self) -> bool:
        return bool(self.panel.display)

    def ask(self, *waiting: Waiting) -> None:
        self.panel.show(waiting, now=self.watch_())

    def later(self, seconds: float = 1.0) -> None:
        self.watch_.seconds += seconds

    def action_approval(self, key: str) -> None:
        self.panel.press(key)

    def on_approval_panel_answered(self, event: ApprovalPanel.Answered) -> None:
        self.said.append((event.call, event.allow, event.scope))

    def on_approval_panel_edit_wanted(self, event: ApprovalPanel.EditWanted) -> None:
        self.edits.append(event.call)


def lines(app: Desk) -> list[str]:
    return [strip.text for strip in app.screen._compositor.render_strips()]


def text(app: Desk) -> str:
    return "\n".join(lines(app))


# --- what is shown --------------------------------------------------------------------------


async def test_it_is_hidden_while_nothing_waits() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        assert not app.asking
        app.ask(PUSH)
        await pilot.pause()
        assert "$ git push" in text(app)
        assert f"in {FOLDER}" in text(app)
        assert "y once   a always for this session   n no   e edit" in text(app)
        app.ask()
        await pilot.pause()
        assert not app.asking


async def test_several_questions_stand_in_a_queue() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(PUSH, PULL)
        await pilot.pause()
        assert "? Approve shell  1/2" in text(app)
        assert "git pull" not in text(app)


async def test_the_folder_is_named_where_the_question_does_not() -> None:
    rows = question_rows(Waiting("c", "shell\n$ ls", "shell", "/srv"), 40)
    assert [row.text for row in rows] == ["in /srv", "shell", "$ ls"]
    rows = question_rows(Waiting("c", "shell\nin /srv\n$ ls", "shell", "/srv"), 40)
    assert [row.text for row in rows] == ["shell", "in /srv", "$ ls"]


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (160, 48)])
async def test_every_character_can_be_read(size: tuple[int, int]) -> None:
    words = "".join(f"<{k}>" for k in range(300)) + "漢字" * 40 + "👩‍👩‍👧" * 9
    app = Desk()
    async with app.run_test(size=size) as pilot:
        app.ask(Waiting("c", f"shell\n$ {words}", "shell", ""))
        await pilot.pause()
        app.panel.focus()
        seen: list[str] = []
        for _ in range(80):
            top = app.panel.region.y + 1
            row = lines(app)[top][1:-2]
            seen.append(row[2:].rstrip())
            before = app.panel.scroll_y
            await pilot.press("down")
            await pilot.pause()
            if app.panel.scroll_y == before:
                bottom = app.panel.region.bottom - 3
                seen += [line[3:-2].rstrip() for line in lines(app)[top + 1 : bottom]]
                break
        assert "".join(seen) == f"shell$ {words}"


def test_folding_loses_nothing_and_fits() -> None:
    for line in ("", "x" * 100, "漢字テスト" * 9, "a\u0301" * 30, "👩‍👩‍👧b" * 20):
        pieces = folded(line, 13)
        assert "".join(pieces) == line
        assert all(cell_len(piece) <= 13 for piece in pieces)


def test_what_goes_on_is_told_apart_from_a_line_of_its_own() -> None:
    waiting = Waiting("c", "shell\n$ " + "echo " + " " * 12 + "+ added", "shell", "")
    rows = question_rows(waiting, 20)
    assert [row.goes_on for row in rows] == [False, False, True]
    assert rows[2].kind == "command"


def test_tabs_are_seen() -> None:
    assert tabless("\tx\ty") == "→   x→  y"
    assert tabless("a\t") == "a→  "
    assert tabless("ab") == "ab"


def test_a_diff_is_read_by_its_first_column() -> None:
    lines = ["edit_file a", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "--- y", "+++ z", " same"]
    found = list(kinds(lines))
    assert found == ["head", "file", "file", "place", "removed", "added", "plain"]


async def test_foreign_text_is_no_markup_and_steers_nothing() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(Waiting("c", "shell\n$ echo [red]x[/red] \x1b[2J\u202e", "she[b]ll\x07", "/a\x1b"))
        await pilot.pause()
        shown = text(app)
        assert "$ echo [red]x[/red] ␛[2J⟨U+202E⟩" in shown
        assert "she[b]ll␇" in shown
        assert "in /a␛" in shown


# --- answers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("y", [("c1", True, "once")]),
        ("a", [("c1", True, "session")]),
        ("n", [("c1", False, "once")]),
    ],
)
async def test_one_key_answers(key: str, said: Sequence[tuple[str, bool, str]]) -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(PUSH)
        app.panel.focus()
        await pilot.pause()
        app.later()
        await pilot.press(key)
        await pilot.pause()
        assert app.said == said
        assert not app.asking


async def test_e_asks_for_something_else() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(PUSH)
        app.panel.focus()
        await pilot.pause()
        app.later()
        await pilot.press("e")
        await pilot.pause()
        assert (app.said, app.edits) == ([], ["c1"])


async def test_someone_who_types_keeps_the_focus_and_the_keys() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        box = app.query_one(Input)
        box.focus()
        app.ask(PUSH)
        app.later()
        await pilot.pause()
        await pilot.press("y", "a", "n")
        await pilot.pause()
        assert box.has_focus
        assert box.value == "yan"
        assert app.said == []
        assert "shift+tab to answer" in text(app)


async def test_keys_work_where_nothing_takes_text() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.screen.set_focus(None)
        app.ask(PUSH)
        await pilot.pause()
        app.later()
        await pilot.press("y")
        await pilot.pause()
        assert app.said == [("c1", True, "once")]


async def test_a_key_within_a_moment_of_its_appearing_does_not_count() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(PUSH)
        app.panel.focus()
        await pilot.pause()
        app.later(0.39)
        await pilot.press("y", "n", "a", "e")
        await pilot.pause()
        assert (app.said, app.edits) == ([], [])
        app.later(0.02)
        await pilot.press("y")
        await pilot.pause()
        assert app.said == [("c1", True, "once")]


async def test_the_next_question_has_a_moment_of_its_own() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(PUSH, PULL)
        app.panel.focus()
        await pilot.pause()
        app.later()
        await pilot.press("y", "y")
        await pilot.pause()
        assert app.said == [("c1", True, "once")]
        assert "git pull" in text(app)
        app.ask(PUSH, PULL)
        await pilot.pause()
        assert "git pull" in text(app)
        app.later()
        await pilot.press("n")
        await pilot.pause()
        assert app.said[1:] == [("c2", False, "once")]


async def test_a_question_that_changed_is_asked_anew() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(PUSH)
        app.panel.focus()
        await pilot.pause()
        app.later()
        app.ask(Waiting("c1", PUSH.question + " --force", "shell", FOLDER))
        await pilot.press("y")
        await pilot.pause()
        assert app.said == []


async def test_an_answer_that_was_not_taken_is_asked_for_again() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(PUSH)
        app.panel.focus()
        await pilot.pause()
        app.later()
        await pilot.press("y")
        app.later(1)
        app.ask(PUSH)
        await pilot.pause()
        assert "git push" not in text(app)
        app.later(1.5)
        app.ask(PUSH)
        await pilot.pause()
        assert "git push" in text(app)


async def test_yes_needs_the_end_in_view_or_a_second_press() -> None:
    app = Desk()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask(LONG)
        app.panel.focus()
        await pilot.pause()
        assert "more lines ↓" in text(app)
        app.later()
        await pilot.press("y", "y")
        await pilot.pause()
        assert app.said == []
        assert "unread: y again to allow, end to read" in text(app)
        app.later()
        await pilot.press("y")
        await pilot.pause()
        assert app.said == [("c3", True, "once")]


@pytest.mark.parametrize("keys", [("end",), ("pagedown",) * 9, ("down",) * 60, ("space",) * 9])
async def test_once_the_end_was_in_view_one_press_does(keys: tuple[str, ...]) -> None:
    app = Desk()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask(LONG)
        app.panel.focus()
        await pilot.pause()
        app.later()
        await pilot.press(*keys)
        await pilot.pause()
        assert "+line 59" in text(app)
        assert "more line" not in text(app)
        await pilot.press("home")
        await pilot.pause()
        await pilot.press("y")
        await pilot.pause()
        assert app.said == [("c3", True, "once")]


async def test_no_needs_no_reading() -> None:
    app = Desk()
    async with app.run_test(size=(60, 16)) as pilot:
        app.ask(LONG)
        app.panel.focus()
        await pilot.pause()
        app.later()
        await pilot.press("n")
        await pilot.pause()
        assert app.said == [("c3", False, "once")]


async def test_another_question_of_the_same_size_is_read_anew() -> None:
    other = Waiting("c4", LONG.question.replace("line", "word"), "w", FOLDER)
    app = Desk()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask(LONG)
        app.panel.focus()
        await pilot.pause()
        await pilot.press("end")
        await pilot.pause()
        app.ask(other)
        await pilot.pause()
        app.later()
        await pilot.press("y")
        await pilot.pause()
        assert app.said == []
        assert "write_file" in text(app)


async def test_the_words_can_be_clicked() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(PUSH)
        await pilot.pause()
        app.later()
        bottom = app.panel.region.height - 2
        await pilot.click(app.panel, offset=(5, bottom))
        await pilot.pause()
        assert app.said == [("c1", True, "once")]


async def test_it_says_how_long_it_waits() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(PUSH)
        await pilot.pause()
        app.later(130)
        app.ask(PUSH)
        await pilot.pause()
        assert "waits 2m" in text(app)


async def test_it_is_as_tall_as_its_question() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.ask(PUSH)
        await pilot.pause()
        assert app.panel.region.height == 3 + 2 + 2
