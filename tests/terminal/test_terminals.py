"""Terminals that change their size while one looks, and terminals that can do little."""

import re
import stat
from contextlib import closing

import apsw
import pytest
from command_line import Home
from model_replies import error
from terminal.playing import Model, call, plan, start
from terminals import Terminal

TASK = "Send the parcel."
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")


def timeless(text: str) -> str:
    """The screen without its clocks."""
    return re.sub(r" *\d+(s|:\d\d)\b", "", text)


def test_a_terminal_may_be_resized_at_any_time(home: Home, model: Model) -> None:
    with Terminal(home, size=(200, 60)) as terminal:
        start(terminal, model, TASK)
        model.say("I plan it first.", plan())
        model.told()
        terminal.see("[>] 1 Weigh it", "I plan it first.")
        drawn = len(terminal.raw)
        terminal.resize(20, 5)
        terminal.until(lambda _: len(terminal.raw) > drawn, "it is drawn in 20x5")
        model.say("While it is tiny.", call("look", "list_files", path="."))
        model.told()
        for size in ((80, 24), (160, 48), (60, 16)):
            terminal.resize(*size)
            terminal.see("While it is tiny.", "0/3", "1 running", "▶ waiting for the model", "❯")
            with Terminal(home, size=size) as fresh:
                fresh.see("While it is tiny.", "0/3", "1 running", "▶ waiting for the model", "❯")
                terminal.until(
                    lambda text, fresh=fresh: timeless(text) == timeless(fresh.text),  # type: ignore[misc]
                    "the picture of a dashboard that was opened in this size",
                )
        for step in range(12):
            terminal.resize(30 + 17 * step % 130, 6 + 11 * step % 50)
        terminal.resize(110, 32)
        terminal.see("─ Checklist", "[>] 1 Weigh it", "While it is tiny.")
        terminal.press("f1")
        terminal.see("What each key does")
        terminal.press("escape")
        terminal.see_none("What each key does")
        assert terminal.leave() == 0


def test_a_terminal_of_a_few_lines_is_no_reason_to_fail(home: Home, model: Model) -> None:
    with Terminal(home, size=(20, 5)) as terminal:
        terminal.until(lambda text: text.strip(), "something is drawn")
        terminal.press("f1")
        terminal.see("Keys")
        terminal.press("escape")
        terminal.see_none("Keys")
        terminal.resize(80, 24)
        start(terminal, model, TASK)
        model.say("I plan it first.", plan())
        model.told()
        terminal.resize(20, 5)
        terminal.resize(80, 24)
        terminal.see("0/3 ▸ Weigh it")
        assert terminal.leave() == 0
        assert b"Traceback" not in terminal.raw


def test_two_quick_enters_close_one_dialog_and_nothing_else(home: Home, model: Model) -> None:
    with Terminal(home, size=(110, 32)) as terminal:
        start(terminal, model, TASK)
        model.say("I plan it first.", plan())
        model.told()
        terminal.see("[>] 1 Weigh it")
        terminal.press("ctrl+p")
        terminal.see("Search for commands")
        terminal.type("what each key")
        terminal.see("what each key", "Help  What each key does")
        terminal.type("\r\r")
        terminal.see("Begin another line")
        # The second enter may have opened it a second time; what is too much here is only text.
        terminal.type("qq")
        terminal.see_none("Begin another line")
        terminal.see("[>] 1 Weigh it", "❯")
        terminal.go_to("Checklist", "shift+tab")
        terminal.press("e")
        terminal.see("Edit the todo")
        terminal.type(" twice\r\r")
        terminal.see_none("Edit the todo")
        terminal.see("[>] 1 Weigh it twice", "❯")
        assert terminal.leave() == 0


PLAIN = {
    "no colour": {"NO_COLOR": "1"},
    "sixteen colours": {"TERM": "xterm-16color", "COLORTERM": ""},
    "no word about colours": {"TERM": "xterm", "COLORTERM": ""},
    "linux console": {"TERM": "linux", "COLORTERM": ""},
}


@pytest.mark.parametrize("environ", PLAIN.values(), ids=PLAIN)
def test_a_terminal_with_few_colours_is_enough(
    home: Home, model: Model, environ: dict[str, str]
) -> None:
    with Terminal(home, size=(110, 32), environ=environ) as terminal:
        start(terminal, model, TASK)
        model.say("I plan it first.", plan())
        model.told()
        terminal.see("[>] 1 Weigh it", "[ ] 2 Print the label", "▶ waiting for the model")
        model.say("I stop here.")
        model.told()
        terminal.see("Auto-continuing (1/25)")
        terminal.press("escape")
        terminal.see("‖ paused")
        assert terminal.leave() == 0
        colours = set(COLOUR.findall(bytes(terminal.raw)))
    if "NO_COLOR" in environ:
        assert all(_is_grey(colour) for colour in colours)
    else:
        assert not any(b"38;2;" in colour or b"48;2;" in colour for colour in colours)


def _is_grey(colour: bytes) -> bool:
    """Whether a sequence sets no colour but shades of grey."""
    numbers = [int(number or 0) for number in colour[2:-1].split(b";")]
    while numbers:
        code, *numbers = numbers
        if code in (38, 48):
            mode, *rest = numbers
            if mode != 2 or len(set(rest[:3])) != 1:
                return False
            numbers = rest[3:]
        elif 30 <= code <= 37 or 40 <= code <= 47 or 90 <= code <= 107:
            return False
    return True


@pytest.mark.parametrize(("wanted", "told"), [("failed", True), ("done", False)])
def test_only_what_is_wanted_rings_where_nobody_looks(
    home: Home, model: Model, wanted: str, told: bool
) -> None:
    home.serve_from(model.url, notify=[wanted])
    with Terminal(home, size=(110, 32)) as terminal:
        start(terminal, model, TASK)
        terminal.type("\x1b[O")
        terminal.until(lambda _: not terminal.lit, "nothing has the focus")
        model.answer(error("openai", 401, "no such key"))
        terminal.see("✗ failed")
        assert terminal.leave() == 0
        assert (b"\x1b]777;notify;Longwatch;" in terminal.raw) == told


def test_when_the_dashboard_fails_its_log_says_why_and_holds_no_key(home: Home) -> None:
    with Terminal(home, size=(110, 32)) as terminal:
        terminal.ready()
        with closing(apsw.Connection(str(home.data / "longwatch.db"))) as store:
            store.execute("DROP TABLE drafts; DROP TABLE sessions")
        assert terminal.exited() == 1
        said = terminal.text
    log = home.data / "longwatch.log"
    assert "The dashboard has stopped" in said
    assert "the sessions are in the store" in said
    assert "longwatch.log" in said
    assert "Traceback" not in said
    assert "Traceback" in log.read_text()
    assert "sk-test" not in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
