"""One run from an empty store to its end, steered by keys alone, in every size."""

import re

import pytest
from command_line import Home
from terminal.playing import GOAL, Model, call, done, plan, start
from terminals import Terminal

TASK = "Send the parcel to Ada."
REASON = "no paper left"
SIZES = [(160, 48), (110, 32), (80, 24), (60, 16)]
ONE_LINE_BELOW = 90
"""Columns below which the checklist is one line until ctrl+t opens it."""


def sidebar_words(text: str) -> str:
    """What stands in the leftmost pane, as running text."""
    rows = [line.split("│")[1] for line in text.splitlines() if line.count("│") > 1]
    return " ".join(" ".join(rows).split())


def open_list(terminal: Terminal, columns: int) -> None:
    if columns < ONE_LINE_BELOW:
        terminal.press("ctrl+t")
    terminal.see("─ Checklist", GOAL)
    terminal.go_to("Checklist", "shift+tab")


def close_list(terminal: Terminal, columns: int) -> None:
    terminal.go_to("Message")
    if columns < ONE_LINE_BELOW:
        terminal.press("ctrl+t")
        terminal.see_none("─ Checklist")


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_a_run_is_started_watched_steered_and_finished(
    home: Home, model: Model, columns: int, rows: int
) -> None:
    with Terminal(home, size=(columns, rows)) as terminal:
        _start(terminal, model)
        _plan(terminal, model, columns)
        _block(terminal, model, columns)
        _approve(terminal, model, home)
        _pause_and_edit(terminal, columns)
        _resume(terminal, model, columns)
        _finish(terminal, model, columns)
        assert terminal.leave() == 0


def _start(terminal: Terminal, model: Model) -> None:
    words = "No sessions yet: ctrl+n starts one, or run"
    terminal.until(lambda text: words in sidebar_words(text), words)
    terminal.ready()
    start(terminal, model, TASK)
    terminal.see("▶ waiting for the model", "1 running")


def _plan(terminal: Terminal, model: Model, columns: int) -> None:
    model.say("I plan it first.", plan())
    model.told()
    terminal.see("0/3", "I plan it first.")
    # Nothing is painted behind what is said.
    assert len(terminal.backgrounds("I plan it first.")) == 1
    if columns >= ONE_LINE_BELOW:
        terminal.see("[>] 1 Weigh it", "[ ] 3 Call Bob")
    else:
        assert "Call Bob" not in terminal.see("0/3 ▸ Weigh it")


def _block(terminal: Terminal, model: Model, columns: int) -> None:
    open_list(terminal, columns)
    terminal.press("down")
    terminal.see("▌[ ] 2 Print the label")
    terminal.press("b")
    terminal.see("Why is it blocked?", "2 Print the label")
    terminal.type(REASON)
    terminal.see(REASON)
    terminal.press("enter")
    terminal.see_none("Why is it blocked?")
    terminal.see("[!] 2 Print the label", REASON)
    close_list(terminal, columns)
    model.say("I look around.", call("look", "list_files", path="."))
    assert f"#2 is now blocked ({REASON})" in model.told()
    terminal.see("I look around.", "you changed the list: block")


def _approve(terminal: Terminal, model: Model, home: Home) -> None:
    model.say("", call("label", "write_file", path="label.txt", content="To: Ada\n"))
    terminal.see("? Approve write_file", "label.txt (new file)", "y once", "1 needs you")
    assert not (home.work / "label.txt").exists()
    terminal.press("shift+tab")
    terminal.until(lambda _: not terminal.lit, "the question has the focus")
    terminal.answer("y")
    assert "label.txt" in model.told()
    assert (home.work / "label.txt").read_text() == "To: Ada\n"
    terminal.see("✓ write", "▶ waiting for the model")
    terminal.until(
        lambda _: [name[:7] for name in terminal.lit.values()] == ["Message"], "one can write on"
    )


