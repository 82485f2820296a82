"""What the pure core costs: one step with 20 items, and folding 100,000 events."""

import time
from collections.abc import Callable, Sequence
from statistics import median

import msgspec
from events_made import at
from msgspec.structs import replace
from stage import Stage

from longwatch.discipline import next_step
from longwatch.session import KnownEvent, advance, decode, encode, fold

ROUNDS = 5
EVENTS = 100_000


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def working_session(turns: int) -> Stage:
    """A session of 20 items that works on, turn after turn."""
    stage = Stage(nag_after=0, max_turns=10**9)
    stage.say()
    stage.plan(*(f"Item number {k} of the list" for k in range(20)))
    for turn in range(turns):
        stage.reply("", ("shell", {"command": f"make target-{turn}"}))
        if turn % 10 == 9:
            stage.reply("", ("todo_start", {"id": turn // 10 % 20 + 1}))
    return stage


def step_cost() -> float:
    """Seconds for `advance` of one event and `next_step`, over a mix of real turns."""
    stage = working_session(40)
    states = [fold(stage.log.events[:-60])]
    tail = stage.log.events[-60:]
    for event in tail:
        states.append(advance(states[-1], event))

    repeats = 200

    def work() -> None:
        for _ in range(repeats):
            for state, event in zip(states, tail, strict=False):
                next_step(advance(state, event), stage.rules)

    return median(timed(work) for _ in range(ROUNDS)) / (repeats * len(tail))


def long_session(count: int) -> list[bytes]:
    stage = working_session(count // 20)
    events: Sequence[KnownEvent] = stage.log.events
    body = events[6:]
    many = [*events[:6], *(body[k % len(body)] for k in range(count - 6))]
    return [encode(replace(event, seq=k, at=at(k))) for k, event in enumerate(many, start=1)]


def main() -> None:
    cost = step_cost()
    print(f"core step (fold + next_step), 20 items: {cost * 1e6:.1f} µs (target <= 50)")
    lines = long_session(EVENTS)
    ratios, folds = [], []
    decoder = msgspec.json.Decoder(KnownEvent)
    for _ in range(ROUNDS):
        decoding = timed(lambda: [decoder.decode(line) for line in lines])
        events = [decode(line) for line in lines]
        folding = timed(lambda events=events: fold(events))  # type: ignore[misc]
        ratios.append(folding / decoding)
        folds.append(folding)
    print(
        f"fold of {EVENTS:,} events: {median(folds):.2f} s, "
        f"{median(ratios):.2f} x decoding them (target <= 4)"
    )


if __name__ == "__main__":
    main()
