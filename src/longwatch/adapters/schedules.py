"""When a schedule kicks next: cron's words, read in the person's time zone."""

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

LOCALTIME = Path("/etc/localtime")


def local_zone(environ: Mapping[str, str]) -> tzinfo:
    """The zone that this machine lives in, with its rules for summer and winter."""
    name = environ.get("TZ", "").removeprefix(":")
    try:
        if name:
            return ZoneInfo(name)
        with LOCALTIME.open("rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError, KeyError):
        return UTC


@lru_cache(maxsize=1000)
def next_kick(schedule: str, after: str, zone: tzinfo) -> str | None:
    """The first time of a schedule after an event's time, as one; None if it never comes.

    An hour that a change of the clocks leaves out or brings twice kicks once.
    """
    from cronsim import CronSim  # noqa: PLC0415 - few sessions have a schedule

    start = datetime.fromisoformat(after).astimezone(zone)
    found = next(CronSim(schedule, start), None)
    if found is None:
        return None
    return found.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
