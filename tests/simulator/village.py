"""Several sessions that talk: seeded models that spawn, write and ask, with crashes in between.

It has the engine's own rules and nothing of the engine: each batch of events is kept together with
the wishes that it means for others and the children that it brings, or not at all.
"""

from dataclasses import dataclass, field
from random import Random
from typing import assert_never

from events_made import at
from msgspec.structs import replace

from longwatch.adapters.tools.registry import make_session_tools
from longwatch.adapters.tools.spawn_agent import DEEPEST, MOST_CHILDREN, child_id
from longwatch.discipline import (
    AnswerTodo,
    CallModel,
    CompactHistory,
    Enter,
    Inject,
    Reject,
    Rules,
    RunTool,
    Stay,
    answer_todo,
    next_step,
    pause,
)
from longwatch.engine.intents import answer
from longwatch.engine.mail import letters
from longwatch.engine.storing import PostedIntent
from longwatch.session import EMPTY, Intent, KnownEvent, SessionState, advance, decode_intent, fold
from longwatch.session.events import (
    AssistantMessage,
    ChildStarted,
    MessageSent,
    ModelStarted,
    SessionStarted,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
    UserMessage,
)
from longwatch.session.intents import Pause, Tell

SPECS = tuple(tool.spec for tool in make_session_tools().values())
MOST_HOUSES = 14
CASH = Usage(input=10, output=5, cost=0.01)


class Crashed(Exception):
    """The process died; what was kept is all there is."""


@dataclass
class House:
    """One session: its events, and what they fold to."""

    name: str
    events: list[KnownEvent] = field(default_factory=list)
    state: SessionState = EMPTY
    most_wakes: int = 0


