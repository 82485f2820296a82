"""A session as YAML and back: the same bytes, whatever a model or a tool has said."""

from pathlib import Path

import pytest
from desks import Counter, keep, opened

from longwatch.commands.transfer import export, import_file
from longwatch.session import KnownEvent
from longwatch.session.events import (
    AssistantMessage,
    SettingsChanged,
    ToolCall,
    ToolFinished,
    Usage,
    UserMessage,
)

TEXTS = (
    "plain",
    "",
    " leading and trailing ",
    "two\nlines\n\n",
    "\ttab\r\nand return\r",
    "nul \x00 escape \x1b[31m bell \x07 del \x7f c1 \x9b",
    "next line \x85 separators \u2028 \u2029 bom \ufeff",
    "emoji 👩‍💻 wide 漢字 right-to-left שלום \u202e",
    "null",
    "true",
    "off",
    "0123",
    "1:30",
    "1e5",
    "0x1F",
    "2026-11-18",
    "- a list",
    "key: value # comment",
    "'quoted' \"twice\" \\ back",
    "!tag &anchor *alias",
    "---\n...\n",
    "%directive",
    "{flow: [1, 2]}",
    "=",
    "<<",
    "x" * 3000,
)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_round_trip_gives_an_identical_session(desk: Counter, tmp_path: Path, text: str) -> None:
    arguments = {"path": text, "deep": [{"a": [None, True, 1, -0.5, 1e-7, 10**12]}], text: 1}
    events: list[KnownEvent] = [
        SettingsChanged(key="continuation_prompt", value=text),
        SettingsChanged(key="notify", value=["done", "failed"]),
        UserMessage(text=text, source="human"),
        AssistantMessage(
            text=text,
            reasoning=text,
            finish="tool_calls",
            tool_calls=(ToolCall("c1", "read_file", arguments),),
            usage=Usage(input=10, output=3, cost=0.000123),
            provider_data={"signature": text},
        ),
        ToolFinished(call="c1", ok=True, output=text, seconds=0.25),
    ]
    keep(desk, *events, title=text or "t")
    before = [record.body for record in desk.store.records("s1")]
    path = tmp_path / "session.yaml"
    path.write_bytes(export(desk.store, "s1", "yaml"))
    other_base = tmp_path / "other"
    other_base.mkdir()
    other = opened(other_base)
    try:
        assert import_file(other.wiring, path) == "s1"
        assert [record.body for record in other.store.records("s1")] == before
        assert other.configuring.state("s1") == desk.configuring.state("s1")
    finally:
        other.store.close()
