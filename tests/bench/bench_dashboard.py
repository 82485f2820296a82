"""The real dashboard in a real terminal against its baselines; writes docs/benchmarks.md.

`make bench ONLY=dashboard`; rows can be named: `python -m bench.bench_dashboard start memory`.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median

from command_line import Home

from bench import processes
from bench.bench_conversation import markdown, session
from bench.kept_sessions import Writer, opened, raise_any
from bench.report import Row, write
from bench.stream_server import serving
from bench.talking import READY, NothingMeasured, Talk, dashboard, home, talking
from bench.terminal_run import BARE, Terminal
from longwatch.session import KnownEvent
from longwatch.session.events import AssistantMessage, StateChanged, UserMessage

ROUNDS = 5
FEW = 3
LETTERS = [chr(code) for code in (*range(0x430, 0x450), *range(0x3B1, 0x3C2), *range(0x561, 0x587))]
BASELINE = """
import asyncio, sys, time
import httpx, msgspec
async def main(url, body):
    async with httpx.AsyncClient(timeout=60) as client:
        began, rest = time.process_time(), b""
        async with client.stream("POST", url, content=body) as response:
            async for chunk in response.aiter_raw():
                *events, rest = (rest + chunk).split(b"\\n\\n")
                for event in events:
                    data = event.rpartition(b"data: ")[2]
                    if data != b"[DONE]":
                        msgspec.json.decode(data)
        print(time.process_time() - began)
