"""HTTP to one provider: one origin, no redirects, and a limit on everything that is waited for."""

import asyncio
import importlib
import ipaddress
import ssl
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from longwatch import __version__
from longwatch.adapters.models import faults
from longwatch.adapters.models.provider import (
    MASK,
    MEBIBYTE,
    KeySource,
    Limits,
    ProviderConfig,
    ProviderProblem,
    Secret,
    Surroundings,
    checked_headers,
)
from longwatch.engine.ports import FaultKind, ModelFault

if TYPE_CHECKING:
    import httpx

MAX_COMPLAINT = 64 * 1024
"""How much of an error's body is read."""
MAX_NAMES = 4 * 1024 * 1024
COMPLAINT_TIME = 5.0
"""Seconds that the rest of an error's body is waited for."""


class Answer:
    """A response that is under way. Whoever reads it says when a chunk brought something."""

    def __init__(
        self, wire: "Wire", response: "httpx.Response", limits: Limits, deadline: float
    ) -> None:
        self._wire = wire
        self._response = response
        self._limits = limits
        self._deadline: float | None = deadline
        self._progressed_at = 0.0
        self._fixed = False
        self._size = 0
        encoded = "content-encoding" in response.headers
        self._chunks = response.aiter_bytes() if encoded else response.aiter_raw()
        self._time = asyncio.get_running_loop().time

    @property
    def status(self) -> int:
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers

    async def next_chunk(self) -> bytes | None:
        """The next bytes, or None at the end. Raises ModelFault."""
        try:
            if self._deadline is None:
                # The client's own time-out covers a read that follows on progress, for less.
                chunk = await anext(self._chunks, None)
            else:
                async with asyncio.timeout_at(self._deadline):
                    chunk = await anext(self._chunks, None)
        except TimeoutError:
            raise self._wire.fault("stalled", "nothing came for too long.") from None
        except self._wire.transport_errors as error:
            raise self._wire.fault(*faults.of_transport(error, answered=True)) from None
        if chunk is not None:
            self._size += len(chunk)
            if self._size > self._limits.response:
                size = self._limits.response // MEBIBYTE
                raise self._wire.fault("malformed", f"the response is larger than {size} MiB.")
            if self._deadline is None:
                self._deadline = self._progressed_at + self._limits.between_events
        return chunk

    def progressed(self) -> None:
        """What came last was part of a reply; a comment or a ping is not."""
        if not self._fixed:
            self._deadline = None
            self._progressed_at = self._time()

    def hurry(self, seconds: float) -> None:
        """Wait at most this long for all the rest."""
        if not self._fixed:
            self._fixed = True
            self._deadline = self._time() + seconds

    async def drain(self) -> None:
        """Read to the end of a reply that is whole, if it is near, to keep the connection."""
        self._fixed = False
        self.hurry(self._limits.drain)
        try:
            while await self.next_chunk() is not None:
                pass
        except ModelFault:
            # The reply is whole; a connection that ends badly is just not used again.
            await self.aclose()

    async def read(self, limit: int) -> bytes:
        """What comes until the end, the deadline or the limit."""
        parts: list[bytes] = []
        size = 0
        try:
            while size < limit and (chunk := await self.next_chunk()) is not None:
                parts.append(chunk)
                size += len(chunk)
        except ModelFault:
            # An error's body is told as far as it came.
            await self.aclose()
        return b"".join(parts)[:limit]

    async def aclose(self) -> None:
        await self._response.aclose()


