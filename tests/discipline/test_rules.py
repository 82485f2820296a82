"""The system prompt and the tools change only with what governs them."""

from typing import Any

import pytest
from msgspec.structs import replace
from stage import SHELL

from longwatch.dialects import DIALECTS
from longwatch.discipline import Rules


def rules(dialect: str = "longwatch", **settings: Any) -> Rules:
    speech = DIALECTS[dialect]
    return Rules(speech, replace(speech.defaults, **settings), (SHELL,), "Be useful.")


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_equal_settings_give_an_equal_prompt_and_equal_tools(dialect: str) -> None:
    first, second = rules(dialect, auto_continue=True), rules(dialect, auto_continue=True)
    assert first.system_prompt == second.system_prompt
    assert first.offered == second.offered


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_instructions_are_appended_once_after_a_blank_line(dialect: str) -> None:
    on = rules(dialect, auto_continue=True)
    text = on.dialect.instructions(on.loop)
    assert on.system_prompt == f"Be useful.\n\n{text}"


def test_without_inject_todo_instructions_the_prompt_stands_alone_and_the_tools_stay() -> None:
    off = rules(inject_todo_instructions=False)
    assert off.system_prompt == "Be useful."
    assert "todo_plan" in off.by_name


def test_without_function_calling_nothing_is_offered() -> None:
    off = rules(function_calling_support=False)
    assert off.offered == ()
    assert off.system_prompt == "Be useful."


@pytest.mark.parametrize(
    "settings",
    [
        {"max_auto_continues": 3},
        {"continuation_prompt": "Go."},
        {"nag_after": 1},
        {"finalization_corrections": 2},
        {"max_turns": 5},
    ],
)
def test_what_governs_the_loop_does_not_touch_the_prompt_or_the_tools(
    settings: dict[str, Any],
) -> None:
    assert rules(**settings).system_prompt == rules().system_prompt
    assert rules(**settings).offered == rules().offered


def test_cubepis_own_texts_replace_the_description_and_the_instructions() -> None:
    own = rules("cubepi", tool_description="Keep a list.", todo_system_prompt="## Use the list")
    assert own.by_name["write_todos"].description == "Keep a list."
    assert own.system_prompt == "Be useful.\n\n## Use the list"
