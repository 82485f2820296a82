"""Messages: the body that is sent, thinking that goes back as it came, and cache marks."""

import json
from dataclasses import replace
from typing import Any

import pytest
from adapters.models.asking import SHELL, MakeModel, ask, fault_of, request
from fault_server import FaultServer, Reply
from model_replies import EVENTS, Call, Said, block, error, event, stream, whole

from longwatch.adapters.models.provider import Prices
from longwatch.dialects import ToolSpec
from longwatch.engine.ports import ModelReply
from longwatch.session.events import ToolCall
from longwatch.session.transcript import AssistantText, Message, ToolResult, UserText

MARK = {"type": "ephemeral"}
HISTORY: tuple[Message, ...] = (
    UserText("Do it.", "human"),
    AssistantText(
        "I look.",
        (ToolCall("c1", "shell", {"command": "ls"}), ToolCall("c2", "shell", '{"command": "l')),
        reasoning="Hm.",
    ),
    ToolResult("c1", "shell", "a.txt", ok=True),
    ToolResult("c2", "shell", "Error: no.", ok=False),
    UserText("<reminder>Update your todos.</reminder>", "nag"),
    UserText("Go on.", "human"),
)


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def unmarked(value: Any) -> Any:
    match value:
        case dict():
            return {k: unmarked(v) for k, v in value.items() if k != "cache_control"}
        case list():
            return [unmarked(inner) for inner in value]
        case _:
            return value


def marks(value: Any) -> int:
    match value:
        case dict():
            return ("cache_control" in value) + sum(marks(inner) for inner in value.values())
        case list():
            return sum(marks(inner) for inner in value)
        case _:
            return 0


async def test_the_body(model_for: MakeModel) -> None:
    body = model_for("anthropic").preview(request(*HISTORY))
    assert list(body) == ["model", "max_tokens", "system", "tools", "messages", "stream"]
    assert body["max_tokens"] == 32_000
    assert body["system"] == [text("Be useful.", cache_control=MARK)]
    assert body["tools"] == [
        {
            "name": "shell",
            "description": "Run a command.",
            "input_schema": dict(SHELL.parameters),
            "cache_control": MARK,
        }
    ]
    assert body["messages"] == [
        {"role": "user", "content": [text("Do it.", cache_control=MARK)]},
        {
            "role": "assistant",
            "content": [
                text("I look."),
                {"type": "tool_use", "id": "c1", "name": "shell", "input": {"command": "ls"}},
                {"type": "tool_use", "id": "c2", "name": "shell", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "a.txt"},
                {
                    "type": "tool_result",
                    "tool_use_id": "c2",
                    "content": "Error: no.",
                    "is_error": True,
                },
            ],
        },
        {"role": "user", "content": [text("<reminder>Update your todos.</reminder>")]},
        {"role": "user", "content": [text("Go on.", cache_control=MARK)]},
    ]


async def test_each_request_begins_with_the_one_before(model_for: MakeModel) -> None:
    model = model_for("anthropic")
    longest = model.preview(request(*HISTORY))
    for count in (1, 4, 5, 6):
        shorter = model.preview(request(*HISTORY[:count]))
        sent = unmarked(shorter["messages"])
        assert unmarked(longest["messages"])[: len(sent)] == sent
        assert marks(shorter) <= 4
        assert shorter["messages"][-1]["content"][-1]["cache_control"] == MARK


async def test_what_is_set_is_sent(server: FaultServer, model_for: MakeModel) -> None:
    model = model_for("anthropic")
    server.add(*[stream("anthropic", Said(text="Hi."))] * 2)
    await ask(model, request(temperature=0.0, top_p=0.9, max_output_tokens=99, tool_choice="none"))
    await ask(model)
    first, second = server.asked
    assert (first["temperature"], first["top_p"], first["max_tokens"]) == (0.0, 0.9, 99)
    assert first["tool_choice"] == {"type": "none"}
    assert not {"temperature", "top_p", "tool_choice", "thinking"} & set(second)
    # The newer version of the API does not know the two settings.
    versions = [asked.headers["anthropic-version"] for asked in server.requests]
    assert versions == ["2023-06-01", "2026-10-21"]


async def test_bare_requests(model_for: MakeModel) -> None:
    body = model_for("anthropic", max_output_tokens=7).preview(request(tools=(), system=" "))
    assert set(body) == {"model", "max_tokens", "messages", "stream"}
    assert body["max_tokens"] == 7


async def test_blank_texts_are_not_sent(model_for: MakeModel) -> None:
    messages = (
        UserText(" \n", "human"),
        AssistantText("\n", (ToolCall("functions.x:0", "ä.b", {}),)),
        ToolResult("functions.x:0", "ä.b", "", ok=True),
        AssistantText(" "),
        UserText("x", "human"),
    )
    sent = unmarked(model_for("anthropic").preview(request(*messages))["messages"])
    assert [message["content"] for message in sent] == [
        [text("(empty)")],
        [{"type": "tool_use", "id": "functions_x_0", "name": "__b", "input": {}}],
        [{"type": "tool_result", "tool_use_id": "functions_x_0"}],
        [text("(empty)")],
        [text("x")],
    ]


