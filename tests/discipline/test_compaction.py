"""When older turns are summed up, and that nothing else happens because of it."""

from dataclasses import replace as with_rule

import pytest
from msgspec.structs import replace
from stage import Stage

from longwatch.discipline import CallModel, CompactHistory, Enter, compact_at, next_step
from longwatch.discipline.compaction import compaction_due
from longwatch.session.events import (
    Compacted,
    Injected,
    ProviderFault,
    StateChanged,
    Usage,
)


def stage(limit: int | None = 100) -> Stage:
    made = Stage()
    made.rules = with_rule(made.rules, compact_at=limit)
    return made


LS = ("shell", {"command": "ls"})
PWD = ("shell", {"command": "pwd"})


@pytest.mark.parametrize(
    ("threshold", "context", "limit"),
    [
        (None, 1000, 800),
        (None, None, None),
        (0, 1000, None),
        (0, None, None),
        (5000, None, 5000),
        (5000, 1000, 5000),
    ],
)
def test_the_threshold(threshold: int | None, context: int | None, limit: int | None) -> None:
    assert compact_at(threshold, context) == limit


def test_past_the_threshold_the_past_is_summed_up_before_the_next_request() -> None:
    loop = stage()
    loop.say()
    loop.plan("one", "two")
    loop.work()
    assert "compacted" not in loop.types()
    before = loop.log.state.checklist
    step = loop.reply("", LS, usage=Usage(input=95, output=5))
    assert isinstance(step, CallModel)
    assert loop.types()[-2:] == ["tool_finished", "compacted"]
    assert loop.log.state.checklist is before


def test_the_list_the_counters_and_the_budget_survive_unchanged() -> None:
    loop = stage()
    loop.say()
    loop.plan("one", "two")
    loop.reply("Well.")
    loop.reply("", LS, usage=Usage(input=95, output=5))
    last = loop.log.events[-1]
    assert isinstance(last, Compacted)
    before, after = loop.log.recall(last.seq - 1), loop.log.state
    assert before.activation.wakes == 1
    kept = replace(after, seq=before.seq, at=before.at, memory=before.memory, spent=before.spent)
    assert kept == before


def test_tool_outputs_that_were_not_sent_yet_count_too() -> None:
    loop = stage()
    loop.say("x" * 4 * 99)
    assert isinstance(loop.perform(), CallModel)
    loop.ask()
    loop.answer("yes", usage=Usage(input=50, output=1))
    assert not compaction_due(loop.log.state, loop.rules)
    loop.log.add(Injected(source="nag", text="x" * 4 * 49))
    assert compaction_due(loop.log.state, loop.rules)


def test_without_a_threshold_it_never_happens() -> None:
    loop = stage(None)
    loop.say()
    loop.ask()
    loop.answer("hm", usage=Usage(input=10**9))
    assert not compaction_due(loop.log.state, loop.rules)


def test_a_message_that_nobody_has_answered_is_not_summed_up() -> None:
    loop = stage()
    assert isinstance(loop.say("x" * 4000), CallModel)


def test_a_compaction_that_helped_little_is_not_repeated_turn_by_turn() -> None:
    loop = stage()
    loop.compacts_to = 99
    loop.say()
    loop.reply("", LS, usage=Usage(input=99, output=9))
    loop.reply("", PWD, usage=Usage(input=105, output=5))
    assert loop.types().count("compacted") == 1
    loop.reply("", LS, usage=Usage(input=115, output=9))
    assert loop.types().count("compacted") == 2


def test_a_continuation_directly_after_a_compaction_says_so() -> None:
    loop = stage()
    loop.say()
    loop.plan("one", "two")
    loop.reply("Well.", usage=Usage(input=99, output=9))
    assert loop.types()[-3:] == ["compacted", "auto_continuing", "injected"]
    loop.reply("Well, well.", usage=Usage(input=20, output=9))
    assert loop.continuations() == [
        "Auto-continuing after compression (1/25): 2 incomplete todo(s) remain",
        "Auto-continuing (2/25): 2 incomplete todo(s) remain",
    ]


def test_between_tool_turns_nothing_is_injected_or_charged() -> None:
    loop = stage()
    loop.say()
    loop.plan("one", "two")
    loop.reply("", LS, usage=Usage(input=99, output=9))
    assert loop.types()[-1] == "compacted"
    assert loop.sources() == []
    assert loop.log.state.activation.wakes == 0
    loop.reply("Well.", usage=Usage(input=20, output=1))
    assert loop.continuations() == ["Auto-continuing (1/25): 2 incomplete todo(s) remain"]


def test_a_session_that_comes_to_rest_is_left_as_it_is() -> None:
    loop = stage()
    loop.say()
    loop.ask()
    loop.answer("Done.", usage=Usage(input=500))
    assert next_step(loop.log.state, loop.rules) == Enter("dormant", "done")


def test_what_does_not_fit_is_compacted_once_then_clipped_then_given_up() -> None:
    fault = ProviderFault(kind="context", message="The prompt is too long.", attempt=1)
    loop = stage(None)
    loop.say()
    loop.ask()
    loop.log.add(fault)
    assert next_step(loop.log.state, loop.rules) == CompactHistory(fully=True)
    loop.log.add(Compacted(before=9, after=1, summary="So far"))
    assert next_step(loop.log.state, loop.rules) == CallModel()
    loop.ask()
    loop.log.add(fault)
    assert next_step(loop.log.state, loop.rules) == CallModel(clip_outputs=True)
    loop.ask()
    loop.log.add(fault)
    assert next_step(loop.log.state, loop.rules) == Enter("failed", "The prompt is too long.")
    loop.log.add(StateChanged(state="failed", reason="The prompt is too long."))
    assert isinstance(loop.resume(), CallModel)
