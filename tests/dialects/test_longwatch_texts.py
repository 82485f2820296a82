"""The default dialect: its results, continuations, instructions and defaults."""

from typing import Any

import pytest
from dialect_desk import Seat, default_prompt

from longwatch.dialects import DIALECTS
from longwatch.discipline import Rules

LONGWATCH = DIALECTS["longwatch"]


def seat(**loop: Any) -> Seat:
    return Seat(LONGWATCH, **loop)


def planned(*items: str, goal: str = "", **loop: Any) -> Seat:
    made = seat(**loop)
    assert made.call("todo_plan", goal=goal, items=list(items)).ok
    return made


# What a success returns


def test_a_success_returns_the_list_and_what_to_do_now() -> None:
    at = planned(
        "Read the project structure",
        "Analyze the dependencies",
        "Write the summary report",
        "Publish",
        goal="Ship the release",
    )
    at.call("todo_done", id=1)
    answer = at.call("todo_block", id=4, reason="waiting for the token")
    assert answer.output == (
        "Goal: Ship the release\n"
        "[x] #1: Read the project structure\n"
        "[>] #2: Analyze the dependencies\n"
        "[ ] #3: Write the summary report\n"
        "[!] #4: Publish (blocked: waiting for the token)\n"
        "\n"
        "(1/4 completed, 1 blocked)\n"
        "Now: #2 Analyze the dependencies"
    )


def test_an_empty_goal_and_no_blocked_items_leave_their_parts_out() -> None:
    answer = seat().call("todo_plan", goal="", items=["Read", "Write"])
    assert answer.output == "[>] #1: Read\n[ ] #2: Write\n\n(0/2 completed)\nNow: #1 Read"


def test_with_everything_completed_it_asks_for_the_final_answer() -> None:
    at = planned("Read", goal="Know")
    assert at.call("todo_done", id=1).output == (
        "Goal: Know\n[x] #1: Read\n\n(1/1 completed)\nAll done. Give the final answer."
    )


def test_with_only_blocked_items_left_it_asks_what_is_needed() -> None:
    at = planned("Read", "Write")
    at.call("todo_done", id=1)
    assert at.call("todo_block", id=2, reason="no disk").output == (
        "[x] #1: Read\n[!] #2: Write (blocked: no disk)\n\n(1/2 completed, 1 blocked)\n"
        "Only blocked items are left. Say what you need."
    )


def test_an_empty_list_is_no_todos() -> None:
    assert seat().call("todo_list").output == "No todos."


def test_todo_list_returns_the_list_and_changes_nothing() -> None:
    at = planned("Read", "Write", goal="Know")
    before = at.checklist
    answer = at.call("todo_list")
    assert answer.output == (
        "Goal: Know\n[>] #1: Read\n[ ] #2: Write\n\n(0/2 completed)\nNow: #1 Read"
    )
    assert answer.change is None
    assert at.checklist == before


# Continuation, instructions, defaults


def test_the_continuation_is_the_prompt_a_blank_line_and_the_list_without_its_last_line() -> None:
    at = planned("Read", "Write", "Publish", goal="Ship")
    at.call("todo_done", id=1)
    at.call("todo_block", id=3, reason="no token")
    assert at.continuation() == default_prompt("todo_add") + (
        "\n\nGoal: Ship\n[x] #1: Read\n[>] #2: Write\n[!] #3: Publish (blocked: no token)\n\n"
        "(1/3 completed, 1 blocked)"
    )


def test_a_continuation_that_brought_nothing_is_not_repeated_word_for_word() -> None:
    at = planned("Read", "Write")
    at.call("todo_done", id=1)
    listed = "\n\n[x] #1: Read\n[>] #2: Write\n\n(1/2 completed)"
    first, second, third = (at.continuation(stalled) for stalled in (0, 1, 2))
    assert len({first, second, third}) == 3
    assert all(text.endswith(listed) for text in (first, second, third))
    prompts = [text.removesuffix(listed) for text in (second, third)]
    assert all("#2 Write" in prompt for prompt in prompts)
    assert "tool call" in prompts[0]
    assert all("todo_block" in prompt for prompt in prompts)
    assert "stops" in prompts[1]
    assert "stops" not in prompts[0]


@pytest.mark.parametrize("stalled", [0, 1, 2])
def test_a_continuation_prompt_of_ones_own_replaces_every_form(stalled: int) -> None:
    at = planned("Read", continuation_prompt="Go on.")
    assert at.continuation(stalled) == "Go on.\n\n[>] #1: Read\n\n(0/1 completed)"


def test_the_instructions_are_appended_once_after_a_blank_line() -> None:
    rules = Rules(LONGWATCH, LONGWATCH.defaults, prompt="Be brief.")
    instructions = LONGWATCH.instructions(LONGWATCH.defaults)
    assert rules.system_prompt == f"Be brief.\n\n{instructions}"
    for said in ("todo_plan", "one item at a time", "todo_done", "todo_block", "replace"):
        assert said in instructions
    assert "Never batch" in instructions
    assert "automatically" in instructions


def test_the_defaults_of_the_loop() -> None:
    loop = LONGWATCH.defaults
    assert (loop.auto_continue, loop.max_auto_continues) == (True, 25)
    assert loop.stop_on_identical_reply is True
    assert loop.max_idle_continues == 3
    assert loop.plan_nudge is True
    assert (loop.nag_after, loop.nag_without_list) == (3, False)
    assert (loop.stale_after, loop.finalization_corrections) == (0, 0)
    assert loop.max_todos == 20
    assert LONGWATCH.conventions.cursor == "kept"


def test_the_tools_stay_when_auto_continue_is_off() -> None:
    assert seat(auto_continue=False).rules.todo_on
    assert not seat(function_calling_support=False).rules.todo_on
