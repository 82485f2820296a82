"""How a model says and reads a list in each dialect: only from its own calls and their results."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

PART = re.compile(r"part (\d+)")
MARKED = re.compile(r"^\[(.)\] #(\S+): (.*)$", re.MULTILINE)
NUMBERED = re.compile(r"^\[(\d+)\] (.*?)(?: \((?:open|done)\))?$", re.MULTILINE)
STATUS = {" ": "pending", ">": "in_progress", "x": "completed", "!": "pending"}
GOAL = "All parts are written"

Spoken = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Entry:
    """One item as the model remembers it."""

    id: str
    part: int
    status: str

    @property
    def done(self) -> bool:
        return self.status == "completed"


Entries = tuple[Entry, ...]


class Speech(Protocol):
    """One dialect, as a model uses it."""

    def plan(self, parts: Sequence[int]) -> list[Spoken]:
        """Put these parts on the list."""
        ...

    def tick(self, seen: Entries, parts: set[int]) -> list[Spoken]:
        """Mark these parts done."""
        ...

    def start_two(self, seen: Entries) -> list[Spoken]:
        """Begin two items at once."""
        ...

    def contradict(self, seen: Entries) -> list[Spoken]:
        """Throw the list over in the middle of the work."""
        ...

    def read(self, seen: Entries, name: str, arguments: Any, result: str) -> Entries:
        """The list after a call and its result."""
        ...


def text_of(part: int) -> str:
    return f"Write part {part:02d}"


def part_of(text: str) -> int:
    found = PART.search(text)
    return int(found[1]) if found else 0


def marked(seen: Entries, result: str) -> Entries:
    """The list that a result shows with marks, or the one known so far."""
    if result.startswith("No todos."):
        return ()
    lines = MARKED.findall(result)
    shown = tuple(Entry(id_, part_of(text), STATUS[mark]) for mark, id_, text in lines)
    return shown or seen


class Longwatch:
    def plan(self, parts: Sequence[int]) -> list[Spoken]:
        return [("todo_plan", {"goal": GOAL, "items": [*map(text_of, parts)]})]

    def tick(self, seen: Entries, parts: set[int]) -> list[Spoken]:
        open_ = [entry for entry in seen if entry.part in parts and not entry.done]
        return [("todo_done", {"id": int(entry.id)}) for entry in open_]

    def start_two(self, seen: Entries) -> list[Spoken]:
        waiting = [entry for entry in seen if entry.status == "pending"][:2]
        return [("todo_start", {"id": int(entry.id)}) for entry in waiting]

    def contradict(self, seen: Entries) -> list[Spoken]:
        return self.plan([entry.part for entry in seen if not entry.done][1:])

    def read(self, seen: Entries, name: str, arguments: Any, result: str) -> Entries:
        del arguments
        return marked(seen, result) if name.startswith("todo_") else seen


class Parley:
    def plan(self, parts: Sequence[int]) -> list[Spoken]:
        return [("todo_write", {"items": [*map(text_of, parts)]})]

    def tick(self, seen: Entries, parts: set[int]) -> list[Spoken]:
        open_ = [entry for entry in seen if entry.part in parts and not entry.done]
        return [("todo_update", {"id": int(entry.id), "status": "done"}) for entry in open_]

    def start_two(self, seen: Entries) -> list[Spoken]:
        waiting = [entry for entry in seen if not entry.done][:2]
        return [("todo_update", {"id": int(e.id), "status": "in_progress"}) for e in waiting]

    def contradict(self, seen: Entries) -> list[Spoken]:
        return self.plan([entry.part for entry in seen if not entry.done][:2] or [1])

    def read(self, seen: Entries, name: str, arguments: Any, result: str) -> Entries:
        if name == "todo_write":
            new = NUMBERED.findall(result)
            return (*seen, *(Entry(id_, part_of(text), "pending") for id_, text in new))
        if name == "todo_update" and result.endswith("(done)"):
            done = str(arguments["id"])
            return tuple(replace(e, status="completed") if e.id == done else e for e in seen)
        return seen


class Loki:
    def plan(self, parts: Sequence[int]) -> list[Spoken]:
        adds: list[Spoken] = [("todo__add", {"task": text_of(part)}) for part in parts]
        return [("todo__init", {"goal": GOAL}), *adds]

    def tick(self, seen: Entries, parts: set[int]) -> list[Spoken]:
        open_ = [entry for entry in seen if entry.part in parts and not entry.done]
        return [("todo__done", {"id": int(entry.id)}) for entry in open_]

    def start_two(self, seen: Entries) -> list[Spoken]:
        waiting = [entry for entry in seen if not entry.done][:2]
        return [("todo__start", {"id": int(entry.id)}) for entry in waiting]

    def contradict(self, seen: Entries) -> list[Spoken]:
        del seen
        return [("todo__clear", {})]

    def read(self, seen: Entries, name: str, arguments: Any, result: str) -> Entries:
        if '"status":"ok"' not in result:
            return seen
        match name:
            case "todo__init" | "todo__clear":
                return ()
            case "todo__add":
                added = Entry(str(json.loads(result)["id"]), part_of(arguments["task"]), "pending")
                return (*seen, added)
            case "todo__done":
                done = str(arguments["id"])
                return tuple(replace(e, status="completed") if e.id == done else e for e in seen)
            case _:
                return seen


class Replacing:
    """What the two dialects share that send the whole list each time."""

    def sent(self, todos: Sequence[tuple[int, str]]) -> list[Spoken]:
        raise NotImplementedError

    def plan(self, parts: Sequence[int]) -> list[Spoken]:
        return self.sent(_one_current([(part, False) for part in parts]))

    def tick(self, seen: Entries, parts: set[int]) -> list[Spoken]:
        if all(entry.done for entry in seen if entry.part in parts):
            return []
        return self.sent(_one_current([(e.part, e.done or e.part in parts) for e in seen]))

    def start_two(self, seen: Entries) -> list[Spoken]:
        return self.sent([(e.part, "completed" if e.done else "in_progress") for e in seen])

    def contradict(self, seen: Entries) -> list[Spoken]:
        """Send the list with one of its open items gone."""
        open_ = [entry for entry in seen if not entry.done]
        kept = [entry for entry in seen if entry not in open_[-1:]]
        return self.sent(_one_current([(entry.part, entry.done) for entry in kept]))


def _one_current(todos: Sequence[tuple[int, bool]]) -> list[tuple[int, str]]:
    """The first that is not done is the current one."""
    first = next((at for at, (_, done) in enumerate(todos) if not done), None)
    return [
        (part, "completed" if done else "in_progress" if at == first else "pending")
        for at, (part, done) in enumerate(todos)
    ]


class TodoWrite(Replacing):
    def sent(self, todos: Sequence[tuple[int, str]]) -> list[Spoken]:
        items = [{"id": str(p), "text": text_of(p), "status": status} for p, status in todos]
        return [("todo", {"items": items})]

    def read(self, seen: Entries, name: str, arguments: Any, result: str) -> Entries:
        del arguments
        return marked(seen, result) if name == "todo" else seen


class Cubepi(Replacing):
    def sent(self, todos: Sequence[tuple[int, str]]) -> list[Spoken]:
        listed = [{"content": text_of(part), "status": status} for part, status in todos]
        return [("write_todos", {"todos": listed})]

    def read(self, seen: Entries, name: str, arguments: Any, result: str) -> Entries:
        del arguments
        if name != "write_todos" or not result.startswith("{"):
            return seen
        todos = json.loads(result)["todos"]
        return tuple(Entry("", part_of(todo["content"]), todo["status"]) for todo in todos)


SPEECHES: dict[str, Speech] = {
    "todo_plan": Longwatch(),
    "todo_write": Parley(),
    "todo__init": Loki(),
    "todo": TodoWrite(),
    "write_todos": Cubepi(),
}
"""By the tool that only this dialect has."""


def speech_for(tools: set[str]) -> Speech | None:
    """The dialect whose tools are on offer; None where there are no todo tools."""
    return next((speech for tool, speech in SPEECHES.items() if tool in tools), None)
