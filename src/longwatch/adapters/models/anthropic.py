"""The Anthropic Messages API, and what is compatible with it."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from msgspec.structs import replace

from longwatch.adapters.models.anthropic_reply import MessageReading
from longwatch.adapters.models.exchange import HttpModel
from longwatch.adapters.models.faults import Complaint
from longwatch.adapters.models.provider import ProviderConfig, Secret, Surroundings
from longwatch.adapters.models.reading import wire_name
from longwatch.adapters.models.speech import encoded
from longwatch.adapters.models.wire import Wire
from longwatch.dialects import ToolSpec
from longwatch.engine.ports import ModelRequest
from longwatch.session.transcript import AssistantText, ToolResult, UserText

BASE_URL = "https://api.anthropic.com"
VERSION = "2026-10-21"
SAMPLING_VERSION = "2023-06-01"
"""The last version that knows temperature and top_p."""
MAX_TOKENS = 32_000
"""The API must be told a limit. Every current model allows this one."""
LEAST_BUDGET = 1024
BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384, "xhigh": 24_576}
EMPTY = "(empty)"
"""The API refuses blank texts."""
MARK = {"type": "ephemeral"}

_BUDGET_MODELS = re.compile(
    r"claude-(?:[123](?!\d)|instant|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|-20\d{6}|@|$))"
)
_THINKING_REFUSED = re.compile(r"signature.{0,40}thinking|thinking.{0,60}cannot be modified")


class AnthropicModel(HttpModel):
    """One model of a provider that speaks the Messages API."""

    def __init__(self, model: str, config: ProviderConfig, wire: Wire) -> None:
        super().__init__(model, config, wire)
        self._root = "" if wire.base.path.endswith("/v1") else "/v1"
        self._thinking_refused: set[str] = set()

    @property
    def _path(self) -> str:
        return f"{self._root}/messages"

    @property
    def _names_path(self) -> str:
        return f"{self._root}/models"

    def _headers(self, request: ModelRequest) -> Mapping[str, str | Secret]:
        sampling = request.temperature is not None or request.top_p is not None
        headers: dict[str, str | Secret] = {
            "anthropic-version": SAMPLING_VERSION if sampling else VERSION
        }
        key = self._wire.key()
        if key is not None:
            headers["x-api-key"] = key
        return headers

    def _reading(self, request: ModelRequest, sent: int) -> MessageReading:
        model = self.wire_model(request)
        return MessageReading(self._wire, request, sent, model, self._made_for(request))

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        limit = request.max_output_tokens or self._config.max_output_tokens or MAX_TOKENS
        body: dict[str, Any] = {"model": self.wire_model(request), "max_tokens": limit}
        if request.system.strip():
            system = {"type": "text", "text": request.system, "cache_control": MARK}
            body["system"] = [system]
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            body["tools"][-1]["cache_control"] = MARK
            if request.tool_choice == "none":
                body["tool_choice"] = {"type": "none"}
        body["messages"] = marked(list(self._messages(request)))
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.top_p is not None:
            body["top_p"] = request.top_p
        if request.reasoning_effort is not None:
            body.update(_thinking(self.wire_model(request), request.reasoning_effort, limit))
        body["stream"] = request.stream
        return body

    def _messages(self, request: ModelRequest) -> Iterator[dict[str, Any]]:
        """The history. The results of one turn are one message, as the API demands; they are all
        there before a request is made, so the message never changes."""
        results: list[dict[str, Any]] = []
        made_for = self._made_for(request)
        for message in request.messages:
            if isinstance(message, ToolResult):
                results.append(_result(message))
                continue
            if results:
                yield {"role": "user", "content": results}
                results = []
            yield self._message(message, made_for, self.wire_model(request))
        if results:
            yield {"role": "user", "content": results}

    def _message(
        self, message: UserText | AssistantText, made_for: str, model: str
    ) -> dict[str, Any]:
        match message:
            case UserText(text=text):
                return {"role": "user", "content": [_text(text)]}
            case AssistantText():
                content = self._as_it_came(message, made_for, model) or _plain(message)
                return {"role": "assistant", "content": content}
            case _:
                assert_never(message)

    def _as_it_came(
        self, message: AssistantText, made_for: str, model: str
    ) -> list[dict[str, Any]] | None:
        """The reply's blocks in their order, thinking included, if this very model gave them
        after this very system prompt and these tools: the API takes them back in no other case."""
        data = message.provider_data
        if not isinstance(data, Mapping) or made_for in self._thinking_refused:
            return None
        mine = {"provider": self.provider, "model": model, "for": made_for}
        if any(data.get(key) != value for key, value in mine.items()):
            return None
        return _laid_out(message, data.get("content"))

    def _made_for(self, request: ModelRequest) -> str:
        """A short name for what stands before the messages."""
        prefix = encoded({"tools": list(map(_tool, request.tools)), "system": request.system})
        return hashlib.blake2b(prefix, digest_size=8).hexdigest()

    def _heed(self, complaint: Complaint, request: ModelRequest) -> bool:
        """Thinking that is refused, as after a change of account, is left out from then on."""
        if not _THINKING_REFUSED.search(complaint.message):
            return False
        before = self._body(request)
        self._thinking_refused.add(self._made_for(request))
        return self._body(request) != before


def marked(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with cache marks at their end and at the end of the request before this one,
    so that a turn of many blocks still finds what that one cached."""
    ends = [len(messages) - 1]
    replies = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    if replies:
        ends.append(replies[-1] - 1)
    for at in ends:
        if at >= 0 and messages[at]["role"] == "user":
            messages[at]["content"][-1]["cache_control"] = MARK
    return messages


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.parameters),
    }


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text if text.strip() else EMPTY}


