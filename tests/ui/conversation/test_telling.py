"""Calls in one line, and opened."""

from typing import Any

import pytest

from longwatch.discipline.texts import PAUSED, PAUSED_MEANWHILE
from longwatch.ui.conversation.blocks import Tool
from longwatch.ui.conversation.diffs import difference, looks_like_diff
from longwatch.ui.conversation.telling import headline, sections


def tool(name: str, arguments: Any, output: str = "", **fields: Any) -> Tool:
    done = {"done": True, "ok": True, "seconds": 0.1, **fields}
    return Tool(key=4, call="c", name=name, arguments=arguments, output=output, **done)


@pytest.mark.parametrize(
    ("call", "mark", "name", "subject", "result"),
    [
        (tool("read_file", {"path": "a.py"}, "x"), "✓", "read", "a.py", ""),
        (
            tool("shell", {"command": "ls\npwd"}, "..\n== 2 passed ==\n"),
            "✓", "shell", "ls", "2 passed",
        ),
        (
            tool("shell", {"command": "x"}, "no\n[exit code 2]", ok=False),
            "✗", "shell", "x", "exit 2",
        ),
        (
            tool("edit_file", {"path": "a", "old": "1\n2\n", "new": "1\n3\n4\n"}),
            "✓", "edit", "a", "+2 −1",
        ),
        (tool("write_file", {"path": "a", "content": "1\n2\n"}), "✓", "write", "a", "+2 −0"),
        (tool("list_files", {"path": "src"}, "a\nb"), "✓", "list", "src", "2 lines"),
        (tool("todo_done", {"id": 2}, todo=True), "☑", "todo_done", "2", ""),
        (tool("todo_plan", {"items": ["a", "b"]}, todo=True), "☑", "todo_plan", "2 items", ""),
        (tool("shell", {"command": "x"}, done=False), "▸", "shell", "x", ""),
        (
            tool("shell", {"command": "x"}, done=False, asked=True),
            "?", "shell", "x", "needs your approval",
        ),
        (tool("odd", {"n": [1]}, "fine\nmore"), "✓", "odd", '{"n": [1]}', "fine"),
        (tool("", "not json"), "✓", "call", "not json", ""),
        (
            tool("todo_done", {"id": 9}, "no item 9", ok=False, rule="unknown_id", todo=True),
            "✗", "todo_done", "9", "refused (unknown_id): no item 9",
        ),
        (tool("spawn_agent", {"task": "Count."}, "Started …"), "✓", "spawn_agent", "Count.", ""),
        (tool("ask_user", {"question": "Why?"}, "The …"), "✓", "ask_user", "Why?", ""),
        (
            tool("send_message", {"text": "Hi", "expects_reply": True}, 'Sent to a1 "It."."'),
            "✓", "send_message", "Hi", "to It, a reply is owed",
        ),
    ],
)  # fmt: skip
def test_headline(call: Tool, mark: str, name: str, subject: str, result: str) -> None:
    told = headline(call)
    assert (told.mark, told.name, told.subject, told.result) == (mark, name, subject, result)


@pytest.mark.parametrize(
    ("output", "result"),
    [(PAUSED, "not run: paused"), (PAUSED_MEANWHILE, "paused, its outcome is unknown")],
)
def test_a_call_that_a_pause_cut_off_is_paused_and_no_error(output: str, result: str) -> None:
    told = headline(tool("shell", {"command": "make"}, output, ok=False, seconds=0.0))
    assert (told.mark, told.result, told.seconds, told.tone) == ("‖", result, "", "quiet")
    failed = headline(tool("shell", {"command": "make"}, "Error: no.", ok=False))
    assert (failed.mark, failed.result, failed.tone) == ("✗", "Error: no.", "bad")


def test_an_edit_opens_to_a_diff() -> None:
    edit = tool("edit_file", {"path": "a", "old": "1\n2\n", "new": "1\n3\n"}, "Changed.")
    kinds = [(section.kind, section.text) for section in sections(edit)]
    assert ("diff", " 1\n-2\n+3") in kinds
    assert ("plain", "path: a") in kinds
    assert ("plain", "Changed.") in kinds


def test_output_that_is_a_diff_is_shown_as_one() -> None:
    text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"
    assert looks_like_diff(text)
    assert not looks_like_diff("- a list\n- of things\n+ more")
    assert sections(tool("shell", {"command": "git diff"}, text))[-1].kind == "diff"


def test_large_texts_are_not_compared_line_by_line() -> None:
    old = "\n".join(str(n) for n in range(2_000))
    new = "\n".join(str(-n) for n in range(2_000))
    assert len(difference(old, new)) == 4_000