@pytest.mark.parametrize(
    ("model", "effort", "limit", "expected"),
    [
        (
            "claude-opus-5-5",
            "xhigh",
            None,
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "xhigh"},
            },
        ),
        (
            "claude-sonnet-4-6",
            "minimal",
            None,
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "low"},
            },
        ),
        (
            "claude-haiku-4-5-20251001",
            "low",
            None,
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        ),
        (
            "claude-sonnet-4-20250514",
            "high",
            None,
            {"thinking": {"type": "enabled", "budget_tokens": 16_384}},
        ),
        ("glm-5", "max", 5000, {"thinking": {"type": "enabled", "budget_tokens": 3976}}),
        ("glm-5", "high", 1500, {}),
        ("claude-opus-5", "none", None, {"thinking": {"type": "disabled"}}),
    ],
)
async def test_effort(
    model_for: MakeModel, model: str, effort: str, limit: int | None, expected: dict[str, Any]
) -> None:
    asked = request(model=model, reasoning_effort=effort, max_output_tokens=limit)
    body = model_for("anthropic", model=model).preview(asked)
    assert {key: body[key] for key in ("thinking", "output_config") if key in body} == expected


def thought() -> Reply:
    """Thinking, hidden thinking and text in turns, and two calls."""
    signed = {"type": "signature_delta", "signature": "c2ln"}
    pieces = [
        event("message_start", {"type": "message_start", "message": {"usage": None}}),
        *block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            [{"type": "thinking_delta", "thinking": "Hm \u2028."}, signed],
        ),
        *block(1, {"type": "redacted_thinking", "data": "b3BhcXVl"}, []),
        *block(2, {"type": "text", "text": ""}, [{"type": "text_delta", "text": "First."}]),
        *block(3, {"type": "thinking", "thinking": "", "signature": ""}, [signed, signed]),
        *block(4, {"type": "text", "text": ""}, []),
        *block(5, {"type": "text", "text": ""}, [{"type": "text_delta", "text": "Then."}]),
        *block(6, {"type": "tool_use", "id": "a", "name": "shell", "input": {}}, []),
        *block(7, {"type": "tool_use", "id": "b", "name": "shell", "input": {"n": 1}}, []),
        event("message_delta", {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        event("message_stop", {"type": "message_stop"}),
    ]
    return Reply(pieces, headers=EVENTS)


def as_told(reply: ModelReply) -> tuple[Message, ...]:
    """The conversation with this reply in it."""
    said = AssistantText(
        reply.text, reply.tool_calls, reply.reasoning, provider_data=reply.provider_data
    )
    results = (ToolResult(call.id, call.name, "ok", ok=True) for call in reply.tool_calls)
    return (UserText("Do it.", "human"), said, *results)


CAME = [
    {"type": "thinking", "thinking": "Hm \u2028.", "signature": "c2ln"},
    {"type": "redacted_thinking", "data": "b3BhcXVl"},
    text("First."),
    {"type": "thinking", "thinking": "", "signature": "c2lnc2ln"},
    text("Then."),
    {"type": "tool_use", "id": "a", "name": "shell", "input": {}},
    {"type": "tool_use", "id": "b", "name": "shell", "input": {"n": 1}},
]


async def test_thinking_goes_back_as_it_came(server: FaultServer, model_for: MakeModel) -> None:
    server.add(thought())
    model = model_for("anthropic")
    reply = (await ask(model)).reply
    assert reply.text == "First.\n\nThen."
    assert reply.reasoning == "Hm \u2028."
    assert [call.arguments for call in reply.tool_calls] == [{}, {"n": 1}]
    sent = model.preview(request(*as_told(reply)))
    assert sent["messages"][1] == {"role": "assistant", "content": CAME}


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("other", {}),
        ("m", {"system": "Be brief."}),
        ("m", {"tools": (SHELL, ToolSpec("new", "", {"type": "object"}))}),
        ("m", {"tools": ()}),
    ],
)
async def test_thinking_goes_to_nobody_else(
    server: FaultServer, model_for: MakeModel, model: str, more: dict[str, Any]
) -> None:
    """Another model, or the same after its instructions changed, would refuse it."""
    server.add(thought())
    reply = (await ask(model_for("anthropic"))).reply
    asked = request(*as_told(reply), model=model, **more)
    sent = model_for("anthropic", model=model).preview(asked)
    assert sent["messages"][1]["content"] == [text("First.\n\nThen."), *CAME[-2:]]


@pytest.mark.parametrize(
    "noted",
    [
        "nonsense",
        {"content": 5},
        {"content": [{"text": [0, 999]}]},
        {"content": [{"call": 7}]},
        {"content": [{"type": "unheard-of"}]},
    ],
)
async def test_a_note_that_does_not_fit_is_ignored(
    server: FaultServer, model_for: MakeModel, noted: Any
) -> None:
    server.add(thought())
    model = model_for("anthropic")
    reply = (await ask(model)).reply
    assert isinstance(reply.provider_data, dict)
    bad = {**reply.provider_data, **noted} if isinstance(noted, dict) else noted
    said = AssistantText(reply.text, provider_data=bad)
    sent = model.preview(request(UserText("x", "human"), said, UserText("y", "human")))
    assert sent["messages"][1]["content"] == [text("First.\n\nThen.")]


