"""A model that says what the test tells it, when the test tells it."""

import json
import threading
from types import TracebackType
from typing import Any, Self

from fault_server import FaultServer, Reply, Request
from model_replies import Call, Said, stream
from terminals import DEADLINE, Terminal

GOAL = "Ship the parcel"
ITEMS = ("Weigh it", "Print the label", "Call Bob")


def call(id_: str, name: str, **arguments: Any) -> Call:
    return Call(id_, name, json.dumps(arguments))


def plan(goal: str = GOAL, items: tuple[str, ...] = ITEMS) -> Call:
    return call("plan", "todo_plan", goal=goal, items=list(items))


def done(number: int) -> Call:
    return call(f"done-{number}", "todo_done", id=number)


class Model:
    """A server whose every reply waits until the test gives it."""

    def __init__(self) -> None:
        self._server = FaultServer(otherwise=self._reply)
        self._changed = threading.Condition()
        self._requests: list[Request] = []
        self._replies: dict[int, Reply] = {}
        self._at = -1
        self._closed = False

    @property
    def url(self) -> str:
        return self._server.url

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._server.__exit__(kind, error, trace)

    def asked(self) -> list[dict[str, Any]]:
        """Wait for the next request, and give its messages. Its reply is the next one given."""
        with self._changed:
            self._at += 1
            came = self._changed.wait_for(lambda: len(self._requests) > self._at, DEADLINE)
            assert came, "the model was not asked"
            messages: list[dict[str, Any]] = self._requests[self._at].json["messages"]
            return messages

    def told(self) -> str:
        """Wait for the next request, and give its last messages since a reply, as text."""
        messages = self.asked()
        since = max((n for n, m in enumerate(messages) if m["role"] == "assistant"), default=0)
        return "\n".join(str(message.get("content") or "") for message in messages[since:])

    def say(self, text: str = "", *calls: Call, **more: Any) -> None:
        """Answer the request that was last waited for."""
        self.answer(stream("openai", Said(text, calls, **more)))

    def answer(self, reply: Reply) -> None:
        with self._changed:
            self._replies[self._at] = reply
            self._changed.notify_all()

    def _reply(self, request: Request) -> Reply:
        with self._changed:
            number = len(self._requests)
            self._requests.append(request)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or number in self._replies)
            return self._replies.get(number) or Reply([b"{}"], status=503)


def start(terminal: Terminal, model: Model, task: str) -> None:
    """Start a session by keys, and wait until the model is asked."""
    terminal.ready()
    terminal.press("ctrl+n")
    terminal.see("What is to be done?")
    terminal.type(task)
    terminal.see(task)
    terminal.press("ctrl+j")
    terminal.see_none("esc cancel")
    terminal.see(f"Message {task[:30]}")
    assert task in model.told()
