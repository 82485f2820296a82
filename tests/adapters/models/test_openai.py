"""Chat completions: the body that is sent, and the habits of the servers that speak it."""

import json
from dataclasses import replace
from typing import Any

import pytest
from adapters.models.asking import MakeModel, ask, fault_of, request
from fault_server import FaultServer, Reply
from model_replies import EVENTS, Call, Said, chunk, data, error, stream, whole

from longwatch.session.events import ToolCall
from longwatch.session.transcript import AssistantText, Message, ToolResult, UserText

DONE = b"data: [DONE]\n\n"
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


def events(*deltas: Any, finish: str | None = "stop") -> Reply:
    pieces = [data(chunk(delta)) for delta in deltas]
    return Reply([*pieces, data(chunk({}, finish)), DONE], headers=EVENTS)


def calls_delta(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"tool_calls": list(calls)}


async def test_the_body(model_for: MakeModel) -> None:
    body = model_for("openai").preview(request(*HISTORY))
    assert list(body) == ["model", "messages", "tools", "stream", "stream_options"]
    assert body["model"] == "m"
    assert body["stream_options"] == {"include_usage": True}
    assert body["tools"][0]["function"]["name"] == "shell"
    assert body["messages"] == [
        {"role": "system", "content": "Be useful."},
        {"role": "user", "content": "Do it."},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "shell", "arguments": '{"command": "ls"}'},
                },
                {"id": "c2", "type": "function", "function": {"name": "shell", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
        {"role": "tool", "tool_call_id": "c2", "content": "Error: no."},
        {"role": "user", "content": "<reminder>Update your todos.</reminder>"},
        {"role": "user", "content": "Go on."},
    ]


async def test_what_is_set_is_sent(model_for: MakeModel) -> None:
    asked = request(
        temperature=0.0,
        top_p=0.5,
        max_output_tokens=100,
        reasoning_effort="high",
        tool_choice="none",
        stream=False,
    )
    body = model_for("openai").preview(asked)
    assert body["temperature"] == 0.0
    assert body["top_p"] == 0.5
    assert body["max_tokens"] == 100
    assert body["reasoning_effort"] == "high"
    assert body["tool_choice"] == "none"
    assert body["stream"] is False
    assert "stream_options" not in body
    official = model_for("openai", base_url="https://api.openai.com/v1").preview(asked)
    assert official["max_completion_tokens"] == 100
    bare = model_for("openai").preview(request(tools=(), system="", tool_choice="none"))
    assert set(bare) == {"model", "messages", "stream", "stream_options"}
    assert bare["messages"] == [{"role": "user", "content": "Do it."}]


async def test_each_request_begins_with_the_one_before(model_for: MakeModel) -> None:
    model = model_for("openai")
    longest = model.preview(request(*HISTORY))["messages"]
    for count in (1, 4, 5, 6):
        shorter = model.preview(request(*HISTORY[:count]))["messages"]
        assert longest[: len(shorter)] == shorter


async def test_a_model_may_be_named_with_its_provider(model_for: MakeModel) -> None:
    model = model_for("openai", model="llama3:8b")
    assert model.preview(request(model="p:llama3:8b"))["model"] == "llama3:8b"
    assert model.preview(request(model="llama3:8b"))["model"] == "llama3:8b"


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ({"a": "ü"}, '{"a": "ü"}'),
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ('{"a": NaN}', "{}"),
        ("[1]", "{}"),
        ("", "{}"),
        ("{" * 100_000, "{}"),
    ],
    ids=range(6),
)
async def test_arguments_are_sent_back_as_json(
    model_for: MakeModel, arguments: Any, sent: str
) -> None:
    said = AssistantText("", (ToolCall("c", "strange.näme", arguments),))
    asked = request(UserText("x", "human"), said, ToolResult("c", "x", "no", ok=False))
    message = model_for("openai").preview(asked)["messages"][2]
    assert message["content"] is None
    function = message["tool_calls"][0]["function"]
    assert function == {"name": "strange_n_me", "arguments": sent}


async def test_texts_that_cannot_be_encoded_are_mended(
    server: FaultServer, model_for: MakeModel
) -> None:
    server.add(stream("openai", Said(text="Hi.")))
    model = model_for("openai")
    asked = request(UserText("a\ud83d\ude00b\ud800", "human"))
    await ask(model, asked)
    assert server.asked[0]["messages"][1]["content"] == "a😀b\ufffd"
    json.dumps(model.preview(asked)).encode()


async def test_a_name_repeated_in_every_delta(server: FaultServer, model_for: MakeModel) -> None:
    parts = ('{"comm', 'and": ', '"ls"}')
    server.add(
        events(
            *(
                calls_delta(
                    {"index": 0, "id": "c1", "function": {"name": "shell", "arguments": part}}
                )
                for part in parts
            ),
            finish="tool_calls",
        )
    )
    reply = (await ask(model_for("openai"))).reply
    assert reply.tool_calls == (ToolCall("c1", "shell", {"command": "ls"}),)


