"""Loki's todo system: init, add, done, list, clear, answered as JSON objects."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from longwatch.checklist import Checklist, Conventions, Item, Refusal, Rule, edits
from longwatch.dialects import texts
from longwatch.dialects.arguments import as_int, not_an_object
from longwatch.dialects.loop import LoopSettings
from longwatch.dialects.plain import Plain
from longwatch.dialects.protocol import Desk, Looked, Outcome, TodoCall, ToolSpec, Written

CONVENTIONS = Conventions(cursor="none", numbering="highest")


class Loki(Plain):
    """Items are added and ticked by number; the tools exist only while auto_continue is on."""

    name = "loki"
    conventions = CONVENTIONS
    reading_tools = frozenset({"todo__list"})
    needs_auto_continue = True
    defaults = LoopSettings(
        auto_continue=False, max_auto_continues=10, stop_on_identical_reply=True
    )
    instructions_text = texts.instructions(
        plan="call todo__init with the goal, then todo__add for each step.",
        one="Work on one item at a time, in order.",
        done="Call todo__done(id) as soon as an item is finished.",
        block="If an item cannot go on, say why in your answer and work on another one.",
        change="When the person changes direction or cancels the task, call todo__clear.",
    )

    def tools(self, settings: LoopSettings) -> tuple[ToolSpec, ...]:
        del settings
        return TOOLS

    def apply(self, call: TodoCall, desk: Desk) -> Outcome:
        if not isinstance(call.arguments, Mapping):
            return _refused("bad_arguments", not_an_object(call.problem))
        match call.name:
            case "todo__init":
                return _init(call.arguments, desk)
            case "todo__add":
                return _add(call.arguments, desk)
            case "todo__done":
                return _done(call.arguments, desk)
            case "todo__clear":
                return Written(
                    replace(desk.seen, goal="", items=()),
                    _ok("Todo list cleared"),
                    resets_wakes=True,
                )
            case _:
                return Looked()

    def result(self, checklist: Checklist) -> str:
        return _json({"goal": checklist.goal, "todos": [_as_json(item) for item in checklist]})

    def with_kept(self, result: str, line: str) -> str:
        return _json({**msgspec.json.decode(result), "kept": line})

    def label(self, item: Item) -> str:
        return f"todo {item.id}"

    def continuation(self, checklist: Checklist, settings: LoopSettings, stalled: int) -> str:
        del stalled
        prompt = texts.continuation_prompt(settings.continuation_prompt, "todo__add")
        return f"{prompt}\n\n{shown(checklist)}"


def shown(checklist: Checklist) -> str:
    """The list as a continuation shows it."""
    goal = f"Goal: {checklist.goal}\n" if checklist.goal else ""
    progress = f"Progress: {checklist.done_count}/{len(checklist.items)} completed"
    lines = "".join(
        f"\n  {'✓' if item.status == 'completed' else '○'} {item.id}. {item.text}"
        f"{texts.blocked_suffix(item)}"
        for item in checklist
    )
    return f"{goal}{progress}{lines}"


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()


def _ok(message: str) -> str:
    return _json({"status": "ok", "message": message})


def _refused(rule: Rule, sentence: str) -> Refusal:
    return Refusal(rule, _json({"error": sentence}))


def _as_json(item: Item) -> dict[str, Any]:
    todo = {"id": item.id, "desc": item.text, "done": item.status == "completed"}
    return {**todo, "blocked": item.reason} if item.status == "blocked" else todo


def _init(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    goal = arguments.get("goal")
    text = goal.strip() if isinstance(goal, str) else ""
    return Written(replace(desk.seen, goal=text, items=()), _ok("Initialized new todo list"))


def _add(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    task = arguments.get("task")
    if not isinstance(task, str) or not task.strip():
        return _refused("blank_text", "task description is required")
    unseen = tuple(item for item in desk.now if desk.seen.by_uid(item.uid) is None)
    numbered = replace(desk.seen, items=desk.seen.items + unseen)
    (uid,) = edits.mint(desk.now, 1)
    (number,) = edits.new_ids(numbered, CONVENTIONS, 1)
    item = Item(uid, number, task.strip())
    return Written(edits.insert(desk.seen, [item]), _json({"status": "ok", "id": number}))


def _done(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    number = as_int(arguments.get("id"))
    if number is None:
        return _refused("bad_arguments", "id is required and must be a number")
    item = desk.seen.by_id(number)
    if item is None:
        return _refused("unknown_id", f"Todo {number} not found")
    if item.held_by_person:
        return _refused(
            "blocked_by_person", f"Todo {number} was blocked by the person: {item.reason}"
        )
    changed = edits.set_status(desk.seen, item.uid, "completed")
    return Written(changed, _ok(f"Marked todo {number} as done"))


def _tool(name: str, description: str, **properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec(name, description, schema)


TOOLS = (
    _tool(
        "todo__init",
        "Initialize a new todo list with a goal. Clears any existing todos.",
        goal={
            "type": "string",
            "description": "The overall goal to achieve when all todos are completed",
        },
    ),
    _tool(
        "todo__add",
        "Add a new todo item to the list.",
        task={"type": "string", "description": "Description of the todo task"},
    ),
    _tool(
        "todo__done",
        "Mark a todo item as done by its id.",
        id={"type": "integer", "description": "The id of the todo item to mark as done"},
    ),
    _tool("todo__list", "Display the current todo list with the status of each item."),
    _tool(
        "todo__clear",
        "Clear the entire todo list and reset the goal. "
        "Use it when the current task was cancelled or has changed.",
    ),
)
