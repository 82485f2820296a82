"""Declared providers: secrets that stay secret, keys and where they are found, prices."""

import copy
import pickle
from pathlib import Path
from typing import Any

import msgspec
import pytest

from longwatch.adapters.models.provider import (
    KeySource,
    Limits,
    Prices,
    ProviderConfig,
    ProviderProblem,
    Secret,
    Surroundings,
    checked_headers,
)

KEY = "sk-canary-0123456789abcdef"


def test_a_secret_is_never_printed() -> None:
    secret = Secret(KEY)
    shown = [str(secret), repr(secret), f"{secret}", f"{secret:>10}", f"{secret!r}"]
    shown += [repr([secret]), repr({"key": secret}), repr(Exception(secret))]
    assert all("canary" not in text for text in shown)
    assert shown[0] == "***"
    assert secret.reveal() == KEY
    assert secret == Secret(KEY)
    assert secret != Secret("other")
    assert secret != KEY
    assert len({secret, Secret(KEY)}) == 1


@pytest.mark.parametrize(
    "write", [pickle.dumps, copy.deepcopy, msgspec.json.encode, msgspec.to_builtins]
)
def test_a_secret_is_not_written(write: Any) -> None:
    with pytest.raises(TypeError):
        write(Secret(KEY))


def test_a_declaration_shows_no_header_values() -> None:
    config = ProviderConfig(type="openai", headers={"Api-Key": KEY}, context=5)
    assert repr(config) == "ProviderConfig(type='openai', headers={'Api-Key': '***'}, context=5)"
    around = Surroundings(environ={"OPENAI_API_KEY": KEY})
    assert KEY not in repr(around)
    assert KEY not in repr(KeySource(config, {"X": KEY}))


def test_declarations_are_checked() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `api_key`"):
        msgspec.convert({"type": "openai", "api_key": "x"}, ProviderConfig)
    with pytest.raises(msgspec.ValidationError, match=r"output"):
        msgspec.convert({"type": "openai", "prices": {"m": {"input": 1}}}, ProviderConfig)
    config = msgspec.convert(
        {"type": "openai", "context": {"m": 5}, "prices": {"m": {"input": 1, "output": 2}}},
        ProviderConfig,
    )
    assert config.prices_of("m") == Prices(input=1, output=2)


def test_context_and_prices_go_by_name_or_pattern() -> None:
    cheap, dear = Prices(input=1, output=2), Prices(input=3, output=4)
    config = ProviderConfig(
        type="openai",
        context={"big*": 1000, "big-small": 10},
        prices={"big-*": cheap, "*": dear},
    )
    assert config.context_of("big-small") == 10
    assert config.context_of("big-one") == 1000
    assert config.context_of("other") is None
    assert config.prices_of("big-one") == cheap
    assert config.prices_of("other") == dear
    assert ProviderConfig(type="openai", context=7).context_of("any") == 7
    assert ProviderConfig(type="openai").prices_of("any") is None


def source(environ: dict[str, str] | None = None, **declared: Any) -> KeySource:
    return KeySource(ProviderConfig(type="openai", **declared), environ or {})


def test_keys_from_the_environment() -> None:
    assert source().read() is None
    assert source({"K": f" {KEY}\n"}, api_key_env="K").read() == Secret(KEY)
    with pytest.raises(ProviderProblem, match="set K"):
        source({}, api_key_env="K").read()


def test_keys_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    path.chmod(0o600)
    found = source({"K": "other"}, api_key_file=str(path), api_key_env="K")
    assert found.read() == Secret(KEY)
    assert found.place == str(path)
    for mode in (0o640, 0o604, 0o644):
        path.chmod(mode)
        with pytest.raises(ProviderProblem, match="chmod 600"):
            found.read()
    path.chmod(0o600)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ProviderProblem, match="not ASCII"):
        found.read()
    path.unlink()
    with pytest.raises(ProviderProblem, match="cannot be read"):
        found.read()


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({"X y": "1"}, "X y"),
        ({"": "1"}, "cannot be set"),
        ({"Host": "evil"}, "Host"),
        ({"content-length": "0"}, "content-length"),
        ({"X-Key": f"{KEY}\n"}, "X-Key"),
        ({"X-Key": f"{KEY}ü"}, "X-Key"),
    ],
)
def test_headers_that_cannot_be_sent(headers: dict[str, str], told: str) -> None:
    with pytest.raises(ProviderProblem, match=told) as problem:
        checked_headers("p", headers)
    assert "canary" not in str(problem.value)


def test_headers_are_held_as_secrets() -> None:
    assert checked_headers("p", {"X-Key": KEY}) == {"x-key": Secret(KEY)}


def test_the_limits_of_the_contract() -> None:
    limits = Limits()
    assert (limits.first_byte, limits.first_byte_reasoning, limits.between_events) == (
        120,
        300,
        300,
    )
    assert (limits.line, limits.response) == (8 * 1024 * 1024, 64 * 1024 * 1024)