async def test_interleaved_indexes(server: FaultServer, model_for: MakeModel) -> None:
    server.add(
        events(
            calls_delta({"index": 0, "id": "a", "function": {"name": "shell", "arguments": '{"n'}}),
            calls_delta({"index": 1, "id": "b", "function": {"name": "other", "arguments": '{"m'}}),
            calls_delta(
                {"index": 1, "function": {"arguments": '": 2}'}},
                {"index": 0, "function": {"arguments": '": 1}'}},
            ),
        )
    )
    reply = (await ask(model_for("openai"))).reply
    assert reply.tool_calls == (ToolCall("a", "shell", {"n": 1}), ToolCall("b", "other", {"m": 2}))
    # The server said "stop", but there are calls.
    assert reply.finish == "tool_calls"


async def test_calls_without_an_index_or_with_the_same_one(
    server: FaultServer, model_for: MakeModel
) -> None:
    one = {"id": "a", "function": {"name": "shell", "arguments": '{"n": '}}
    rest = {"function": {"arguments": "1}"}}
    two = {"id": "b", "function": {"name": "shell", "arguments": '{"n": 2}'}}
    expected = (ToolCall("a", "shell", {"n": 1}), ToolCall("b", "shell", {"n": 2}))
    model = model_for("openai")
    server.add(events(*(calls_delta(call) for call in (one, rest, two))))
    assert (await ask(model)).reply.tool_calls == expected
    server.add(events(*(calls_delta({"index": 0, **call}) for call in (one, rest, two))))
    assert (await ask(model)).reply.tool_calls == expected


async def test_arguments_as_an_object(server: FaultServer, model_for: MakeModel) -> None:
    call = {"index": 0, "id": "a", "function": {"name": "shell", "arguments": {"n": [1]}}}
    server.add(events(calls_delta(call)))
    assert (await ask(model_for("openai"))).reply.tool_calls[0].arguments == {"n": [1]}


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_shown_and_not_sent_back(
    server: FaultServer, model_for: MakeModel, field: str
) -> None:
    model = model_for("openai")
    server.add(events({field: "Hm, "}, {field: "yes."}, {"content": "Ok."}))
    heard = await ask(model)
    assert heard.reply.reasoning == "Hm, yes."
    said = AssistantText(
        "Ok.", reasoning=heard.reply.reasoning, provider_data=heard.reply.provider_data
    )
    back = model.preview(request(UserText("x", "human"), said, UserText("y", "human")))
    assert back["messages"][2] == {"role": "assistant", "content": "Ok."}
    willing = model_for("openai", send_reasoning=True)
    back = willing.preview(request(UserText("x", "human"), said, UserText("y", "human")))
    assert back["messages"][2][field] == "Hm, yes."


async def test_content_in_parts(server: FaultServer, model_for: MakeModel) -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    server.add(
        events(
            {"content": [thinking]},
            {"content": [{"type": "thinking", "thinking": " So."}]},
            {"content": [{"type": "text", "text": "Ok."}]},
        )
    )
    heard = await ask(model_for("openai"))
    assert (heard.reply.reasoning, heard.reply.text) == ("Hm. So.", "Ok.")


async def test_a_refusal_in_words(server: FaultServer, model_for: MakeModel) -> None:
    server.add(events({"refusal": "I cannot "}, {"refusal": "do that."}))
    reply = (await ask(model_for("openai"))).reply
    assert (reply.finish, reply.text) == ("refusal", "I cannot do that.")


async def test_odd_but_readable_chunks(server: FaultServer, model_for: MakeModel) -> None:
    """Nulls, numbers in quotes, other choices, chunks without choices, usage with every chunk."""
    odd = Reply(
        [
            data({"choices": None, "error": None, "prompt_filter_results": []}),
            data({"choices": [{"index": "0", "delta": {"content": "Hi", "tool_calls": None}}]}),
            data({"choices": [{"index": 1, "delta": {"content": "other"}}], "usage": None}),
            data({"choices": [{"index": 0, "delta": {"content": None}, "finish_reason": ""}]}),
            data(chunk({"content": "."}, "stop", usage={"prompt_tokens": 3, "total_tokens": 4})),
            data({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}),
            b"data: [DONE] \n\n",
        ],
        headers=EVENTS,
    )
    server.add(odd)
    reply = (await ask(model_for("openai"))).reply
    assert (reply.text, reply.finish) == ("Hi.", "stop")
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.usage.cached) == (3, 1, 0)


async def test_a_ping_event_is_skipped(server: FaultServer, model_for: MakeModel) -> None:
    said = stream("openai", Said(text="Hi."))
    server.add(replace(said, pieces=[b"\n", b"event: ping\ndata: now\n\n", *said.pieces]))
    assert (await ask(model_for("openai"))).reply.text == "Hi."


async def test_cached_tokens_of_another_server(server: FaultServer, model_for: MakeModel) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 6}
    pieces = [data(chunk({"content": "Hi."}, "stop")), data(chunk(None, usage=usage)), DONE]
    server.add(Reply(pieces, headers=EVENTS))
    reply = (await ask(model_for("openai"))).reply
    assert reply.usage is not None
    assert reply.usage.cached == 6


