"""Tens of thousands of turns of bad models, crashes and a person in the middle."""

from dataclasses import replace as with_rule
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from simulator.personas import PERSONAS, Persona
from simulator.simulation import Simulation
from stage import SHELL

from longwatch.dialects import DIALECTS, LoopSettings
from longwatch.discipline import Rules

TURNS = 250
SEEDS = 3


def rules_of(dialect: str, **settings: Any) -> Rules:
    speech = DIALECTS[dialect]
    return Rules(speech, replace(speech.defaults, **settings), (SHELL,), "Be useful.")


@pytest.mark.parametrize("persona", PERSONAS, ids=lambda persona: persona.__name__)
@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_the_dialects_defaults_survive_every_persona(dialect: str, persona: Persona) -> None:
    rules = rules_of(dialect, auto_continue=True, max_turns=60)
    for seed in range(SEEDS):
        simulation = Simulation(Random(seed), rules, persona)
        simulation.run(TURNS)
        assert simulation.turns >= TURNS
        assert simulation.crashed > 0


def wild(rng: Random, dialect: str) -> LoopSettings:
    """Any combination of settings, sensible or not."""
    return replace(
        DIALECTS[dialect].defaults,
        auto_continue=rng.random() < 0.8,
        max_auto_continues=rng.choice([0, 1, 3, 25]),
        stop_on_identical_reply=rng.random() < 0.5,
        max_idle_continues=rng.choice([0, 1, 3]),
        plan_nudge=rng.random() < 0.5,
        nag_after=rng.choice([0, 1, 3]),
        nag_without_list=rng.random() < 0.5,
        stale_after=rng.choice([0, 1, 5]),
        stale_interval=rng.choice([0, 1, 5]),
        finalization_corrections=rng.choice([0, 1, 3]),
        on_guard_exhausted=rng.choice(["proceed", "explain"]),
        max_todos=rng.choice([0, 3, 20]),
        max_turns=rng.choice([1, 5, 60]),
        max_injected_turns=rng.choice([None, 0, 1, 4]),
        max_tokens_per_run=rng.choice([None, 100]),
        max_cost_per_run=rng.choice([None, 0.05]),
        max_minutes_per_run=rng.choice([None, 1.0]),
        continuation_prompt=rng.choice([None, "Go on."]),
        function_calling_support=rng.random() < 0.9,
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_settings_and_no_model_make_an_activation_exceed_its_hard_cap(seed: int) -> None:
    rng = Random(seed)
    dialect = rng.choice(list(DIALECTS))
    rules = Rules(DIALECTS[dialect], wild(rng, dialect), (SHELL,))
    persona = rng.choice(PERSONAS)
    simulation = Simulation(Random(seed), rules, persona, crashes=0.05, meddling=0.15)
    simulation.run(150)
    assert simulation.turns >= 150


@pytest.mark.parametrize("persona", PERSONAS, ids=lambda persona: persona.__name__)
@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_a_compaction_at_any_point_changes_neither_list_nor_counters_nor_budget(
    dialect: str, persona: Persona
) -> None:
    rules = with_rule(rules_of(dialect, auto_continue=True, max_turns=60), compact_at=100)
    simulation = Simulation(Random(11), rules, persona, crashes=0.05, meddling=0.1)
    simulation.run(TURNS)
    assert simulation.crashed > 0
    assert simulation.compactions > 5


def test_the_same_seed_gives_the_same_run() -> None:
    first, second = (Simulation(Random(7), rules_of("longwatch"), PERSONAS[7]) for _ in range(2))
    first.run(100)
    second.run(100)
    assert first.events == second.events
