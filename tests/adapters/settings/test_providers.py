"""Providers and models as a person declares them."""

from pathlib import Path

import pytest

from longwatch.adapters.models.provider import Prices, ProviderConfig
from longwatch.adapters.settings.files import Global, load_global
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.providers import FIELDS, PRICE_FIELDS, ModelFacts


def load(folder: Path, text: str, types: tuple[str, ...] = ()) -> Global:
    (folder / "config.yaml").write_text(text)
    return load_global(Places(folder, folder / "data"), types)


def test_every_key_of_a_provider_is_known_and_described() -> None:
    assert tuple(FIELDS) == ProviderConfig.__struct_fields__
    assert Prices.__struct_fields__ == PRICE_FIELDS


def test_all_of_it(tmp_path: Path) -> None:
    text = """
providers:
  nearby:
    type: openai
    base_url: http://lan:8080/v1
    api_key_env: NEARBY_KEY
    headers: {X-Title: longwatch}
    context: 32768
    prices: {input: 1, output: 2.5, cached: 0.1}
    send_reasoning: true
    max_output_tokens: 4096
  other:
    type: anthropic
    context: {big-*: 200000, small: 8000}
    prices:
      big-*: {input: 3, output: 15}
models:
  nearby:qwen3:8b: {context: 40000}
  openai:gpt-4o:
    prices: {input: 2.5, output: 10, cached: 1.25, cache_write: 3}
"""
    loaded = load(tmp_path, text, ("openai", "anthropic"))
    assert loaded.providers["nearby"] == ProviderConfig(
        type="openai",
        base_url="http://lan:8080/v1",
        api_key_env="NEARBY_KEY",
        headers={"X-Title": "longwatch"},
        context=32768,
        prices={"*": Prices(input=1, output=2.5, cached=0.1)},
        send_reasoning=True,
        max_output_tokens=4096,
    )
    other = loaded.providers["other"]
    assert other.context_of("big-1") == 200_000
    assert other.prices_of("big-1") == Prices(input=3, output=15)
    assert other.prices_of("small") is None
    assert loaded.models["nearby:qwen3:8b"] == ModelFacts(context=40_000)


def test_what_is_declared_of_a_model_comes_before_what_is_said_of_all(tmp_path: Path) -> None:
    text = """
providers:
  a: {type: openai, context: 1000, prices: {input: 1, output: 1}}
  b: {type: openai, context: {m*: 5}}
models:
  a:m: {context: 9, prices: {input: 2, output: 2}}
  b:m1: {context: 7}
  openai:gpt-4o: {context: 128000}
  c:x: {context: 1}
"""
    usual = {"openai": ProviderConfig(type="openai"), "a": ProviderConfig(type="rehearsal")}
    providers = load(tmp_path, text).all_providers(usual)
    assert set(providers) == {"openai", "a", "b"}
    assert providers["a"].type == "openai"
    assert [providers["a"].context_of(model) for model in ("m", "n")] == [9, 1000]
    assert providers["a"].prices_of("m") == Prices(input=2, output=2)
    assert providers["a"].prices_of("n") == Prices(input=1, output=1)
    assert [providers["b"].context_of(model) for model in ("m1", "m2", "n")] == [7, 5, None]
    assert providers["openai"].context_of("gpt-4o") == 128_000
    assert providers["openai"].context_of("other") is None


def test_null_is_as_if_absent(tmp_path: Path) -> None:
    text = "providers:\n  a: {type: openai, base_url: null, prices: ~, context: }\nmodels:\n"
    assert load(tmp_path, text).providers == {"a": ProviderConfig(type="openai")}


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_key_file_is_relative_to_the_configuration(tmp_path: Path, mode: int) -> None:
    (tmp_path / "key").write_text("sk-1")
    (tmp_path / "key").chmod(mode)
    loaded = load(tmp_path, "providers:\n  a: {type: openai, api_key_file: key}\n")
    assert loaded.providers["a"].api_key_file == str(tmp_path / "key")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o601, 0o660])
def test_a_key_file_that_others_can_open_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "key").write_text("sk-1")
    (tmp_path / "key").chmod(mode)
    with pytest.raises(Problems) as refused:
        load(tmp_path, f"providers:\n  a:\n    type: openai\n    api_key_file: {tmp_path}/key\n")
    (problem,) = refused.value.problems
    assert (problem.line, problem.key) == (4, "providers.a.api_key_file")
    assert problem.found == f"a file of mode {mode:04o}, which others can open"
    assert problem.accepted == "a file of mode 0600"


def test_a_missing_key_file_is_told_only_when_it_is_used(tmp_path: Path) -> None:
    loaded = load(tmp_path, "providers:\n  a: {type: openai, api_key_file: /none/key}\n")
    assert loaded.providers["a"].api_key_file == "/none/key"


def test_all_that_is_wrong_is_told_at_once_and_no_value_of_a_secret(tmp_path: Path) -> None:
    text = """stream: 7
providers:
  a:
    type: opnai
    api_key: sk-one
    headers: {X: [sk-two]}
    base_url: https://user:sk-three@host
  b:
    api_key_env: sk-four
models:
  m: {context: -1}
strem: true
"""
    with pytest.raises(Problems) as refused:
        load(tmp_path, text, ("openai",))
    found = {(problem.line, problem.key) for problem in refused.value.problems}
    assert found == {
        (1, "stream"),
        (4, "providers.a.type"),
        (5, "providers.a.api_key"),
        (6, "providers.a.headers.X"),
        (7, "providers.a.base_url"),
        (9, "providers.b.api_key_env"),
        (11, "models.m"),
        (11, "models.m.context"),
        (12, "strem"),
    }
    assert "sk-" not in str(refused.value)
