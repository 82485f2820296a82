"""Hears what is asked of one session and answers it, also while something long goes on."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from msgspec.structs import replace

from longwatch.discipline import (
    Enter,
    Reject,
    Rules,
    Stay,
    next_step,
    pause,
    store_ids_wanted,
)
from longwatch.engine.calling import Caller, GaveUp
from longwatch.engine.calling_off import call_off
from longwatch.engine.conduct import Conduct, Governor
from longwatch.engine.forking import fork
from longwatch.engine.governed import Governed
from longwatch.engine.intents import (
    CAN_WAKE,
    NEEDS_A_BOUNDARY,
    answer,
    changed,
    could_not_wake,
    refused,
)
from longwatch.engine.journal import Journal
from longwatch.engine.ledger import Ledger
from longwatch.engine.ports import Clock
from longwatch.engine.storing import OutOfOrder, PostedIntent, Readable
from longwatch.engine.summarizing import COMPACTION_INTERRUPTED, NOTHING_TO_COMPACT, Compaction
from longwatch.engine.undoing import undo
from longwatch.session import Intent, SessionState, TodoIntent, advance, decode_intent
from longwatch.session.events import KnownEvent
from longwatch.session.intents import Compact, Fork, Pause, SetSetting, Undo
from longwatch.session.state import RESTING


class Hearing:
    """Answers a session's intents in the order they were asked, each exactly once."""

    def __init__(
        self,
        ledger: Ledger,
        journal: Journal,
        store: Readable,
        governor: Governor,
        governed: Governed,
        caller: Caller,
        clock: Clock,
    ) -> None:
        self.called = asyncio.Event()
        """Set when intents may have come."""
        self.put_off: set[str] = set()
        """Intents that cannot be answered before another one comes."""
        self.pausing = False
        """What is being cancelled is so because a person paused the session."""
        self._ledger = ledger
        self._journal = journal
        self._store = store
        self._governor = governor
        self._governed = governed
        self._caller = caller
        self._clock = clock

    async def answer_all(self, busy: asyncio.Future[None] | None = None) -> None:
        """All that can be answered now, beside what the session is busy with.

        What one of them changes holds for the next one already.
        """
        self.called.clear()
        for intent in self._asked():
            if isinstance(intent, SetSetting):
                await self._change(intent)
                continue
            conduct = self._governed.conduct()
            if isinstance(intent, Pause):
                await self._pause(intent, conduct, busy)
            elif self._must_wait(intent, conduct, busy=busy is not None):
                if busy is None:
                    self.put_off.add(intent.id)
            else:
                await self._answer(intent, conduct)

    async def beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something long, and answer intents meanwhile; a pause cancels it."""
        step = asyncio.ensure_future(work)
        try:
            while not step.done():
                listening = asyncio.ensure_future(self.called.wait())
                await asyncio.wait({step, listening}, return_when=asyncio.FIRST_COMPLETED)
                listening.cancel()
                if self.called.is_set() and not step.done():
                    await self.answer_all(step)
        finally:
            if not step.done():
                await call_off(step)
        if not step.cancelled():
            step.result()

    async def mended(self) -> bool:
        """Whether somebody asked for a change after which the session can be worked on."""
        before = self._ledger.state.profile
        for intent in self._asked():
            if isinstance(intent, SetSetting):
                await self._change(intent)
        return self._ledger.state.profile != before

    def put_all_off(self) -> None:
        """Nothing can be answered as it is; what was asked waits for the next wish."""
        self.put_off.update(intent.id for intent in self._posted())

    def _posted(self) -> Sequence[PostedIntent]:
        return self._store.unanswered(self._ledger.lease.session)

    def _asked(self) -> list[Intent]:
        return [replace(decode_intent(one.body), id=one.id) for one in self._posted()]

    def _is_asked(self, intent: Intent) -> bool:
        return any(one.id == intent.id for one in self._posted())

    def _must_wait(self, intent: Intent, conduct: Conduct, *, busy: bool) -> bool:
        state = self._ledger.state
        if isinstance(intent, Undo):
            # What is being summed up while the session rests is not taken away meanwhile.
            return busy and state.state in RESTING
        if could_not_wake(intent, state, conduct.rules):
            return True
        return isinstance(intent, NEEDS_A_BOUNDARY) and bool(busy or state.turn.pending)

    async def _answer(self, intent: Intent, conduct: Conduct) -> None:
        match intent:
            case Compact():
                await self._compact(intent, conduct)
            case Fork():
                events = await fork(self._ledger, self._journal, self._store, self._clock, intent)
                await self._record(intent, lambda _: events)
            case Undo():
                await self._record(intent, lambda state: undo(self._store, state, intent))
            case _:
                await self._answer_at_once(intent, conduct)

    async def _answer_at_once(self, intent: Intent, conduct: Conduct) -> None:
        rules = conduct.rules
        wanted = store_ids_wanted(rules, intent) if isinstance(intent, TodoIntent) else 0
        store_id = await self._journal.take_ids(wanted)

        def answered(state: SessionState) -> tuple[KnownEvent, ...]:
            events = answer(intent, state, rules, self._governor, store_id)
            return _let_in(state, events, rules) if isinstance(intent, CAN_WAKE) else events

        await self._record(intent, answered)

    async def _change(self, intent: SetSetting) -> None:
        await self._record(intent, lambda state: changed(intent, state, self._governor))

    async def _pause(
        self, intent: Pause, conduct: Conduct, busy: asyncio.Future[None] | None
    ) -> None:
        state = self._ledger.state
        if busy is not None:
            self.pausing = True
            busy.cancel()
            await asyncio.wait({busy})
            self.pausing = False
        elif state.turn.started is not None:
            # Nothing runs here: a process before this one left a call cut off, and that is told.
            cut_off = next_step(state, conduct.rules)
            if isinstance(cut_off, Reject):
                await self._ledger.record(*cut_off.events)
        await self._record(intent, lambda now: pause(now, intent.id, with_parent=intent.parent))

    async def _compact(self, wish: Compact, conduct: Conduct) -> None:
        """It takes a request; a pause meanwhile answers the wish too."""
        if self._ledger.state.memory.past != "grown":
            await self._record(wish, lambda _: refused(wish, NOTHING_TO_COMPACT))
            return
        await self.beside(self._compact_as_wished(wish, conduct))
        if self._ledger.state.state == "paused" and self._is_asked(wish):
            await self._record(wish, lambda _: refused(wish, COMPACTION_INTERRUPTED))

    async def _compact_as_wished(self, wish: Compact, conduct: Conduct) -> None:
        compaction = Compaction(self._ledger, conduct, self._caller, self._clock)
        try:
            compacted = await compaction.made(fully=True)
        except GaveUp as problem:
            told = refused(wish, f"Nothing was compacted: {problem}")
            await self._record(wish, lambda _: told)
        else:
            await self._record(wish, lambda state: (replace(compacted(state), intent=wish.id),))

    async def _record(
        self, intent: Intent, build: Callable[[SessionState], Sequence[KnownEvent]]
    ) -> None:
        """Answer a wish, unless it was taken back since it was read."""
        try:
            await self._ledger.record_from(build, answered=[intent.id])
        except OutOfOrder:
            if self._is_asked(intent):
                raise


def _let_in(
    state: SessionState, answered: tuple[KnownEvent, ...], rules: Rules
) -> tuple[KnownEvent, ...]:
    """An answer that wakes the session, with its waking: a kill must not come between them."""
    for event in answered:
        state = advance(state, replace(event, at=state.at))
    step = next_step(state, rules) if state.state != "running" else Stay()
    return (*answered, *step.events) if isinstance(step, Enter) else answered
