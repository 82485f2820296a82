"""Requests, and what comes of them, for the tests of the model adapters."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from longwatch.adapters.models.exchange import HttpModel
from longwatch.adapters.models.provider import Limits
from longwatch.dialects import ToolSpec
from longwatch.engine.ports import (
    Model,
    ModelFault,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
)
from longwatch.session.transcript import Message, UserText

KEY = "sk-canary-0123456789abcdef"
QUICK = Limits(
    connect=5.0,
    first_byte=5.0,
    first_byte_reasoning=5.0,
    between_events=5.0,
    after_the_end=5.0,
    drain=5.0,
    model_names=1.0,
)

MakeModel = Callable[..., HttpModel]

SHELL = ToolSpec(
    "shell",
    "Run a command.",
    {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
)


def request(*messages: Message, model: str = "m", **more: Any) -> ModelRequest:
    return ModelRequest(
        model=model,
        system=more.pop("system", "Be useful."),
        tools=more.pop("tools", (SHELL,)),
        messages=messages or (UserText("Do it.", "human"),),
        **more,
    )


@dataclass
class Heard:
    """All that a stream gave."""

    texts: list[str]
    reasons: list[str]
    reply: ModelReply


async def ask(model: Model, asked: ModelRequest | None = None) -> Heard:
    reply: ModelReply | None = None
    texts: list[str] = []
    reasons: list[str] = []
    async for part in model.stream(asked or request()):
        assert reply is None, "something came after the reply"
        match part:
            case TextDelta(text=text):
                texts.append(text)
            case ReasoningDelta(text=text):
                reasons.append(text)
            case ModelReply():
                reply = part
    assert reply is not None
    assert "".join(texts) == reply.text
    assert "".join(reasons) == reply.reasoning
    return Heard(texts, reasons, reply)


async def fault_of(model: Model, asked: ModelRequest | None = None) -> ModelFault:
    """The fault that a request ends with."""
    try:
        heard = await ask(model, asked)
    except ModelFault as fault:
        return fault
    raise AssertionError(f"there was no fault but {heard.reply}")


async def first_delta(model: Model, asked: ModelRequest | None = None) -> TextDelta:
    """What comes first; the rest is not read."""
    stream = cast("Any", model.stream(asked or request()))
    async with aclosing(stream):
        part = await anext(stream)
    assert isinstance(part, TextDelta)
    return part
