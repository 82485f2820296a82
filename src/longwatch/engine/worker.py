"""Works one session: decide, do, record, and again, until it rests."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, assert_never

from msgspec.structs import replace

from longwatch.discipline import (
    AnswerTodo,
    CallModel,
    Enter,
    Inject,
    Reject,
    Rules,
    RunTool,
    Stay,
    answer_todo,
    next_step,
    pause,
    store_ids_wanted,
)
from longwatch.engine.calling import Caller, GaveUp, TooLong
from longwatch.engine.compaction import clipped, summary_text, to_summarize
from longwatch.engine.conduct import Conduct, Governor, Misconfigured
from longwatch.engine.intents import CAN_WAKE, NEEDS_A_BOUNDARY, answer
from longwatch.engine.journal import Journal
from longwatch.engine.ledger import Ledger
from longwatch.engine.ports import Clock, ModelReply, ModelRequest, OutOfOrder, Store
from longwatch.engine.reporting import DeltaListener, Reporting
from longwatch.engine.toolbox import run_tool
from longwatch.session import Intent, SessionState, TodoIntent, advance, decode_intent
from longwatch.session.events import (
    AssistantMessage,
    Compacted,
    KnownEvent,
    StateChanged,
    ToolCall,
)
from longwatch.session.intents import Pause
from longwatch.session.transcript import AssistantText


class Worker:
    """The only place that awaits models and tools. One of these holds a session at a time."""

    def __init__(
        self,
        ledger: Ledger,
        journal: Journal,
        store: Store,
        governor: Governor,
        caller: Caller,
        clock: Clock,
        on_delta: DeltaListener | None = None,
    ) -> None:
        self.ledger = ledger
        self.called = asyncio.Event()
        """Set when intents may have come."""
        self.put_off: set[str] = set()
        """Intents that cannot be answered before another one comes."""
        self._journal = journal
        self._store = store
        self._governor = governor
        self._caller = caller
        self._clock = clock
        self._on_delta = on_delta
        self._conduct: Conduct | None = None
        self._governed: tuple[object, str] | None = None
        self._pausing = False
        self._too_long = 0

    @property
    def state(self) -> SessionState:
        return self.ledger.state

    async def run(self) -> None:
        """Work until nothing is left to do before somebody comes."""
        while True:
            try:
                conduct = self._current_conduct()
            except Misconfigured as problem:
                await self.fail(str(problem))
                self._governed = None
                return
            await self._answer_intents(conduct)
            step = next_step(self.state, conduct.rules)
            if isinstance(step, Stay):
                return
            await self._perform(step, conduct)

    async def fail(self, reason: str) -> None:
        """Nothing can be done or answered as it is; what was asked waits for the next wish."""
        session = self.ledger.lease.session
        self.put_off.update(posted.id for posted in self._store.unanswered(session))
        if (self.state.state, self.state.reason) != ("failed", reason):
            await self.ledger.record(StateChanged(state="failed", reason=reason))

    async def answer(self) -> None:
        """Answer what was asked, and nothing else."""
        await self._answer_intents(self._current_conduct())

    def _current_conduct(self) -> Conduct:
        """Read anew for each activation and after every change of what governs the session."""
        governed = (self.state.profile, self.state.activation.began)
        if self._conduct is None or governed != self._governed:
            self._conduct = self._governor.conduct(self.state)
            self._governed = governed
            self.ledger.temporary = self._conduct.temporary
        return self._conduct

    async def _perform(
        self,
        step: CallModel | RunTool | AnswerTodo | Reject | Inject | Enter,
        conduct: Conduct,
    ) -> None:
        match step:
            case Enter() | Inject() | Reject():
                await self.ledger.record(*step.events)
            case AnswerTodo(call=call, store_ids=count):
                first = await self._take_ids(count)
                await self.ledger.record_from(
                    lambda state: answer_todo(state, conduct.rules, call, first)
                )
            case RunTool(call=call):
                await self._while_listening(run_tool(self.ledger, conduct, call, self._clock))
            case CallModel():
                await self._while_listening(self._call_model(step, conduct))
            case _:
                assert_never(step)

    async def _take_ids(self, count: int) -> int:
        return await self._journal.do(lambda store: store.take_ids(count)) if count else 1

    # --- the person -------------------------------------------------------------------------

    async def _while_listening(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something long, and answer intents meanwhile; a pause cancels it."""
        step = asyncio.ensure_future(work)
        try:
            while not step.done():
                listening = asyncio.ensure_future(self.called.wait())
                await asyncio.wait({step, listening}, return_when=asyncio.FIRST_COMPLETED)
                listening.cancel()
                if self.called.is_set() and not step.done():
                    await self._answer_intents(self._current_conduct(), step)
        finally:
            if not step.done():
                step.cancel()
                await asyncio.wait({step})
        if not step.cancelled():
            step.result()

    async def _answer_intents(
        self, conduct: Conduct, busy: asyncio.Future[None] | None = None
    ) -> None:
        """All that can be answered now, in the order they were asked."""
        self.called.clear()
        for posted in self._store.unanswered(self.ledger.lease.session):
            intent = replace(decode_intent(posted.body), id=posted.id)
            if isinstance(intent, Pause):
                await self._pause(intent, conduct, busy)
            elif isinstance(intent, NEEDS_A_BOUNDARY) and (busy or self.state.turn.pending):
                if busy is None:
                    self.put_off.add(intent.id)
            else:
                await self._answer(intent, conduct)

    async def _answer(self, intent: Intent, conduct: Conduct) -> None:
        rules, governor = conduct.rules, self._governor
        wanted = store_ids_wanted(rules, intent) if isinstance(intent, TodoIntent) else 0
        store_id = await self._take_ids(wanted)

        def answered(state: SessionState) -> tuple[KnownEvent, ...]:
            events = answer(intent, state, rules, governor, store_id)
            return _let_in(state, events, rules) if isinstance(intent, CAN_WAKE) else events

        await self._record_answer(intent, answered)

    async def _pause(
        self, intent: Pause, conduct: Conduct, busy: asyncio.Future[None] | None
    ) -> None:
        if busy is not None:
            self._pausing = True
            busy.cancel()
            await asyncio.wait({busy})
            self._pausing = False
        elif self.state.turn.started is not None:
            # Nothing runs here: a process before this one left a call cut off, and that is told.
            cut_off = next_step(self.state, conduct.rules)
            if isinstance(cut_off, Reject):
                await self.ledger.record(*cut_off.events)
        await self._record_answer(intent, lambda state: pause(state, intent.id))

    async def _record_answer(
        self, intent: Intent, build: Callable[[SessionState], Sequence[KnownEvent]]
    ) -> None:
        """Answer a wish, unless it was taken back since it was read."""
        try:
            await self.ledger.record_from(build, answered=[intent.id])
        except OutOfOrder:
            if any(p.id == intent.id for p in self._store.unanswered(self.ledger.lease.session)):
                raise

    # --- the model --------------------------------------------------------------------------

    async def _call_model(self, step: CallModel, conduct: Conduct) -> None:
        reporting = Reporting(self.ledger, conduct.model_name, self._clock, self._on_delta)
        request = self.request(step, conduct)
        if self._too_long > 1:
            request = replace(request, messages=clipped(request.messages))
        try:
            reply = await self._caller.reply(conduct.model, request, reporting)
        except GaveUp as problem:
            await self.ledger.record(StateChanged(state="failed", reason=str(problem)))
        except TooLong as problem:
            await self._shorten(str(problem), conduct)
        except asyncio.CancelledError:
            partial = reporting.partial("cancelled" if self._pausing else "stop")
            if partial is not None:
                await self.ledger.record(partial, closes_draft=True)
            raise
        else:
            self._too_long = 0
            await self.ledger.record_from(
                lambda state: _replied(state, reply, self._used_ids()), closes_draft=True
            )

    def request(self, step: CallModel, conduct: Conduct) -> ModelRequest:
        """The request that a step calls for, from the transcript as it is."""
        sampling, rules = conduct.sampling, conduct.rules
        limit = sampling.max_output_tokens
        if step.raise_output_limit and limit is not None:
            limit *= 2
        return ModelRequest(
            model=conduct.model_name,
            system=rules.system_prompt,
            tools=rules.offered,
            messages=self.ledger.transcript.messages,
            tool_choice=step.tool_choice,
            stream=sampling.stream,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_output_tokens=limit,
            reasoning_effort=sampling.reasoning_effort,
        )

    async def _shorten(self, problem: str, conduct: Conduct) -> None:
        """A request that is too long: compacted once, then clipped, then given up."""
        self._too_long += 1
        if self._too_long > 2:
            self._too_long = 0
            await self.ledger.record(StateChanged(state="failed", reason=problem))
        elif self._too_long == 1:
            await self._compact(conduct)

    async def _compact(self, conduct: Conduct) -> None:
        reporting = Reporting(self.ledger, conduct.model_name, self._clock, None)
        ask = self.request(CallModel(tool_choice="none"), conduct)
        messages = to_summarize(ask.messages, conduct.summarization_prompt)
        try:
            reply = await self._caller.reply(
                conduct.model, replace(ask, messages=messages), reporting
            )
        except TooLong:
            return
        except GaveUp as problem:
            await self.ledger.record(StateChanged(state="failed", reason=str(problem)))
            return
        text = summary_text(self.state, conduct.rules, reply.text, conduct.summary_context_prompt)
        before = self.state.spent.context
        await self.ledger.record(
            Compacted(before=before, after=len(text) // 4, summary=text), closes_draft=True
        )

    def _used_ids(self) -> set[str]:
        return {
            call.id
            for message in self.ledger.transcript.messages
            if isinstance(message, AssistantText)
            for call in message.calls
        }


def _let_in(
    state: SessionState, answered: tuple[KnownEvent, ...], rules: Rules
) -> tuple[KnownEvent, ...]:
    """An answer that wakes the session, with its waking: a kill must not come between them."""
    for event in answered:
        state = advance(state, replace(event, at=state.at))
    step = next_step(state, rules) if state.state != "running" else Stay()
    return (*answered, *step.events) if isinstance(step, Enter) else answered


def _replied(state: SessionState, reply: ModelReply, used: set[str]) -> tuple[KnownEvent, ...]:
    """The reply's events; a session that waited for the provider runs again."""
    message = AssistantMessage(
        text=reply.text,
        reasoning=reply.reasoning,
        finish=reply.finish,
        tool_calls=tuple(_fresh_ids(reply.tool_calls, used, state.seq)),
        usage=reply.usage,
        provider_data=reply.provider_data,
    )
    if state.state == "waiting":
        return StateChanged(state="running"), message
    return (message,)


def _fresh_ids(calls: tuple[ToolCall, ...], used: set[str], seq: int) -> list[ToolCall]:
    """Ids that the session has not seen: some servers count from one in every reply."""
    return [
        replace(call, id=f"{call.id}-{seq}-{place}") if call.id in used else call
        for place, call in enumerate(calls)
    ]
