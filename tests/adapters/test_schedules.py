"""When a schedule kicks: in local time, also when the clocks change."""

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from longwatch.adapters.schedules import local_zone, next_kick

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("schedule", "after", "expected"),
    [
        ("0 9 * * *", "2026-11-18T07:59:59.999Z", "2026-11-18T08:00:00.000Z"),
        ("0 9 * * *", "2026-11-18T08:00:00.000Z", "2026-11-19T08:00:00.000Z"),
        ("0 9 * * *", "2026-07-01T00:00:00.000Z", "2026-07-01T07:00:00.000Z"),
        ("0 9 * * 1-5", "2026-11-20T12:00:00.000Z", "2026-11-23T08:00:00.000Z"),
        ("*/5 * * * *", "2026-11-18T10:01:30.000Z", "2026-11-18T10:05:00.000Z"),
    ],
)
def test_the_next_time_is_the_first_one_after(schedule: str, after: str, expected: str) -> None:
    assert next_kick(schedule, after, BERLIN) == expected


def test_an_hour_that_is_left_out_is_made_up_for_once() -> None:
    """On 29 March 2026 half past two does not exist in Berlin."""
    first = next_kick("30 2 * * *", "2026-03-28T12:00:00.000Z", BERLIN)
    assert first == "2026-03-29T01:00:00.000Z"
    assert next_kick("30 2 * * *", first, BERLIN) == "2026-03-30T00:30:00.000Z"


def test_an_hour_that_comes_twice_kicks_once() -> None:
    """On 25 October 2026 half past two comes twice in Berlin."""
    first = next_kick("30 2 * * *", "2026-10-24T12:00:00.000Z", BERLIN)
    assert first == "2026-10-25T00:30:00.000Z"
    assert next_kick("30 2 * * *", first, BERLIN) == "2026-10-26T01:30:00.000Z"


def test_every_few_minutes_goes_on_through_the_hour_that_comes_twice() -> None:
    at, seen = "2026-10-24T23:59:00.000Z", []
    for _ in range(12):
        following = next_kick("*/15 * * * *", at, BERLIN)
        assert following is not None
        assert following > at
        at = following
        seen.append(at)
    assert seen[-1] == "2026-10-25T02:45:00.000Z"


def test_the_zone_is_the_machines_unless_the_environment_says_another() -> None:
    assert local_zone({"TZ": "Europe/Berlin"}) == BERLIN
    assert local_zone({"TZ": ":Europe/Berlin"}) == BERLIN
    assert local_zone({"TZ": "No/Such"}) == UTC
    assert local_zone({}) is not None
