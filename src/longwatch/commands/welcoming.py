"""The first run and the question of trust: what is found, and what a person's answer writes."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.trust import Trust, would_activate
from longwatch.adapters.settings.writing import write_new
from longwatch.ui.configuring import Server
from longwatch.ui.services import Refused
from longwatch.wiring import Wiring

# Every dashboard asks at its start whether to ask; what the answers need is loaded with them.
# ruff: noqa: PLC0415

Recall = Callable[[], Mapping[str, Any]]
Remember = Callable[..., None]

DECLINED = "not_trusted"
"""Where ui.toml keeps the folders that a person did not trust."""
HEAD = """\
# Longwatch: settings for every session. All there are: docs/settings.md, or
# `longwatch config show`. Is this file right: `longwatch config check`.
"""
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Welcome:
    """What `ui.configuring.Welcoming` asks for, on the real machine."""

    def __init__(self, wiring: Wiring, recall: Recall, remember: Remember) -> None:
        self._wiring = wiring
        self._recall = recall
        self._remember = remember

    # --- how to begin -----------------------------------------------------------------------

    def is_new(self) -> bool:
        wiring = self._wiring
        if os.path.lexists(wiring.places.config_file) or wiring.environ.get("LONGWATCH_MODEL"):
            return False
        return not wiring.store.summaries()

    def keys(self) -> Sequence[str]:
        from longwatch.adapters.models.registry import DEFAULT_MODELS

        found = self._wiring.environ
        return tuple(key for key, _ in DEFAULT_MODELS if found.get(key, "").strip())

    def servers(self) -> Sequence[Server]:
        from longwatch.adapters.models.reaching import reach_local, usual_servers

        found = asyncio.run(reach_local(usual_servers(self._wiring.environ)))
        return [Server(server.name, server.base_url, tuple(models)) for server, models in found]

    def server_at(self, address: str) -> Server:
        from longwatch.adapters.models.provider import ProviderConfig, Surroundings
        from longwatch.adapters.models.reaching import LOCAL_SECONDS, Reached, reach

        url = _base_url(address)
        config = ProviderConfig(type="openai", base_url=url)
        host = urlsplit(url).hostname or ""
        around = Surroundings(insecure_http=(host,))
        answer = asyncio.run(reach("local", config, around, LOCAL_SECONDS))
        if not isinstance(answer, Reached):
            raise Refused(f"{url} does not answer as a model server does: {answer.words}")
        return Server(host, url, tuple(answer.models or ()))

    def use_key(self, variable: str) -> str:
        from longwatch.adapters.models.registry import DEFAULT_MODELS

        model = dict(DEFAULT_MODELS)[variable]
        return self._write({"model": model}, f"the key in {variable}")

    def use_server(self, server: Server, model: str) -> str:
        host = urlsplit(server.address).hostname or ""
        told: dict[str, Any] = {
            "providers": {"local": {"type": "openai", "base_url": server.address}},
            "model": f"local:{model}",
        }
        if server.address.startswith("http:") and host not in LOOPBACK:
            told["insecure_http"] = [host]
        return self._write(told, f"{model} at {server.address}")

    def _write(self, values: Mapping[str, Any], using: str) -> str:
        import yaml

        path = self._wiring.places.config_file
        text = HEAD + yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True)
        try:
            written = write_new(path, text.encode())
        except OSError as error:
            raise Refused(f"{path} was not written: {error.strerror or error}") from error
        if not written:
            raise Refused(f"{path} is there already; it was left as it is.")
        return f"Using {using}. Written to {path}"

    # --- whether to trust -------------------------------------------------------------------

    def brings(self, folder: str) -> Sequence[str]:
        return would_activate(Path(os.path.realpath(folder)))

    def untrusted(self, folder: str) -> Sequence[str]:
        root = os.path.realpath(folder)
        brings = self.brings(root)
        if not brings or root in self._declined():
            return ()
        try:
            return () if self._trust.covers(Path(root)) else brings
        except Problems:
            # Nothing is trusted by guessing; the doctor and every session say what is wrong.
            return ()

    def trust(self, folder: str, *, trusted: bool) -> None:
        root = os.path.realpath(folder)
        others = [known for known in self._declined() if known != root]
        try:
            if trusted:
                self._trust.add(Path(root))
            else:
                self._trust.remove(Path(root))
            self._remember(**{DECLINED: others if trusted else [*others, root]})
        except (OSError, Problems) as error:
            raise Refused(f"The answer was not kept: {error}") from error

    @property
    def _trust(self) -> Trust:
        return Trust.at(self._wiring.places)

    def _declined(self) -> Sequence[str]:
        kept = self._recall().get(DECLINED)
        return [one for one in kept if isinstance(one, str)] if isinstance(kept, list) else []


def _base_url(address: str) -> str:
    """An address as people write it: a port, host:port, or all of it; `/v1` is understood."""
    text = address.strip().rstrip("/")
    if text.isdecimal():
        text = f"127.0.0.1:{text}"
    if "://" not in text:
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(c.isspace() for c in text):
        raise Refused(f"{address!r} is no address; such as http://127.0.0.1:11434")
    return text if parts.path else f"{text}/v1"
