"""Works one session: decide, do, record, and again, until it rests."""

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any, assert_never

from longwatch.discipline import (
    AnswerTodo,
    CallModel,
    CompactHistory,
    Enter,
    Inject,
    Reject,
    RunTool,
    Stay,
    answer_todo,
    next_step,
)
from longwatch.engine.calling import Caller, GaveUp, TooLong
from longwatch.engine.conduct import Conduct, Governor
from longwatch.engine.deeds import Company, do
from longwatch.engine.governed import Governed
from longwatch.engine.hearing import Hearing
from longwatch.engine.journal import Journal
from longwatch.engine.keeping import keep_reply
from longwatch.engine.ledger import Ledger
from longwatch.engine.ports import Clock
from longwatch.engine.purse import overspent
from longwatch.engine.refusing import Misconfigured
from longwatch.engine.replying import reply_events
from longwatch.engine.reporting import DeltaListener, Reporting
from longwatch.engine.requesting import request_for
from longwatch.engine.storing import Readable
from longwatch.engine.summarizing import Compaction
from longwatch.engine.toolbox import run_tool
from longwatch.session import SessionState
from longwatch.session.events import StateChanged

log = logging.getLogger(__name__)

DRY_RUN = "dry_run is on: nothing is sent; the request is in the log"


class Worker:
    """The only place that awaits models and tools. One of these holds a session at a time."""

    def __init__(
        self,
        ledger: Ledger,
        journal: Journal,
        store: Readable,
        governor: Governor,
        caller: Caller,
        clock: Clock,
        on_delta: DeltaListener | None = None,
    ) -> None:
        self.ledger = ledger
        self._governed = Governed(ledger, governor)
        self.hearing = Hearing(ledger, journal, store, governor, self._governed, caller, clock)
        self._journal = journal
        self._store = store
        self._governor = governor
        self._caller = caller
        self._clock = clock
        self._on_delta = on_delta

    @property
    def state(self) -> SessionState:
        return self.ledger.state

    async def run(self) -> None:
        """Work until nothing is left to do before somebody comes."""
        while True:
            try:
                before = self.state.seq
                await self.hearing.answer_all()
                if self.state.seq != before:
                    # What could not be answered before may be now.
                    continue
                conduct = self._governed.conduct()
            except Misconfigured as problem:
                if await self.hearing.mended():
                    continue
                await self.fail(str(problem))
                self._governed.forget()
                return
            if conduct.dry_run:
                await self._hold_back(conduct)
                return
            step = next_step(self.state, conduct.rules)
            if isinstance(step, Stay):
                await self.ledger.settle()
                return
            await self._perform(step, conduct)

    async def fail(self, reason: str) -> None:
        """Nothing can be done or answered as it is."""
        self.hearing.put_all_off()
        if (self.state.state, self.state.reason) != ("failed", reason):
            await self.ledger.record(StateChanged(state="failed", reason=reason))

    def preview(self, conduct: Conduct) -> Mapping[str, Any]:
        """The body of the request that would be sent now."""
        request = request_for(CallModel(), conduct, self.ledger.transcript.messages)
        return conduct.model.preview(request)

    async def _hold_back(self, conduct: Conduct) -> None:
        """What would be sent is logged; a session that was under way waits for another setting."""
        if self.state.state in ("running", "waiting"):
            body = json.dumps(self.preview(conduct))
            log.info("dry run of session %s: %s", self.ledger.lease.session, body)
            await self.ledger.record(StateChanged(state="paused", reason=DRY_RUN))

    async def _perform(
        self,
        step: CallModel | CompactHistory | RunTool | AnswerTodo | Reject | Inject | Enter,
        conduct: Conduct,
    ) -> None:
        match step:
            case Enter() | Inject() | Reject():
                await self.ledger.record(*step.events)
            case AnswerTodo(call=call, store_ids=count):
                first = await self._journal.take_ids(count)
                await self.ledger.record_from(
                    lambda state: answer_todo(state, conduct.rules, call, first)
                )
            case RunTool(call=call) if call.name in conduct.session_tools:
                tool = conduct.session_tools[call.name]
                await do(self.ledger, tool, call, Company(self._store, self._governor.child))
            case RunTool(call=call):
                await self.hearing.beside(run_tool(self.ledger, conduct, call, self._clock))
            case CallModel():
                reached = await self._family_limit(conduct)
                if reached is not None:
                    await self.ledger.record(StateChanged(state="idle", reason=reached))
                else:
                    await self.hearing.beside(self._call_model(step, conduct))
            case CompactHistory(fully=fully):
                await self.hearing.beside(self._make_room(conduct, fully=fully))
            case _:
                assert_never(step)

    async def _family_limit(self, conduct: Conduct) -> str | None:
        """What a session with a family may not go on spending for."""
        state, rules = self.state, conduct.rules
        return await asyncio.to_thread(overspent, self._store, self._governor, state, rules)

    async def _call_model(self, step: CallModel, conduct: Conduct) -> None:
        reporting = Reporting(self.ledger, conduct.model_name, self._clock, self._on_delta)
        request = request_for(step, conduct, self.ledger.transcript.messages)
        try:
            reply = await self._caller.reply(conduct.model, request, reporting)
        except GaveUp as problem:
            await self.ledger.record(StateChanged(state="failed", reason=str(problem)))
        except TooLong:
            log.info("the request of session %s is too long", self.ledger.lease.session)
        except asyncio.CancelledError:
            partial = reporting.partial("cancelled" if self.hearing.pausing else "stop")
            if partial is not None:
                await self.ledger.record(partial, closes_draft=True)
            raise
        else:
            await self.ledger.record_from(
                lambda state: reply_events(state, reply, self.ledger.calls), closes_draft=True
            )
            keep_reply(conduct.keepsake, self.ledger)

    async def _make_room(self, conduct: Conduct, *, fully: bool) -> None:
        """Have older turns summed up; a model that cannot be used ends the run."""
        compaction = Compaction(self.ledger, conduct, self._caller, self._clock)
        try:
            compacted = await compaction.made(fully=fully, fits=not fully)
        except GaveUp as problem:
            await self.ledger.record(StateChanged(state="failed", reason=str(problem)))
        else:
            await self.ledger.record_from(lambda state: (compacted(state),))
