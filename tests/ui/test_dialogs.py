"""The small questions: what each key answers, and that they fit."""

import pytest
from textual.app import App
from textual.screen import ModalScreen
from textual.widgets import Input

from longwatch.ui.screens.dialogs import AskText, Choice, ChoiceLine, Confirm, DialogBox

QUIT = (
    Choice("leave", "l", "Leave them running"),
    Choice("pause", "p", "Pause all"),
    Choice("stay", "s", "Stay"),
)


class Asking(App[None]):
    """Opens one dialog and keeps what it answered."""

    def __init__(self, dialog: ModalScreen[str | None]) -> None:
        super().__init__()
        self.dialog = dialog
        self.answers: list[str | None] = []

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.answers.append)


def screen_text(app: App[None]) -> str:
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in strips)


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (("a", "b", "enter"), "ab"),
        (("space", "a", "space", "enter"), "a"),
        (("a", "escape"), None),
    ],
)
async def test_a_line_is_asked_for(keys: tuple[str, ...], answer: str | None) -> None:
    app = Asking(AskText("Why?"))
    async with app.run_test(size=(60, 16)) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
        assert app.answers == [answer]


async def test_a_line_begins_with_what_is_there_already() -> None:
    app = Asking(AskText("Rename the session", "auth"))
    async with app.run_test() as pilot:
        await pilot.press("2", "enter")
        await pilot.pause()
        assert app.answers == ["auth2"]


async def test_a_blank_line_is_refused_in_words() -> None:
    app = Asking(AskText("Why?"))
    async with app.run_test(size=(60, 16)) as pilot:
        await pilot.press("space", "enter")
        await pilot.pause()
        assert app.answers == []
        assert "Write something, or esc to cancel" in screen_text(app)


async def test_a_blank_line_counts_where_it_may() -> None:
    app = Asking(AskText("The goal", "x", blank_ok=True))
    async with app.run_test() as pilot:
        await pilot.press("backspace", "enter")
        await pilot.pause()
        assert app.answers == [""]


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (("l",), "leave"),
        (("p",), "pause"),
        (("enter",), "stay"),
        (("up", "enter"), "pause"),
        (("down", "enter"), "leave"),
        (("tab", "tab", "enter"), "pause"),
        (("shift+tab", "enter"), "pause"),
        (("escape",), None),
    ],
)
async def test_a_choice_is_one_key(keys: tuple[str, ...], answer: str | None) -> None:
    app = Asking(Confirm("Quit?", QUIT, default="stay"))
    async with app.run_test(size=(60, 16)) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
        assert app.answers == [answer]


async def test_a_key_of_no_choice_answers_nothing() -> None:
    app = Asking(Confirm("Quit?", QUIT))
    async with app.run_test() as pilot:
        await pilot.press("x", "space")
        await pilot.pause()
        assert app.answers == []


async def test_a_choice_can_be_clicked() -> None:
    app = Asking(Confirm("Quit?", QUIT))
    async with app.run_test(size=(60, 16)) as pilot:
        await pilot.click(app.screen.query(ChoiceLine)[1])
        await pilot.pause()
        assert app.answers == ["pause"]


async def test_the_first_choice_is_the_default_where_none_is_named() -> None:
    app = Asking(Confirm("Quit?", QUIT))
    async with app.run_test() as pilot:
        await pilot.press("enter")
        await pilot.pause()
        assert app.answers == ["leave"]


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (160, 48)])
async def test_dialogs_fit_and_stand_in_the_middle(size: tuple[int, int]) -> None:
    app = Asking(Confirm("Three sessions are running. " * 3, QUIT, title="Quit"))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        box = app.screen.query_one(DialogBox).region
        assert abs(box.x - (size[0] - box.right)) <= 1
        assert abs(box.y - (size[1] - box.bottom)) <= 1
        shown = screen_text(app)
        assert all(choice.label in shown for choice in QUIT)
        assert "esc cancel" in shown


async def test_foreign_text_is_no_markup_and_steers_nothing() -> None:
    app = Asking(AskText("[b]Why\x1b[31m?", detail="[red]x[/red]\x07"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        shown = screen_text(app)
        assert "[b]Why␛[31m?" in shown
        assert "[red]x[/red]␇" in shown
        assert app.screen.query_one(Input).has_focus
