"""The default dialect: the program moves the cursor, so the model cannot break the invariant."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from longwatch.checklist import Checklist, Conventions, Item, Refusal, Rule, edits
from longwatch.dialects import texts
from longwatch.dialects.arguments import as_int, as_texts, not_an_object
from longwatch.dialects.loop import LoopSettings
from longwatch.dialects.plain import Plain
from longwatch.dialects.protocol import Desk, Looked, Outcome, TodoCall, ToolSpec, Written

CONVENTIONS = Conventions(cursor="kept", numbering="session")

STALLED_ONCE = """\
[SYSTEM REMINDER - TODO CONTINUATION]
The last prompt to continue brought nothing: no work, no change of the list.
You are on {item}. Make one concrete tool call for it now.
If it cannot be done, call todo_block with a reason and go on with the next item."""

STALLED_TWICE = """\
[SYSTEM REMINDER - TODO CONTINUATION]
Two prompts to continue brought nothing. The run stops now unless something changes.
Make a tool call for {item}, mark it with todo_done if it is finished, or call todo_block with what you need."""  # noqa: E501

ID = {"type": "integer", "description": "The item's number."}


class Longwatch(Plain):
    """Tools that name one item each; exactly one is in progress while anything is pending."""

    name = "longwatch"
    conventions = CONVENTIONS
    reading_tools = frozenset({"todo_list"})
    same_list_to_be_identical = True
    defaults = LoopSettings(
        auto_continue=True,
        max_auto_continues=25,
        stop_on_identical_reply=True,
        max_idle_continues=3,
        plan_nudge=True,
        nag_after=3,
        max_todos=20,
    )
    instructions_text = texts.instructions(
        plan="call todo_plan with the goal and all steps.",
        one="Work on one item at a time. The program starts the next one for you.",
        done="Call todo_done(id) as soon as an item is finished and verified.",
        block="Call todo_block(id, reason) when an item cannot go on without someone else.",
        change="When the person changes direction, call todo_plan with replace.",
    )

    def tools(self, settings: LoopSettings) -> tuple[ToolSpec, ...]:
        del settings
        return TOOLS

    def apply(self, call: TodoCall, desk: Desk) -> Outcome:
        if not isinstance(call.arguments, Mapping):
            return _refused("bad_arguments", f"{not_an_object(call.problem)}. Send it again.")
        return HANDLERS[call.name](call.arguments, desk)

    def result(self, checklist: Checklist) -> str:
        if not checklist.items:
            return "No todos."
        return f"{shown(checklist)}\n{what_now(checklist)}"

    def with_kept(self, result: str, line: str) -> str:
        """Before the last line, which stays what to do now."""
        body, newline, last = result.rpartition("\n")
        return f"{body}{newline}{line}\n{last}"

    def label(self, item: Item) -> str:
        return f"#{item.id}"

    def continuation(self, checklist: Checklist, settings: LoopSettings, stalled: int) -> str:
        prompt = texts.continuation_prompt(settings.continuation_prompt, "todo_add")
        item = checklist.current or next(iter(checklist.open), None)
        if settings.continuation_prompt is None and stalled and item is not None:
            last_call = stalled > 1 and settings.max_idle_continues > 0
            stall = STALLED_TWICE if last_call else STALLED_ONCE
            prompt = stall.format(item=f"#{item.id} {item.text}")
        return f"{prompt}\n\n{shown(checklist)}"


def shown(checklist: Checklist) -> str:
    """Goal, items and counts, as results and continuations show them."""
    goal = f"Goal: {checklist.goal}\n" if checklist.goal else ""
    blocked = len(checklist.blocked)
    held = f", {blocked} blocked" if blocked else ""
    counts = f"({checklist.done_count}/{len(checklist.items)} completed{held})"
    return f"{goal}{texts.marked(checklist)}\n\n{counts}"


def what_now(checklist: Checklist) -> str:
    current = checklist.current
    if current is not None:
        return f"Now: #{current.id} {current.text}"
    if checklist.blocked:
        return "Only blocked items are left. Say what you need."
    return "All done. Give the final answer."


def _refused(rule: Rule, sentence: str) -> Refusal:
    return Refusal(rule, f"Error: {sentence}")


def _written(checklist: Checklist, note: str = "") -> Written:
    return Written(edits.settle(checklist, CONVENTIONS), note=note)


def _find(arguments: Mapping[str, Any], key: str, desk: Desk) -> Item | Refusal:
    number = as_int(arguments.get(key))
    if number is None:
        return _refused("bad_arguments", f"{key} must be an item's number, as todo_list shows it.")
    item = desk.seen.by_id(number)
    if item is None:
        return _refused(
            "unknown_id", f"there is no item #{number}. Call todo_list for the numbers."
        )
    return item


def _held(item: Item) -> Refusal:
    return _refused(
        "blocked_by_person",
        f"the person blocked #{item.id} ({item.reason}). Leave it until they unblock it, "
        "and go on with another item.",
    )


def _new_texts(arguments: Mapping[str, Any]) -> list[str] | Refusal:
    new = as_texts(arguments, "items")
    if new is None:
        return _refused("not_a_list", "items must be a list of texts. Send every step as a string.")
    if not new:
        return _refused("empty_list", "items is empty. Name at least one step.")
    if not all(new):
        return _refused("blank_text", "an item has no text. Send the call again with every text.")
    return new


def _too_many(checklist: Checklist, limit: int) -> Refusal | None:
    counted = sum(i.status != "completed" and not i.added_by_person for i in checklist)
    if not limit or counted <= limit:
        return None
    return _refused(
        "too_many",
        f"at most {limit} items may be unfinished, this would make {counted}. "
        "Use fewer, broader items, or finish some first.",
    )


def _plan(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    goal = arguments.get("goal", "")
    if not isinstance(goal, str):
        return _refused("bad_arguments", "goal must be a text. Send the call again with one.")
    new = _new_texts(arguments)
    if isinstance(new, Refusal):
        return new
    seen = desk.seen
    if seen.open and arguments.get("replace") is not True:
        return _refused(
            "plan_unfinished",
            f"{seen.open_count} unfinished item(s) exist. Use todo_add for more, "
            "or pass replace: true to drop them.",
        )
    spare = [item for item in seen if item.status == "completed" or item.held_by_person]
    uids = edits.mint(desk.now, len(new))
    ids = edits.new_ids(desk.now, CONVENTIONS, len(new))
    fresh = zip(uids, ids, strict=True)
    items: list[Item] = []
    for text in new:
        same = next((item for item in spare if item.text == text), None)
        if same is not None:
            spare.remove(same)
            items.append(same)
        else:
            uid, number = next(fresh)
            items.append(Item(uid, number, text))
    planned = replace(seen, goal=goal.strip(), items=tuple(items))
    return _too_many(planned, desk.max_todos) or _written(planned)


def _add(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    new = _new_texts(arguments)
    if isinstance(new, Refusal):
        return new
    after: str | None = None
    if arguments.get("after") is not None:
        found = _find(arguments, "after", desk)
        if isinstance(found, Refusal):
            return found
        after = found.uid
    uids = edits.mint(desk.now, len(new))
    ids = edits.new_ids(desk.now, CONVENTIONS, len(new))
    items = [Item(*parts) for parts in zip(uids, ids, new, strict=True)]
    grown = edits.insert(desk.seen, items, after)
    return _too_many(grown, desk.max_todos) or _written(grown)


def _start(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    item = _find(arguments, "id", desk)
    if isinstance(item, Refusal):
        return item
    if item.held_by_person:
        return _held(item)
    if item.status == "completed":
        return _refused(
            "bad_status", f"#{item.id} is completed. Start a pending item, or add a new one."
        )
    return _written(edits.start(desk.seen, item.uid))


def _done(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    item = _find(arguments, "id", desk)
    if isinstance(item, Refusal):
        return item
    if item.held_by_person:
        return _held(item)
    note = arguments.get("note")
    if note is not None and not isinstance(note, str):
        return _refused("bad_arguments", "note must be a text. Send the call again without it.")
    completed = edits.set_status(desk.seen, item.uid, "completed")
    return _written(completed, note=(note or "").strip())


def _block(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    item = _find(arguments, "id", desk)
    if isinstance(item, Refusal):
        return item
    if item.held_by_person:
        return _held(item)
    if item.status == "completed":
        return _refused("bad_status", f"#{item.id} is completed and needs no block. Go on.")
    reason = arguments.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        return _refused("missing_reason", "a block needs a reason. Say what the item waits for.")
    return _written(edits.set_status(desk.seen, item.uid, "blocked", reason.strip()))


def _list(arguments: Mapping[str, Any], desk: Desk) -> Outcome:
    del arguments, desk
    return Looked()


HANDLERS: dict[str, Callable[[Mapping[str, Any], Desk], Outcome]] = {
    "todo_plan": _plan,
    "todo_add": _add,
    "todo_start": _start,
    "todo_done": _done,
    "todo_block": _block,
    "todo_list": _list,
}


def _tool(name: str, description: str, required: list[str], **properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": required}
    return ToolSpec(name, description, schema)


TOOLS = (
    _tool(
        "todo_plan",
        "Make the checklist: the goal and every step. The first step starts by itself. "
        "Pass replace to drop an unfinished plan.",
        ["goal", "items"],
        goal={"type": "string", "description": "What is true when all items are done."},
        items={"type": "array", "items": {"type": "string"}, "minItems": 1},
        replace={"type": "boolean", "description": "Drop unfinished items of the old plan."},
    ),
    _tool(
        "todo_add",
        "Add steps at the end of the checklist, or after one item.",
        ["items"],
        items={"type": "array", "items": {"type": "string"}, "minItems": 1},
        after={"type": "integer", "description": "The number of the item to add them after."},
    ),
    _tool("todo_start", "Work on this item now instead of the current one.", ["id"], id=ID),
    _tool(
        "todo_done",
        "Complete an item. Call it as soon as the item is finished and verified.",
        ["id"],
        id=ID,
        note={"type": "string", "description": "What was done, in one line."},
    ),
    _tool(
        "todo_block",
        "Hold an item that cannot go on, and say what it waits for.",
        ["id", "reason"],
        id=ID,
        reason={"type": "string", "description": "What it waits for."},
    ),
    _tool("todo_list", "Read the checklist.", []),
)
