"""What streaming a reply costs, against reading the same bytes and decoding every chunk."""

import asyncio
import multiprocessing as mp
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from statistics import median

import httpx
import msgspec
from fault_server import FaultServer, Reply, Request
from model_replies import Protocol, Said, stream

from longwatch.adapters.models import anthropic, openai
from longwatch.adapters.models.provider import ProviderConfig, Surroundings
from longwatch.engine.ports import ModelRequest
from longwatch.session.transcript import UserText

TOKENS = 20_000
ROUNDS = 5
TARGET = 1.5
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
PIECES = {"each token alone": 1, "64 tokens together": 64}


def markdown(tokens: int) -> str:
    """About that many tokens of four characters."""
    line = "- some **bold** words, `code`, and a number 42\n"
    return (line * (tokens * 4 // len(line) + 1))[: tokens * 4]


def batched(reply: Reply, size: int) -> Reply:
    pieces = reply.pieces
    joined = [b"".join(pieces[at : at + size]) for at in range(0, len(pieces), size)]
    return Reply(joined, headers=reply.headers)


def serve(pipe: Connection, protocol: Protocol, size: int) -> None:
    """A server in a process of its own, so that its work is not counted."""
    reply = batched(stream(protocol, Said(text=markdown(TOKENS))), size)

    def always(request: Request) -> Reply:
        del request
        return reply

    with FaultServer(otherwise=always) as server:
        pipe.send(server.url)
        pipe.recv()


@contextmanager
def serving(protocol: Protocol, size: int) -> Iterator[str]:
    ours, theirs = mp.Pipe()
    process = mp.get_context("spawn").Process(target=serve, args=(theirs, protocol, size))
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send(None)
        process.join()


async def cpu(work: Callable[[], Awaitable[None]]) -> float:
    began = time.process_time()
    await work()
    return time.process_time() - began


async def measure(protocol: Protocol, url: str) -> tuple[float, float]:
    """Median CPU seconds of the plain reader and of ours, taken in turns."""
    root = "/v1" if protocol == "openai" else ""
    build = openai.build if protocol == "openai" else anthropic.build
    config = ProviderConfig(type=protocol, base_url=f"{url}{root}")
    model = build("p", "m", config, Surroundings())
    asked = ModelRequest(model="m", system="", tools=(), messages=[UserText("Go.", "human")])

    async with httpx.AsyncClient() as client:

        async def plain() -> None:
            rest = b""
            async with client.stream("POST", f"{url}{PATHS[protocol]}", content=b"{}") as response:
                async for chunk in response.aiter_raw():
                    *events, rest = (rest + chunk).split(b"\n\n")
                    for event in events:
                        data = event.rpartition(b"data: ")[2]
                        if data != b"[DONE]":
                            msgspec.json.decode(data)

        async def ours() -> None:
            size = 0
            async for part in model.stream(asked):
                size += len(part.text)
            assert size == 2 * 4 * TOKENS

        await plain()
        await ours()
        plains, owns = [], []
        for _ in range(ROUNDS):
            plains.append(await cpu(plain))
            owns.append(await cpu(ours))
    await model.aclose()
    return median(plains), median(owns)


def main() -> None:
    protocols: tuple[Protocol, ...] = ("openai", "anthropic")
    for protocol in protocols:
        for name, size in PIECES.items():
            with serving(protocol, size) as url:
                plain, own = asyncio.run(measure(protocol, url))
            print(
                f"{protocol}, {TOKENS} tokens, {name}: plain {plain:.3f} s, ours {own:.3f} s, "
                f"ratio {own / plain:.2f} (target {TARGET})"
            )


if __name__ == "__main__":
    main()
