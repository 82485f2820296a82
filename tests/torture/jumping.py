"""The real program on a clock that jumps: `python -m torture.jumping JUMP WORD…`."""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

from longwatch.adapters import system
from longwatch.cli import main

HOUR, DAY = 3600.0, 86_400.0
SOON = 25
"""Readings after which the clock jumps."""

JUMPS: dict[str, Callable[[int], float]] = {
    "an hour ahead": lambda reading: HOUR if reading > SOON else 0.0,
    "an hour back": lambda reading: -HOUR if reading > SOON else 0.0,
    "a month ahead": lambda reading: 30 * DAY if reading > SOON else 0.0,
    "back to 1970": lambda reading: -time.time() + reading,
    "ahead to 2100": lambda reading: 73 * 365 * DAY + reading,
    "to and fro": lambda reading: DAY * (-1) ** (reading // 7),
    "backwards": lambda reading: -2.0 * reading,
}
"""By how many seconds a reading is off."""


class JumpingClock(system.SystemClock):
    """The wall clock jumps; the one that measures durations does not, as the kernel has it."""

    jump: Callable[[int], float] = staticmethod(lambda _: 0.0)
    readings = 0

    def wall(self) -> float:
        JumpingClock.readings += 1
        return max(0.0, time.time() + JumpingClock.jump(JumpingClock.readings))

    def now(self) -> str:
        shown = datetime.fromtimestamp(self.wall(), UTC)
        return shown.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


if __name__ == "__main__":
    JumpingClock.jump = staticmethod(JUMPS[sys.argv[1]])
    # Whoever is put together from now on takes its clock from here.
    system.SystemClock = JumpingClock  # type: ignore[misc]
    sys.exit(main(sys.argv[2:]))
