"""What a model says as it comes in: kept in pieces, given on in pieces, always encodable."""

import re
from typing import Any, Literal

import msgspec

from longwatch.engine.ports import ReasoningDelta, TextDelta

Channel = Literal["text", "reasoning"]

_SURROGATE = re.compile("[\ud800-\udfff]")


class Speech:
    """Text and reasoning so far. Joining them at each token would cost their square."""

    def __init__(self) -> None:
        self.mending = False
        """Halves of characters have come, so that texts must be looked through."""
        self._said: dict[Channel, list[str]] = {"text": [], "reasoning": []}
        self._channel: Channel = "text"
        self._run: list[str] = []
        self._fresh: list[TextDelta | ReasoningDelta] = []
        self._held = ""

    def say(self, channel: Channel, piece: str) -> None:
        if channel != self._channel:
            self._end_run()
            self._channel = channel
        self._run.append(piece)

    def fresh(self) -> list[TextDelta | ReasoningDelta]:
        """What was said since this was last asked; pieces that came together are one."""
        self._end_run()
        fresh, self._fresh = self._fresh, []
        return fresh

    def end(self) -> None:
        """Nothing more is said, so half a character stays half."""
        if self._held:
            self._held = ""
            self._run.append("\ufffd")
        self._end_run()

    def all(self, channel: Channel) -> str:
        return "".join(self._said[channel])

    def size(self) -> int:
        """How many bytes were said."""
        pieces = (*self._said["text"], *self._said["reasoning"], *self._run)
        return sum(len(piece.encode("utf-8", "replace")) for piece in pieces)

    def _end_run(self) -> None:
        if not self._run:
            return
        text = "".join(self._run)
        self._run.clear()
        if self.mending:
            text = self._mended(text)
        if text:
            self._said[self._channel].append(text)
            self._fresh.append(TextDelta(text) if self._channel == "text" else ReasoningDelta(text))

    def _mended(self, text: str) -> str:
        """A half at the end is held back: its other half may come with the next token."""
        text, self._held = self._held + text, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return mended(text)


def mended(text: str) -> str:
    """The text with halves of characters joined, and replaced where the other half is missing."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def sendable(value: Any) -> Any:
    """A JSON value in which every text can be encoded."""
    match value:
        case str():
            return mended(value)
        case dict():
            return {mended(key): sendable(inner) for key, inner in value.items()}
        case list() | tuple():
            return [sendable(inner) for inner in value]
        case _:
            return value


def encoded(body: dict[str, Any]) -> bytes:
    """A request's body as bytes; only one that cannot be encoded is looked through."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(sendable(body))
