"""The JSON schema says what the checks say."""

import pytest

from longwatch.adapters.settings.declared import ALIASES, SETTINGS
from longwatch.adapters.settings.files import AGENT_KEYS, GLOBAL_KEYS, ROLE_KEYS
from longwatch.adapters.settings.providers import FIELDS, MODEL_FIELDS
from longwatch.adapters.settings.schema import File, json_schema
from longwatch.adapters.settings.sessions import SESSION_KEYS


@pytest.mark.parametrize(
    ("file", "layer", "others"),
    [
        ("config", "global", GLOBAL_KEYS),
        ("role", "role", ROLE_KEYS),
        ("agent", "agent", AGENT_KEYS),
        ("session", "session", SESSION_KEYS),
        ("project", "project", ()),
    ],
)
def test_the_keys_of_each_file(file: File, layer: str, others: tuple[str, ...]) -> None:
    schema = json_schema(file)
    here = [name for name, setting in SETTINGS.items() if layer in setting.layers]
    assert set(schema["properties"]) == {*here, *ALIASES, *others}
    assert schema["additionalProperties"] is False


def test_the_keys_of_providers_and_models() -> None:
    properties = json_schema("config")["properties"]
    assert set(properties["providers"]["additionalProperties"]["properties"]) == set(FIELDS)
    assert set(properties["models"]["additionalProperties"]["properties"]) == set(MODEL_FIELDS)


def test_a_setting_is_described() -> None:
    assert json_schema("config")["properties"]["maxWakeCycles"] == {
        "description": SETTINGS["max_auto_continues"].sentence,
        "default": 10,
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 1_000_000_000},
            {"type": "null"},
        ],
    }
