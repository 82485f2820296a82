"""A dashboard that is killed, closed or stuck, and two at once: the run does not mind."""

from collections.abc import Callable

import pytest
from command_line import Home
from terminal.playing import Model, call, done, plan, start
from terminals import Terminal, only_session, poll

TASK = "Send the parcel."
LEAVING: dict[str, Callable[[Terminal], None]] = {
    "killed": Terminal.kill,
    "closed": Terminal.hang_up,
}


def rested(home: Home) -> bool:
    return only_session(home).state == "dormant"


@pytest.mark.parametrize("leave", LEAVING.values(), ids=LEAVING)
def test_the_run_goes_on_without_its_dashboard_and_is_all_there_afterwards(
    home: Home, model: Model, leave: Callable[[Terminal], None]
) -> None:
    with Terminal(home, size=(110, 32)) as terminal:
        start(terminal, model, TASK)
        model.say("I plan it first.", plan())
        model.told()
        terminal.see("[>] 1 Weigh it")
        leave(terminal)
    before = only_session(home).last_seq
    model.say("Nobody looks.", call("look", "list_files", path="."))
    model.told()
    model.say("It is weighed.", done(1))
    model.told()
    poll(lambda: only_session(home).done == 1, "the first item is done")
    assert only_session(home).last_seq >= before + 8
    with Terminal(home, size=(110, 32)) as again:
        again.see("I plan it first.", "Nobody looks.", "It is weighed.", "[x] 1 Weigh it", "1/3")
        again.see("▶ waiting for the model")
        model.say("The rest.", done(2), done(3))
        model.told()
        again.see("[x] 3 Call Bob", "3/3")
        model.say("All is shipped.")
        again.see("All is shipped.", "○ done")


def test_a_terminal_that_does_not_read_holds_up_nothing_but_its_own_picture(
    home: Home, model: Model
) -> None:
    with Terminal(home, size=(160, 48)) as terminal:
        start(terminal, model, TASK)
        model.say("I plan it first.", plan())
        model.told()
        terminal.see("[>] 1 Weigh it")
        terminal.stop_reading()
        seen = len(terminal.raw)
        for turn in range(24):
            model.say(
                f"Turn {turn}: {'much is said ' * 60}",
                call(f"s{turn}", "search", pattern=f"x{turn}"),
            )
            model.told()
            if turn % 3 == 2:
                model.say("", call(f"t{turn}", "todo_list"))
                model.told()
        model.say("", done(1), done(2), done(3))
        model.told()
        model.say("The end is near.")
        poll(lambda: rested(home), "the run ends though its terminal is stuck")
        assert len(terminal.raw) == seen
        terminal.go_on_reading()
        terminal.see("The end is near.", "[x] 3 Call Bob", "○ done")
        terminal.press("f1")
        terminal.see("What each key does")


def test_two_dashboards_show_the_same_and_both_steer(home: Home, model: Model) -> None:
    with Terminal(home, size=(110, 32)) as one:
        start(one, model, TASK)
        model.say("I plan it first.", plan())
        model.told()
        with Terminal(home, size=(160, 48)) as other:
            for terminal in (one, other):
                terminal.see("I plan it first.", "[>] 1 Weigh it", "[ ] 3 Call Bob")
                terminal.go_to("Checklist", "shift+tab")
            one.press("down")
            one.see("▌[ ] 2 Print the label")
            one.press("space")
            for terminal in (one, other):
                terminal.see("[x] 2 Print the label", "1/3")
            other.press("end")
            other.see("▌[ ] 3 Call Bob")
            other.press("b")
            other.see("Why is it blocked?")
            other.type("he is away")
            other.see("he is away")
            other.press("enter")
            for terminal in (one, other):
                terminal.see("[!] 3 Call Bob", "he is away")
            model.say("", done(1))
            told = model.told()
            assert "#2" in told
            assert "he is away" in told
            other.go_to("Message")
            other.type("Then ask Eve.")
            other.press("enter")
            one.see("queued  Then ask Eve.")
            model.say("I see.")
            assert "Then ask Eve." in model.told()
            for terminal in (one, other):
                terminal.see("Then ask Eve.", "I see.", "[x] 1 Weigh it")
                terminal.see_none("queued")
            other.press("escape")
            one.see("‖ paused")
