"""Sentences and layouts that several dialects share."""

from longwatch.checklist import Checklist, Item
from longwatch.checklist.model import MARKS

CONTINUATION = """\
[SYSTEM REMINDER - TODO CONTINUATION]
You have incomplete tasks. Rules:
1. BEFORE marking a todo done: verify the work compiles/works. No premature completion.
2. If a todo is broad (e.g. "implement X and implement Y"): break it into specific subtasks FIRST using {tool}, then work on those.
3. Each todo should be atomic and be "single responsibility" - completable in one focused action.
4. Continue with the next pending item now. Call tools immediately."""  # noqa: E501

REMINDER = "<reminder>Update your todos.</reminder>"


def continuation_prompt(custom: str | None, tool: str) -> str:
    """The person's own words, or the default with the dialect's tool for adding in it."""
    return CONTINUATION.format(tool=tool) if custom is None else custom.rstrip("\n")


def blocked_suffix(item: Item) -> str:
    return f" (blocked: {item.reason})" if item.status == "blocked" else ""


def marked(checklist: Checklist) -> str:
    """One line for each item: its mark, its id, its text."""
    return "\n".join(
        f"{MARKS[item.status]} #{item.id}: {item.text}{blocked_suffix(item)}" for item in checklist
    )


def instructions(*, plan: str, one: str, done: str, block: str, change: str) -> str:
    """The rules of working with a list, with one dialect's tools in them."""
    return f"""\
## Checklist
- Before you work on anything with several steps, {plan}
- {one}
- {done} Never batch completions.
- {block}
- {change}
- If you stop while items are open, you are prompted automatically to go on."""
