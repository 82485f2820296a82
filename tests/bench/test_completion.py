"""The bad model is the same each time, and the discipline gets more out of it."""

from dataclasses import fields
from pathlib import Path

import pytest

from bench.bad_model import PARTS, Temper
from bench.completion_trial import MODES, Mode, Trial, play
from longwatch.dialects import DIALECTS

DILIGENT = Temper(**{field.name: 0.0 for field in fields(Temper)} | {"obeys": 1.0})


def test_the_same_seed_comes_out_the_same(tmp_path: Path) -> None:
    trial = Trial("longwatch", "own", 5)
    first, again = play(trial, tmp_path), play(trial, tmp_path)
    assert first == again
    assert first != play(Trial("longwatch", "own", 6), tmp_path)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_discipline_gets_more_out_of_a_model_that_stops(dialect: str, tmp_path: Path) -> None:
    off, full = (play(Trial(dialect, mode, 2, stops=0.2), tmp_path) for mode in ("off", "full"))
    assert full.written > off.written
    assert full.calls > off.calls


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_model_without_faults_finishes_in_every_dialect(
    dialect: str, mode: Mode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Temper, "of", lambda _: DILIGENT)
    outcome = play(Trial(dialect, mode, 1), tmp_path)
    assert (outcome.written, outcome.untrue, outcome.wakes) == (len(PARTS), 0, 0)
    assert outcome.ending == "done"
