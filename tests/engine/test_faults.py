"""What each fault deserves, and how long is waited."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longwatch.engine.faults import Patience, probe_delay, request_delay, treatment
from longwatch.engine.ports import FaultKind

USUAL = Patience()


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (
            ["auth", "quota", "tls", "unknown_model", "bad_request", "redirect", "insecure"],
            "fail",
        ),
        (
            ["rate_limited", "timeout", "conflict", "server", "unreachable", "broken", "stalled"],
            "retry",
        ),
        (["malformed"], "thrice"),
        (["context"], "shorten"),
    ],
)
def test_every_kind_of_fault_has_its_treatment(kinds: list[FaultKind], expected: str) -> None:
    assert {treatment(kind) for kind in kinds} == {expected}


def test_no_kind_is_left_out() -> None:
    assert all(treatment(kind) for kind in get_args(FaultKind))


def test_delays_double_from_one_second_and_are_capped_at_sixty() -> None:
    longest = [request_delay(USUAL, attempt, None, 1.0) for attempt in range(1, 9)]
    assert longest == [1, 2, 4, 8, 16, 32, 60, 60]


def test_the_jitter_is_full() -> None:
    assert request_delay(USUAL, 5, None, 0.0) == 0
    assert request_delay(USUAL, 5, None, 0.5) == 8


@given(st.integers(1, 10_000), st.floats(0, 1), st.floats(0, 1e6))
def test_what_the_provider_asks_for_is_a_lower_bound(
    attempt: int, jitter: float, retry_after: float
) -> None:
    assert request_delay(USUAL, attempt, retry_after, jitter) >= retry_after


def test_an_outage_is_probed_once_a_minute_rising_to_five() -> None:
    delays = [probe_delay(USUAL, probes, None) for probes in range(7)]
    assert delays == [60, 120, 180, 240, 300, 300, 300]
