"""Models that misbehave, each in its own way, in every dialect's words."""

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from longwatch.checklist import Checklist, Item
from longwatch.session.events import Finish, ToolCall

Arguments = dict[str, Any] | str
Spoken = tuple[str, Arguments]


class Reply(msgspec.Struct, frozen=True):
    text: str
    calls: tuple[Spoken, ...] = ()
    finish: Finish = "stop"
    partial: bool = False


class Speech:
    """How one dialect says the few things that every model wants to say."""

    def __init__(self, dialect: str, rng: Random) -> None:
        self.dialect = dialect
        self.rng = rng

    def plan(self, texts: list[str], seen: Checklist) -> list[Spoken]:
        match self.dialect:
            case "longwatch":
                replace = self.rng.random() < 0.3
                return [("todo_plan", {"goal": "g", "items": texts, "replace": replace})]
            case "parley":
                return [("todo_write", {"items": texts})]
            case "loki":
                adds: list[Spoken] = [("todo__add", {"task": text}) for text in texts]
                return [("todo__init", {"goal": "g"}), *adds] if self.rng.random() < 0.3 else adds
            case _:
                kept = [(item.text, self._status(item)) for item in seen]
                return self._all(kept + [(text, "pending") for text in texts])

    def close(self, items: list[Item], seen: Checklist) -> list[Spoken]:
        """Mark items done, one call each or in one replacement."""
        match self.dialect:
            case "longwatch":
                return [("todo_done", {"id": item.id}) for item in items]
            case "parley":
                return [("todo_update", {"id": item.id, "status": "done"}) for item in items]
            case "loki":
                return [("todo__done", {"id": item.id}) for item in items]
            case _:
                done = {item.uid for item in items}
                return self._all(
                    [(i.text, "completed" if i.uid in done else self._status(i)) for i in seen]
                )

    def hold(self, item: Item) -> list[Spoken]:
        if self.dialect == "longwatch":
            return [("todo_block", {"id": item.id, "reason": "cannot"})]
        if self.dialect == "parley":
            return [("todo_update", {"id": item.id, "status": "blocked", "reason": "cannot"})]
        return []

    def start_two(self, seen: Checklist) -> list[Spoken]:
        if self.dialect == "longwatch":
            return [("todo_start", {"id": item.id}) for item in seen.items[:2]]
        return self._all([(item.text, "in_progress") for item in seen])

    def drop(self, seen: Checklist) -> list[Spoken]:
        match self.dialect:
            case "longwatch":
                return [("todo_plan", {"goal": "other", "items": ["x"], "replace": True})]
            case "loki":
                return [("todo__clear", {})]
            case "parley":
                return [("todo_write", {"items": []})]
            case _:
                rest = [(i.text, self._status(i)) for i in seen if self.rng.random() < 0.5]
                return self._all(rest)

    def look(self) -> list[Spoken]:
        name = {"longwatch": "todo_list", "parley": "todo_list", "loki": "todo__list"}
        return [(name.get(self.dialect, "todo"), {})]

    def _status(self, item: Item) -> str:
        return item.status if item.status != "blocked" else "pending"

    def _all(self, todos: list[tuple[str, str]]) -> list[Spoken]:
        if self.dialect == "cubepi":
            todos = self._one_current(todos)
            items = [{"content": text, "status": status} for text, status in todos]
            return [("write_todos", {"todos": items})]
        if self.dialect == "todowrite":
            return [("todo", {"items": [{"text": t, "status": s} for t, s in todos]})]
        return []

    def _one_current(self, todos: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Mostly what the dialect demands, so that the list moves on at all."""
        if self.rng.random() < 0.2:
            return todos
        found, fixed = False, []
        for text, status in todos:
            if status != "completed":
                fixed.append((text, "pending" if found else "in_progress"))
                found = True
            else:
                fixed.append((text, status))
        return fixed


Persona = Callable[[Random, Speech, Checklist], Reply]


def _work(rng: Random) -> list[Spoken]:
    return [("shell", {"command": f"make {rng.randrange(1000)}"}) for _ in range(rng.randint(1, 2))]


def _texts(rng: Random) -> list[str]:
    return [f"item {rng.randrange(30)}" for _ in range(rng.randint(1, 5))]


def _open(seen: Checklist) -> list[Item]:
    return [item for item in seen if item.is_open]


def diligent(rng: Random, speech: Speech, seen: Checklist) -> Reply:
    todo = _open(seen)
    if not seen.items:
        return Reply("", tuple(speech.plan(_texts(rng), seen)))
    if not todo:
        return Reply("All done.")
    return Reply("", tuple(_work(rng) + speech.close(todo[:1], seen)))


def stops_early(rng: Random, speech: Speech, seen: Checklist) -> Reply:
    if rng.random() < 0.6:
        return Reply(f"I think that is it ({rng.randrange(9)}).")
    return diligent(rng, speech, seen)


def forgets(rng: Random, speech: Speech, seen: Checklist) -> Reply:
    if seen.items and rng.random() < 0.8:
        return Reply("working", tuple(_work(rng)))
    return diligent(rng, speech, seen)


def batches(rng: Random, speech: Speech, seen: Checklist) -> Reply:
    todo = _open(seen)
    if len(todo) > 2 and rng.random() < 0.5:
        return Reply("", tuple(speech.close(todo, seen)))
    return diligent(rng, speech, seen)


def starts_two(rng: Random, speech: Speech, seen: Checklist) -> Reply:
    if seen.items and rng.random() < 0.5:
        return Reply("", tuple(speech.start_two(seen)))
    return diligent(rng, speech, seen)


def loops(rng: Random, speech: Speech, seen: Checklist) -> Reply:
    if rng.random() < 0.5:
        return Reply("", (("shell", {"command": "ls"}),))
    if rng.random() < 0.5 or not seen.items:
        return Reply("Hm.")
    return Reply("Let me see.", tuple(speech.look()))


def malforms(rng: Random, speech: Speech, seen: Checklist) -> Reply:
    wild: list[Spoken] = [
        ("shell", "{"),
        ("nonsense", {}),
        ("shell", {"command": 5}),
        *((name, rng.choice(["[]", "nope"])) for name, _ in speech.look()),
        *((name, {"id": "x", "items": 3, "todos": [1]}) for name, _ in speech.plan(["a"], seen)),
    ]
    if rng.random() < 0.7:
        return Reply("", (rng.choice(wild),), rng.choice(["stop", "length"]))
    return diligent(rng, speech, seen)


def contradicts(rng: Random, speech: Speech, seen: Checklist) -> Reply:
    """Closes, holds and drops whatever it sees, above all what the person touched."""
    items = list(seen.items)
    if not items:
        return Reply("", tuple(speech.plan(_texts(rng), seen)))
    calls = rng.choice(
        [
            speech.close(rng.sample(items, min(len(items), 2)), seen),
            speech.hold(rng.choice(items)),
            speech.drop(seen),
            speech.plan(_texts(rng), seen),
        ]
    )
    return Reply("my way", tuple(calls)) if calls else Reply("as I said")


def sulks(rng: Random, speech: Speech, seen: Checklist) -> Reply:
    kind = rng.random()
    if kind < 0.3:
        return Reply("I can't.", finish="refusal")
    if kind < 0.5:
        return Reply("and so on and", finish="length")
    if kind < 0.6:
        return Reply("", partial=True)
    if kind < 0.7:
        return Reply("")
    return diligent(rng, speech, seen)


PERSONAS: tuple[Persona, ...] = (
    diligent,
    stops_early,
    forgets,
    batches,
    starts_two,
    loops,
    malforms,
    contradicts,
    sulks,
)


def calls_of(reply: Reply, number: int) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"c{number}.{k}", *call) for k, call in enumerate(reply.calls))
