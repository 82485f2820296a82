"""Text from outside in every field: nothing crashes, nothing reaches the terminal raw."""

import re
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from ui.conversation.panes import PaneApp, draft, lines, shown

from longwatch.session import AnyEvent, UnknownEvent
from longwatch.session.events import (
    AssistantMessage,
    KnownEvent,
    ToolCall,
    ToolFinished,
    ToolStarted,
)
from longwatch.ui.conversation.sample import sample

HOSTILE = {
    "escape": "a\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "clipboard": "\x1b]52;c;aGVsbG8=\x07",
    "c1": "\x9b2J\x9d52;c;x\x9c\x85",
    "markup": "[/foo] [@click=app.quit]x[/] [red]y[/red] [link=file:///etc]z[/link]",
    "bidi": "\u202egnp.exe \u2066\u2069 \u061c \u200f",
    "null": "a\x00b\x7fc",
    "surrogate": "half \ud83d and \udc00",
    "wide": "日本語のテキスト 👩‍👩‍👧‍👦 é ﷽ " * 20,
    "rtl": "مرحبا بالعالم שלום עולם " * 10,
    "long": "x" * 2**20,
    "long words": "word " * 2**17,
    "many lines": "line\n" * 20_000,
    "returns": "10%\r20%\r\r\n30%\n\r",
    "nested": "> " * 500 + "deep " + "[" * 500 + "*" * 500,
    "nested lists": "\n".join("  " * n + "- x" for n in range(60)),
    "fence": "```\x1b[31m\n\x1b[2J\n" + "~" * 300,
    "language": "```[/foo]\x1b python\nx\n```\n```python\nx = '\x1b'\n```",
    "table": "| a | b |\n|---|---|\n" + "| \x1b[1m | [/x] |\n" * 300,
    "wide table": "|" + "a|" * 200 + "\n|" + "-|" * 200 + "\n|" + "b|" * 200,
    "link": "[x](javascript:alert(1)) ![y](file:///etc/passwd) <http://\x1b[31m> [a]: b",
    "entities": "&#27;[31m &#x9b;2J &lt; &#0; &#8238;abc",
    "html": "<script>x</script> <!-- hidden --> <b>bold</b>",
    "number": "99999999999. x\n999999999. y\n0. z",
    "ideographic": "\u3000\u2028\u2029\u2800\ufeff",
}
RAW = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def poisoned(text: str) -> Iterator[AnyEvent]:
    """Every event of the sample with that text in each of its free fields."""
    for seq, event in enumerate(sample(), 1):
        changes: dict[str, Any] = {}
        for field in event.__struct_fields__:
            value = getattr(event, field)
            if field in ("seq", "at", "session", "source", "finish", "kind", "call", "state"):
                continue
            if field in ("answer", "by", "scope", "rule"):
                continue
            if (isinstance(value, str) and value) or field in ("text", "output", "reasoning"):
                changes[field] = text
            elif field == "arguments":
                changes[field] = dict.fromkeys(value, text) if isinstance(value, dict) else text
            elif field == "tool_calls":
                changes[field] = (ToolCall(text, text, text),)
        yield msgspec.structs.replace(event, seq=seq, **changes)
    last = len(sample())
    yield ToolStarted(seq=last + 1, call=text, name=text, arguments=text)
    yield ToolFinished(seq=last + 2, call=text, ok=True, output=text)
    yield ToolStarted(
        seq=last + 3,
        call="q",
        name="edit_file",
        arguments={"path": text, "old": text, "new": text + "x"},
    )
    yield UnknownEvent(seq=last + 4, at="", session="", type=text, raw=msgspec.Raw(b"\xff\x1b{}"))


@pytest.mark.parametrize("name", HOSTILE)
async def test_nothing_steers_the_terminal(name: str) -> None:
    app = PaneApp()
    text = HOSTILE[name]
    async with app.run_test(size=(80, 40)) as pilot:
        pane = await shown(app, pilot, list(poisoned(text)), lambda _: ())
        pane.border_title = text[:200]
        for key in ["up", "enter", "pageup"] * 4 + ["home", "down", "enter", "pagedown", "end"]:
            await pilot.press(key)
            _check(app)
        pane.search(text[:50])
        pane.step(forward=True)
        pane._stream(draft(text, text))
        pane._stream(draft(text + text[:100], text))
        _check(app)
        seq = len(sample()) + 5
        pane.append(
            [AssistantMessage(seq=seq, text=text + text[:100], finish="stop", tool_calls=())]
        )
        await pilot.press("end")
        _check(app)


def _check(app: PaneApp) -> None:
    width = app.pane.scrollable_content_region.width
    for y in range(app.pane.size.height):
        strip = app.pane.render_line(y)
        assert not RAW.search(strip.text)
        assert strip.cell_length == width
        for segment in strip:
            assert segment.control is None
            assert segment.style is None or not segment.style.link
            meta = segment.style.meta if segment.style is not None else {}
            assert set(meta) <= {"offset"}


def test_the_sample_has_every_event_but_the_plainest() -> None:
    seen = {type(event).__name__ for event in sample()}
    left_out = {kind.__name__ for kind in get_args(KnownEvent)} - seen
    assert left_out == {
        "AgentChanged",
        "Archived",
        "ChecklistChanged",
        "Failure",
        "MessageSent",
        "ModelStarted",
        "Renamed",
        "Rewound",
        "RoleChanged",
    }


async def test_streaming_one_endless_line_stays_cheap() -> None:
    app = PaneApp()
    async with app.run_test(size=(80, 40)) as pilot:
        pane = await shown(app, pilot, [], lambda _: ())
        for n in range(1, 200):
            pane._stream(draft("x" * 5_000 * n))
        await pilot.pause()
        assert sum(len(line) for line in lines(app)) < 5_000
