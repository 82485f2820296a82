"""A provider on loopback in a process of its own: it streams as many tokens as it is asked for.

The last message of a request says how many and how fast: `20000` or `4000 at 200`.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
from model_replies import Said, openai_events

from bench.bench_conversation import markdown

TOKEN = 4
WISH = re.compile(r"(\d+)(?: at (\d+))?\s*$")


def events_of(tokens: int) -> Sequence[bytes]:
    """The events of a Markdown reply, one for each token."""
    return list(openai_events(Said(text=markdown(tokens), piece=TOKEN)))


class Streaming(BaseHTTPRequestHandler):
    """Each event is a chunk of its own."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        tokens, rate = wished(body)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        # A dashboard that was closed takes its worker along: nobody is left to read.
        with suppress(ConnectionError):
            self._stream(tokens, rate)

    def _stream(self, tokens: int, rate: int) -> None:
        began = time.monotonic()
        for number, event in enumerate(self.server.made(tokens)):  # type: ignore[attr-defined]
            if rate:
                time.sleep(max(0.0, began + number / rate - time.monotonic()))
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


class Server(ThreadingHTTPServer):
    """Keeps what it made, so that making it is done once."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Streaming)
        self._made: dict[int, Sequence[bytes]] = {}

    def made(self, tokens: int) -> Sequence[bytes]:
        if tokens not in self._made:
            self._made[tokens] = events_of(tokens)
        return self._made[tokens]


def wished(body: bytes) -> tuple[int, int]:
    said = [m["content"] for m in msgspec.json.decode(body)["messages"] if m["role"] == "user"]
    found = WISH.search(str(said[-1]))
    return (int(found[1]), int(found[2] or 0)) if found else (20, 0)


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.stream_server"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def main() -> None:
    with Server() as server:
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
