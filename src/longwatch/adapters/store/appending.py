"""Adding to sessions: events in order, under a lease, with all that is kept beside them."""

from collections.abc import Sequence

import apsw
import msgspec

from longwatch.adapters.store.checkpoints import keep_checkpoint
from longwatch.adapters.store.intents import answer, pass_on
from longwatch.adapters.store.part import Part
from longwatch.adapters.store.schema import SPAN, place
from longwatch.engine.storing import (
    Batch,
    Birth,
    Draft,
    Lease,
    LeaseLost,
    OutOfOrder,
    Record,
    StoreError,
    Summary,
)

_LEASED = "EXISTS (SELECT 1 FROM leases WHERE session = ? AND epoch = ? AND held)"
# The one statement checks what must be true before it changes anything: the lease is the
# session's, and the new events follow on the last one.
_ADVANCE = f"""
UPDATE sessions SET last_seq = ?, title = ?, created = ?, summary = ?
WHERE id = ? AND last_seq = ? AND {_LEASED} RETURNING number
"""  # noqa: S608 - nothing in it comes from outside
_BEGIN = """
INSERT INTO sessions (last_seq, title, created, summary, id) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING RETURNING number
"""
_DRAFT = f"""
INSERT INTO drafts SELECT ?, ?, ?, ? WHERE {_LEASED}
ON CONFLICT (session) DO UPDATE
SET text = excluded.text, reasoning = excluded.reasoning, updated = excluded.updated
RETURNING 1
"""
_ENCODER = msgspec.json.Encoder()


class Appending(Part):
    def append(self, batches: Sequence[Batch]) -> Sequence[StoreError | None]:
        """Raises StoreUnwritable, and keeps none of the batches, if they cannot be written."""
        with self._database.durably() as cursor:
            return [_attempt(cursor, batch) for batch in batches]

    def put_draft(self, lease: Lease, draft: Draft) -> None:
        values = (lease.session, draft.text, draft.reasoning, draft.updated)
        with self._database.in_passing() as cursor:
            if cursor.execute(_DRAFT, (*values, lease.session, lease.epoch)).get is None:
                raise _lost(lease)

    def take_ids(self, count: int) -> int:
        if count < 1:
            raise ValueError("at least one id is taken")
        with self._database.durably() as cursor:
            last: int = cursor.execute(
                "UPDATE counters SET value = value + ? WHERE name = 'id' RETURNING value", (count,)
            ).get
        return last - count + 1


def _attempt(cursor: apsw.Cursor, batch: Batch) -> StoreError | None:
    """Keep a batch, or take back what was done of it and say why."""
    refusal: StoreError
    cursor.execute("SAVEPOINT batch")
    try:
        _keep(cursor, batch)
    except StoreError as error:
        refusal = error
    except (UnicodeEncodeError, apsw.TooBigError) as error:
        refusal = StoreError(f"An event of {batch.lease.session} cannot be kept: {error}.")
    else:
        cursor.execute("RELEASE batch")
        return None
    cursor.execute("ROLLBACK TO batch")
    cursor.execute("RELEASE batch")
    return refusal


def _keep(cursor: apsw.Cursor, batch: Batch) -> None:
    before = _seq_before(batch)
    number = _advanced(cursor, batch, before)
    _insert(cursor, number, batch.records)
    for birth in batch.births:
        _bear(cursor, birth)
    if batch.posted:
        pass_on(cursor, batch.posted)
    if batch.answered:
        answer(cursor, batch)
    if batch.checkpoint is not None:
        keep_checkpoint(cursor, number, batch.checkpoint)
    if batch.closes_draft:
        cursor.execute("DELETE FROM drafts WHERE session = ?", (batch.lease.session,))


def _insert(cursor: apsw.Cursor, number: int, records: Sequence[Record]) -> None:
    base = place(number, 0)
    cursor.executemany(
        "INSERT INTO events VALUES (?, ?, ?)",
        [(base + record.seq, record.type, record.body) for record in records],
    )


def _bear(cursor: apsw.Cursor, birth: Birth) -> None:
    """Begin a session that nobody has a lease on yet; raises OutOfOrder if it is there."""
    summary = birth.summary
    number: int | None = cursor.execute(_BEGIN, (*_row(summary), summary.session)).get
    if number is None:
        raise OutOfOrder(f"Session {summary.session} was begun already.")
    _insert(cursor, number, birth.records)


def _row(summary: Summary) -> tuple[int, str, str, bytes]:
    return summary.last_seq, summary.title, summary.created, _ENCODER.encode(summary)


def _seq_before(batch: Batch) -> int:
    """The seq that the batch follows on; raises OutOfOrder if it does not hold together."""
    last = batch.summary.last_seq
    before = last - len(batch.records)
    for expected, record in enumerate(batch.records, before + 1):
        if record.seq != expected:
            raise OutOfOrder(
                f"Event {record.seq} of session {batch.lease.session} stands where {expected} "
                f"should: the summary ends with {last}."
            )
    if batch.summary.session != batch.lease.session:
        raise OutOfOrder(f"The summary is of session {batch.summary.session}, not of the lease's.")
    if before < 0 or last < 1 or last >= SPAN:
        raise OutOfOrder(f"Session {batch.lease.session} cannot end with event {last}.")
    if batch.checkpoint is not None and not 0 < batch.checkpoint.seq <= last:
        raise OutOfOrder(f"A checkpoint at {batch.checkpoint.seq} is beyond event {last}.")
    return before


def _advanced(cursor: apsw.Cursor, batch: Batch, before: int) -> int:
    """The session's number, once its row is brought up to date; raises LeaseLost, OutOfOrder."""
    lease, summary = batch.lease, batch.summary
    row = _row(summary)
    number: int | None = cursor.execute(
        _ADVANCE, (*row, lease.session, before, lease.session, lease.epoch)
    ).get
    if number is not None:
        return number
    _check_lease(cursor, lease)
    last: int | None = cursor.execute(
        "SELECT last_seq FROM sessions WHERE id = ?", (lease.session,)
    ).get
    if last is not None or before != 0:
        raise OutOfOrder(
            f"Event {before + 1} of session {lease.session} cannot follow on event {last or 0}."
        )
    number = cursor.execute(_BEGIN, (*row, lease.session)).get
    assert number is not None
    return number


def _check_lease(cursor: apsw.Cursor, lease: Lease) -> None:
    held = cursor.execute(f"SELECT {_LEASED}", (lease.session, lease.epoch)).get
    if not held:
        raise _lost(lease)


def _lost(lease: Lease) -> LeaseLost:
    return LeaseLost(
        f"Session {lease.session} is no longer this process's: another one took it over, or it "
        "was deleted."
    )
