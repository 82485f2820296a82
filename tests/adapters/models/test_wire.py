"""The way to a provider: one origin, no redirects, no surprises, and nothing left open."""

import asyncio
import gzip
import socket
import ssl
import traceback
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

import httpx
import pytest
from adapters.models.asking import KEY, QUICK, MakeModel, ask, fault_of, request
from fault_server import NOTHING, FaultServer, Reply, refused_port
from model_replies import Protocol, Said, stream, whole
from msgspec.structs import replace as changed

from longwatch.adapters.models import faults
from longwatch.adapters.models.provider import ProviderConfig, ProviderProblem, Surroundings
from longwatch.adapters.models.wire import Wire, checked_base, is_loopback
from longwatch.engine.ports import FaultKind

BOTH = pytest.mark.parametrize("protocol", ["openai", "anthropic"])


@BOTH
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 304])
async def test_redirects_are_never_followed(
    server: FaultServer, model_for: MakeModel, protocol: Protocol, status: int
) -> None:
    with FaultServer() as elsewhere:
        target = f"{elsewhere.url}/secret/path?token=x"
        server.add(Reply(status=status, headers={"location": target}))
        fault = await fault_of(model_for(protocol))
        assert (fault.kind, fault.status) == ("redirect", status)
        assert "127.0.0.1" in fault.message
        assert "secret" not in fault.message
        assert elsewhere.requests == []
    assert len(server.requests) == 1


async def test_a_redirect_to_nowhere(server: FaultServer, model_for: MakeModel) -> None:
    server.add(Reply(status=302))
    assert (await fault_of(model_for("openai"))).kind == "redirect"


@pytest.mark.parametrize(
    ("host", "allowed", "kind"),
    [
        ("10.0.0.5", (), "insecure"),
        ("example.com", ("other.com",), "insecure"),
        ("127.0.0.1.example.com", (), "insecure"),
        ("localhost.example.com", (), "insecure"),
    ],
)
async def test_plain_http_goes_only_to_this_machine(
    model_for: MakeModel, host: str, allowed: tuple[str, ...], kind: FaultKind
) -> None:
    model = model_for("openai", base_url=f"http://{host}/v1", insecure_http=allowed)
    fault = await fault_of(model)
    assert fault.kind == kind
    assert f"add {host} to insecure_http" in fault.message


async def test_hosts_can_be_allowed(server: FaultServer, model_for: MakeModel) -> None:
    """The check passes; the port is closed."""
    allowed = model_for(
        "openai", base_url=f"http://0.0.0.0:{refused_port()}/v1", insecure_http=("0.0.0.0",)
    )
    assert (await fault_of(allowed)).kind == "unreachable"
    server.add(whole("openai", Said(text="Hi.")))
    local = model_for("openai", base_url=f"http://LOCALHOST:{server.port}/v1")
    assert (await ask(local)).reply.text == "Hi."


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("example.com", False),
        ("", False),
    ],
)
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com/v1",
        "ftp://example.com",
        "https://",
        "https://example.com:99999",
        "https://user:hunter2@example.com",
        "https://exämple.com",
        "https://example.com/\n",
        "https://[::1",
    ],
)
def test_addresses_that_are_none(url: str) -> None:
    if url.endswith("\n"):
        assert checked_base("p", url).path == ""
        return
    with pytest.raises(ProviderProblem) as problem:
        checked_base("p", url)
    assert "hunter2" not in str(problem.value)
    assert "base_url" in str(problem.value)


@BOTH
async def test_nobody_listens(model_for: MakeModel, protocol: Protocol) -> None:
    fault = await fault_of(model_for(protocol, base_url=f"http://127.0.0.1:{refused_port()}"))
    assert fault.kind == "unreachable"
    assert "no connection" in fault.message


async def test_tls_with_a_server_that_has_none(server: FaultServer, model_for: MakeModel) -> None:
    fault = await fault_of(model_for("openai", base_url=f"https://127.0.0.1:{server.port}/v1"))
    assert fault.kind == "tls"
    assert "https" in fault.message


def caused(outer: Exception, cause: BaseException) -> Exception:
    outer.__cause__ = OSError("wrapped")
    outer.__cause__.__context__ = cause
    return outer


UNTRUSTED = ssl.SSLCertVerificationError(1, "bad certificate")
UNTRUSTED.verify_message = "self-signed certificate"


@pytest.mark.parametrize(
    ("error", "answered", "kind"),
    [
        (caused(httpx.ConnectError("x"), UNTRUSTED), False, "tls"),
        (caused(httpx.ConnectError("x"), ssl.SSLError(1, "WRONG_VERSION")), False, "tls"),
        (caused(httpx.ConnectError("x"), ssl.SSLEOFError(8, "EOF")), False, "unreachable"),
        (caused(httpx.ReadError("x"), ssl.SSLError(1, "BAD_MAC")), True, "broken"),
        (caused(httpx.ConnectError("x"), socket.gaierror(-2, "unknown")), False, "unreachable"),
        (httpx.ConnectTimeout("x"), False, "unreachable"),
        (httpx.ProxyError("403 Forbidden"), False, "unreachable"),
        (httpx.ReadTimeout("x"), True, "stalled"),
        (httpx.WriteTimeout("x"), False, "stalled"),
        (httpx.ReadError(""), True, "broken"),
        (httpx.ReadError(""), False, "unreachable"),
        (httpx.RemoteProtocolError("Server disconnected without sending"), False, "broken"),
        (httpx.RemoteProtocolError("illegal status line"), False, "malformed"),
        (httpx.DecodingError("bad gzip"), True, "malformed"),
        (OSError("no route"), False, "unreachable"),
    ],
    ids=range(15),
)
def test_what_a_failed_connection_means(error: Exception, answered: bool, kind: FaultKind) -> None:
    found, words = faults.of_transport(error, answered=answered)
    assert found == kind
    assert words


