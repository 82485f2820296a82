"""The OpenAI chat completions API, and everything that is compatible with it."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

import msgspec
from msgspec.structs import replace

from longwatch.adapters.models.exchange import HttpModel
from longwatch.adapters.models.faults import Complaint
from longwatch.adapters.models.openai_reply import ChatReading
from longwatch.adapters.models.provider import ProviderConfig, Secret, Surroundings
from longwatch.adapters.models.reading import wire_name
from longwatch.adapters.models.wire import Wire
from longwatch.engine.ports import ModelRequest
from longwatch.session.events import Arguments
from longwatch.session.transcript import AssistantText, Message, ToolResult, UserText

BASE_URL = "https://api.openai.com/v1"
OFFICIAL = "api.openai.com"

_NAMED_REASONING = re.compile(r"reasoning_content|[`'\"]reasoning[`'\"]")


class Habits(msgspec.Struct, frozen=True):
    """How this server wants to be asked, as far as it is known."""

    send_reasoning: str | None = None
    """The field in which reasoning is given back, if it is."""
    max_tokens: str = "max_tokens"
    usage_asked: bool = True
    effort: str | None = None
    """What is sent where no effort is set."""


class OpenAIModel(HttpModel):
    """One model of an OpenAI-compatible provider."""

    def __init__(self, model: str, config: ProviderConfig, wire: Wire) -> None:
        super().__init__(model, config, wire)
        official = wire.base.hostname == OFFICIAL
        self._habits = Habits(
            send_reasoning="reasoning_content" if config.send_reasoning else None,
            max_tokens="max_completion_tokens" if official else "max_tokens",
        )

    @property
    def _path(self) -> str:
        return "/chat/completions"

    @property
    def _names_path(self) -> str:
        return "/models"

    def _headers(self, request: ModelRequest) -> Mapping[str, str | Secret]:
        del request
        key = self._wire.key()
        return {} if key is None else {"authorization": Secret(f"Bearer {key.reveal()}")}

    def _reading(self, request: ModelRequest, sent: int) -> ChatReading:
        return ChatReading(self._wire, request, sent, self.wire_model(request))

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        habits = self._habits
        body: dict[str, Any] = {
            "model": self.wire_model(request),
            "messages": list(self._messages(request)),
        }
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": dict(tool.parameters),
                    },
                }
                for tool in request.tools
            ]
            if request.tool_choice == "none":
                body["tool_choice"] = "none"
        optional = {
            "temperature": request.temperature,
            "top_p": request.top_p,
            habits.max_tokens: request.max_output_tokens or self._config.max_output_tokens,
            "reasoning_effort": request.reasoning_effort or habits.effort,
        }
        body.update({key: value for key, value in optional.items() if value is not None})
        body["stream"] = request.stream
        if request.stream and habits.usage_asked:
            body["stream_options"] = {"include_usage": True}
        return body

    def _messages(self, request: ModelRequest) -> Iterator[dict[str, Any]]:
        if request.system:
            yield {"role": "system", "content": request.system}
        for message in request.messages:
            yield self._message(message, self.wire_model(request))

    def _message(self, message: Message, model: str) -> dict[str, Any]:
        match message:
            case UserText(text=text):
                return {"role": "user", "content": text}
            case ToolResult(call=call, output=output):
                return {"role": "tool", "tool_call_id": call, "content": output}
            case AssistantText():
                return self._said(message, model)
            case _:
                assert_never(message)

    def _said(self, message: AssistantText, model: str) -> dict[str, Any]:
        """A reply as it is given back."""
        own = self._own_data(message, model)
        said: dict[str, Any] = {"role": "assistant", "content": message.text or None}
        field = self._habits.send_reasoning
        if field is not None and (message.reasoning or message.calls):
            # A server that wants it wants it with every call, also where there was none.
            said[own.get("reasoning", field)] = message.reasoning
        if message.calls:
            extra = own.get("extra", {})
            said["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": wire_name(call.name),
                        "arguments": _as_text(call.arguments),
                    },
                    **({"extra_content": extra[call.id]} if call.id in extra else {}),
                }
                for call in message.calls
            ]
        return said

    def _own_data(self, message: AssistantText, model: str) -> Mapping[str, Any]:
        """What this provider and model gave with the reply; nobody else's is sent to it."""
        data = message.provider_data
        if not isinstance(data, Mapping):
            return {}
        if (data.get("provider"), data.get("model")) != (self.provider, model):
            return {}
        return data

    def _heed(self, complaint: Complaint, request: ModelRequest) -> bool:
        habits, said = self._habits, complaint.all
        named = _NAMED_REASONING.search(said)
        if named and habits.send_reasoning is None:
            habits = replace(habits, send_reasoning=named[0].strip("`'\""))
        elif "max_completion_tokens" in said and habits.max_tokens == "max_tokens":
            habits = replace(habits, max_tokens="max_completion_tokens")
        elif "stream_options" in said and habits.usage_asked:
            habits = replace(habits, usage_asked=False)
        elif "reasoning_effort" in said and request.tools and request.reasoning_effort is None:
            # Some models take tools here only without reasoning, and reason unless told not to.
            habits = replace(habits, effort="none" if habits.effort is None else habits.effort)
        before = self._body(request)
        self._habits = habits
        return self._body(request) != before


def _as_text(arguments: Arguments) -> str:
    """Arguments as the JSON text that the API demands; text that is no JSON object is not sent."""
    if not isinstance(arguments, str):
        return json.dumps(arguments, ensure_ascii=False)
    try:
        value = json.loads(arguments, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return "{}"
    return arguments if isinstance(value, dict) else "{}"


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def build(name: str, model: str, config: ProviderConfig, surroundings: Surroundings) -> OpenAIModel:
    """A model of a declared provider."""
    if config.base_url is None and not (config.api_key_env or config.api_key_file):
        config = replace(config, api_key_env="OPENAI_API_KEY")
    wire = Wire(name, config, config.base_url or BASE_URL, surroundings)
    if not wire.base.path:
        wire.base = wire.base._replace(path="/v1")
    return OpenAIModel(model, config, wire)
