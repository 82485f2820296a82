"""Who answers: declared providers, and model servers on this machine that nobody declared."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from longwatch.adapters.models.exchange import HttpModel
from longwatch.adapters.models.provider import (
    Limits,
    ProviderConfig,
    ProviderProblem,
    Surroundings,
)
from longwatch.adapters.models.registry import TYPES
from longwatch.engine.ports import FaultKind, ModelFault, ModelRequest

PROVIDER_SECONDS = 5.0
LOCAL_SECONDS = 1.0
USUAL_SERVERS = (("Ollama", 11434), ("llama.cpp", 8080), ("LM Studio", 1234))
SERVERS_VARIABLE = "LONGWATCH_LOCAL_SERVERS"

_NOTHING = ModelRequest(model="any", system="", tools=(), messages=())


class Reached(msgspec.Struct, frozen=True):
    """It answers, and lists these models. None: it is no server, and always there."""

    models: Sequence[str] | None


class NotReached(msgspec.Struct, frozen=True):
    """What went wrong, in words; no kind where nothing was even tried."""

    words: str
    kind: FaultKind | None = None
    status: int | None = None


class LocalServer(msgspec.Struct, frozen=True):
    """A place on this machine where a model server usually listens."""

    name: str
    port: int

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


async def reach(
    name: str, config: ProviderConfig, around: Surroundings, seconds: float = PROVIDER_SECONDS
) -> Reached | NotReached:
    """Ask a provider for its models. Only the list is asked for: it costs nothing."""
    hurried = replace(around, limits=Limits(connect=seconds, model_names=seconds))
    try:
        model = TYPES[config.type](name, "any", config, hurried)
    except ProviderProblem as problem:
        return NotReached(str(problem))
    if not isinstance(model, HttpModel):
        return Reached(None)
    try:
        return Reached(await model.names(_NOTHING))
    except ModelFault as fault:
        return NotReached(fault.message, fault.kind, fault.status)
    finally:
        await model.aclose()


def usual_servers(environ: Mapping[str, str]) -> tuple[LocalServer, ...]:
    """Where to look; ``LONGWATCH_LOCAL_SERVERS`` names other places, as NAME=PORT with commas."""
    told = environ.get(SERVERS_VARIABLE)
    if not told:
        return tuple(LocalServer(name, port) for name, port in USUAL_SERVERS)
    pairs = (part.strip().rpartition("=") for part in told.split(","))
    return tuple(
        LocalServer(name, int(port))
        for name, _, port in pairs
        if name and port.isdecimal() and 0 < int(port) < 65536
    )


async def reach_local(servers: Iterable[LocalServer]) -> list[tuple[LocalServer, Sequence[str]]]:
    """Those that answer as a model server does, all asked at once, and their models."""
    listed = list(servers)
    answers = await asyncio.gather(*(_reach_one(server) for server in listed))
    return [
        (server, answer.models)
        for server, answer in zip(listed, answers, strict=True)
        if isinstance(answer, Reached) and answer.models is not None
    ]


async def _reach_one(server: LocalServer) -> Reached | NotReached:
    config = ProviderConfig(type="openai", base_url=server.base_url)
    return await reach(server.name, config, Surroundings(), LOCAL_SECONDS)
