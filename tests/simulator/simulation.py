"""The engine of the simulator: performs steps, crashes between events, lets a person meddle."""

from random import Random
from typing import assert_never

from events_made import at
from msgspec.structs import replace

from longwatch.checklist import Item
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
    edit_list,
    next_step,
    pause,
    store_ids_wanted,
)
from longwatch.discipline.compaction import context_of
from longwatch.engine.compaction import size_of, split
from longwatch.session import EMPTY, KnownEvent, SessionState, TodoIntent, Transcript, advance, fold
from longwatch.session.events import (
    AssistantMessage,
    Compacted,
    ModelStarted,
    SessionStarted,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
    UserMessage,
)
from longwatch.session.intents import (
    AddTodo,
    BlockTodo,
    ClearTodos,
    Compact,
    CompleteTodo,
    DeleteTodo,
    EditTodo,
    MoveTodo,
    Pause,
    ReopenTodo,
    Resume,
    Say,
    SetGoal,
    StartTodo,
)
from longwatch.session.transcript import Message, transcribe
from simulator.oracle import Oracle
from simulator.personas import Persona, Reply, Speech, calls_of

Asked = TodoIntent | Pause | Resume | Say | Compact


class Crashed(Exception):
    """The process died; what was recorded is all there is."""


class Simulation:
    """One seeded session."""

    def __init__(
        self,
        rng: Random,
        rules: Rules,
        persona: Persona,
        *,
        crashes: float = 0.02,
        meddling: float = 0.05,
    ) -> None:
        self.rng = rng
        self.rules = rules
        self.persona = persona
        self.crashes, self.meddling = crashes, meddling
        self.speech = Speech(rules.dialect.name, self.rng)
        self.oracle = Oracle(rules)
        self.events: list[KnownEvent] = []
        self.state: SessionState = EMPTY
        self.transcript = Transcript()
        self.last_request: list[Message] = []
        self.frame = (rules.system_prompt, rules.offered)
        self.asked: list[Asked] = []
        self.intents = 0
        self.turns = self.crashed = self.tool_runs = 0
        self.compactions = self.compacted = 0
        self.store_ids = 0

    def begin(self) -> None:
        started = SessionStarted(dialect=self.rules.dialect.name, model="m")
        crashes, self.crashes = self.crashes, 0.0
        self._record(started, UserMessage(text="go", source="human"))
        self.crashes = crashes

    def run(self, turns: int) -> None:
        """Work until that many turns are done, however often it rests or dies on the way."""
        self.begin()
        while self.turns < turns:
            self.go_on()

    def go_on(self) -> None:
        """One step, and whatever the person wants; dying on the way is part of it."""
        try:
            self._answer_intents()
            self._step()
        except Crashed:
            self.restart()

    def restart(self) -> None:
        """A new process finds the events and nothing else."""
        self.crashed += 1
        again, read = fold(self.events), transcribe(self.events)
        assert again == self.state, "the fold differs from the state built step by step"
        assert read == self.transcript, "the next request would not be the same"
        self.state, self.transcript = again, read

    def _record(self, *events: KnownEvent) -> None:
        for event in events:
            numbered = replace(
                event, seq=len(self.events) + 1, at=at(len(self.events)), session="s"
            )
            before = self.state
            self.events.append(numbered)
            self.state = advance(before, numbered)
            self.transcript = self.transcript.after(numbered)
            self.oracle.watch(numbered, before, self.state)
            if self.rng.random() < self.crashes:
                raise Crashed

    def _step(self) -> None:
        step = next_step(self.state, self.rules)
        match step:
            case Enter() | Inject() | Reject():
                self._record(*step.events)
            case CallModel():
                self._call_model(step)
            case AnswerTodo(call=call, store_ids=count):
                first = self.store_ids + 1
                self.store_ids += count
                self._record(*answer_todo(self.state, self.rules, call, first))
            case RunTool(call=call):
                self._run_tool(call)
            case CompactHistory(fully=fully):
                self._compact(fully=fully)
            case Stay():
                self._wake()
            case _:
                assert_never(step)

    def _compact(self, *, fully: bool) -> None:
        """A summary is asked for and comes, unless the process dies or a person comes first."""
        past = split(self.transcript.messages, 0 if fully else self.rng.choice([0, 20, 200]))
        self._record(ModelStarted(model="m", attempt=1, purpose="summary"))
        self._meddle()
        if self.state.state == "paused":
            return
        self.compactions += 1
        self._record(self._compacted(len(past.older)))

    def _compacted(self, older: int) -> Compacted:
        return Compacted(
            before=context_of(self.state),
            after=self.rng.randrange(1, 60),
            summary=f"summary {self.compactions}",
            keeps=len(self.transcript) - older,
            usage=Usage(input=10, output=5, cost=0.01),
        )

    def _call_model(self, step: CallModel) -> None:
        assert self.transcript.complete, "a request with an unanswered call"
        request = list(self.transcript.messages)
        if self.compactions == self.compacted:
            assert request[: len(self.last_request)] == self.last_request, "the past was changed"
        self.last_request, self.compacted = request, self.compactions
        prompt, tools = self.rules.system_prompt, self.rules.offered
        assert (prompt, tools) == self.frame, "the system prompt or the tools changed"
        self._record(ModelStarted(model="m", attempt=1))
        seen = self.state.checklist
        self._meddle()
        reply = self.persona(self.rng, self.speech, seen)
        if step.tool_choice == "none" and self.rng.random() < 0.5:
            reply = Reply("because")
        self.turns += 1
        self._record(
            AssistantMessage(
                text=reply.text,
                finish=reply.finish,
                tool_calls=calls_of(reply, len(self.events)),
                partial=reply.partial,
                usage=Usage(input=sum(map(size_of, request)) // 4, output=5, cost=0.01),
            )
        )

    def _run_tool(self, call: ToolCall) -> None:
        started = ToolStarted(call=call.id, name=call.name, arguments=call.arguments)
        self._record(started)
        self.tool_runs += 1
        self._meddle()
        if self.state.state == "paused":
            return
        same = isinstance(call.arguments, dict) and call.arguments.get("command") == "ls"
        output = "same" if same else f"output {self.tool_runs}"
        self._record(ToolFinished(call=call.id, ok=True, output=output))

    def _wake(self) -> None:
        """Nothing goes on by itself: somebody comes along."""
        if self.rng.random() < 0.3:
            self.ask(Resume())
        elif self.rng.random() < 0.2:
            self._record(UserMessage(text="psst", source="peer", sender="s2"))
        elif self.rng.random() < 0.2:
            self._record(UserMessage(text="tick", source="cron"))
        else:
            self.ask(Say(text="go on"))

    def _meddle(self) -> None:
        if self.rng.random() < self.meddling:
            for _ in range(self.rng.randint(1, 2)):
                self.ask(self.whim())
            self._answer_intents()

    def ask(self, intent: Asked) -> None:
        self.intents += 1
        self.asked.append(replace(intent, id=f"i{self.intents}"))

    def _answer_intents(self) -> None:
        """Each exactly once: one that a crash left without its events is asked again."""
        if self.rng.random() < self.meddling and self.state.checklist.items:
            self.ask(self.whim())
        while self.asked:
            intent = self.asked[0]
            answered = any(event.intent == intent.id for event in self.events[-20:])
            if not answered:
                self._record(*self._events_for(intent))
            self.asked.pop(0)

    def _events_for(self, intent: Asked) -> tuple[KnownEvent, ...]:
        match intent:
            case Pause():
                return pause(self.state, intent.id)
            case Resume():
                if self.state.state == "running":
                    return ()
                return (StateChanged(state="running", reason="resumed", intent=intent.id),)
            case Compact():
                return self._compacted_as_wished(intent)
            case Say(text=text):
                return (UserMessage(text=text, source="human", intent=intent.id),)
            case _:
                wanted = store_ids_wanted(self.rules, intent)
                self.store_ids += wanted
                return edit_list(self.state, self.rules, intent, self.store_ids)

    def _compacted_as_wished(self, wish: Compact) -> tuple[KnownEvent, ...]:
        if self.state.memory.past != "grown" or not self.transcript.complete:
            return ()
        self.compactions += 1
        past = split(self.transcript.messages, 0)
        return (replace(self._compacted(len(past.older)), intent=wish.id),)

    def whim(self) -> Asked:
        items = self.state.checklist.items
        if not items or self.rng.random() < 0.15:
            goal = SetGoal(goal=f"mine {self.intents % 3}")
            return AddTodo(text=f"own {self.intents}") if self.rng.random() < 0.5 else goal
        return self._whim_about(self.rng.choice(items))

    def _whim_about(self, item: Item) -> Asked:
        whims: list[Asked] = [
            CompleteTodo(uid=item.uid),
            BlockTodo(uid=item.uid, reason="wait"),
            BlockTodo(uid=item.uid, reason=" "),
            ReopenTodo(uid=item.uid),
            StartTodo(uid=item.uid),
            EditTodo(uid=item.uid, text=f"{item.text[:12]}, really"),
            MoveTodo(uid=item.uid, by=self.rng.choice([-1, 1, 5])),
            DeleteTodo(uid=item.uid),
            DeleteTodo(uid="gone"),
            AddTodo(text=f"own {self.intents}", after=item.uid),
            ClearTodos() if self.rng.random() < 0.2 else Pause(),
            Compact(),
        ]
        return self.rng.choice(whims)