async def test_a_response_that_is_not_http(server: FaultServer, model_for: MakeModel) -> None:
    server.add(Reply([b"SSH-2.0-OpenSSH_9.6\r\n\r\n"], with_head=False, framing="close"))
    assert (await fault_of(model_for("openai"))).kind == "malformed"


async def test_a_response_that_is_compressed_all_the_same(
    server: FaultServer, model_for: MakeModel
) -> None:
    said = stream("openai", Said(text="Hi."))
    packed = replace(said, pieces=[gzip.compress(said.body)]).headed(content_encoding="gzip")
    broken = replace(said, pieces=[b"not gzip"]).headed(content_encoding="gzip")
    server.add(packed, broken)
    model = model_for("openai")
    assert (await ask(model)).reply.text == "Hi."
    assert (await fault_of(model)).kind == "malformed"
    assert server.requests[0].headers["accept-encoding"] == "identity"


async def test_this_machine_is_not_reached_through_a_proxy(
    server: FaultServer, model_for: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy of the environment holds for everyone else."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{refused_port()}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    server.add(whole("openai", Said(text="Hi.")))
    assert (await ask(model_for("openai"))).reply.text == "Hi."
    other = model_for("openai", base_url="http://0.0.0.0:9/v1", insecure_http=("0.0.0.0",))
    assert (await fault_of(other)).kind == "unreachable"


async def test_a_proxy_is_honoured(
    server: FaultServer, model_for: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, server.url)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    server.add(whole("openai", Said(text="Hi.")))
    model = model_for("openai", base_url="http://model.lan/v1", insecure_http=("Model.LAN",))
    assert (await ask(model)).reply.text == "Hi."
    assert server.requests[0].path == "http://model.lan/v1/chat/completions"


@BOTH
async def test_cancelling_ends_the_request(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    """Before the answer, and in the middle of it."""
    model = model_for(protocol)
    said = stream(protocol, Said(text="Hello there."))
    for reply in (NOTHING, said.cut(said.body.index(b"o th"), "silence")):
        server.script = [reply]
        task = asyncio.create_task(fault_of(model))
        await asyncio.to_thread(server.received.acquire)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    server.script = [said]
    assert (await ask(model)).reply.text == "Hello there."


@BOTH
async def test_a_slow_reader_is_no_stall(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    """Time spent by whoever reads the stream does not count as the server's silence."""
    said = stream(protocol, Said(text="Hello there."))
    server.add(said.split(said.body.index(b"o th")))
    limits = changed(QUICK, between_events=0.05)
    generator = cast("Any", model_for(protocol, limits=limits).stream(request()))
    parts = []
    async with aclosing(generator):
        async for part in generator:
            parts.append(part)
            if len(parts) == 1:
                await asyncio.to_thread(server.answered.acquire)
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(asyncio.Event().wait(), 2 * limits.between_events)
    assert parts[-1].text == "Hello there."


@BOTH
async def test_closing_twice_and_using_again(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    model = model_for(protocol)
    await model.aclose()
    server.add(*[whole(protocol, Said(text="Hi."))] * 2)
    await ask(model)
    await model.aclose()
    await model.aclose()
    assert (await ask(model)).reply.text == "Hi."


@pytest.mark.parametrize(
    ("key", "told"),
    [("", "set CANARY"), ("  ", "set CANARY"), ("sk-with space", "CANARY"), ("sk-ünï", "CANARY")],
)
async def test_a_key_that_cannot_be_sent(key: str, told: str) -> None:
    wire = Wire(
        "p",
        ProviderConfig(type="openai", api_key_env="CANARY"),
        "https://example.com",
        Surroundings(environ={"CANARY": key}),
    )
    with pytest.raises(Exception, match=told) as problem:
        wire.key()
    assert getattr(problem.value, "kind", None) == "auth"
    assert not key.strip() or key not in "".join(traceback.format_exception(problem.value))


@BOTH
async def test_nothing_of_the_key_is_in_a_traceback(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    model = model_for(protocol, headers={"x-secret": "hunter2-hunter2"})
    server.add(NOTHING, Reply(with_head=False, ending="reset"), Reply(status=302))
    server.add(Reply([b"<html>"]), Reply([KEY.encode()], status=500))
    limits = changed(QUICK, first_byte=0.05)
    slow = model_for(protocol, limits=limits)
    for asked in (slow, model, model, model, model):
        fault = await fault_of(asked)
        shown = "".join(traceback.format_exception(fault)) + repr(asked) + repr(vars(asked))
        assert KEY not in shown
        assert "hunter2" not in shown
    assert KEY not in repr(model.preview(request()))
