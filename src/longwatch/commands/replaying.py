"""`longwatch replay`: a stored session played again, from its events alone."""

import sys
import time
from collections.abc import Callable

from longwatch.checklist import millis
from longwatch.commands.choosing import chosen
from longwatch.engine.opening import state_of
from longwatch.headless import Narration
from longwatch.session import AnyEvent, UnknownEvent, decode
from longwatch.session.events import AssistantMessage
from longwatch.wiring import Wiring

LONGEST_PAUSE = 5.0
"""Seconds, as they pass for whoever looks on: nobody waits through a night again."""
PIECES_A_SECOND = 20

Sleep = Callable[[float], None]


def replay(
    wiring: Wiring, name: str, speed: float, *, as_json: bool, sleep: Sleep = time.sleep
) -> int:
    """Print what happened, with the pauses that there were; a speed of 0 is at once."""
    store = wiring.store
    session = chosen(store, name)
    narration = Narration(sys.stdout)
    before: AnyEvent | None = None
    for record in store.records(session):
        event = decode(record.body)
        seconds = pause(before.at, event.at, speed) if before is not None else 0.0
        before = event
        if as_json:
            sleep(seconds)
            _write(record.body + b"\n")
        elif isinstance(event, AssistantMessage) and event.text and seconds:
            made = pieces(event.text, seconds)
            for piece in made:
                sleep(seconds / len(made))
                narration.delta(piece)
            narration.event(event, record.body)
        elif not isinstance(event, UnknownEvent):
            sleep(seconds)
            narration.event(event, record.body)
    if not as_json:
        narration.closing(state_of(store, session))
    return 0


def pause(before: str, after: str, speed: float) -> float:
    """How long to wait between two events, in seconds. A clock may have been set back."""
    if not speed:
        return 0.0
    passed = (millis(after) - millis(before)) / 1000
    return min(max(passed, 0.0) / speed, LONGEST_PAUSE)


def pieces(text: str, seconds: float) -> list[str]:
    """A reply as it may have come in: no more pieces than can be seen in that time."""
    count = max(1, min(len(text), round(seconds * PIECES_A_SECOND)))
    size = -(-len(text) // count)
    return [text[start : start + size] for start in range(0, len(text), size)]


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
