"""A server, and models that talk to it, for the tests of the model adapters."""

from collections.abc import Iterator
from typing import Any

import pytest
from adapters.models.asking import KEY, QUICK
from fault_server import FaultServer
from model_replies import Protocol

from longwatch.adapters.models import anthropic, openai
from longwatch.adapters.models.exchange import HttpModel
from longwatch.adapters.models.provider import Limits, ProviderConfig, Surroundings


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.fixture
async def model_for(server: FaultServer) -> Any:
    """Makes models of both protocols that talk to the server, and closes them."""
    made: list[HttpModel] = []

    def make(
        protocol: Protocol,
        *,
        limits: Limits = QUICK,
        model: str = "m",
        base_url: str | None = None,
        insecure_http: tuple[str, ...] = (),
        **declared: Any,
    ) -> HttpModel:
        root = "/v1" if protocol == "openai" else ""
        config = ProviderConfig(
            type=protocol,
            base_url=base_url or f"{server.url}{root}",
            api_key_env="CANARY",
            **declared,
        )
        build = openai.build if protocol == "openai" else anthropic.build
        around = Surroundings(environ={"CANARY": KEY}, limits=limits, insecure_http=insecure_http)
        made.append(build("p", model, config, around))
        return made[-1]

    yield make
    for model in made:
        await model.aclose()
