"""Works one session: decide, do, record, and again, until it rests."""

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, assert_never

from msgspec.structs import replace

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
    store_ids_wanted,
)
from longwatch.engine.calling import Caller, GaveUp, TooLong
from longwatch.engine.compaction import clipped
from longwatch.engine.conduct import Conduct, Governor, Misconfigured
from longwatch.engine.deeds import Company, do
from longwatch.engine.forking import fork
from longwatch.engine.intents import (
    CAN_WAKE,
    NEEDS_A_BOUNDARY,
    answer,
    changed,
    could_not_wake,
    refused,
)
from longwatch.engine.journal import Journal
from longwatch.engine.keeping import keep_reply
from longwatch.engine.ledger import Ledger
from longwatch.engine.ports import Clock, ModelRequest, OutOfOrder, Store
from longwatch.engine.purse import overspent
from longwatch.engine.replying import reply_events
from longwatch.engine.reporting import DeltaListener, Reporting
from longwatch.engine.summarizing import (
    COMPACTION_INTERRUPTED,
    NOTHING_TO_COMPACT,
    Compaction,
)
from longwatch.engine.toolbox import run_tool
from longwatch.engine.undoing import undo
from longwatch.session import Intent, SessionState, TodoIntent, advance, decode_intent
from longwatch.session.events import (
    Compacted,
    KnownEvent,
    StateChanged,
)
from longwatch.session.intents import Compact, Fork, Pause, SetSetting, Undo
from longwatch.session.state import RESTING

log = logging.getLogger(__name__)

