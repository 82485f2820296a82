"""Which model a selection means, and when it is made anew."""

import subprocess
import sys

import pytest
from fault_server import FaultServer
from model_replies import Said, whole

from longwatch.adapters.models import (
    Models,
    ProviderConfig,
    ProviderProblem,
    Surroundings,
    default_selection,
    split_selection,
    usual_providers,
)
from longwatch.adapters.models.anthropic import AnthropicModel
from longwatch.adapters.models.openai import OpenAIModel
from longwatch.adapters.models.rehearsal import RehearsalModel
from longwatch.engine.ports import ModelReply, ModelRequest
from longwatch.session.transcript import UserText

AROUND = Surroundings(environ={})


def test_selections() -> None:
    assert split_selection("ollama:llama3:8b") == ("ollama", "llama3:8b")
    for wrong in ("", "gpt-5", ":gpt-5", "openai:"):
        with pytest.raises(ProviderProblem, match="provider:name"):
            split_selection(wrong)


async def test_each_type_has_its_model() -> None:
    models = Models(usual_providers({}), AROUND)
    assert isinstance(models.get("openai:gpt-5"), OpenAIModel)
    assert isinstance(models.get("anthropic:claude"), AnthropicModel)
    assert isinstance(models.get("rehearsal:tour"), RehearsalModel)
    assert models.get("openai:gpt-5").provider == "openai"
    await models.aclose()


def test_what_is_unknown_is_told_with_the_nearest_name() -> None:
    models = Models({**usual_providers({}), "odd": ProviderConfig(type="opnai")}, AROUND)
    with pytest.raises(ProviderProblem, match=r"unknown provider 'opena'. Did you mean openai\?"):
        models.get("opena:gpt-5")
    with pytest.raises(ProviderProblem, match="There are: anthropic, odd, openai, rehearsal"):
        models.get("xyz:gpt-5")
    with pytest.raises(ProviderProblem, match=r"provider 'odd'.*Did you mean openai\?"):
        models.get("odd:gpt-5")
    broken = Models({"p": ProviderConfig(type="openai", base_url="nonsense")}, AROUND)
    with pytest.raises(ProviderProblem, match="base_url"):
        broken.get("p:m")


async def test_a_model_is_made_once_and_anew_when_its_declaration_changes() -> None:
    config = ProviderConfig(type="openai", base_url="https://example.com", context=10)
    models = Models({"p": config, "q": config}, AROUND)
    first, other = models.get("p:m"), models.get("q:m")
    assert models.get("p:m") is first
    assert models.get("p:n") is not first
    wider = ProviderConfig(type="openai", base_url="https://example.com", context=20)
    models.reconfigure({"p": wider, "q": config}, AROUND)
    assert models.get("p:m") is not first
    assert (first.context, models.get("p:m").context) == (10, 20)
    assert models.get("q:m") is other
    await models.aclose()


def test_the_usual_variables() -> None:
    environ = {"OPENAI_BASE_URL": "http://localhost:1234/v1", "ANTHROPIC_BASE_URL": ""}
    usual = usual_providers(environ)
    assert usual["openai"].base_url == "http://localhost:1234/v1"
    assert usual["anthropic"].base_url is None
    assert default_selection({}) == "rehearsal:tour"
    assert default_selection({"OPENAI_API_KEY": "x"}).startswith("openai:")
    assert default_selection({"OPENAI_API_KEY": "x", "ANTHROPIC_API_KEY": "y"}).startswith(
        "anthropic:"
    )


async def test_the_usual_key_goes_only_to_the_usual_place(server: FaultServer) -> None:
    """A provider of another address without a key of its own is asked without one."""
    environ = {"OPENAI_API_KEY": "sk-canary-1", "ANTHROPIC_API_KEY": "sk-canary-2"}
    around = Surroundings(environ=environ)
    for type_ in ("openai", "anthropic"):
        config = ProviderConfig(type=type_, base_url=server.url)
        models = Models({"mine": config}, around)
        server.add(whole(type_, Said(text="Hi.")))
        asked = ModelRequest(model="m", system="", tools=(), messages=[UserText("x", "human")])
        parts = [part async for part in models.get("mine:m").stream(asked)]
        assert isinstance(parts[-1], ModelReply)
        await models.aclose()
    assert all("canary" not in str(asked.headers) for asked in server.requests)


def test_nothing_slow_is_imported_until_it_is_used() -> None:
    code = (
        "import sys, longwatch.adapters.models;"
        "slow = {'httpx', 'anyio', 'yaml', 'textual', 'rich'} & set(sys.modules);"
        "sys.exit(', '.join(slow) if slow else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
