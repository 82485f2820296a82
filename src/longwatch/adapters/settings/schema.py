"""JSON schema of the configuration files, for editors that check while one writes."""

from collections.abc import Mapping
from typing import Any, Literal

from longwatch.adapters.settings.declared import SETTINGS
from longwatch.adapters.settings.providers import PRICE_FIELDS
from longwatch.adapters.settings.setting import Layer, Setting

File = Literal["config", "role", "agent", "session", "project"]

_LAYERS: Mapping[File, Layer] = {
    "config": "global",
    "role": "role",
    "agent": "agent",
    "session": "session",
    "project": "project",
}
_TEXT: dict[str, Any] = {"type": ["string", "null"]}
_TOKENS: dict[str, Any] = {"type": "integer", "minimum": 1}
_PRICE: dict[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "number", "minimum": 0} for name in PRICE_FIELDS},
    "required": ["input", "output"],
    "additionalProperties": False,
}
_PROVIDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "base_url": _TEXT,
        "api_key_env": _TEXT,
        "api_key_file": _TEXT,
        "headers": {"type": "object", "additionalProperties": {"type": "string"}},
        "context": {"anyOf": [_TOKENS, {"type": "object", "additionalProperties": _TOKENS}]},
        "prices": {"anyOf": [_PRICE, {"type": "object", "additionalProperties": _PRICE}]},
        "send_reasoning": {"type": "boolean"},
        "max_output_tokens": _TOKENS,
    },
    "required": ["type"],
    "additionalProperties": False,
}
_MODEL: dict[str, Any] = {
    "type": "object",
    "properties": {"context": _TOKENS, "prices": _PRICE},
    "additionalProperties": False,
}
_OTHERS: Mapping[File, dict[str, Any]] = {
    "config": {
        "providers": {"type": "object", "additionalProperties": _PROVIDER},
        "models": {"type": "object", "additionalProperties": _MODEL},
    },
    "role": {"name": _TEXT, "prompt": _TEXT},
    "agent": {
        "name": _TEXT,
        "description": _TEXT,
        "instructions": _TEXT,
        "tools": SETTINGS["enabled_tools"].kind.schema(),
        "conversation_starters": {"type": "array", "items": {"type": "string"}},
    },
    "session": {"title": _TEXT, "events": {"type": "array", "items": {"type": "object"}}},
    "project": {},
}


def json_schema(file: File) -> dict[str, Any]:
    """The schema of one sort of file."""
    layer = _LAYERS[file]
    properties = dict(_OTHERS[file])
    for setting in SETTINGS.values():
        if layer in setting.layers:
            for name in (setting.name, *setting.aliases):
                properties[name] = _described(setting)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Longwatch: {file}",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def _described(setting: Setting) -> dict[str, Any]:
    default = setting.default
    return {
        "description": setting.sentence,
        "default": list(default) if isinstance(default, tuple) else default,
        "anyOf": [setting.kind.schema(), {"type": "null"}],
    }