class Wire:
    """The way to one provider. The client is made when it is first used, and used again."""

    def __init__(
        self, name: str, config: ProviderConfig, base_url: str, surroundings: Surroundings
    ) -> None:
        self.name = name
        self.limits = surroundings.limits
        self.base = checked_base(name, base_url)
        self._key_source = KeySource(config, surroundings.environ)
        self._headers = checked_headers(name, config.headers)
        self._insecure_http = surroundings.insecure_http
        self._now = surroundings.now
        self._client: httpx.AsyncClient | None = None
        self._used: Secret | None = None
        self.transport_errors: tuple[type[Exception], ...] = (OSError,)

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def key(self) -> Secret | None:
        """The provider's key, for this request."""
        try:
            self._used = self._key_source.read()
        except ProviderProblem as problem:
            raise self.fault("auth", f"{problem}.") from None
        return self._used

    async def post(
        self, path: str, body: bytes, headers: Mapping[str, str | Secret], first_byte: float
    ) -> Answer:
        """The response to one request, if it is one that holds a reply. Raises ModelFault."""
        answer = await self._send("POST", path, headers, body, first_byte)
        if 200 <= answer.status < 300:
            return answer
        try:
            raise await self._refusal(answer)
        finally:
            await answer.aclose()

    async def model_names(self, path: str, headers: Mapping[str, str | Secret]) -> bytes:
        """The list of models as the server gives it, if it does so quickly. Raises ModelFault."""
        answer = await self._send("GET", path, headers, b"", self.limits.model_names)
        try:
            if answer.status != 200:
                raise await self._refusal(answer)
            answer.hurry(self.limits.model_names)
            return await answer.read(MAX_NAMES)
        finally:
            await answer.aclose()

    def fault(self, kind: FaultKind, words: str, status: int | None = None) -> ModelFault:
        return ModelFault(kind, self._told(words), status=status)

    def complained(
        self, complaint: faults.Complaint, status: int, retry_after: float | None = None
    ) -> faults.Complained:
        """The fault for what a server says went wrong."""
        complaint = faults.Complaint(
            self._scrubbed(complaint.message), self._scrubbed(complaint.type), complaint.code
        )
        meant = complaint.status if status < 300 and complaint.status else status
        kind = faults.kind_of(complaint, meant)
        words = faults.explain(kind, meant, complaint, self._key_source.place)
        return faults.Complained(
            kind,
            self._told(words),
            complaint=complaint,
            status=meant,
            retry_after=retry_after,
        )

    def _told(self, words: str) -> str:
        """What happened, and with whom."""
        return self._scrubbed(f"{self.name} ({self.base.netloc}): {words}")

    def _scrubbed(self, text: str) -> str:
        """A text without the key and the header values, which a server may echo."""
        for secret in (self._used, *self._headers.values()):
            if secret is not None and len(secret.reveal()) >= 6:
                text = text.replace(secret.reveal(), MASK)
        return text

    async def _send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str | Secret],
        body: bytes,
        first_byte: float,
    ) -> Answer:
        self._check_origin()
        client = self._ready()
        deadline = asyncio.get_running_loop().time() + first_byte
        sent = {**headers, **self._headers}
        request = client.build_request(
            method,
            self.base._replace(path=self.base.path + path).geturl(),
            content=body or None,
            headers={name: _bare(value) for name, value in sent.items()},
        )
        try:
            async with asyncio.timeout_at(deadline):
                response = await client.send(request, stream=True, follow_redirects=False)
        except TimeoutError:
            words = f"no answer came within {first_byte:g} s."
            raise self.fault("stalled", words) from None
        except self.transport_errors as error:
            raise self.fault(*faults.of_transport(error, answered=False)) from None
        return Answer(self, response, self.limits, deadline)

    async def _refusal(self, answer: Answer) -> ModelFault:
        status = answer.status
        if 300 <= status < 400:
            target = urlsplit(answer.headers.get("location", "")).hostname or "an unnamed place"
            return self.fault(
                "redirect",
                f"the server redirects to {faults.printable(target)}, and redirects are not "
                "followed. If that is right, set base_url to it.",
                status,
            )
        answer.hurry(COMPLAINT_TIME)
        complaint = faults.read_complaint(await answer.read(MAX_COMPLAINT))
        wait = faults.retry_after(answer.headers, self._now())
        return self.complained(complaint, status, wait)

    def _check_origin(self) -> None:
        host = self.base.hostname or ""
        if self.base.scheme == "https" or is_loopback(host):
            return
        if host not in (allowed.lower() for allowed in self._insecure_http):
            raise self.fault(
                "insecure",
                f"plain http would show the key and the conversation to the network. Use https, "
                f"or add {host} to insecure_http.",
            )

    def _ready(self) -> "httpx.AsyncClient":
        if self._client is None:
            httpx = _load_httpx()
            self.transport_errors = (httpx.HTTPError, httpx.InvalidURL, OSError)
            host = self.base.hostname or ""
            bare = f"[{host}]" if ":" in host else host
            local = is_loopback(host)
            plain = local and self.base.scheme == "http"
            self._client = httpx.AsyncClient(
                # The variables for proxies hold, but this machine is not reached through one.
                mounts={f"all://{bare}": None} if local else None,
                # Trusts nobody: there is no TLS on this way, and loading certificates takes long.
                verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True,
                follow_redirects=False,
                limits=httpx.Limits(
                    max_connections=None, max_keepalive_connections=20, keepalive_expiry=60
                ),
                timeout=httpx.Timeout(
                    connect=self.limits.connect,
                    read=self.limits.between_events,
                    write=self.limits.between_events,
                    pool=None,
                ),
                headers={
                    "user-agent": f"longwatch/{__version__}",
                    "accept-encoding": "identity",
                    "content-type": "application/json",
                },
            )
        return self._client


def _load_httpx() -> ModuleType:
    """Only when it is needed: it takes longer than all the rest of a start.

    Where click is installed, httpx loads a command line of its own with it, and with that rich
    and pygments: 5 MB that nobody here uses.
    """
    hidden = "click" not in sys.modules
    if hidden:
        sys.modules["click"] = None  # type: ignore[assignment]
    try:
        return importlib.import_module("httpx")
    finally:
        if hidden:
            del sys.modules["click"]


def checked_base(name: str, base_url: str) -> SplitResult:
    """A base URL taken apart, if it is one. It is not shown: it may hold a secret."""
    try:
        base = urlsplit(base_url.strip())
        known = base.scheme in ("http", "https") and base.hostname and base.port != 0
    except ValueError:
        known = False
    if not known or not base_url.isascii() or not base_url.strip().isprintable():
        raise ProviderProblem(
            f"provider {name!r}: base_url must be an http or https address with a host"
        )
    if base.username is not None or base.password is not None:
        raise ProviderProblem(
            f"provider {name!r}: base_url must not hold a user name or password; "
            "use api_key_env, api_key_file or headers"
        )
    return base._replace(path=base.path.rstrip("/"), fragment="")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bare(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value
