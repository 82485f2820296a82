"""Where one session's events are written: numbered, masked, durable, then folded in."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from longwatch.engine.journal import Journal
from longwatch.engine.mail import letters
from longwatch.engine.opening import Opened, checkpoint_due, checkpoint_of, open_session, state_of
from longwatch.engine.ports import Clock
from longwatch.engine.secrets import Redactor
from longwatch.engine.storing import (
    Batch,
    Birth,
    Draft,
    Lease,
    PostedIntent,
    Readable,
    Record,
    Summary,
)
from longwatch.engine.summary import Schedule, kick_after, summarize
from longwatch.session import KnownEvent, SessionState, Transcript, advance, decode, encode, fold
from longwatch.session.events import AssistantMessage, Rewound

Listener = Callable[[KnownEvent, bytes], None]
"""Is told of each event once it is durable, with the bytes that are kept."""


class Newborn(NamedTuple):
    """A session that begins with these events, because of what is recorded beside it."""

    session: str
    events: Sequence[KnownEvent]


class Ledger:
    """The only writer of one session. What it holds is what the store holds."""

    def __init__(
        self,
        opened: Opened,
        lease: Lease,
        journal: Journal,
        store: Readable,
        clock: Clock,
        redactor: Redactor,
        listener: Listener,
    ) -> None:
        self.state: SessionState = opened.state
        self.transcript: Transcript = opened.transcript
        self.calls = set(opened.calls)
        """The ids of all calls that the session has ever seen, undone and summed up ones too."""
        self.lease = lease
        self.temporary = False
        self.schedule: Schedule | None = None
        self._created = opened.created
        self._journal = journal
        self._store = store
        self._clock = clock
        self._redactor = redactor
        self._listener = listener
        self._writing = asyncio.Lock()

    async def record(
        self, *events: KnownEvent, answered: Sequence[str] = (), closes_draft: bool = False
    ) -> None:
        """Keep events that do not depend on the state."""
        await self.record_from(lambda _: events, answered=answered, closes_draft=closes_draft)

    async def record_from(
        self,
        build: Callable[[SessionState], Sequence[KnownEvent]],
        *,
        answered: Sequence[str] = (),
        closes_draft: bool = False,
        newborn: Sequence[Newborn] = (),
    ) -> None:
        """Keep the events that follow from the state as it is when it is their turn.

        Being cancelled does not tear it apart: what was handed to the store is folded in first.
        """
        writing = asyncio.ensure_future(self._record(build, answered, closes_draft, newborn))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            await writing
            raise

    async def _record(
        self,
        build: Callable[[SessionState], Sequence[KnownEvent]],
        answered: Sequence[str],
        closes_draft: bool,
        newborn: Sequence[Newborn],
    ) -> None:
        async with self._writing:
            events = build(self.state)
            if not events and not answered:
                return
            state, transcript = self.state, self.transcript
            records: list[Record] = []
            kept: list[KnownEvent] = []
            posted: list[PostedIntent] = []
            for number, event in enumerate(events, start=state.seq + 1):
                stamped, record = self._stamped(event, number, self.lease.session)
                records.append(record)
                kept.append(stamped)
                before, state = state, advance(state, stamped, self._recall)
                posted.extend(letters(before, stamped, state))
                if not isinstance(stamped, Rewound):
                    transcript = transcript.after(stamped)
            due = checkpoint_due(self.state.seq, state.seq)
            # A new session begins with its first event, not when somebody thought of it.
            self._created = self._created or kept[0].at
            await self._journal.append(
                Batch(
                    lease=self.lease,
                    records=records,
                    summary=self._summary(state, self._created),
                    answered=answered,
                    checkpoint=checkpoint_of(state) if due else None,
                    closes_draft=closes_draft,
                    posted=posted,
                    births=[self._birth(child) for child in newborn],
                )
            )
            self.state, self.transcript = state, transcript
            if any(isinstance(event, Rewound) for event in kept):
                session = self.lease.session
                self.transcript = (
                    await asyncio.to_thread(open_session, self._store, session)
                ).transcript
            for event, record in zip(kept, records, strict=True):
                if isinstance(event, AssistantMessage):
                    self.calls.update(call.id for call in event.tool_calls)
                self._listener(event, record.body)

    async def settle(self) -> None:
        """Show a schedule that has come, gone or changed since the last event was kept."""
        shown = self._store.summary(self.lease.session)
        async with self._writing:
            summary = self._summary(self.state, self._created)
            if shown is None or (shown.schedule, shown.next_kick) == (
                summary.schedule,
                summary.next_kick,
            ):
                return
            await self._journal.append(Batch(lease=self.lease, records=(), summary=summary))

    def _stamped(self, event: KnownEvent, number: int, session: str) -> tuple[KnownEvent, Record]:
        """An event as it is kept, and its bytes, without any secret."""
        stamped = replace(event, seq=number, at=self._clock.now(), session=session)
        body = encode(stamped)
        masked = self._redactor.encoded(body)
        if masked is not body:
            stamped = decode(masked)  # type: ignore[assignment]
        return stamped, Record(number, str(stamped.__struct_config__.tag), masked)

    def _birth(self, child: Newborn) -> Birth:
        kept = [self._stamped(one, seq, child.session) for seq, one in enumerate(child.events, 1)]
        state = fold(stamped for stamped, _ in kept)
        created = kept[0][0].at
        return Birth(
            [record for _, record in kept], summarize(state, created, temporary=self.temporary)
        )

    def _summary(self, state: SessionState, created: str) -> Summary:
        schedule, since = self.schedule, kick_after(state)
        return summarize(
            state,
            created,
            temporary=self.temporary,
            schedule=schedule.words if schedule else "",
            next_kick=(schedule.after(since) or "") if schedule and since else "",
        )

    def draft(self, text: str, reasoning: str) -> None:
        """Show the reply that is streaming in."""
        redact = self._redactor.text
        self._journal.draft(self.lease, Draft(redact(text), redact(reasoning), self._clock.now()))

    def _recall(self, seq: int) -> SessionState:
        return state_of(self._store, self.lease.session, seq)
