"""The part of `doctor` that asks others: keys, providers, local servers, and the way to them."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from longwatch.adapters.models.provider import KeySource, ProviderConfig, ProviderProblem
from longwatch.adapters.models.reaching import (
    LocalServer,
    NotReached,
    Reached,
    reach,
    reach_local,
    usual_servers,
)
from longwatch.adapters.models.registry import usual_providers
from longwatch.adapters.settings.kinds import nearest
from longwatch.commands.health import Check, Status
from longwatch.governing import Setup
from longwatch.wiring import Wiring

SHOWN_MODELS = 5
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


async def reachable(wiring: Wiring, setup: Setup | None) -> list[Check]:
    """Everybody is asked at once; who is slow is not waited for."""
    usual = usual_providers(wiring.environ)
    declared = setup.configuration.all_providers(usual) if setup is not None else usual
    model = setup.model if setup is not None else ""
    chosen, _, name = model.partition(":")
    keys = {
        provider: _key(provider, config, wiring.environ, chosen=provider == chosen)
        for provider, config in declared.items()
        if config.type != "rehearsal"
    }
    around = wiring.house.surroundings(setup.resolved if setup is not None else None)
    # Without its key a provider would only say that there is none.
    asked = [
        provider
        for provider in declared
        if (keys[provider].status == "ok" if provider in keys else provider == chosen)
    ]
    servers = usual_servers(wiring.environ)
    answers, local = await asyncio.gather(
        asyncio.gather(*(reach(provider, declared[provider], around) for provider in asked)),
        reach_local(servers),
    )
    checks = [*keys.values()]
    for provider, answer in zip(asked, answers, strict=True):
        wanted = name if provider == chosen else None
        checks.append(_answered(provider, answer, wanted))
    checks.extend(_local(servers, local, declared))
    checks.extend(_network(wiring, around.insecure_http))
    return checks


def _key(
    provider: str, config: ProviderConfig, environ: Mapping[str, str], *, chosen: bool
) -> Check:
    source = KeySource(config, environ)
    try:
        key = source.read()
    except ProviderProblem as problem:
        status: Status = "problem" if chosen else "note"
        remedy = f"set {source.place}" if config.api_key_env else f"look at {source.place}"
        return Check("keys", provider, status, str(problem), remedy if chosen else "")
    if key is None:
        return Check("keys", provider, "ok", "needs none, as it is declared")
    return Check("keys", provider, "ok", f"found in {source.place}")


def _answered(provider: str, answer: Reached | NotReached, wanted: str | None) -> Check:
    """``wanted`` is the model that is in use, if this is the provider in use."""
    if isinstance(answer, NotReached):
        return _not_reached(provider, answer, in_use=wanted is not None)
    if answer.models is None:
        return Check("providers", provider, "ok", "built in")
    count = len(answer.models)
    detail = f"answers, and lists {count} model{'' if count == 1 else 's'}"
    if not wanted or not count or wanted in answer.models:
        return Check("providers", provider, "ok", detail)
    close = nearest(wanted, answer.models)
    remedy = f"did you mean {provider}:{close}?" if close else f"it lists: {_some(answer.models)}"
    return Check("providers", provider, "note", f"{detail}, but not {wanted}", remedy)


def _not_reached(provider: str, answer: NotReached, *, in_use: bool) -> Check:
    if answer.status in (404, 405, 501):
        # Not every server has a list of models; that it answers is all that is known then.
        detail = f"answers, but has no list of models ({answer.status})"
        return Check("providers", provider, "note", detail, "if requests fail, look at base_url")
    remedy = {
        "auth": "put a key there that the provider accepts",
        "unreachable": "start the server, or look at base_url, the network and the proxy",
        "stalled": "it may be busy or loading; try again, or look at the network",
        "insecure": "use https, or list the host in insecure_http",
        "malformed": "look at base_url: it may be another sort of server",
    }.get(answer.kind or "", "")
    if not in_use:
        remedy = remedy and f"it is not in use here; to use it: {remedy}"
    words = answer.words.rstrip(".")
    return Check("providers", provider, "problem" if in_use else "note", words, remedy)


def _local(
    servers: tuple[LocalServer, ...],
    found: Sequence[tuple[LocalServer, Sequence[str]]],
    declared: Mapping[str, ProviderConfig],
) -> Iterator[Check]:
    ports = {_port(config.base_url): name for name, config in declared.items()}
    for server, models in found:
        detail = f"answers on port {server.port}: {_some(models) or 'no models yet'}"
        name = ports.get(server.port)
        model = models[0] if models else "MODEL"
        remedy = f"to use it: model: {name}:{model}"
        if name is None:
            remedy = (
                "to use it, in config.yaml: providers: {local: {type: openai, base_url: "
                f'"{server.base_url}"}}}} and model: local:{model}'
            )
        yield Check("local servers", server.name, "ok", detail, remedy)
    silent = [f"{s.name} ({s.port})" for s in servers if s not in [one for one, _ in found]]
    if silent:
        detail = f"no model server answers on {', '.join(silent)}"
        yield Check("local servers", "others" if found else "none", "note", detail)


def _port(base_url: str | None) -> int | None:
    parts = urlsplit(base_url or "")
    return parts.port if parts.hostname in ("127.0.0.1", "localhost", "::1") else None


def _network(wiring: Wiring, insecure: tuple[str, ...]) -> Iterator[Check]:
    if insecure:
        detail = f"allowed to {', '.join(insecure)}: keys and words go there unprotected"
        remedy = "keep only hosts in insecure_http that you trust the way to"
        yield Check("network", "plain http", "note", detail, remedy)
    for name in (*PROXIES, *(name.lower() for name in PROXIES)):
        value = wiring.environ.get(name)
        if value:
            yield Check("network", name, "note", f"{_without_user(value)}; it is honoured")


def _without_user(address: str) -> str:
    """An address without the password that it may hold."""
    before, at, rest = address.rpartition("@")
    scheme, slashes, _ = before.rpartition("//")
    return f"{scheme}{slashes}***@{rest}" if at else address


def _some(models: Sequence[str]) -> str:
    more = f" and {len(models) - SHOWN_MODELS} more" if len(models) > SHOWN_MODELS else ""
    return ", ".join(models[:SHOWN_MODELS]) + more
