"""The message box, driven by keys."""

from typing import ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Button, Static

from longwatch.ui.dots.completing import Completion
from longwatch.ui.widgets.message_box import MessageBox, MessageEditor, MessageFrame, Past
from longwatch.ui.widgets.offers import agreement

COMMANDS = (".model", ".mode", ".todo")


class Alone(App[None]):
    """The box over something else that can be focused; it keeps what the box says."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "escaped", "Pause")]

    def __init__(self) -> None:
        super().__init__()
        self.said: list[Message] = []
        self.escaped = 0

    def compose(self) -> ComposeResult:
        yield MessageBox()
        yield Button("next")

    def on_mount(self) -> None:
        self.box.completions = lambda text: [
            Completion(command, command) for command in COMMANDS if command.startswith(text)
        ]
        self.box.show("auth", ())
        self.box.focus()

    @on(MessageBox.Submitted)
    @on(MessageBox.TakeBack)
    def keep(self, message: Message) -> None:
        self.said.append(message)

    def action_escaped(self) -> None:
        self.escaped += 1

    @property
    def box(self) -> MessageBox:
        return self.query_one(MessageBox)

    @property
    def sent(self) -> list[tuple[str, bool]]:
        return [(m.text, m.interrupt) for m in self.said if isinstance(m, MessageBox.Submitted)]

    def over(self) -> list[str]:
        """What is listed over the box."""
        shown = self.box.query("MessageBox > Static").results(Static)
        return [str(static.content) for static in shown if static.display]


async def write(pilot: Pilot[None], text: str) -> None:
    await pilot.press(*("space" if c == " " else c for c in text))


async def test_enter_sends_and_empties_the_box() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        await write(pilot, "hello")
        await pilot.press("enter")
        assert app.sent == [("hello", False)]
        assert app.box.text == ""


async def test_alt_enter_interrupts() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        await write(pilot, "stop")
        await pilot.press("alt+enter")
        assert app.sent == [("stop", True)]


async def test_keys_count_in_the_order_in_which_they_are_typed() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        editor = app.query_one(MessageEditor)
        for key, character in (("a", "a"), ("backspace", "\x08"), ("b", "b"), ("ctrl+u", "\x15")):
            editor.post_message(events.Key(key, character))
        editor.post_message(events.Key("c", "c"))
        await pilot.pause()
        assert app.box.text == "c"


async def test_nothing_is_not_sent() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        await pilot.press("enter", "space", "ctrl+j", "enter", "alt+enter")
        assert app.sent == []


async def test_keys_in_one_rush_are_sent_in_order() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        editor = app.query_one(MessageEditor)
        for key in ("a", "b", "enter", "c", "enter", "d"):
            app.post_message(events.Key(key, None if key == "enter" else key))
        await pilot.pause()
        await pilot.pause()
        assert app.sent == [("ab", False), ("c", False)]
        assert editor.text == "d"


async def test_a_message_has_many_lines_and_the_box_grows_to_eight() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        editor = app.query_one(MessageEditor)
        await pilot.press("a", "ctrl+j", "b", "shift+enter", "c")
        await pilot.pause()
        assert editor.size.height == 3
        await pilot.press(*["ctrl+j"] * 10)
        await pilot.pause()
        assert editor.size.height == 8
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == [("a\nb\nc", False)]
        assert editor.size.height == 1


async def test_a_paste_of_many_lines_is_one_message() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        app.post_message(events.Paste("one\r\ntwo\rthree\x1b[2J"))
        await pilot.pause()
        await pilot.press("!", "enter")
        assert app.sent == [("one\ntwo\nthree␛[2J!", False)]


async def test_up_and_down_go_through_what_was_sent() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        for text in ("one", "two"):
            await write(pilot, text)
            await pilot.press("enter")
        await write(pilot, "new")
        seen = []
        for key in ("up", "up", "up", "down", "down", "down"):
            await pilot.press(key)
            seen.append(app.box.text)
        assert seen == ["two", "one", "one", "two", "new", "new"]


async def test_up_inside_a_text_moves_the_cursor() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        await pilot.press("x", "enter", "a", "ctrl+j", "b", "up", "c")
        assert app.box.text == "ac\nb"
        await pilot.press("up")
        assert app.box.text == "x"


async def test_what_is_queued_is_listed_over_the_box() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        app.box.show("auth", [(str(n), f"message {n}\nmore") for n in range(5)])
        await pilot.pause()
        (text,) = app.over()
        assert text.splitlines() == [
            "queued  2 more",
            "queued  message 2",
            "queued  message 3",
            "queued  message 4  (up takes it back)",
        ]
        app.box.show("auth", [])
        await pilot.pause()
        assert app.over() == []


async def test_up_in_an_empty_box_takes_the_last_queued_one_back() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        app.box.show("auth", [("i1", "first"), ("i2", "second\nline")])
        await pilot.press("up")
        assert app.box.text == "second\nline"
        taken = app.said[-1]
        assert isinstance(taken, MessageBox.TakeBack)
        assert taken.intent == "i2"
        assert app.over() == ["queued  first  (up takes it back)"]


async def test_up_takes_nothing_back_while_something_is_written() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        app.box.show("auth", [("i1", "first")])
        await pilot.press("x", "up")
        assert app.said == []
        assert app.box.text == "x"


async def test_tab_completes_as_far_as_the_options_agree_then_goes_through_them() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        await pilot.press(".", "m", "tab")
        await pilot.pause()
        assert app.box.text == ".mode"
        assert app.over() == ["  .model  \n  .mode   "]
        seen = []
        for _ in range(3):
            await pilot.press("tab")
            seen.append(app.box.text)
        assert seen == [".model", ".mode", ".model"]
        await pilot.press("space")
        await pilot.pause()
        assert app.over() == []


async def test_one_option_is_taken_at_once() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        await pilot.press(".", "t", "tab")
        assert app.box.text == ".todo"
        assert app.over() == []


async def test_escape_closes_the_completions_first() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        await pilot.press(".", "m", "tab", "escape")
        await pilot.pause()
        assert app.over() == []
        assert app.escaped == 0
        await pilot.press("escape")
        assert app.escaped == 1


async def test_tab_moves_on_from_other_text() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        await pilot.press("a", "tab")
        assert isinstance(app.focused, Button)
        assert app.box.text == "a"


async def test_the_title_is_not_markup() -> None:
    app = Alone()
    async with app.run_test(size=(60, 12)) as pilot:
        app.box.show("[red]x\x1b", ())
        await pilot.pause()
        assert app.query_one(MessageFrame).border_title == "Message \\[red]x␛"
        assert "Write to [red]x␛" in app.query_one(MessageEditor).render_line(0).text


async def test_unsent_text_can_be_kept_and_given_back() -> None:
    app = Alone()
    async with app.run_test() as pilot:
        app.box.text = "kept"
        await pilot.press("!")
        assert app.box.text == "kept!"


def test_the_same_message_twice_is_one_in_the_past() -> None:
    past = Past()
    past.add("a")
    past.add("a")
    assert past.older("") == "a"
    assert past.older("") is None
    assert past.newer() == ""
    assert past.newer() is None


def test_agreement_is_how_all_begin() -> None:
    assert agreement([".model", ".mode"]) == ".mode"
    assert agreement([]) == ""


def test_every_key_has_an_id_a_description_and_a_tooltip() -> None:
    for binding in MessageEditor.BINDINGS:
        assert not isinstance(binding, tuple)
        assert binding.id
        assert binding.description
        assert binding.tooltip
