"""Which turn is played: a pure function of the messages."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longwatch.adapters.models.rehearsal.files import parse_scenario
from longwatch.adapters.models.rehearsal.playing import REFUSED, holds, next_turn
from longwatch.adapters.models.rehearsal.scenario import Call, Scenario, Turn, When
from longwatch.discipline.texts import DENIED
from longwatch.session.events import ToolCall
from longwatch.session.transcript import AssistantText, Message, ToolResult, UserText

TASK = UserText("Go.", "human")
ON = UserText("go on", "continuation")
NAG = UserText("update", "nag")


def scenario(*turns: Turn, reactions: tuple[Turn, ...] = ()) -> Scenario:
    return Scenario(turns=turns, reactions=reactions)


def said(text: str) -> AssistantText:
    return AssistantText(text)


def called(name: str = "shell", output: str = "ok", ok: bool = True) -> list[Message]:
    call = ToolCall("c", name, {})
    return [AssistantText("", (call,)), ToolResult("c", name, output, ok)]


A, B, C = Turn(text="a"), Turn(text="b"), Turn(text="c")
WORK = Turn(calls=(Call(name="shell"),))


def test_turns_come_in_order() -> None:
    play = scenario(A, B, C)
    assert next_turn(play, [TASK]) == A
    assert next_turn(play, [TASK, said("a"), ON]) == B
    assert next_turn(play, [TASK, said("a"), ON, said("b"), ON]) == C
    assert next_turn(play, [TASK, said("a"), ON, said("b"), ON, said("c"), ON]) is None


def test_a_turn_with_a_condition_is_left_out_if_it_does_not_hold() -> None:
    play = scenario(A, Turn(text="nagged", when=When(injected="nag")), C)
    assert next_turn(play, [TASK, said("a"), ON]) == C
    nagged: list[Message] = [TASK, said("a"), NAG]
    assert next_turn(play, nagged) == play.turns[1]
    assert next_turn(play, [*nagged, said("nagged"), ON]) == C
    # Once passed by, it does not come back.
    assert next_turn(play, [TASK, said("a"), ON, said("c"), NAG]) is None


def test_reactions_take_no_turn_away() -> None:
    react = Turn(text="sorry", when=When(denied="shell"))
    play = scenario(WORK, B, C, reactions=(react,))
    denied = [TASK, *called(output=DENIED, ok=False)]
    assert next_turn(play, denied) == react
    assert next_turn(play, [*denied, said("sorry"), ON]) == B
    # Played once, it is used up.
    again = [*denied, said("sorry"), *called(output=DENIED, ok=False)]
    assert next_turn(play, again) == C


def test_a_reaction_may_be_played_several_times() -> None:
    react = Turn(text="again", when=When(injected="human_edit"), times=2)
    edit = UserText("changed", "human_edit")
    play = scenario(A, B, reactions=(react,))
    messages: list[Message] = [TASK, edit]
    for _ in range(2):
        assert next_turn(play, messages) == react
        messages += [said("again"), edit]
    assert next_turn(play, messages) == A


def test_a_turn_that_was_interrupted_is_played_again() -> None:
    play = scenario(Turn(text="one two three", calls=(Call(name="shell"),)), Turn(text="long text"))
    assert next_turn(play, [TASK, said("one tw"), ON]) == play.turns[0]
    assert next_turn(play, [TASK, said("one two three"), ON]) == play.turns[0]
    done: list[Message] = [TASK, AssistantText("one two three", (ToolCall("c", "shell", {}),))]
    result = ToolResult("c", "shell", "", ok=True)
    assert next_turn(play, [*done, result]) == play.turns[1]
    assert next_turn(play, [*done, result, said("long"), ON]) == play.turns[1]
    assert next_turn(play, [*done, result, said("long text"), ON]) is None


def test_an_empty_reply_is_told_by_what_follows_it() -> None:
    """It leaves no message, but only a reply brings a continuation."""
    play = scenario(WORK, Turn(empty=True), C)
    worked = [TASK, *called()]
    assert next_turn(play, worked) == play.turns[1]
    assert next_turn(play, [*worked, ON]) == C
    assert next_turn(play, [*worked, NAG]) == play.turns[1]
    edited = [TASK, *called(), UserText("x", "human_edit"), ON]
    assert next_turn(play, edited) == C
    after_text = scenario(A, B, C)
    assert next_turn(after_text, [TASK, said("a"), UserText("x", "human_edit"), ON]) == B
    first = scenario(Turn(empty=True), B)
    assert next_turn(first, [TASK, UserText("plan", "plan_nudge")]) == B


def test_after_a_compaction_the_place_is_unknown() -> None:
    assert next_turn(scenario(A, B), [UserText("So far…", "summary"), ON]) is None


RESULT_OK: list[Message] = [ToolResult("c", "shell", "Ran 3 Tests", ok=True)]
FAILED: list[Message] = [ToolResult("c", "shell", "Error: no", ok=False)]
NOBODY: list[Message] = [ToolResult("c", "shell", f"{REFUSED}no one is here.", ok=False)]


@pytest.mark.parametrize(
    ("when", "latest", "held"),
    [
        ({}, [], True),
        ({"injected": "continuation"}, [ON], True),
        ({"injected": "continuation"}, [NAG], False),
        ({"said": ""}, [TASK], True),
        ({"said": "GO"}, [TASK], True),
        ({"said": "stop"}, [TASK], False),
        ({"said": ""}, [ON], False),
        ({"said": "yes"}, [UserText("Yes.", "answer")], True),
        ({"result": "ran 3"}, RESULT_OK, True),
        ({"result": "ran 4"}, RESULT_OK, False),
        ({"failed": True}, FAILED, True),
        ({"failed": True}, RESULT_OK, False),
        ({"failed": False}, RESULT_OK, True),
        ({"failed": "shell"}, FAILED, True),
        ({"failed": "todo_done"}, FAILED, False),
        ({"denied": True}, FAILED, False),
        ({"denied": True}, NOBODY, True),
        ({"denied": "shell"}, NOBODY, True),
        ({"injected": "nag", "failed": "shell"}, [*FAILED, NAG], True),
        ({"injected": "nag", "failed": "shell"}, FAILED, False),
    ],
)
def test_conditions(when: dict[str, Any], latest: list[Message], held: bool) -> None:
    assert holds(When(**when), latest) is held


messages = st.lists(
    st.sampled_from(
        [TASK, ON, NAG, said("a"), said("b"), said("zzz"), *called(), UserText("x", "human_edit")]
    ),
    max_size=12,
)
PLAY = parse_scenario(
    b"""
turns:
  - text: a
  - {text: b, when: {injected: continuation}}
  - {calls: [{name: shell}]}
  - empty: true
  - text: c
reactions:
  - {when: {injected: human_edit}, text: e, times: 2}
  - {when: {failed: true}, text: f}
""",
    "p",
)


@given(messages)
def test_the_same_messages_give_the_same_turn(given_messages: list[Message]) -> None:
    once = next_turn(PLAY, given_messages)
    assert next_turn(PLAY, tuple(given_messages)) == once
    assert once is None or once in (*PLAY.turns, *PLAY.reactions)
