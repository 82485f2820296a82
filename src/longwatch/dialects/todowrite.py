"""The TodoWrite lesson's list: one tool that replaces all of it, checked by the program."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from longwatch.checklist import Checklist, Conventions, Item, Refusal, Rule, Status, edits
from longwatch.dialects import texts
from longwatch.dialects.loop import LoopSettings
from longwatch.dialects.plain import Plain
from longwatch.dialects.protocol import Desk, Outcome, TodoCall, ToolSpec, Written

CONVENTIONS = Conventions(cursor="at_most_one", numbering="label")

STATUSES: dict[str, Status] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
}


class TodoWrite(Plain):
    """The model sends the whole list each time; at most one item is in progress."""

    name = "todowrite"
    conventions = CONVENTIONS
    defaults = LoopSettings(
        auto_continue=False,
        max_auto_continues=10,
        nag_after=3,
        nag_without_list=True,
        max_todos=20,
    )
    instructions_text = texts.instructions(
        plan="call todo with the whole list.",
        one="Work on one item at a time: only one may be in_progress.",
        done="Call todo with the item completed as soon as it is finished.",
        block="If an item cannot go on, say why in your answer and work on another one.",
        change="When the person changes direction, send the new list, or an empty one.",
    )

    def tools(self, settings: LoopSettings) -> tuple[ToolSpec, ...]:
        del settings
        return TOOLS

    def apply(self, call: TodoCall, desk: Desk) -> Outcome:
        items = call.arguments.get("items") if isinstance(call.arguments, Mapping) else None
        if not isinstance(items, list):
            return _refused("not_a_list", "items must be a list")
        return _replaced(items, desk)

    def result(self, checklist: Checklist) -> str:
        if not checklist.items:
            return "No todos."
        counts = f"({checklist.done_count}/{len(checklist.items)} completed)"
        return f"{texts.marked(checklist)}\n\n{counts}"

    def label(self, item: Item) -> str:
        return f"#{item.id}"

    def continuation(self, checklist: Checklist, settings: LoopSettings, stalled: int) -> str:
        del stalled
        prompt = texts.continuation_prompt(settings.continuation_prompt, "todo")
        return f"{prompt}\n\n{self.result(checklist)}"


class _Given:
    """One item of the call, read as loosely as the lesson reads it."""

    def __init__(self, raw: Any, position: int) -> None:
        fields: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
        given_id, text, status = fields.get("id"), fields.get("text"), fields.get("status")
        self.id = str(given_id) if given_id not in (None, "") else str(position)
        self.text = str(text).strip() if text is not None else ""
        self.status_said = "pending" if status is None else str(status).lower()
        self.status = STATUSES.get(self.status_said)


def _refused(rule: Rule, sentence: str) -> Refusal:
    return Refusal(rule, f"Error: {sentence}")


def _replaced(items: list[Any], desk: Desk) -> Outcome:
    given = [_Given(raw, position) for position, raw in enumerate(items, start=1)]
    theirs = Counter(str(item.id) for item in desk.seen if item.added_by_person)
    counted = len(given) - (theirs & Counter(item.id for item in given)).total()
    if desk.max_todos and counted > desk.max_todos:
        return _refused("too_many", f"Max {desk.max_todos} todos allowed")
    for item in given:
        if not item.text:
            return _refused("blank_text", f"Item {item.id}: text required")
        if item.status is None:
            return _refused("bad_status", f"Item {item.id}: invalid status '{item.status_said}'")
    if sum(item.status == "in_progress" for item in given) > 1:
        return _refused("two_in_progress", "Only one task can be in_progress at a time")
    return Written(replace(desk.seen, items=tuple(_matched(given, desk))))


def _matched(given: list[_Given], desk: Desk) -> list[Item]:
    """The given items as ours: one whose id is known keeps its uid and its history."""
    spare = list(desk.seen.items)
    uids = iter(edits.mint(desk.now, len(given)))
    matched: list[Item] = []
    for new in given:
        old = next((item for item in spare if str(item.id) == new.id), None)
        status = new.status or "pending"
        if old is None:
            matched.append(Item(next(uids), new.id, new.text, status))
            continue
        spare.remove(old)
        if old.status == "blocked" and status == "pending":
            matched.append(replace(old, text=new.text))
        else:
            matched.append(replace(old, text=new.text, status=status, reason=""))
    return matched


TOOLS = (
    ToolSpec(
        "todo",
        "Update task list. Track progress on multi-step tasks.",
        {
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "string"},
                            "text": {"type": "string"},
                            "status": {
                                "type": "string",
                                "enum": ["pending", "in_progress", "completed"],
                            },
                        },
                        "required": ["id", "text", "status"],
                    },
                },
            },
            "required": ["items"],
        },
    ),
)