def _pause_and_edit(terminal: Terminal, columns: int) -> None:
    terminal.press("escape")
    terminal.see("‖ paused", "to go on")
    open_list(terminal, columns)
    terminal.press("end")
    terminal.see("▌[ ] 3 Call Bob")
    terminal.press("e")
    terminal.see("Edit the todo")
    terminal.type(" at noon")
    terminal.see("Call Bob at noon")
    terminal.press("enter")
    terminal.see_none("Edit the todo")
    terminal.see("[ ] 3 Call Bob at noon", "‖ paused")
    close_list(terminal, columns)


def _resume(terminal: Terminal, model: Model, columns: int) -> None:
    terminal.press("ctrl+r")
    told = model.told()
    assert "Call Bob at noon" in told
    terminal.see("Auto-continuing (1/25): 2", "wake 1/25", "▶ waiting for the model")
    model.say("That looks finished to me.")
    assert "TODO CONTINUATION" in model.told()
    # A narrow pane breaks the line.
    remain = "Auto-continuing (2/25): 2 incomplete todo(s)"
    terminal.see(remain if columns > 60 else remain[:28], "wake 2/25")


def _finish(terminal: Terminal, model: Model, columns: int) -> None:
    model.say("The label is made.", done(1))
    model.told()
    terminal.see("1/3")
    open_list(terminal, columns)
    terminal.see("[x] 1 Weigh it", "[>] 3 Call Bob at noon")
    terminal.press("home", "down")
    terminal.see("▌[!] 2 Print the label")
    terminal.press("space")
    terminal.see("[x] 2 Print the label", "2/3")
    close_list(terminal, columns)
    model.say("", done(3))
    assert "#2" in model.told()
    model.say("**Everything** is shipped.")
    terminal.see("Everything is shipped.", "○ done", "3/3", "0 running")


def test_a_message_does_not_wait_for_the_turn_if_it_is_not_to(home: Home, model: Model) -> None:
    """By the palette: not every terminal sends alt+enter."""
    with Terminal(home, size=(110, 32)) as terminal:
        start(terminal, model, TASK)
        terminal.type("To Bob instead.")
        terminal.see("❯ To Bob instead.")
        terminal.press("ctrl+p")
        terminal.see("Search for commands")
        terminal.type("interrupt")
        terminal.see("Message box: Interrupt and send")
        terminal.press("enter")
        # The first request was never answered.
        assert "To Bob instead." in model.told()
        terminal.see("▌ To Bob instead.", "▶ waiting for the model")
        terminal.see_none("❯ To Bob")
        assert terminal.leave() == 0


def test_auto_without_a_sandbox_asks_once_in_a_folder(home: Home, model: Model) -> None:
    home.serve_from(model.url, sandbox="off")
    with Terminal(home, size=(110, 32)) as terminal:
        terminal.ready()
        _choose_auto(terminal)
        terminal.see("No sandbox", "it is turned off", str(home.work)[:40])
        terminal.press("y")
        terminal.see_none("No sandbox")
        model.told()
        model.say("", call("run", "shell", command="echo unasked > said.txt"))
        model.told()
        assert (home.work / "said.txt").read_text() == "unasked\n"
        model.say("That is all.")
        terminal.see("That is all.", "○ done")
        _choose_auto(terminal)
        terminal.see("▶ waiting for the model")
        assert TASK in model.told()
        assert terminal.leave() == 0


def _choose_auto(terminal: Terminal) -> None:
    terminal.press("ctrl+n")
    terminal.see("What is to be done?", "Approval")
    terminal.type(TASK)
    for label in ("Agent", "Role", "Model", "Dialect", "Approval"):
        terminal.press("tab")
        terminal.see_bold(label)
    terminal.press("enter")
    terminal.see("readonly")
    terminal.press("down", "down", "down", "enter")
    terminal.until(lambda text: re.search(r"Approval +auto", text), "auto is chosen")
    terminal.press("ctrl+j")
    terminal.see_none("esc cancel   tab")
