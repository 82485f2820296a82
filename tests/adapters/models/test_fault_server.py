"""The server that the other tests stand on does what it is told."""

import http.client
import threading

import pytest
from adapters.models.asking import ask
from fault_server import NOTHING, FaultServer, Reply
from model_replies import Said, whole

from longwatch.adapters.models import openai
from longwatch.adapters.models.provider import ProviderConfig, Surroundings


def post(port: int, body: bytes = b"{}") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    try:
        connection.request("POST", "/v1/x", body, {"X-Mine": "1"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_script_is_played_and_requests_are_kept() -> None:
    with FaultServer(Reply([b"one"]), Reply([b"two"], status=418, framing="length")) as server:
        assert post(server.port, b'{"n": 1}') == (200, b"one")
        assert post(server.port) == (418, b"two")
        assert post(server.port)[0] == 501
        server.otherwise = lambda request: Reply([request.body], framing="close")
        assert post(server.port, b"[5]") == (200, b"[5]")
        assert server.requests[0].json == {"n": 1}
        assert server.requests[0].headers["x-mine"] == "1"
        assert server.asked[:2] == [{"n": 1}, {}]


async def test_it_serves_async_tests_too() -> None:
    async with FaultServer(whole("openai", Said(text="Hi."))) as server:
        config = ProviderConfig(type="openai", base_url=server.url)
        model = openai.build("p", "m", config, Surroundings())
        assert (await ask(model)).reply.text == "Hi."
        await model.aclose()


def test_bytes_can_be_cut_anywhere() -> None:
    reply = Reply([b"abc", b"def"])
    assert reply.split(1, 5).pieces == [b"a", b"bcde", b"f"]
    assert reply.every(1).pieces == [b"a", b"b", b"c", b"d", b"e", b"f"]
    assert reply.cut(2, "reset") == Reply([b"ab"], ending="reset")
    assert reply.headed(retry_after="1").headers == {"retry-after": "1"}


@pytest.mark.parametrize("reply", [NOTHING, Reply([b"x"], ending="pings")])
def test_closing_it_ends_what_still_waits(reply: Reply) -> None:
    before = threading.active_count()
    with FaultServer(reply) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("POST", "/", b"{}")
        server.received.acquire()
    connection.close()
    assert threading.active_count() == before
