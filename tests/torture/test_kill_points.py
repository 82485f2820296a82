"""Runs that are killed at a spread of points and resumed: nothing is lost, nothing done twice."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from torture.kill_points import AGAIN, Tally, spread
from torture.scripts import SCRIPTS

POINTS = 16
"""Of each script; `make torture` takes many times as many."""
TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_run_survives_being_killed(script: str) -> None:
    command = ["--script", script, "--points", str(POINTS), "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "torture.kill_points", *command],
        cwd=TESTS,
        capture_output=True,
        check=False,
    )
    assert done.stderr.decode() == ""
    [tally] = msgspec.json.decode(done.stdout, type=list[Tally])
    assert (tally.tried, tally.survived) == (POINTS, POINTS)
    assert tally.points > 400
    assert tally.twice >= POINTS // AGAIN // 3


def test_the_quick_part_has_at_least_two_hundred_points() -> None:
    assert POINTS * len(SCRIPTS) >= 200


def test_points_are_spread_over_all_kinds_and_over_the_length_of_each() -> None:
    counts = {"rare": 1, "some": 3, "many": 100}
    points = spread(counts, "a script")
    assert {point.kind for point in points[:3]} == set(counts)
    many = [point.ordinal for point in points[:20] if point.kind == "many"]
    assert max(many) - min(many) > 80
    assert len(set(points)) == 104
    assert points != spread(counts, "another script")
