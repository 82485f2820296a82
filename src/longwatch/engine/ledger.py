"""Where one session's events are written: numbered, masked, durable, then folded in."""

import asyncio
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from longwatch.engine.journal import Journal
from longwatch.engine.opening import Opened, checkpoint_due, checkpoint_of, open_session, state_of
from longwatch.engine.ports import Batch, Clock, Draft, Lease, Record, Store
from longwatch.engine.secrets import Redactor
from longwatch.engine.summary import summarize
from longwatch.session import KnownEvent, SessionState, Transcript, advance, decode, encode
from longwatch.session.events import Rewound

Listener = Callable[[KnownEvent, bytes], None]
"""Is told of each event once it is durable, with the bytes that are kept."""


class Ledger:
    """The only writer of one session. What it holds is what the store holds."""

    def __init__(
        self,
        opened: Opened,
        lease: Lease,
        journal: Journal,
        store: Store,
        clock: Clock,
        redactor: Redactor,
        listener: Listener,
    ) -> None:
        self.state: SessionState = opened.state
        self.transcript: Transcript = opened.transcript
        self.lease = lease
        self.temporary = False
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
    ) -> None:
        """Keep the events that follow from the state as it is when it is their turn.

        Being cancelled does not tear it apart: what was handed to the store is folded in first.
        """
        writing = asyncio.ensure_future(self._record(build, answered, closes_draft))
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
    ) -> None:
        async with self._writing:
            events = build(self.state)
            if not events and not answered:
                return
            state, transcript = self.state, self.transcript
            records: list[Record] = []
            kept: list[KnownEvent] = []
            for number, event in enumerate(events, start=state.seq + 1):
                stamped = replace(
                    event, seq=number, at=self._clock.now(), session=self.lease.session
                )
                body = encode(stamped)
                masked = self._redactor.encoded(body)
                if masked is not body:
                    stamped = decode(masked)  # type: ignore[assignment]
                records.append(Record(number, str(stamped.__struct_config__.tag), masked))
                kept.append(stamped)
                state = advance(state, stamped, self._recall)
                if not isinstance(stamped, Rewound):
                    transcript = transcript.after(stamped)
            due = checkpoint_due(self.state.seq, state.seq)
            # A new session begins with its first event, not when somebody thought of it.
            self._created = self._created or kept[0].at
            await self._journal.append(
                Batch(
                    lease=self.lease,
                    records=records,
                    summary=summarize(state, self._created, temporary=self.temporary),
                    answered=answered,
                    checkpoint=checkpoint_of(state) if due else None,
                    closes_draft=closes_draft,
                )
            )
            self.state, self.transcript = state, transcript
            if any(isinstance(event, Rewound) for event in kept):
                self.transcript = open_session(self._store, self.lease.session).transcript
            for event, record in zip(kept, records, strict=True):
                self._listener(event, record.body)

    def draft(self, text: str, reasoning: str) -> None:
        """Show the reply that is streaming in."""
        redact = self._redactor.text
        self._journal.draft(self.lease, Draft(redact(text), redact(reasoning), self._clock.now()))

    def _recall(self, seq: int) -> SessionState:
        return state_of(self._store, self.lease.session, seq)
