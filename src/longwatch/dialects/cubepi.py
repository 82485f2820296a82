"""cubepi's todo middleware: one replacing tool, exactly one item in progress, JSON results."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from longwatch.checklist import Checklist, Conventions, Item, Refusal, Rule, Status, edits
from longwatch.dialects import texts
from longwatch.dialects.arguments import not_an_object
from longwatch.dialects.loop import LoopSettings
from longwatch.dialects.plain import Plain
from longwatch.dialects.protocol import Desk, Outcome, TodoCall, ToolSpec, Written

CONVENTIONS = Conventions(cursor="at_most_one", numbering="position")

STATUSES: dict[str, Status] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
}

DESCRIPTION = (
    "Create or update the structured checklist of the current task. Send the whole list every "
    "time. Exactly one item must be in_progress until all are completed. "
    "Call this tool at most once in a reply."
)
FINISHED_REMINDER = (
    "All todos are completed. Check once more that everything was really done before you answer."
)


class Cubepi(Plain):
    """The model sends the whole list each time, at most once in a reply."""

    name = "cubepi"
    conventions = CONVENTIONS
    defaults = LoopSettings(
        auto_continue=False,
        max_auto_continues=10,
        stale_after=5,
        stale_interval=5,
        finalization_corrections=1,
        on_guard_exhausted="proceed",
    )

    def tools(self, settings: LoopSettings) -> tuple[ToolSpec, ...]:
        description = settings.tool_description
        return (ToolSpec("write_todos", description or DESCRIPTION, SCHEMA),)

    def apply(self, call: TodoCall, desk: Desk) -> Outcome:
        if call.in_reply > 1:
            return _refused(
                "parallel_calls",
                "write_todos was called more than once in one reply. The list is as it was before. "
                "Call it once with the whole list.",
            )
        if not isinstance(call.arguments, Mapping):
            return _refused("bad_arguments", f"{not_an_object(call.problem)}.")
        return _replaced(call.arguments.get("todos"), desk)

    def result(self, checklist: Checklist) -> str:
        answer: dict[str, Any] = {"todos": [_as_json(item) for item in checklist]}
        if len(checklist.items) >= 3 and checklist.done_count == len(checklist.items):
            answer["reminder"] = FINISHED_REMINDER
        return _json(answer)

    def with_kept(self, result: str, line: str) -> str:
        return _json({**msgspec.json.decode(result), "kept": line})

    def label(self, item: Item) -> str:
        return f'"{item.text}"'

    def continuation(self, checklist: Checklist, settings: LoopSettings, stalled: int) -> str:
        del stalled
        prompt = texts.continuation_prompt(settings.continuation_prompt, "write_todos")
        shown = _json({"todos": [_as_json(item) for item in checklist]})
        return f"{prompt}\n\n{shown}"

    def instructions(self, settings: LoopSettings) -> str:
        custom = settings.todo_system_prompt
        return custom if custom is not None else INSTRUCTIONS


INSTRUCTIONS = texts.instructions(
    plan="call write_todos with the whole list.",
    one="Keep exactly one item in_progress until everything is completed.",
    done="Call write_todos with the item completed as soon as it is finished.",
    block="If an item cannot go on, say why in your answer and work on another one.",
    change="When the person changes direction, send the new list.",
)


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()


def _as_json(item: Item) -> dict[str, str]:
    if item.status == "blocked":
        return {"content": item.text, "status": "pending", "blocked": item.reason}
    return {"content": item.text, "status": item.status}


def _refused(rule: Rule, sentence: str) -> Refusal:
    return Refusal(rule, f"Error: {sentence}")


def _replaced(todos: Any, desk: Desk) -> Outcome:
    if not isinstance(todos, list):
        return _refused("not_a_list", "todos must be a list of items.")
    given: list[tuple[str, Status]] = []
    for position, raw in enumerate(todos, start=1):
        content = raw.get("content") if isinstance(raw, Mapping) else None
        status = raw.get("status") if isinstance(raw, Mapping) else None
        if not isinstance(content, str) or not isinstance(status, str):
            return _refused(
                "bad_arguments", f"item {position} needs a string content and a string status."
            )
        if status not in STATUSES:
            return _refused(
                "bad_status",
                f"item {position} has the status {status!r}. "
                "Use pending, in_progress or completed.",
            )
        given.append((content, STATUSES[status]))
    if not given and desk.seen.open:
        return _refused(
            "empty_list",
            "the list cannot be emptied while unfinished items exist. Complete them first.",
        )
    blank = next((p for p, (text, _) in enumerate(given, start=1) if not text.strip()), None)
    if blank is not None:
        return _refused("blank_text", f"item {blank} has an empty content.")
    items = _matched(given, desk)
    held = {item.uid for item in desk.seen if item.held_by_person}
    unfinished = [item for item in items if item.is_open and item.uid not in held]
    current = sum(item.status == "in_progress" for item in unfinished)
    if unfinished and current != 1:
        return _refused(
            "not_one_in_progress",
            "exactly one item must be in_progress while anything is unfinished; "
            f"this list has {current}.",
        )
    return Written(edits.settle(replace(desk.seen, items=items), CONVENTIONS))


def _matched(given: list[tuple[str, Status]], desk: Desk) -> tuple[Item, ...]:
    """The given items as ours: matched by equal text in order, they keep uid and history."""
    spare = list(desk.seen.items)
    uids = iter(edits.mint(desk.now, len(given)))
    matched: list[Item] = []
    for position, (text, status) in enumerate(given, start=1):
        old = next((item for item in spare if item.text == text), None)
        if old is None:
            matched.append(Item(next(uids), position, text, status))
            continue
        spare.remove(old)
        still_held = old.status == "blocked" and status == "pending"
        matched.append(old if still_held else replace(old, status=status, reason=""))
    return tuple(matched)


SCHEMA = {
    "type": "object",
    "properties": {
        "todos": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string", "description": "A short task description."},
                    "status": {"type": "string", "enum": list(STATUSES)},
                },
                "required": ["content", "status"],
            },
        },
    },
    "required": ["todos"],
}