DRY_RUN = "dry_run is on: nothing is sent; the request is in the log"


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

    @property
    def state(self) -> SessionState:
        return self.ledger.state

    async def run(self) -> None:
        """Work until nothing is left to do before somebody comes."""
        while True:
            try:
                before = self.state.seq
                await self._answer_intents()
                if self.state.seq != before:
                    # What could not be answered before may be now.
                    continue
                conduct = self._current_conduct()
            except Misconfigured as problem:
                if await self._mended():
                    continue
                await self.fail(str(problem))
                self._governed = None
                return
            if conduct.dry_run:
                await self._hold_back(conduct)
                return
            step = next_step(self.state, conduct.rules)
            if isinstance(step, Stay):
                await self.ledger.settle()
                return
            await self._perform(step, conduct)

    async def _hold_back(self, conduct: Conduct) -> None:
        """What would be sent is logged; a session that was under way waits for another setting."""
        if self.state.state in ("running", "waiting"):
            request = conduct.model.preview(self.request(CallModel(), conduct))
            log.info("dry run of session %s: %s", self.ledger.lease.session, json.dumps(request))
            await self.ledger.record(StateChanged(state="paused", reason=DRY_RUN))

    async def fail(self, reason: str) -> None:
        """Nothing can be done or answered as it is; what was asked waits for the next wish."""
        session = self.ledger.lease.session
        self.put_off.update(posted.id for posted in self._store.unanswered(session))
        if (self.state.state, self.state.reason) != ("failed", reason):
            await self.ledger.record(StateChanged(state="failed", reason=reason))

    async def answer(self) -> None:
        """Answer what was asked, and nothing else."""
        await self._answer_intents()

    def _current_conduct(self) -> Conduct:
        """Read anew for each activation and after every change of what governs the session."""
        governed = (self.state.profile, self.state.activation.began)
        if self._conduct is None or governed != self._governed:
            self._conduct = self._governor.conduct(self.state)
            self._governed = governed
            self.ledger.temporary = self._conduct.temporary
            self.ledger.schedule = self._conduct.schedule
        return self._conduct

    async def _perform(
        self,
        step: CallModel | CompactHistory | RunTool | AnswerTodo | Reject | Inject | Enter,
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
            case RunTool(call=call) if call.name in conduct.session_tools:
                tool = conduct.session_tools[call.name]
                await do(self.ledger, tool, call, Company(self._store, self._governor.child))
            case RunTool(call=call):
                await self._while_listening(run_tool(self.ledger, conduct, call, self._clock))
            case CallModel():
                reached = await self._family_limit(conduct)
                if reached is not None:
                    await self.ledger.record(StateChanged(state="idle", reason=reached))
                else:
                    await self._while_listening(self._call_model(step, conduct))
            case CompactHistory(fully=fully):
                await self._while_listening(self._make_room(conduct, fully=fully))
            case _:
                assert_never(step)

    async def _family_limit(self, conduct: Conduct) -> str | None:
        """What a session with a family may not go on spending for."""
        state, rules = self.state, conduct.rules
        return await asyncio.to_thread(overspent, self._store, self._governor, state, rules)

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
                    await self._answer_intents(step)
        finally:
            if not step.done():
                step.cancel()
                await asyncio.wait({step})
        if not step.cancelled():
            step.result()

    def _asked(self) -> list[Intent]:
        posted = self._store.unanswered(self.ledger.lease.session)
        return [replace(decode_intent(one.body), id=one.id) for one in posted]

    async def _mended(self) -> bool:
        """Whether somebody asked for a change after which the session can be worked on."""
        before = self.state.profile
        for intent in self._asked():
            if isinstance(intent, SetSetting):
                await self._change(intent)
        return self.state.profile != before

    async def _answer_intents(self, busy: asyncio.Future[None] | None = None) -> None:
        """All that can be answered now, in the order they were asked.

        What one of them changes holds for the next one already.
        """
        self.called.clear()
        for intent in self._asked():
            if isinstance(intent, SetSetting):
                await self._change(intent)
                continue
            conduct = self._current_conduct()
            if isinstance(intent, Pause):
                await self._pause(intent, conduct, busy)
            elif self._must_wait(intent, busy=busy is not None):
                if busy is None:
                    self.put_off.add(intent.id)
            else:
                await self._answer(intent, conduct)

    def _must_wait(self, intent: Intent, *, busy: bool) -> bool:
        if isinstance(intent, Undo):
            # What is being summed up while the session rests is not taken away meanwhile.
            return busy and self.state.state in RESTING
        if could_not_wake(intent, self.state, self._current_conduct().rules):
            return True
        return isinstance(intent, NEEDS_A_BOUNDARY) and bool(busy or self.state.turn.pending)

    async def _answer(self, intent: Intent, conduct: Conduct) -> None:
        match intent:
            case Compact():
                await self._compact(intent, conduct)
            case Fork():
                events = await fork(self.ledger, self._journal, self._store, self._clock, intent)
                await self._record_answer(intent, lambda _: events)
            case Undo():
                await self._record_answer(intent, lambda state: undo(self._store, state, intent))
            case _:
                await self._answer_at_once(intent, conduct)

    async def _compact(self, wish: Compact, conduct: Conduct) -> None:
        """It takes a request; a pause meanwhile answers the wish too."""
        if self.state.memory.past != "grown":
            await self._record_answer(wish, lambda _: refused(wish, NOTHING_TO_COMPACT))
            return
        await self._while_listening(self._compact_as_wished(wish, conduct))
        if self.state.state == "paused" and any(one.id == wish.id for one in self._asked()):
            await self._record_answer(wish, lambda _: refused(wish, COMPACTION_INTERRUPTED))

    async def _compact_as_wished(self, wish: Compact, conduct: Conduct) -> None:
        try:
            compacted = await self._compaction(conduct, fully=True)
        except GaveUp as problem:
            told = refused(wish, f"Nothing was compacted: {problem}")
            await self._record_answer(wish, lambda _: told)
        else:
            await self._record_answer(
                wish, lambda state: (replace(compacted(state), intent=wish.id),)
            )

    async def _answer_at_once(self, intent: Intent, conduct: Conduct) -> None:
        rules, governor = conduct.rules, self._governor
        wanted = store_ids_wanted(rules, intent) if isinstance(intent, TodoIntent) else 0
        store_id = await self._take_ids(wanted)

        def answered(state: SessionState) -> tuple[KnownEvent, ...]:
            events = answer(intent, state, rules, governor, store_id)
            return _let_in(state, events, rules) if isinstance(intent, CAN_WAKE) else events

        await self._record_answer(intent, answered)

    async def _change(self, intent: SetSetting) -> None:
        await self._record_answer(intent, lambda state: changed(intent, state, self._governor))

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
        await self._record_answer(
            intent, lambda state: pause(state, intent.id, with_parent=intent.parent)
        )

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
        if step.clip_outputs:
            request = replace(request, messages=clipped(request.messages))
        try:
            reply = await self._caller.reply(conduct.model, request, reporting)
        except GaveUp as problem:
            await self.ledger.record(StateChanged(state="failed", reason=str(problem)))
        except TooLong:
            log.info("the request of session %s is too long", self.ledger.lease.session)
        except asyncio.CancelledError:
            partial = reporting.partial("cancelled" if self._pausing else "stop")
            if partial is not None:
                await self.ledger.record(partial, closes_draft=True)
            raise
        else:
            await self.ledger.record_from(
                lambda state: reply_events(state, reply, self.ledger.calls), closes_draft=True
            )
            keep_reply(conduct.keepsake, self.ledger)

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

    async def _make_room(self, conduct: Conduct, *, fully: bool) -> None:
        """Have older turns summed up; a model that cannot be used ends the run."""
        try:
            compacted = await self._compaction(conduct, fully=fully, fits=not fully)
        except GaveUp as problem:
            await self.ledger.record(StateChanged(state="failed", reason=str(problem)))
        else:
            await self.ledger.record_from(lambda state: (compacted(state),))

    async def _compaction(
        self, conduct: Conduct, *, fully: bool, fits: bool = True
    ) -> Callable[[SessionState], Compacted]:
        compaction = Compaction(self.ledger, conduct, self._caller, self._clock)
        return await compaction.made(self.request(CallModel(), conduct), fully=fully, fits=fits)


def _let_in(
    state: SessionState, answered: tuple[KnownEvent, ...], rules: Rules
) -> tuple[KnownEvent, ...]:
    """An answer that wakes the session, with its waking: a kill must not come between them."""
    for event in answered:
        state = advance(state, replace(event, at=state.at))
    step = next_step(state, rules) if state.state != "running" else Stay()
    return (*answered, *step.events) if isinstance(step, Enter) else answered
