"""The providers' own clients agree: they read our server's streams as we do, and their types
accept what we send."""

import json
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from adapters.models.asking import SHELL, MakeModel, ask, request
from anthropic.types.message_create_params import (
    MessageCreateParamsNonStreaming,
    MessageCreateParamsStreaming,
)
from fault_server import FaultServer
from model_replies import Call, Protocol, Said, stream, whole
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from pydantic import TypeAdapter

from longwatch.engine.ports import ModelReply
from longwatch.session.events import ToolCall
from longwatch.session.transcript import AssistantText, Message, ToolResult, UserText

SAID = Said(
    text="I look. ✓ 日本 😀",
    reasoning="Hm.",
    calls=(Call("call_a", "shell", '{"command": "ls"}'), Call("call_b", "read_file", "{}")),
)


@pytest.mark.parametrize("size", [5, 100_000])
async def test_the_openai_client_reads_the_same_stream(
    server: FaultServer, model_for: MakeModel, size: int
) -> None:
    server.add(*[stream("openai", SAID).every(size)] * 2)
    ours = (await ask(model_for("openai"))).reply
    text, usage = "", None
    calls: dict[int, list[str]] = {}
    async with (
        httpx2.AsyncClient(trust_env=False) as http,
        openai.AsyncOpenAI(
            api_key="k", base_url=f"{server.url}/v1", http_client=http, max_retries=0
        ) as client,
        await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}], stream=True
        ) as chunks,
    ):
        async for chunk in chunks:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                for call in choice.delta.tool_calls or ():
                    known = calls.setdefault(call.index, ["", "", ""])
                    assert call.function is not None
                    known[0] += call.id or ""
                    known[1] += call.function.name or ""
                    known[2] += call.function.arguments or ""
    assert text == ours.text
    assert usage is not None
    assert ours.usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens) == (ours.usage.input, ours.usage.output)
    theirs = [(id_, name, json.loads(arguments)) for id_, name, arguments in calls.values()]
    assert theirs == [(call.id, call.name, call.arguments) for call in ours.tool_calls]


@pytest.mark.parametrize("size", [5, 100_000])
async def test_the_anthropic_client_reads_the_same_stream(
    server: FaultServer, model_for: MakeModel, size: int
) -> None:
    server.add(*[stream("anthropic", SAID).every(size)] * 2)
    ours = (await ask(model_for("anthropic"))).reply
    async with (
        httpx2.AsyncClient(trust_env=False) as http,
        anthropic.AsyncAnthropic(
            api_key="k", base_url=server.url, http_client=http, max_retries=0
        ) as client,
        client.messages.stream(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}]
        ) as events,
    ):
        message = await events.get_final_message()
    text = "".join(part.text for part in message.content if part.type == "text")
    thinking = "".join(part.thinking for part in message.content if part.type == "thinking")
    calls = [(p.id, p.name, p.input) for p in message.content if p.type == "tool_use"]
    assert (text, thinking) == (ours.text, ours.reasoning)
    assert calls == [(call.id, call.name, call.arguments) for call in ours.tool_calls]
    assert ours.usage is not None
    read = message.usage.cache_read_input_tokens or 0
    assert message.usage.input_tokens + read == ours.usage.input
    assert (message.usage.output_tokens, read) == (ours.usage.output, ours.usage.cached)


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_the_clients_read_whole_replies(
    server: FaultServer, model_for: MakeModel, protocol: Protocol
) -> None:
    server.add(whole(protocol, SAID), whole(protocol, SAID))
    ours = (await ask(model_for(protocol), request(stream=False))).reply
    async with httpx2.AsyncClient(trust_env=False) as http:
        if protocol == "openai":
            client = openai.AsyncOpenAI(
                api_key="k", base_url=f"{server.url}/v1", http_client=http, max_retries=0
            )
            reply = await client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "x"}]
            )
            theirs = reply.choices[0].message.content
        else:
            other = anthropic.AsyncAnthropic(
                api_key="k", base_url=server.url, http_client=http, max_retries=0
            )
            message = await other.messages.create(
                model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}]
            )
            theirs = "".join(part.text for part in message.content if part.type == "text")
    assert theirs == ours.text


def history(reply: ModelReply) -> tuple[Message, ...]:
    """A conversation with everything in it that is sent back."""
    said = AssistantText(
        reply.text, reply.tool_calls, reply.reasoning, provider_data=reply.provider_data
    )
    return (
        UserText("Do it.", "human"),
        said,
        *(ToolResult(call.id, call.name, "a.txt", ok=True) for call in reply.tool_calls),
        UserText("Go on.", "continuation"),
        AssistantText("", (ToolCall("c2", "shell", "{bad"),)),
        ToolResult("c2", "shell", "", ok=False),
        AssistantText("Done."),
        UserText("", "human"),
    )


def checked(value: Any) -> Any:
    """What a type made of a value; its lists are only checked when they are read."""
    match value:
        case dict():
            return {key: checked(inner) for key, inner in value.items()}
        case str() | int() | float() | None:
            return value
        case _:
            return [checked(inner) for inner in value]


REQUESTS: list[dict[str, Any]] = [
    {},
    {"tools": (), "system": ""},
    {"max_output_tokens": 10, "reasoning_effort": "high", "tool_choice": "none"},
    {"tools": (SHELL, SHELL), "reasoning_effort": "low"},
]
TYPES: dict[tuple[str, bool], Any] = {
    ("openai", True): CompletionCreateParamsStreaming,
    ("openai", False): CompletionCreateParamsNonStreaming,
    ("anthropic", True): MessageCreateParamsStreaming,
    ("anthropic", False): MessageCreateParamsNonStreaming,
}


@pytest.mark.parametrize("more", REQUESTS)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
@pytest.mark.parametrize("name", ["claude-opus-5-5", "claude-haiku-4-5", "gpt-6.1-terra"])
async def test_their_types_accept_what_we_send(
    server: FaultServer,
    model_for: MakeModel,
    protocol: Protocol,
    more: dict[str, Any],
    streamed: bool,
    name: str,
) -> None:
    server.add(stream(protocol, SAID))
    model = model_for(protocol, model=name)
    first = (await ask(model, request(model=name, **more))).reply
    body = model.preview(request(*history(first), stream=streamed, model=name, **more))
    sent = json.loads(json.dumps(body))
    # What a type does not know, it leaves out.
    assert checked(TypeAdapter(TYPES[protocol, streamed]).validate_python(sent)) == sent
    if protocol == "anthropic":
        assert sent["messages"][1]["content"][0]["type"] == "thinking"
