"""A soak fails where something grows, and only there."""

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from random import Random

import pytest

from soak.judging import Account, confidence, rows
from soak.samples import Sample, slope

EVERY = 5.0
MINUTES = 20.0
STILL = Sample(
    at=0.0,
    worker=40.0,
    dashboard=50.0,
    worker_files=30,
    dashboard_files=14,
    store=1_000_000,
    log=4_000_000,
    events=1_000,
)


def account(grown: Callable[[Sample], Sample] = lambda s: s, minutes: float = MINUTES) -> Account:
    """So many minutes of samples, noisy, with a store that grows as it should."""
    rng, made = Random(1), Account()
    for at in range(int(minutes * 60 / EVERY)):
        noise = rng.uniform(-0.3, 0.3)
        sample = replace(
            STILL,
            at=at * EVERY,
            worker=STILL.worker + noise,
            dashboard=STILL.dashboard + noise,
            store=STILL.store + at * 200_000,
            events=STILL.events + at * 500,
        )
        made.samples.append(grown(sample))
        made.answers.append((sample.at, 0.04))
    return made


def failed(judged: Account) -> list[str]:
    return [row.what for row in rows(judged) if not row.holds]


def test_a_steady_run_passes() -> None:
    assert failed(account()) == []


@pytest.mark.parametrize(
    ("grown", "told"),
    [
        (lambda s: replace(s, worker=s.worker + s.at * 10 / 3600), "memory of the worker, MiB"),
        (lambda s: replace(s, dashboard=s.dashboard + s.at / 60), "memory of the dashboard, MiB"),
        (lambda s: replace(s, worker_files=30 + int(s.at / 60)), "descriptors of the worker"),
        (lambda s: replace(s, dashboard_files=14 + int(s.at / 60)), "descriptors of the dashboard"),
        (lambda s: replace(s, store=int(s.store + s.at**2 * 50)), "store, bytes an event"),
        (lambda s: replace(s, log=int(4_000_000 + s.at * 20_000)), "its log at most, MiB"),
    ],
    ids=[field.name for field in fields(Sample)][1:7],
)
def test_what_grows_is_found(grown: Callable[[Sample], Sample], told: str) -> None:
    assert failed(account(grown)) == [told]


def test_what_fills_only_in_the_beginning_is_no_growth() -> None:
    assert failed(account(lambda s: replace(s, worker=s.worker + min(s.at, 120.0) / 4))) == []


def test_a_slow_answer_something_lost_and_a_complaint_are_found() -> None:
    made = account()
    made.answers = [(at, 2.0) for at, _ in made.answers]
    made.lost, made.doubled, made.complaints = ["a"], ["b"], ["c"]
    assert failed(made) == ["wish to answer, median ms", "lost", "doubled", "complaints"]


def test_a_short_soak_does_not_pretend_to_judge_memory() -> None:
    short = account(lambda s: replace(s, worker=s.worker + s.at), minutes=1)
    assert failed(short) == []
    assert "too short" in confidence(short)
    assert "leak of" in confidence(account())


@pytest.mark.parametrize("rise", [0.0, 3.0, -2.0])
def test_a_line_is_found_with_its_error(rise: float) -> None:
    rng = Random(5)
    times: Iterable[float] = [at * EVERY for at in range(240)]
    line = slope([*times], [20 + rise * at / 3600 + rng.uniform(-0.1, 0.1) for at in times])
    assert abs(line.an_hour - rise) <= line.error
    assert line.error < 1
