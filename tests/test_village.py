"""Sessions that talk, by the thousand: they come to rest, and nothing is lost or doubled."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from simulator.village import SPECS, Village

from longwatch.dialects import DIALECTS
from longwatch.discipline import Rules
from longwatch.session.events import (
    ChildFinished,
    ChildStarted,
    Injected,
    MessageSent,
    StateChanged,
    UserMessage,
)

SEEDS = range(25)


def rules_of(**settings: Any) -> Rules:
    speech = DIALECTS["longwatch"]
    return Rules(speech, replace(speech.defaults, **settings), SPECS, "Be useful.")


@pytest.mark.parametrize("seed", SEEDS)
def test_two_that_keep_writing_to_each_other_come_to_rest(seed: int) -> None:
    budget = Random(seed).choice([0, 1, 3, 8])
    village = Village(Random(seed), rules_of(max_auto_continues=budget, max_turns=60), talk=0.6)
    village.found("a")
    village.found("b")
    village.run(20_000)
    assert_nothing_lost(village)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tree_of_subagents_comes_to_rest_and_every_end_is_told_at_most_once(seed: int) -> None:
    budget = Random(seed).choice([0, 2, 5])
    village = Village(Random(seed), rules_of(max_auto_continues=budget, max_turns=40), talk=0.45)
    village.found("a")
    village.run(60_000)
    assert_nothing_lost(village)
    for house in village.houses.values():
        told = "".join(e.text for e in house.events if isinstance(e, Injected))
        ended = [e.child for e in house.events if isinstance(e, ChildFinished)]
        for child in set(ended):
            assert told.count(f'id="{child}"') <= ended.count(child)


def test_crashes_happen_and_children_are_born_in_these_runs() -> None:
    village = Village(Random(1), rules_of(max_auto_continues=5, max_turns=40), talk=0.6)
    village.found("a")
    village.run(60_000)
    assert village.crashed > 10
    assert len(village.houses) > 3


def assert_nothing_lost(village: Village) -> None:
    """Every message has arrived once, and every end of a child is known to its parent."""
    assert all(not village.unanswered(name) for name in village.houses)
    for house in village.houses.values():
        sent = [e for e in house.events if isinstance(e, MessageSent)]
        heard = [
            e
            for other in village.houses.values()
            for e in other.events
            if isinstance(e, UserMessage) and e.source == "peer" and e.sender == house.name
        ]
        assert len(sent) == len(heard)
        for event in house.events:
            if isinstance(event, ChildStarted):
                ends = _ends(village, event.child)
                known = [
                    e
                    for e in house.events
                    if isinstance(e, ChildFinished) and e.child == event.child
                ]
                assert len(known) == ends
        assert house.state.state not in ("running", "waiting")


def _ends(village: Village, child: str) -> int:
    """How often a child came from work to its end."""
    count, resting = 0, False
    for event in village.houses[child].events:
        if isinstance(event, StateChanged):
            ended = event.state in ("dormant", "idle", "failed")
            count += ended and not resting
            resting = ended
    return count
