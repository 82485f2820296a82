"""Which types of provider there are, and the models that a configuration makes of them."""

import difflib
from collections.abc import Callable, Mapping
from typing import Protocol

from longwatch.adapters.models import anthropic, openai, rehearsal
from longwatch.adapters.models.provider import ProviderConfig, ProviderProblem, Surroundings
from longwatch.engine.ports import Model


class ClosableModel(Model, Protocol):
    """A model that holds connections until it is closed."""

    async def aclose(self) -> None: ...


Build = Callable[[str, str, ProviderConfig, Surroundings], ClosableModel]

TYPES: Mapping[str, Build] = {
    "openai": openai.build,
    "anthropic": anthropic.build,
    "rehearsal": rehearsal.build,
}

DEFAULT_MODELS = (
    ("ANTHROPIC_API_KEY", "anthropic:claude-sonnet-5-5"),
    ("OPENAI_API_KEY", "openai:gpt-6.1-terra"),
)
REHEARSED = "rehearsal:tour"


class Models:
    """The models in use, by ``provider:name``; each is made once and closed at the end."""

    def __init__(self, providers: Mapping[str, ProviderConfig], surroundings: Surroundings) -> None:
        self._providers = dict(providers)
        self._surroundings = surroundings
        self._made: dict[str, tuple[ProviderConfig, Surroundings, ClosableModel]] = {}
        self._retired: list[ClosableModel] = []

    def get(self, selection: str) -> Model:
        """The model of that name. Raises ProviderProblem."""
        provider, name = split_selection(selection)
        config = self._providers.get(provider)
        if config is None:
            raise ProviderProblem(_unknown("provider", provider, self._providers))
        if config.type not in TYPES:
            told = _unknown("provider type", config.type, TYPES)
            raise ProviderProblem(f"provider {provider!r}: {told}")
        known = self._made.get(selection)
        if known is not None and known[:2] == (config, self._surroundings):
            return known[2]
        model = TYPES[config.type](provider, name, config, self._surroundings)
        if known is not None:
            # Somebody may still be reading from it.
            self._retired.append(known[2])
        self._made[selection] = (config, self._surroundings, model)
        return model

    def reconfigure(
        self, providers: Mapping[str, ProviderConfig], surroundings: Surroundings
    ) -> None:
        """From now on these count; what has not changed stays connected."""
        self._providers = dict(providers)
        self._surroundings = surroundings

    async def aclose(self) -> None:
        made = [model for _, _, model in self._made.values()]
        self._made.clear()
        retired, self._retired = self._retired, []
        for model in (*made, *retired):
            await model.aclose()


def split_selection(selection: str) -> tuple[str, str]:
    """``provider:name`` taken apart; the name may hold colons of its own."""
    provider, colon, name = selection.partition(":")
    if not colon or not provider or not name:
        raise ProviderProblem(f"model must be provider:name, not {selection!r}")
    return provider, name


def usual_providers(environ: Mapping[str, str]) -> dict[str, ProviderConfig]:
    """The providers that are there without a configuration, by the usual variables."""
    return {
        "openai": ProviderConfig(
            type="openai",
            base_url=environ.get("OPENAI_BASE_URL") or None,
            api_key_env="OPENAI_API_KEY",
        ),
        "anthropic": ProviderConfig(
            type="anthropic",
            base_url=environ.get("ANTHROPIC_BASE_URL") or None,
            api_key_env="ANTHROPIC_API_KEY",
        ),
        "rehearsal": ProviderConfig(type="rehearsal"),
    }


def default_selection(environ: Mapping[str, str]) -> str:
    """The model that is used where none is configured: that of a key found, else the rehearsal."""
    found = (model for key, model in DEFAULT_MODELS if environ.get(key, "").strip())
    return next(found, REHEARSED)


def _unknown(what: str, name: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    hint = f" Did you mean {close[0]}?" if close else f" There are: {', '.join(sorted(known))}."
    return f"unknown {what} {name!r}.{hint}"
