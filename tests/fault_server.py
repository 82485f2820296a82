"""A real HTTP server on loopback that answers as it is told, with every fault a provider can have.

Each request takes the next reply of the script and is recorded. What the replies say is made by
``model_replies``; here is how they travel: in which pieces, how framed, and how they end.
"""

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import TracebackType
from typing import Any, BinaryIO, Literal, Self

REASONS = {200: "OK", 404: "Not Found"}
PING_EVERY = 0.002
TLS_HELLO = b"\x16"

Framing = Literal["chunked", "length", "close"]
Ending = Literal["whole", "eof", "reset", "silence", "pings"]


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """One answer. ``pieces`` are sent one by one; with ``chunked`` framing each arrives alone."""

    pieces: Sequence[bytes] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    framing: Framing = "chunked"
    ending: Ending = "whole"
    ping: bytes = b": ping\n\n"
    with_head: bool = True

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)

    def split(self, *positions: int) -> "Reply":
        """The same bytes, cut at these positions."""
        body, ends = self.body, [0, *sorted(positions), len(self.body)]
        pieces = [body[a:b] for a, b in pairwise(ends) if a < b]
        return replace(self, pieces=pieces)

    def every(self, size: int) -> "Reply":
        """The same bytes in pieces of that size."""
        return self.split(*range(size, len(self.body), size))

    def cut(self, at: int, ending: Ending = "eof") -> "Reply":
        """Only the first bytes, and then this end."""
        return replace(self, pieces=[self.body[:at]], ending=ending)

    def headed(self, **headers: str) -> "Reply":
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return replace(self, headers={**self.headers, **named})


NOTHING = Reply(with_head=False, ending="silence")
"""The request is read and never answered."""

Answering = Callable[[Request], Reply]


class FaultServer:
    """The server, as a context manager for plain and for async tests."""

    def __init__(self, *script: Reply, otherwise: Answering | None = None) -> None:
        self.script: list[Reply] = list(script)
        self.otherwise = otherwise
        self.requests: list[Request] = []
        self.models: Sequence[str] | None = None
        self.listing: Reply | None = None
        """The answer to who asks for the models, if it is not simply those."""
        self.connections = 0
        self.received = threading.Semaphore(0)
        """Released for each request that has come."""
        self.answered = threading.Semaphore(0)
        """Released for each reply that was sent to its end."""
        self._listener: socket.socket | None = None
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def add(self, *replies: Reply) -> Self:
        with self._lock:
            self.script.extend(replies)
        return self

    @property
    def port(self) -> int:
        assert self._listener is not None, "the server is not running"
        return int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def asked(self) -> list[Any]:
        """The JSON bodies of all requests for a reply."""
        return [request.json for request in self.requests if request.method == "POST"]

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._spawn(self._accept)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopping.set()
        assert self._listener is not None
        with socket.socket() as knock:
            # Wakes the thread that waits for a connection.
            knock.connect_ex(self._listener.getsockname())
        with self._lock:
            sockets = list(self._open)
        for sock in sockets:
            _hang_up(sock)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, trace)

    def _spawn(self, work: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        assert self._listener is not None
        while not self._stopping.is_set():
            sock, _ = self._listener.accept()
            if self._stopping.is_set():
                sock.close()
                return
            with self._lock:
                self.connections += 1
                self._open.add(sock)
            self._spawn(self._serve, sock)

    def _serve(self, sock: socket.socket) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if sock.recv(1, socket.MSG_PEEK) == TLS_HELLO:
                sock.sendall(b"HTTP/1.1 400 This is plain HTTP\r\n\r\n")
                return
            with sock.makefile("rb") as incoming:
                while (request := _read(incoming)) is not None:
                    if not self._answer(sock, self._reply_to(request)):
                        break
        except OSError:
            # The client went away, as many tests want it to.
            pass
        finally:
            with self._lock:
                self._open.discard(sock)
            sock.close()

    def _reply_to(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            self.received.release()
            if request.method == "GET":
                return self._names()
            if self.script:
                return self.script.pop(0)
        if self.otherwise is not None:
            return self.otherwise(request)
        return Reply([b'{"error": {"message": "the script is used up"}}'], status=501)

    def _names(self) -> Reply:
        if self.listing is not None:
            return self.listing
        if self.models is None:
            return Reply([b"{}"], status=404)
        listed = {"data": [{"id": name} for name in self.models]}
        return Reply([json.dumps(listed).encode()], framing="length")

    def _answer(self, sock: socket.socket, reply: Reply) -> bool:
        """Send a reply; whether the connection can be used again."""
        if reply.with_head:
            sock.sendall(_head(reply))
        chunked = reply.framing == "chunked"
        for piece in filter(None, reply.pieces):
            sock.sendall(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        match reply.ending:
            case "whole":
                sock.sendall(b"0\r\n\r\n" if chunked else b"")
                self.answered.release()
                return reply.framing != "close"
            case "reset":
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            case "silence":
                sock.recv(1)
            case "pings":
                ping = b"%x\r\n%b\r\n" % (len(reply.ping), reply.ping)
                while not self._stopping.wait(PING_EVERY):
                    sock.sendall(ping if chunked else reply.ping)
            case "eof":
                pass
        return False


def _read(incoming: BinaryIO) -> Request | None:
    """The next request of a connection, or None at its end."""
    first = incoming.readline().split()
    if len(first) < 2:
        return None
    headers: dict[str, str] = {}
    for line in iter(incoming.readline, b"\r\n"):
        if not line:
            return None
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    body = incoming.read(int(headers.get("content-length", 0)))
    return Request(first[0].decode(), first[1].decode(), headers, body)


def _head(reply: Reply) -> bytes:
    lines = [f"HTTP/1.1 {reply.status} {REASONS.get(reply.status, 'Status')}"]
    match reply.framing:
        case "chunked":
            lines.append("transfer-encoding: chunked")
        case "length":
            lines.append(f"content-length: {len(reply.body)}")
        case "close":
            lines.append("connection: close")
    lines.extend(f"{name}: {value}" for name, value in reply.headers.items())
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _hang_up(sock: socket.socket) -> None:
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


def refused_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
