"""A made-up session in which everything that the pane can show occurs once."""

from collections.abc import Iterator

from msgspec.structs import replace

from longwatch.engine.storing import Draft
from longwatch.session import KnownEvent
from longwatch.session.events import (
    ApprovalGiven,
    ApprovalRequested,
    AssistantMessage,
    AutoContinuing,
    ChecklistRefused,
    ChildFinished,
    ChildStarted,
    Compacted,
    Injected,
    Progress,
    ProviderFault,
    Retrying,
    SessionStarted,
    SettingsChanged,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    UserMessage,
)

REPLY = """\
## What I found

The **login handler** calls `validate()` twice, which is *wasteful*: see \
[the notes](https://example.org/notes) for why it came to be so.

1. Extract the validation
2. Update the handler
   - keep the old name
   - deprecate `check_login`
3. Run the tests

```python
@cache
def validate(token: str) -> bool:
    \"\"\"Whether a token is known.\"\"\"
    return token in {"a", "b"}  # quick
```

| file | lines | what |
|------|------:|------|
| src/auth.py | 120 | the old module |
| src/login.py | 80 | the handler |

> Nothing else calls it.
"""


def sample() -> list[KnownEvent]:
    """The events, numbered."""
    return [
        replace(event, seq=seq, at="2026-11-18T08:00:00.000Z", session="sample")
        for seq, event in enumerate(_events(), 1)
    ]


def draft() -> Draft:
    return Draft("Now the login handler. It calls…", "", "2026-11-18T08:00:00.000Z")


def _events() -> Iterator[KnownEvent]:
    yield SessionStarted(title="refactor-auth", cwd="~/code/shop", model="rehearsal/careful")
    yield UserMessage(text="Refactor the authentication module.", source="human")
    push = ToolCall("push", "shell", {"command": "git push origin main"})
    yield AssistantMessage(
        text="I'll start with the structure.",
        reasoning="The module is old.\nFirst I should read it.",
        finish="tool_calls",
        tool_calls=(push,),
    )
    yield from _call("1", "read_file", {"path": "src/auth.py"}, "def validate():\n    ...")
    yield from _call("2", "shell", {"command": "pytest -q"}, ".....\n== 12 passed ==", 3.2)
    old, new = "    check(token)\n    check(token)\n    go()\n", "    validate(token)\n    go()\n"
    edit = {"path": "src/login.py", "old": old, "new": new}
    yield from _call("3", "edit_file", edit, "Changed 1 place in src/login.py.")
    failed = "E   AssertionError\n1 failed\n[exit code 1]"
    yield from _call("4", "shell", {"command": "pytest -q tests/login"}, failed, 1.4, ok=False)
    yield ApprovalRequested(call="push", question="shell in ~/code/shop\n$ git push origin main")
    yield ApprovalGiven(call="push", answer="allow", by="human", scope="once")
    yield from _call("push", "shell", {"command": "git push origin main"}, "done", 2.0)
    yield ToolStarted(call="5", name="todo_done", arguments={"id": 2}, kind="todo")
    yield ToolFinished(call="5", ok=True, output="[x] 2 Extract validation")
    yield ToolStarted(call="6", name="todo_done", arguments={"id": 9}, kind="todo")
    words = "there is no item 9. Read the checklist."
    yield ChecklistRefused(rule="unknown_id", message=words, call="6")
    yield ToolFinished(call="6", ok=False, output=words)
    yield AssistantMessage(text=REPLY, finish="stop", tool_calls=())
    yield AutoContinuing(
        n=1,
        max=25,
        remaining=4,
        text="Auto-continuing (1/25): 4 incomplete todo(s) remain",
        progress=Progress(items=1, tools=5),
    )
    yield Injected(source="continuation", text="[SYSTEM REMINDER]\nYou have incomplete tasks.")
    yield Injected(source="nag", text="<reminder>Update your todos.</reminder>")
    yield ProviderFault(kind="rate_limited", status=429, message="slow down", attempt=1)
    yield Retrying(attempt=2, max=5, seconds=4, reason="rate limited")
    yield Compacted(before=120_000, after=8_000, summary="The module was read and split.")
    yield SettingsChanged(key="nag_after", value=5)
    yield ChildStarted(child="c1", title="write the docs")
    yield ChildFinished(child="c1", title="write the docs", outcome="done")
    yield StateChanged(state="idle", reason="wake budget used up (25/25), 4 open")
    yield UserMessage(text="Go on, please.\nAnd mind the tests.", source="human")
    yield ToolStarted(call="7", name="shell", arguments={"command": "make check"})


def _call(
    call: str,
    name: str,
    arguments: dict[str, str],
    output: str,
    seconds: float = 0.1,
    *,
    ok: bool = True,
) -> Iterator[KnownEvent]:
    yield ToolStarted(call=call, name=name, arguments=arguments)
    yield ToolFinished(call=call, ok=ok, output=output, seconds=seconds)