async def test_what_hangs_on_a_call_is_given_back_to_the_same_model(
    server: FaultServer, model_for: MakeModel
) -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    call = {"index": 0, "id": "a", "function": {"name": "shell", "arguments": "{}"}}
    server.add(events(calls_delta({**call, "extra_content": extra})))
    model = model_for("openai")
    reply = (await ask(model)).reply
    said = AssistantText("", reply.tool_calls, provider_data=reply.provider_data)
    asked = request(UserText("x", "human"), said, ToolResult("a", "shell", "", ok=True))
    sent = model.preview(asked)["messages"][2]["tool_calls"][0]
    assert sent["extra_content"] == extra
    other = model_for("openai", model="n").preview(replace_model(asked, "n"))
    assert "extra_content" not in other["messages"][2]["tool_calls"][0]


def replace_model(asked: Any, model: str) -> Any:
    return request(*asked.messages, model=model)


HEEDED = [
    (
        "Missing `reasoning_content` field in the assistant message at message index 2",
        {},
        lambda body: body["messages"][2].get("reasoning_content") == "Hm.",
    ),
    (
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        {"max_output_tokens": 50},
        lambda body: body.get("max_completion_tokens") == 50 and "max_tokens" not in body,
    ),
    (
        "stream_options: Extra inputs are not permitted",
        {},
        lambda body: "stream_options" not in body,
    ),
    (
        "Function tools with reasoning_effort are not supported for this model.",
        {},
        lambda body: body.get("reasoning_effort") == "none",
    ),
]


@pytest.mark.parametrize(("complaint", "more", "heeded"), HEEDED, ids=[h[0][:20] for h in HEEDED])
@pytest.mark.parametrize("status", [400, 422])
async def test_a_complaint_that_names_a_field_is_heeded_once(
    server: FaultServer,
    model_for: MakeModel,
    complaint: str,
    more: dict[str, Any],
    heeded: Any,
    status: int,
) -> None:
    refusal = error("openai", status, complaint, "invalid_request_error")
    server.add(refusal, stream("openai", Said(text="Hi.")), stream("openai", Said(text="Ho.")))
    model = model_for("openai")
    asked = request(*HISTORY, **more)
    assert (await ask(model, asked)).reply.text == "Hi."
    first, second = server.asked
    assert not heeded(first)
    assert heeded(second)
    # It is remembered.
    assert (await ask(model, asked)).reply.text == "Ho."
    assert server.asked[2] == second


@pytest.mark.parametrize("complaint", [h[0] for h in HEEDED])
async def test_a_complaint_that_stays_is_a_fault(
    server: FaultServer, model_for: MakeModel, complaint: str
) -> None:
    server.otherwise = lambda _: error("openai", 400, complaint, "invalid_request_error")
    fault = await fault_of(model_for("openai"), request(*HISTORY, max_output_tokens=5))
    assert fault.kind == "bad_request"
    assert len(server.asked) == 2


async def test_an_effort_that_was_set_is_not_taken_back(
    server: FaultServer, model_for: MakeModel
) -> None:
    server.add(error("openai", 400, "Function tools with reasoning_effort are not supported."))
    fault = await fault_of(model_for("openai"), request(reasoning_effort="high"))
    assert fault.kind == "bad_request"
    assert "reasoning_effort" in fault.message
    assert len(server.asked) == 1


async def test_reasoning_is_sent_with_every_call_once_it_is_wanted(model_for: MakeModel) -> None:
    bare = AssistantText("", (ToolCall("c", "shell", {}),))
    asked = request(UserText("x", "human"), bare, ToolResult("c", "shell", "", ok=True))
    body = model_for("openai", send_reasoning=True).preview(asked)
    assert body["messages"][2]["reasoning_content"] == ""


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("{url}", "/v1/chat/completions"),
        ("{url}/", "/v1/chat/completions"),
        ("{url}/v1/", "/v1/chat/completions"),
        ("{url}/api/openai", "/api/openai/chat/completions"),
        ("{url}/v1?version=3", "/v1/chat/completions?version=3"),
    ],
)
async def test_the_address(
    server: FaultServer, model_for: MakeModel, given: str, path: str
) -> None:
    server.add(whole("openai", Said(text="Hi.")))
    await ask(model_for("openai", base_url=given.format(url=server.url)))
    assert server.requests[0].path == path


async def test_separate_calls_of_a_whole_reply_stay_separate(
    server: FaultServer, model_for: MakeModel
) -> None:
    said = Said(calls=(Call("", "a", '{"n": 1}'), Call("", "a", '{"n": 2}')))
    server.add(replace(whole("openai", said), headers={}))
    reply = (await ask(model_for("openai"), request(stream=False))).reply
    assert [call.arguments for call in reply.tool_calls] == [{"n": 1}, {"n": 2}]
