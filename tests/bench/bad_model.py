"""A model that means well and misbehaves: what it says next, from a seed and what it was told.

It knows nothing but the request, as a model does: the task, its own calls, their results, and what
the program injected. The same seed gives the same model, whatever the dialect and the discipline.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from fault_server import Reply, Request
from model_replies import Call, Said, error, stream

from bench.bad_speech import Entries, Speech, Spoken, speech_for

PARTS = range(1, 13)
TASK = (
    "Write twelve files, part-01.txt to part-12.txt. Each holds one line: `part` and its number. "
    "The task is finished when all twelve are there."
)
PUSHES = ("TODO CONTINUATION", "You still have open todos", "make the checklist now")
"""By these a model sees that it is to go on."""
TIDINGS = ("<reminder>Update your todos", "<reminder>The checklist", "<reminder>You answered while")
"""By these it sees that its list is behind."""
REPEATING = "<reminder>You made the same"
LOOP = ("list_files", {"path": "."})


def content_of(part: int) -> str:
    return f"part {part}\n"


def written(folder: Path) -> set[int]:
    """The truth: the parts that are really there."""
    files = {part: folder / f"part-{part:02d}.txt" for part in PARTS}
    return {
        part
        for part, path in files.items()
        if path.exists() and path.read_text() == content_of(part)
    }


@dataclass(frozen=True)
class Temper:
    """How bad a model is: the chance of each misbehaviour in each of its replies."""

    stops: float
    """Ends its turn in plain text although work is left."""
    forgets: float
    """Does not tick what it has done, and goes on with the next item."""
    lies: float
    """Ticks an item without working on it."""
    starts_two: float
    loops: float
    """Makes the same call again and again."""
    malforms: float
    """Writes arguments that are no JSON, or names a tool that does not exist."""
    drops: float
    """Its connection breaks in the middle of a reply."""
    limits: float
    breaks: float
    contradicts: float
    """Throws its own list over."""
    obeys: float
    """Does what a reminder says."""

    @classmethod
    def of(cls, seed: int) -> "Temper":
        draw = Random(f"temper {seed}").uniform
        return cls(
            stops=draw(0.01, 0.12),
            forgets=draw(0.05, 0.35),
            lies=draw(0.0, 0.03),
            starts_two=draw(0.0, 0.06),
            loops=draw(0.0, 0.04),
            malforms=draw(0.0, 0.08),
            drops=draw(0.0, 0.06),
            limits=draw(0.0, 0.05),
            breaks=draw(0.0, 0.04),
            contradicts=draw(0.0, 0.03),
            obeys=draw(0.6, 1.0),
        )


@dataclass(frozen=True)
class View:
    """What the model can know when it is asked."""

    speech: Speech | None
    list: Entries
    worked: frozenset[int]
    told: str
    last: tuple[Spoken, ...]
    said: str

    @property
    def unticked(self) -> set[int]:
        """What is done and not ticked."""
        return {entry.part for entry in self.list if not entry.done} & self.worked

    @property
    def next(self) -> int | None:
        """What to work on: by the list where there is one, else by the task."""
        open_ = [entry.part for entry in self.list if not entry.done] if self.list else PARTS
        return next((part for part in open_ if part not in self.worked), None)

    @property
    def last_part(self) -> int:
        parts = [_part(arguments) for name, arguments in self.last if name == "write_file"]
        return parts[-1] if parts else 0


def view_of(request: Any) -> View:
    """Read a request as a model does, from its first message to its last."""
    speech = speech_for({tool["function"]["name"] for tool in request.get("tools") or ()})
    calls: dict[str, Spoken] = {}
    seen: Entries = ()
    worked: set[int] = set()
    last: tuple[Spoken, ...] = ()
    said, told = "", ""
    for message in request["messages"]:
        content = str(message.get("content") or "")
        if message["role"] == "assistant":
            made = {c["id"]: _spoken(c["function"]) for c in message.get("tool_calls") or ()}
            calls.update(made)
            last, said, told = tuple(made.values()), content, ""
            continue
        told += content + "\n"
        if message["role"] == "tool":
            name, arguments = calls[message["tool_call_id"]]
            if name == "write_file" and not content.startswith("Error"):
                worked.add(_part(arguments))
            elif speech is not None:
                seen = speech.read(seen, name, arguments, content)
    return View(speech, seen, frozenset(worked), told, last, said)


def _spoken(function: Any) -> Spoken:
    """A call as it was made; what was no JSON says nothing."""
    try:
        return function["name"], json.loads(function["arguments"])
    except ValueError:
        return function["name"], {}


def _part(arguments: Any) -> int:
    """Which part a file is; 0 where the arguments do not say."""
    return int(arguments["path"][5:7]) if "path" in arguments else 0


class BadModel:
    """One run's model. Every request is a new draw, the retried ones too."""

    def __init__(self, seed: int, temper: Temper) -> None:
        self.calls = 0
        self._seed = seed
        self._temper = temper

    def answer(self, request: Request) -> Reply:
        self.calls += 1
        rng = Random(f"{self._seed} {self.calls}")
        temper = self._temper
        fault = rng.random()
        if fault < temper.limits:
            return error("openai", 429, "slow down").headed(retry_after="0")
        if fault < temper.limits + temper.breaks:
            return error("openai", 500, "something broke")
        reply = stream("openai", replace(self._say(view_of(request.json), rng), piece=16))
        if rng.random() < temper.drops:
            return reply.cut(int(len(reply.body) * rng.uniform(0.1, 0.9)), "reset")
        return reply

    def _say(self, view: View, rng: Random) -> Said:
        temper, heeds = self._temper, rng.random() < self._temper.obeys
        pushed = any(push in view.told for push in PUSHES)
        if view.last == (LOOP,) and rng.random() < 0.7 and not (REPEATING in view.told and heeds):
            return self._call([LOOP])
        if pushed and not heeds:
            return Said(view.said if rng.random() < 0.3 else self._excuse(rng))
        if heeds and view.unticked and (pushed or any(t in view.told for t in TIDINGS)):
            return self._call(self._ticking(view, view.unticked))
        if not pushed and view.next is not None and rng.random() < temper.stops:
            return Said(self._excuse(rng))
        return self._misbehave(view, rng) or self._work(view, rng)

    def _misbehave(self, view: View, rng: Random) -> Said | None:
        temper, draw = self._temper, rng.random()
        if draw < temper.loops:
            return self._call([LOOP])
        draw -= temper.loops
        if draw < temper.malforms:
            wrong = rng.choice([Call("", "write_file", '{"path": "part-'), Call("", "edit", "{}")])
            return Said(calls=(replace(wrong, id=f"c{self.calls}"),))
        draw -= temper.malforms
        if view.speech is None or not view.list or view.next is None:
            return None
        if draw < temper.lies:
            return self._call(view.speech.tick(view.list, {view.next}))
        draw -= temper.lies
        if draw < temper.starts_two:
            return self._call(view.speech.start_two(view.list))
        draw -= temper.starts_two
        if draw < temper.contradicts:
            return self._call(view.speech.contradict(view.list))
        return None

    def _work(self, view: View, rng: Random) -> Said:
        """What a diligent model would do, but for what it forgets."""
        speech, part, careful = view.speech, view.next, rng.random() >= self._temper.forgets
        left = [p for p in PARTS if p not in view.worked]
        if speech is not None and not view.list and left and rng.random() < 0.85:
            return self._call(speech.plan(left))
        if view.last_part in view.unticked and careful:
            return self._call(self._ticking(view, {view.last_part}))
        if part is not None:
            return self._call(
                [("write_file", {"path": f"part-{part:02d}.txt", "content": content_of(part)})]
            )
        if view.unticked and careful:
            return self._call(self._ticking(view, view.unticked))
        return Said("All parts are written.")

    def _ticking(self, view: View, parts: set[int]) -> list[Spoken]:
        return view.speech.tick(view.list, parts) if view.speech is not None else []

    def _call(self, calls: list[Spoken]) -> Said:
        made = (
            Call(f"c{self.calls}-{at}", name, json.dumps(arguments))
            for at, (name, arguments) in enumerate(calls)
        )
        return Said(calls=tuple(made))

    def _excuse(self, rng: Random) -> str:
        return rng.choice(
            [
                f"I have made good progress in {self.calls} steps. Shall I go on?",
                f"The first parts are in place; the rest is like them. (Step {self.calls})",
                f"Done for now ({self.calls}). Let me know what you want next.",
                f"Next I would write the remaining parts. (Step {self.calls})",
            ]
        )
