"""AgentParley's todos: open, done or blocked, with ids of the whole store."""

from collections.abc import Mapping
from typing import Any

from longwatch.checklist import Checklist, Conventions, Item, Refusal, Rule, edits
from longwatch.dialects import texts
from longwatch.dialects.arguments import as_int, as_texts, not_an_object
from longwatch.dialects.loop import LoopSettings
from longwatch.dialects.plain import Plain
from longwatch.dialects.protocol import Desk, Looked, Outcome, TodoCall, ToolSpec, Written

CONVENTIONS = Conventions(cursor="none", numbering="store")

NUDGE = (
    'You still have open todos — keep working and close each with todo_update(id, "done") '
    "as you finish:"
)
NUDGE_END = "(todo_list shows the full list at any time.)"


class Parley(Plain):
    """Items are added one by one and closed one by one; nothing is ever in progress."""

    name = "parley"
    conventions = CONVENTIONS
    reading_tools = frozenset({"todo_list"})
    defaults = LoopSettings(auto_continue=True, max_auto_continues=25)
    instructions_text = texts.instructions(
        plan="call todo_write with all steps.",
        one="Work on one item at a time, in order.",
        done='Call todo_update(id, "done") as soon as an item is finished.',
        block='Call todo_update(id, "blocked", reason) when an item cannot go on.',
        change="When the person changes direction, close what no longer applies and add what does.",
    )

    def tools(self, settings: LoopSettings) -> tuple[ToolSpec, ...]:
        del settings
        return TOOLS

    def store_ids_wanted(self, call: TodoCall) -> int:
        if call.name != "todo_write" or not isinstance(call.arguments, Mapping):
            return 0
        return len(as_texts(call.arguments, "items") or ())

    def apply(self, call: TodoCall, desk: Desk) -> Outcome:
        if not isinstance(call.arguments, Mapping):
            return _refused("bad_arguments", f"{not_an_object(call.problem)}.")
        match call.name:
            case "todo_write":
                return _write(call.arguments, desk)
            case "todo_update":
                return _update(call.arguments, desk)
            case _:
                return Looked()

    def result(self, checklist: Checklist) -> str:
        if not checklist.items:
            return "No todos."
        return "\n".join(f"{self.label(item)} {item.text} ({_state(item)})" for item in checklist)

    def label(self, item: Item) -> str:
        return f"[{item.id}]"

    def continuation(self, checklist: Checklist, settings: LoopSettings, stalled: int) -> str:
        del stalled
        lines = "\n".join(
            f"  {self.label(item)} {item.text}{texts.blocked_suffix(item)}"
            for item in checklist
            if item.status != "completed"
        )
        if settings.continuation_prompt is not None:
            prompt = texts.continuation_prompt(settings.continuation_prompt, "todo_write")
            return f"{prompt}\n\n{lines}"
        return f"{NUDGE}\n{lines}\n{NUDGE_END}"


def _state(item: Item) -> str:
    match item.status:
        case "completed":
            return "done"
        case "blocked":
            return f"blocked: {item.reason}"
        case "pending" | "in_progress":
            return "open"


def _refused(rule: Rule, sentence: str) -> Refusal:
    return Refusal(rule, f"Error: {sentence}")


def _write(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    new = as_texts(arguments, "items")
    if new is None:
        return _refused("not_a_list", "items must be a list of strings.")
    if not new:
        return _refused("empty_list", "items is empty. Pass at least one todo.")
    if not all(new):
        return _refused("blank_text", "every item needs a text. Nothing was added.")
    uids = edits.mint(desk.now, len(new))
    ids = edits.new_ids(desk.now, CONVENTIONS, len(new), desk.first_store_id)
    items = [Item(*parts) for parts in zip(uids, ids, new, strict=True)]
    reply = "\n".join(f"[{item.id}] {item.text}" for item in items)
    return Written(edits.insert(desk.seen, items), reply)


def _update(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    number = as_int(arguments.get("id"))
    if number is None:
        return _refused("bad_arguments", "id must be the number of a todo, as todo_list shows it.")
    item = desk.seen.by_id(number)
    if item is None:
        return _refused(
            "unknown_id", f"no todo {number} in this session. Call todo_list for the ids."
        )
    status = arguments.get("status")
    if status not in ("done", "blocked"):
        return _refused("bad_status", 'status must be "done" or "blocked".')
    reason = arguments.get("reason")
    reason = reason.strip() if isinstance(reason, str) else ""
    if status == "blocked" and not reason:
        return _refused("missing_reason", "blocked needs a reason. Say what the todo waits for.")
    if item.held_by_person:
        return _refused(
            "blocked_by_person",
            f"the person blocked [{number}] ({item.reason}). "
            "Leave it until they unblock it, and go on with another todo.",
        )
    if status == "done":
        changed = edits.set_status(desk.seen, item.uid, "completed")
        return Written(changed, f"[{number}] {item.text} (done)")
    changed = edits.set_status(desk.seen, item.uid, "blocked", reason)
    return Written(changed, f"[{number}] {item.text} (blocked: {reason})")


TOOLS = (
    ToolSpec(
        "todo_write",
        "Add one or more todos to this session's list. Returns each new todo's id.",
        {
            "type": "object",
            "properties": {"items": {"type": "array", "items": {"type": "string"}, "minItems": 1}},
            "required": ["items"],
        },
    ),
    ToolSpec(
        "todo_list",
        "List this session's todos with their ids and states.",
        {"type": "object", "properties": {}, "required": []},
    ),
    ToolSpec(
        "todo_update",
        'Close a todo with status "done", or hold it with "blocked" and a reason.',
        {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "status": {"type": "string", "enum": ["done", "blocked"]},
                "reason": {"type": "string", "description": "Why it is blocked."},
            },
            "required": ["id", "status"],
        },
    ),
)
