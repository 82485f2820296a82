"""A provider on loopback in a process of its own: it works through one list after the other.

It decides by the request alone, streams at the pace of a real one, and has faults now and then.
`python -m soak.steady_model` prints its address.
"""

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

from model_replies import Call, Said, openai_events

ITEMS = ("Read the notes", "Change the first file", "Change the second file", "Say what was done")
CURRENT = re.compile(r"^Now: #(\d+)", re.MULTILINE)
PIECE = 16
PACE = 0.02
"""Seconds between two pieces of a reply."""
PROSE = """\
## What I found

The **login handler** calls `validate()` twice, which is *wasteful*. The second answer is thrown
away, so I keep the first one and go on with the next item of the list.

```python
def validate(token: str) -> bool:
    return any(token.startswith(key) for key in KEYS)
```
"""
LATE, BROKEN, CUT, MALFORMED = 0.01, 0.02, 0.03, 0.04
"""Up to which draw a request is answered with 429, with 500, with half a reply, with nonsense."""


def answer(request: Any, number: int, rng: Random) -> Said:
    """What the model says to a request."""
    if request.get("tool_choice") == "none":
        return Said(text="The first lists are finished; the present one is under way.")
    told = _told(request["messages"])
    if rng.random() < 0.05:
        return Said(text=f"I stop here for a moment ({number}).")
    if "All done." in told:
        return Said(text=PROSE)
    current = _current(request["messages"])
    if current is None or told.startswith("Again"):
        items = [f"{item} ({number})" for item in ITEMS]
        plan = {"goal": f"List {number}", "items": items, "replace": True}
        return _said(number, "todo_plan", plan, "I begin with a plan.")
    if "left a mark" in told:
        return _said(number, "todo_done", {"id": current}, "")
    if rng.random() < 0.03:
        return Said(calls=(Call(f"soak-{number}", "shell", '{"command": "ec'),))
    mark = {"command": f"echo {number} >> marks && echo left a mark"}
    return _said(number, "shell", mark, PROSE)


def _told(messages: Sequence[Any]) -> str:
    """All that came since the last reply."""
    replies = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    since = messages[replies[-1] + 1 if replies else 0 :]
    return "\n".join(str(message.get("content") or "") for message in since)


def _current(messages: Sequence[Any]) -> int | None:
    """The item that the list says is next; None where no list is under way."""
    for message in reversed(messages):
        content = str(message.get("content") or "")
        if "All done." in content:
            return None
        found = CURRENT.findall(content) or re.findall(r"^\[>\] #(\d+):", content, re.MULTILINE)
        if found:
            return int(found[-1])
    return None


def _said(number: int, name: str, arguments: Any, text: str) -> Said:
    return Said(text=text, calls=(Call(f"soak-{number}", name, json.dumps(arguments)),))


class Steady(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        number = self.server.next()
        rng = Random(number)
        fault = rng.random()
        if fault < BROKEN:
            self._refuse(429 if fault < LATE else 500)
            return
        said = answer(json.loads(body), number, rng)
        used = Said(said.text, said.calls, input=len(body) // 4, output=200, cached=0, piece=PIECE)
        events = list(openai_events(used))
        with suppress(ConnectionError):
            self._stream(events, fault)

    def _refuse(self, status: int) -> None:
        told = b'{"error": {"message": "not now"}}'
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("retry-after", "1")
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def _stream(self, events: Sequence[bytes], fault: float) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for at, event in enumerate(events):
            if BROKEN <= fault < CUT and at > len(events) // 2:
                self.close_connection = True
                return
            sent = b"data: {nonsense\n\n" if CUT <= fault < MALFORMED and at == 2 else event
            self.wfile.write(b"%x\r\n%b\r\n" % (len(sent), sent))
            time.sleep(PACE)
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


class Server(ThreadingHTTPServer):
    """Numbers its requests, so that no two say the same."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Steady)
        self._number = 0
        self._counting = threading.Lock()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away, as one does that is cancelled or killed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    def next(self) -> int:
        with self._counting:
            self._number += 1
            return self._number


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    process = subprocess.Popen(
        [sys.executable, "-m", "soak.steady_model"],
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