class Village:
    """Sessions that share a store."""

    def __init__(self, rng: Random, rules: Rules, *, crashes: float = 0.03, talk: float = 0.5):
        self.rng, self.rules = rng, rules
        self.crashes, self.talk = crashes, talk
        self.houses: dict[str, House] = {}
        self.posted: set[str] = set()
        self.waiting: dict[str, list[PostedIntent]] = {}
        """By session: what was asked of it and is not answered."""
        self.answered: set[str] = set()
        self.turns = self.crashed = 0

    # --- the store --------------------------------------------------------------------------

    def keep(
        self,
        name: str,
        events: tuple[KnownEvent, ...],
        answered: str = "",
        born: tuple[tuple[str, tuple[KnownEvent, ...]], ...] = (),
    ) -> None:
        """One batch: all of it, or nothing."""
        if self.rng.random() < self.crashes:
            raise Crashed
        for child, first in born:
            assert child not in self.houses, "a child was born twice"
            self.houses[child] = House(child)
            self._add(self.houses[child], first)
        self._add(self.houses[name], events)
        if answered:
            assert answered not in self.answered, "a wish was answered twice"
            self.answered.add(answered)
            self.waiting[name] = [one for one in self.waiting[name] if one.id != answered]
        if self.rng.random() < self.crashes:
            raise Crashed

    def _add(self, house: House, events: tuple[KnownEvent, ...]) -> None:
        for event in events:
            seq = len(house.events) + 1
            stamped = replace(event, seq=seq, at=at(seq), session=house.name)
            before = house.state
            house.events.append(stamped)
            house.state = advance(before, stamped)
            for letter in letters(before, stamped, house.state):
                assert letter.id not in self.posted, "a wish was posted twice"
                self.posted.add(letter.id)
                self.waiting.setdefault(letter.session, []).append(letter)
            wakes = house.state.activation.wakes
            house.most_wakes = max(house.most_wakes, wakes)
            assert wakes <= max(self.rules.loop.max_auto_continues, 0), "past the wake budget"

    def restart(self, house: House) -> None:
        """A new process finds the events and nothing else."""
        self.crashed += 1
        assert fold(house.events) == house.state

    # --- the work ---------------------------------------------------------------------------

    def found(self, name: str) -> None:
        self.houses[name] = House(name)
        started = SessionStarted(title=name, dialect=self.rules.dialect.name, model="m")
        self._add(self.houses[name], (started, UserMessage(text="go", source="human")))

    def unanswered(self, name: str) -> list[PostedIntent]:
        return self.waiting.get(name, [])

    def run(self, most: int) -> int:
        """Work until nobody has anything to do; how many rounds that took."""
        for round_number in range(most):
            busy = False
            for name in self.rng.sample(list(self.houses), len(self.houses)):
                try:
                    busy |= self._work(self.houses[name])
                except Crashed:
                    self.restart(self.houses[name])
                    busy = True
            if not busy:
                return round_number
        raise AssertionError(f"not at rest after {most} rounds and {self.turns} turns")

    def _work(self, house: House) -> bool:
        """One thing, if there is one to do."""
        for letter in self.unanswered(house.name):
            intent = replace(decode_intent(letter.body), id=letter.id)
            if isinstance(intent, Tell) and house.state.turn.pending:
                continue
            self.keep(house.name, self._answer(intent, house.state), answered=letter.id)
            return True
        step = next_step(house.state, self.rules)
        match step:
            case Stay():
                return False
            case Enter() | Inject() | Reject():
                self.keep(house.name, step.events)
            case CallModel():
                self._call_model(house)
            case AnswerTodo(call=call):
                self.keep(house.name, answer_todo(house.state, self.rules, call, 1))
            case RunTool(call=call):
                self._run_tool(house, call)
            case CompactHistory():
                raise AssertionError("nothing is compacted here")
            case _:
                assert_never(step)
        return True

    def _answer(self, intent: Intent, state: SessionState) -> tuple[KnownEvent, ...]:
        if isinstance(intent, Pause):
            return pause(state, intent.id, with_parent=intent.parent)
        return answer(intent, state, self.rules, None, 1)  # type: ignore[arg-type]

    def _call_model(self, house: House) -> None:
        self.turns += 1
        self.keep(house.name, (ModelStarted(model="m", attempt=1),))
        number = len(house.events)
        calls = tuple(
            ToolCall(f"c{number}.{k}", name, arguments)
            for k, (name, arguments) in enumerate(self._whims(house))
        )
        self.keep(
            house.name,
            (
                AssistantMessage(
                    text=f"reply {number}",
                    finish="tool_calls" if calls else "stop",
                    tool_calls=calls,
                    usage=CASH,
                ),
            ),
        )

    def _whims(self, house: House) -> list[tuple[str, dict[str, object]]]:
        """Mostly it talks; it stops as often as it goes on."""
        calls: list[tuple[str, dict[str, object]]] = []
        if self.rng.random() < self.talk:
            peer = self.rng.choice(list(self.houses))
            calls.append(("send_message", {"session": peer, "text": "psst", "expects_reply": True}))
        if self.rng.random() < self.talk / 2:
            calls.append(("spawn_agent", {"task": f"part of {house.name}"}))
        if self.rng.random() < 0.2:
            calls.append(("todo_plan", {"goal": "g", "items": [f"item {self.rng.randrange(9)}"]}))
        return calls

    def _run_tool(self, house: House, call: ToolCall) -> None:
        assert isinstance(call.arguments, dict)
        started = ToolStarted(call=call.id, name=call.name, arguments=call.arguments)
        ended = ToolFinished(call=call.id, ok=True, output=f"done {call.id}")
        if call.name == "send_message" and call.arguments["session"] != house.name:
            sent = MessageSent(to=call.arguments["session"], text="psst", expects_reply=True)
            self.keep(house.name, (started, sent, ended))
        elif call.name == "spawn_agent" and self._may_have_another(house):
            child = child_id(house.name, call.id)
            first = (
                SessionStarted(title=child, dialect=self.rules.dialect.name, parent=house.name),
                UserMessage(text="part", source="human", sender=house.name),
                StateChanged(state="running"),
            )
            born = ChildStarted(child=child, title=child)
            self.keep(house.name, (started, born, ended), born=((child, first),))
        else:
            self.keep(house.name, (replace(ended, ok=False, output="Error: no."),))

    def _may_have_another(self, house: House) -> bool:
        depth, above = 0, house.state.profile.parent
        while above is not None:
            depth, above = depth + 1, self.houses[above].state.profile.parent
        working = sum(not child.ended for child in house.state.children.values())
        return depth < DEEPEST and working < MOST_CHILDREN and len(self.houses) < MOST_HOUSES
