"""What the conversation pane costs: streaming, opening, appending, keys, in a headless app."""

import asyncio
import gc
import time
from collections.abc import Callable, Sequence
from statistics import median

from textual.app import App, ComposeResult

from longwatch.engine.storing import Draft
from longwatch.session import AnyEvent
from longwatch.session.events import AssistantMessage, ToolFinished, ToolStarted, UserMessage
from longwatch.ui.widgets.conversation import Conversation

SIZE = (160, 48)
TOKEN = 4
PAGE = 60
ROUNDS = 5
SECTION = """\
## Section {n}

The **login handler** calls `validate()` twice, which is *wasteful*: it reads the same row, checks
it against the same key, and throws one of the two answers away. See [notes](https://x.example/{n}).

- keep the old name for a release
- deprecate `check_login_{n}` with a warning
- remove what nothing calls any more

```python
def validate_{n}(token: str) -> bool:
    \"\"\"Whether a token is known.\"\"\"
    for key in KEYS:
        if token.startswith(key):
            return True  # found
    return False
```

| file | lines | what |
|------|-------|------|
| src/auth_{n}.py | 120 | the old module |
| src/login_{n}.py | 80 | the handler |

"""


class Bench(App[None]):
    """The pane alone."""

    def compose(self) -> ComposeResult:
        yield Conversation()


def markdown(tokens: int) -> str:
    parts: list[str] = []
    size = 0
    while size < tokens * TOKEN:
        parts.append(SECTION.format(n=len(parts)))
        size += len(parts[-1])
    return "".join(parts)[: tokens * TOKEN]


def session(count: int) -> list[AnyEvent]:
    """A run of short turns."""
    made: list[AnyEvent] = [UserMessage(seq=1, text="Go.", source="human")]
    reply = SECTION.format(n=1)
    while len(made) < count:
        seq = len(made) + 1
        call = f"c{seq}"
        made.append(AssistantMessage(seq=seq, text=reply, finish="tool_calls", tool_calls=()))
        arguments = {"command": f"make target-{seq}"}
        made.append(ToolStarted(seq=seq + 1, call=call, name="shell", arguments=arguments))
        made.append(ToolFinished(seq=seq + 2, call=call, ok=True, output="ok\n", seconds=0.5))
    return made[:count]


def pager(events: Sequence[AnyEvent]) -> Callable[[int], Sequence[AnyEvent]]:
    return lambda seq: events[max(0, seq - 1 - PAGE) : seq - 1]


async def streaming(tokens: int, step: int, pause: float) -> tuple[float, float]:
    """CPU and wall seconds to stream a reply that arrives by so many tokens at a time."""
    text = markdown(tokens)
    app = Bench()
    async with app.run_test(size=SIZE) as pilot:
        pane = app.query_one(Conversation)
        pane.show([], None, lambda _: ())
        await pilot.pause()
        gc.collect()
        cpu, wall = time.process_time(), time.perf_counter()
        for end in range(step * TOKEN, len(text) + step * TOKEN, step * TOKEN):
            pane.set_draft(Draft(text[:end], "", ""))
            await asyncio.sleep(pause)
        last = AssistantMessage(seq=1, text=text, finish="stop", tool_calls=())
        pane.append([last])
        pane.set_draft(None)
        await pilot.pause()
        return time.process_time() - cpu, time.perf_counter() - wall


async def opening(count: int) -> float:
    events = session(count)
    older = pager(events)
    app = Bench()
    async with app.run_test(size=SIZE) as pilot:
        pane = app.query_one(Conversation)
        pane.show([], None, lambda _: ())
        await pilot.pause()
        taken = []
        for _ in range(9):
            began = time.perf_counter()
            pane.show(events[-80:], None, older)
            taken.append(time.perf_counter() - began)
            await pilot.pause()
        return median(taken)


async def appending(before: int) -> float:
    """Seconds for one event, repaint included."""
    events = session(before + 300)
    app = Bench()
    async with app.run_test(size=SIZE) as pilot:
        pane = app.query_one(Conversation)
        pane.show(events[:before][-80:], None, pager(events))
        await pilot.pause()
        cpu = time.process_time()
        for event in events[before:]:
            pane.append([event])
            await asyncio.sleep(0)
        await pilot.pause()
        return (time.process_time() - cpu) / 300


async def keys(key: str, count: int = 100) -> tuple[float, float]:
    """Median and 95th percentile of one key's work, up through a long session."""
    events = session(100_000)
    app = Bench()
    async with app.run_test(size=SIZE) as pilot:
        pane = app.query_one(Conversation)
        pane.show(events[-80:], None, pager(events))
        pane.focus()
        await pilot.pause()
        taken = []
        for _ in range(count):
            began = time.perf_counter()
            await pane.run_action(f"go('{key}')")
            taken.append(time.perf_counter() - began)
            await pilot.pause()
        taken.sort()
        return median(taken), taken[int(len(taken) * 0.95)]


async def main() -> None:
    # At the same pace, so that both are drawn as often for each token; in turns, because
    # machines are noisy.
    shorts, ratios = [], []
    for _ in range(ROUNDS):
        short, _ = await streaming(20_000, 500, 0.05)
        long, _ = await streaming(200_000, 500, 0.05)
        shorts.append(short)
        ratios.append(long / short)
    print(f"20,000 tokens at 10,000/s: {median(shorts):.2f} s CPU; 200,000: {median(ratios):.1f} x")
    burst, _ = await streaming(20_000, 10, 0)
    print(f"20,000 tokens unthrottled: {burst:.2f} s CPU")
    cpu, wall = await streaming(4_000, 10, 0.05)
    print(f"200 tokens/s: {100 * cpu / wall:.1f} % of a core")
    opened = [(await opening(100), await opening(100_000)) for _ in range(ROUNDS)]
    few, many = (median(each) for each in zip(*opened, strict=True))
    print(f"opening 100 events {few * 1e3:.1f} ms, 100,000 {many * 1e3:.1f} ms")
    added = [(await appending(100), await appending(100_000)) for _ in range(ROUNDS)]
    first, later = (median(each) for each in zip(*added, strict=True))
    print(f"one event after 100: {first * 1e6:.0f} µs, after 100,000: {later * 1e6:.0f} µs")
    for key in ("pageup", "up"):
        middle, high = await keys(key)
        print(f"{key}: median {middle * 1e3:.1f} ms, p95 {high * 1e3:.1f} ms")


if __name__ == "__main__":
    asyncio.run(main())