def _result(message: ToolResult) -> dict[str, Any]:
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": wire_name(message.call)}
    if message.output.strip():
        result["content"] = message.output
    if not message.ok:
        result["is_error"] = True
    return result


def _use(message: AssistantText, at: int) -> dict[str, Any]:
    call = message.calls[at]
    # What is no JSON object was not run, and cannot be sent: its result says so.
    given = call.arguments if isinstance(call.arguments, dict) else {}
    return {
        "type": "tool_use",
        "id": wire_name(call.id),
        "name": wire_name(call.name),
        "input": given,
    }


def _plain(message: AssistantText) -> list[dict[str, Any]]:
    blocks = [_use(message, at) for at in range(len(message.calls))]
    if message.text.strip() or not blocks:
        blocks.insert(0, _text(message.text))
    return blocks


def _laid_out(message: AssistantText, content: Any) -> list[dict[str, Any]] | None:
    """The blocks as they were noted; None if the note does not fit the reply."""
    if not isinstance(content, Sequence):
        return None
    blocks: list[dict[str, Any]] = []
    for noted in content:
        match noted:
            case {"type": "thinking" | "redacted_thinking"}:
                blocks.append(dict(noted))
            case {"text": [int(start), int(end)]} if 0 <= start <= end <= len(message.text):
                if message.text[start:end].strip():
                    blocks.append({"type": "text", "text": message.text[start:end]})
            case {"call": int(at)} if 0 <= at < len(message.calls):
                blocks.append(_use(message, at))
            case _:
                return None
    return blocks


def _thinking(model: str, effort: str, limit: int) -> dict[str, Any]:
    """How a model is told how much to think: newer ones by effort, older ones by a budget."""
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    if "claude" in model and not _BUDGET_MODELS.search(model):
        level = "low" if effort == "minimal" else effort
        return {
            "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": level},
        }
    budget = min(BUDGETS.get(effort, MAX_TOKENS), limit - LEAST_BUDGET)
    if budget < LEAST_BUDGET:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def build(
    name: str, model: str, config: ProviderConfig, surroundings: Surroundings
) -> AnthropicModel:
    """A model of a declared provider."""
    if config.base_url is None and not (config.api_key_env or config.api_key_file):
        config = replace(config, api_key_env="ANTHROPIC_API_KEY")
    return AnthropicModel(
        model, config, Wire(name, config, config.base_url or BASE_URL, surroundings)
    )