asyncio.run(main(sys.argv[1], sys.argv[2].encode()))
"""


# --- starting and resting -------------------------------------------------------------------


def start() -> list[Row]:
    bare, own = [], []
    with home() as where:
        for _ in range(ROUNDS + 1):
            with Terminal(BARE, where.env, str(where.work)) as terminal:
                bare.append(terminal.wait_for("bare and ready"))
            with dashboard(where) as terminal:
                own.append(terminal.wait_for(*READY))
    base, ours = median(bare[1:]), median(own[1:])
    return [
        Row(
            "start to the first full screen",
            f"bare Textual {base * 1e3:.0f} ms",
            "≤ 1.5 ×",
            f"{ours * 1e3:.0f} ms, {ours / base:.2f} ×",
            ours / base <= 1.5,
        )
    ]


def memory() -> list[Row]:
    bare, own, both = [], [], []
    with serving() as url, home(url) as where:
        for _ in range(FEW):
            with Terminal(BARE, where.env, str(where.work)) as terminal:
                terminal.wait_for("bare and ready")
                terminal.rest(1)
                bare.append(processes.resident(terminal.pid))
            with talking(where) as talk:
                pid = talk.terminal.pid
                talk.terminal.rest(1)
                own.append(processes.resident(pid))
                both.append(own[-1] + sum(map(processes.resident, processes.children(pid))))
    base = median(bare)
    return [
        _memory("the dashboard", base, median(own), 1.6),
        _memory("dashboard and worker", base, median(both), 2.7),
    ]


def _memory(what: str, base: float, own: float, target: float) -> Row:
    return Row(
        f"memory at rest, {what}",
        f"bare Textual {base:.0f} MB",
        f"≤ {target} ×",
        f"{own:.0f} MB, {own / base:.2f} ×",
        own / base <= target,
    )


# --- streaming ------------------------------------------------------------------------------


def streaming() -> list[Row]:
    plain, small, large = [], [], []
    parts: list[tuple[float, float]] = []
    body = '{"messages": [{"role": "user", "content": "20000"}]}'
    with serving() as url:
        for number in range(ROUNDS):
            words = [sys.executable, "-c", BASELINE, f"{url}/v1/chat/completions", body]
            plain.append(float(subprocess.check_output(words, timeout=60)))
            with home(url) as where, talking(where) as talk:
                parts.append(_spent(talk, 20_000, 60))
                small.append(sum(parts[-1]))
            if number < FEW:
                with home(url) as where, talking(where) as talk:
                    large.append(sum(_spent(talk, 200_000, 240)))
    base, ours, ten = median(plain), median(small), median(large)
    shares = [median(part[k] for part in parts) for k in (0, 1)]
    return [
        Row(
            "20,000 Markdown tokens unthrottled, CPU of dashboard + worker",
            f"httpx + msgspec {base:.2f} s",
            "≤ 2 ×",
            f"{ours:.2f} s ({shares[0]:.2f} + {shares[1]:.2f}), {ours / base:.2f} ×",
            ours / base <= 2,
        ),
        Row(
            "200,000 tokens",
            f"our 20,000: {ours:.2f} s",
            "≤ 11 ×",
            f"{ten:.2f} s, {ten / ours:.1f} ×",
            ten / ours <= 11,
        ),
    ]


def _spent(talk: Talk, tokens: int, seconds: float) -> tuple[float, float]:
    dash, work = talk.cost()
    talk.say(tokens, seconds)
    after = talk.cost()
    return after[0] - dash, after[1] - work


def pace() -> list[Row]:
    """200 tokens a second: what it costs, and how soon a key shows."""
    shares, keys, longest = [], [], []
    with serving() as url:
        for _ in range(FEW):
            with home(url) as where, talking(where) as talk:
                talk.say(20_000, 60)
                terminal = talk.terminal
                terminal.send("6000 at 200\r")
                terminal.rest(2)
                began, before = time.perf_counter(), talk.cost()[0]
                terminal.rest(8)
                spent = talk.cost()[0] - before
                talk.demand_streaming(1_500)
                shares.append(spent / (time.perf_counter() - began))
                taken = []
                for number, letter in enumerate(LETTERS):
                    taken.append(terminal.echo(letter))
                    terminal.rest(0.13 + number % 7 * 0.01)
                talk.demand_streaming(3_500)
                taken.sort()
                keys.append(percentile(taken, 95))
                longest.append(taken[-1])
    share, key, worst = median(shares), median(keys), median(longest)
    return [
        Row(
            "200 tokens/s, CPU of the dashboard",
            "one core",
            "≤ 12 %",
            f"{share:.1%}",
            share <= 0.12,
        ),
        Row(
            "key to screen meanwhile",
            "–",
            "p95 ≤ 14 ms, max ≤ 40 ms",
            f"p95 {key * 1e3:.1f} ms, max {worst * 1e3:.1f} ms",
            key <= 0.014 and worst <= 0.04,
        ),
    ]


def percentile(ordered: Sequence[float], share: int) -> float:
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)]


# --- long sessions --------------------------------------------------------------------------

END = "That was the end of it."


def _kept(where: Home, name: str, events: Sequence[KnownEvent]) -> None:
    store = opened(where.data)
    writer = Writer(store, name)
    writer.begin(str(where.work), f"the {name} one")
    writer.write(*events)
    writer.write(AssistantMessage(text=END, finish="stop", tool_calls=()))
    writer.rest()
    store.close()


def reopening() -> list[Row]:
    long: list[KnownEvent] = [
        UserMessage(text="Go.", source="human"),
        AssistantMessage(text=markdown(22_000), finish="stop", tool_calls=()),
    ]
    with home() as empty, home() as tokens, home() as many:
        _kept(empty, "empty", [])
        _kept(tokens, "talkative", long)
        _kept(many, "long", session(100_000))  # type: ignore[arg-type]
        homes = {"empty": empty, "22,000 tokens": tokens, "100,000 events": many}
        times: dict[str, list[float]] = {name: [] for name in homes}
        sizes: dict[str, list[float]] = {name: [] for name in homes}
        for _ in range(ROUNDS):
            for name, where in homes.items():
                with dashboard(where) as terminal:
                    times[name].append(terminal.wait_for(*READY, END))
                    terminal.rest(0.5)
                    sizes[name].append(processes.resident(terminal.pid))
        rows = []
        base, least = median(times["empty"]), median(sizes["empty"])
        for name in list(homes)[1:]:
            ours, more = median(times[name]), median(sizes[name]) - least
            rows.append(
                Row(
                    f"reopening a session of {name}",
                    f"an empty one {base * 1e3:.0f} ms, {least:.0f} MB",
                    "≤ 1.3 ×, + ≤ 30 MB",
                    f"{ours * 1e3:.0f} ms, {ours / base:.2f} ×, + {more:.0f} MB",
                    ours / base <= 1.3 and more <= 30,
                )
            )
            rows.extend(_moving(name, homes[name]))
    return rows


def _moving(name: str, where: Home) -> list[Row]:
    with dashboard(where) as terminal:
        terminal.wait_for(*READY, END)
        terminal.rest(1)
        terminal.send("\x06")
        terminal.rest(0.5)
        typed = [terminal.reply(key) for key in "validate_1"]
        typed += [terminal.reply("\r") for _ in range(40)]
        terminal.send("\x1b")
        terminal.rest(0.5)
        # A click on an empty line of the conversation gives it the focus.
        terminal.send("\x1b[<0;150;1M\x1b[<0;150;1m\x1b[<0;112;30M\x1b[<0;112;30m")
        terminal.rest(0.5)
        before = terminal.screen()
        moves = ["\x1b[5~"] * 60 + ["\x1b[A"] * 20 + ["\x1b[6~"] * 20
        moved = [terminal.reply(key) for key in moves]
        if terminal.screen() == before:
            raise NothingMeasured(f"no key scrolled:\n{before}")
    return [_keys(f"scrolling, {name}", moved), _keys(f"searching, {name}", typed)]


def _keys(what: str, replies: Sequence[float | None]) -> Row:
    """Of the keys that drew something; how many did is told, for few would prove nothing."""
    taken = [one for one in replies if one is not None]
    if len(taken) < len(replies) // 2:
        raise NothingMeasured(f"{what}: only {len(taken)} of {len(replies)} keys drew something")
    high = percentile(sorted(taken), 95)
    told = (
        f"p50 {median(taken) * 1e3:.0f}, p95 {high * 1e3:.0f}, max {max(taken) * 1e3:.0f} ms "
        f"({len(taken)} of {len(replies)} keys)"
    )
    return Row(what, "–", "p95 ≤ 30 ms a key", told, high <= 0.03)


# --- many events, many sessions -------------------------------------------------------------


def growth() -> list[Row]:
    """One event with so many before it, drawn in the dashboard."""
    costs: dict[int, list[float]] = {100: [], 100_000: []}
    with home() as few, home() as many:
        homes = {100: few, 100_000: many}
        for before, where in homes.items():
            _kept(where, "s1", session(before))  # type: ignore[arg-type]
        for _ in range(FEW):
            for before, where in homes.items():
                costs[before].append(_one_event(where))
    base, ours = median(costs[100]), median(costs[100_000])
    return [
        Row(
            "one event with 100,000 before it, CPU of the dashboard",
            f"with 100 before it {base * 1e3:.2f} ms",
            "≤ 1.1 ×",
            f"{ours * 1e3:.2f} ms, {ours / base:.2f} ×",
            ours / base <= 1.1,
        )
    ]


def _one_event(where: Home, seconds: float = 10.0, rate: float = 20.0) -> float:
    store = opened(where.data)
    writer = Writer(store, "s1")
    events: Sequence[KnownEvent] = session(int(seconds * rate) + 1)[1:]  # type: ignore[assignment]
    with dashboard(where) as terminal:
        terminal.wait_for(*READY)
        terminal.rest(1)
        idle = _cpu_over(terminal, lambda: terminal.rest(3)) / 3
        began = time.perf_counter()

        def feed() -> None:
            for number, event in enumerate(events):
                writer.write(event)
                terminal.rest(began + (number + 1) / rate - time.perf_counter())

        spent = _cpu_over(terminal, feed)
        spent -= idle * (time.perf_counter() - began)
    writer.rest()
    store.close()
    return spent / len(events)


def _cpu_over(terminal: Terminal, work: Callable[[], None]) -> float:
    before = processes.cpu(terminal.pid)
    work()
    return processes.cpu(terminal.pid) - before


def crowd(sessions: int = 32, rate: int = 10, seconds: float = 10.0) -> list[Row]:
    """Many sessions at work, committed thirty times a second, all in the sidebar."""
    shares = []
    for _ in range(FEW):
        with home() as where:
            store = opened(where.data)
            writers = [Writer(store, f"s{n:02d}") for n in range(sessions)]
            for number, writer in enumerate(writers):
                writer.begin(str(where.work), f"session {number}")
                writer.write(StateChanged(state="running"))
            events: Sequence[KnownEvent] = session(int(rate * seconds) + 2)[1:]  # type: ignore[assignment]
            with dashboard(where) as terminal:
                terminal.wait_for(*READY)
                terminal.rest(1)
                began, before = time.perf_counter(), processes.cpu(terminal.pid)
                sent = 0
                while (now := time.perf_counter() - began) < seconds:
                    due = int(now * rate * sessions)
                    turn = [
                        writers[n % sessions].batch(events[n // sessions]) for n in range(sent, due)
                    ]
                    raise_any(store.append(turn))
                    sent = due
                    terminal.rest(1 / 30)
                shares.append(
                    (processes.cpu(terminal.pid) - before) / (time.perf_counter() - began)
                )
            store.close()
    share = median(shares)
    return [
        Row(
            f"{sessions} sessions at once, {rate} events/s each, CPU of the dashboard",
            "one core",
            "≤ 60 %",
            f"{share:.0%}",
            share <= 0.6,
        )
    ]


PARTS = (start, memory, streaming, pace, reopening, growth, crowd)


def main() -> None:
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    rows, load = [], os.getloadavg()[0]
    for part in PARTS:
        if not wanted or part.__name__ in wanted:
            for row in part():
                print(row.told, flush=True)
                rows.append(row)
    if not wanted:
        write(rows, load)


if __name__ == "__main__":
    main()