@pytest.mark.parametrize(
    "complaint",
    [
        "messages.1.content.0: Invalid `signature` in `thinking` block.",
        "messages.1.content.2: `thinking` or `redacted_thinking` blocks cannot be modified.",
    ],
)
async def test_refused_thinking_is_left_out(
    server: FaultServer, model_for: MakeModel, complaint: str
) -> None:
    server.add(
        thought(),
        error("anthropic", 400, complaint, "invalid_request_error"),
        stream("anthropic", Said(text="Hi.")),
    )
    model = model_for("anthropic")
    reply = (await ask(model)).reply
    assert (await ask(model, request(*as_told(reply)))).reply.text == "Hi."
    refused, accepted = server.asked[1:]
    assert refused["messages"][1]["content"] == CAME
    assert [part["type"] for part in accepted["messages"][1]["content"]] == [
        "text",
        "tool_use",
        "tool_use",
    ]


async def test_other_complaints_are_not_retried(server: FaultServer, model_for: MakeModel) -> None:
    server.add(error("anthropic", 400, "max_tokens: 32000 > 8192", "invalid_request_error"))
    fault = await fault_of(model_for("anthropic"))
    assert fault.kind == "bad_request"
    assert "32000 > 8192" in fault.message


async def test_a_reply_without_thinking_needs_no_note(
    server: FaultServer, model_for: MakeModel
) -> None:
    server.add(stream("anthropic", Said(text="Hi.")))
    assert (await ask(model_for("anthropic"))).reply.provider_data is None


async def test_a_refused_reply_keeps_no_note(server: FaultServer, model_for: MakeModel) -> None:
    said = Said(text="Hi.", reasoning="Hm.", finish="refusal")
    server.add(stream("anthropic", said), whole("anthropic", said))
    model = model_for("anthropic")
    for streamed in (True, False):
        assert (await ask(model, request(stream=streamed))).reply.provider_data is None


async def test_a_tool_use_without_input_or_start(server: FaultServer, model_for: MakeModel) -> None:
    json_part = {"type": "input_json_delta", "partial_json": '{"n": 1}'}
    begun = {"type": "tool_use", "id": "a", "name": "shell"}
    delta = {"type": "content_block_delta", "index": 1, "delta": json_part}
    pieces = [
        *block(0, begun, [json_part]),
        event("content_block_delta", delta),
        *block(2, {**begun, "id": "c", "input": {"old": 1}}, [json_part]),
        event("message_stop", {"type": "message_stop"}),
    ]
    server.add(Reply(pieces, headers=EVENTS))
    calls = (await ask(model_for("anthropic"))).reply.tool_calls
    assert [call.arguments for call in calls] == [{"n": 1}] * 3
    assert [call.name for call in calls] == ["shell", "", "shell"]


async def test_usage_told_late_or_in_pieces(server: FaultServer, model_for: MakeModel) -> None:
    late = {"input_tokens": 50, "cache_read_input_tokens": 40, "output_tokens": 6}
    start = {"usage": {"input_tokens": 0, "output_tokens": 1}}
    ended = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": late}
    pieces = [
        event("message_start", {"type": "message_start", "message": start}),
        event("message_delta", ended),
        event("message_stop", {"type": "message_stop"}),
    ]
    server.add(Reply(pieces, headers=EVENTS))
    usage = (await ask(model_for("anthropic"))).reply.usage
    assert usage is not None
    assert (usage.input, usage.cached, usage.output, usage.estimated) == (90, 40, 6, False)


async def test_written_cache_is_priced(server: FaultServer, model_for: MakeModel) -> None:
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 100, "output_tokens": 1}
    body = {"type": "message", "content": [], "stop_reason": "end_turn", "usage": usage}
    server.add(replace(whole("anthropic", Said()), pieces=[json.dumps(body).encode()]))
    model = model_for("anthropic", prices={"*": Prices(input=1.0, output=1.0)})
    got = (await ask(model, request(stream=False))).reply.usage
    assert got is not None
    assert got.cost == pytest.approx((10 + 125 + 1) / 1e6)


async def test_an_error_event_of_another_shape(server: FaultServer, model_for: MakeModel) -> None:
    server.add(
        Reply([b'event: error\ndata: {"message": "it broke"}\n\n'], headers=EVENTS),
        Reply([b'data: {"type": "error", "message": "it broke"}\n\n'], headers=EVENTS),
    )
    for _ in range(2):
        fault = await fault_of(model_for("anthropic"))
        assert fault.kind == "server"
        assert "it broke" in fault.message


@pytest.mark.parametrize("given", ["{url}", "{url}/", "{url}/v1", "{url}/v1/"])
async def test_the_address(server: FaultServer, model_for: MakeModel, given: str) -> None:
    server.add(whole("anthropic", Said(text="Hi.", calls=(Call("a", "b"),))))
    await ask(model_for("anthropic", base_url=given.format(url=server.url)))
    assert server.requests[0].path == "/v1/messages"
