"""What is asked of sessions: posted once, and answered or withdrawn once."""

from collections.abc import Sequence

import apsw

from longwatch.adapters.store.part import Part
from longwatch.engine.storing import Batch, NoSuchSession, OutOfOrder, PostedIntent


class Intents(Part):
    def post(self, intent: PostedIntent) -> None:
        """Ask once; an id that was posted before changes nothing. Raises NoSuchSession."""
        with self._database.durably() as cursor:
            kept = cursor.execute("SELECT 1 FROM sessions WHERE id = ?", (intent.session,)).get
            if kept is None:
                raise NoSuchSession(f"There is no session {intent.session}.")
            cursor.execute(
                "INSERT INTO intents (id, session, posted, body) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (id) DO NOTHING",
                (intent.id, intent.session, intent.posted, intent.body),
            )

    def withdraw(self, intent: str) -> bool:
        with self._database.durably() as cursor:
            return _closed(cursor, "withdrawn", intent)

    def unanswered(self, session: str | None = None) -> Sequence[PostedIntent]:
        rows = self._database.rows(
            "SELECT id, session, posted, body FROM intents "
            "WHERE state = 'open' AND (?1 IS NULL OR session = ?1) ORDER BY place",
            (session,),
        )
        return [PostedIntent(*row) for row in rows]


def pass_on(cursor: apsw.Cursor, intents: Sequence[PostedIntent]) -> None:
    """Ask of other sessions what a batch brings for them; one that is gone is not asked."""
    cursor.executemany(
        "INSERT INTO intents (id, session, posted, body) SELECT ?1, ?2, ?3, ?4 "
        "WHERE EXISTS (SELECT 1 FROM sessions WHERE id = ?2) ON CONFLICT (id) DO NOTHING",
        [(intent.id, intent.session, intent.posted, intent.body) for intent in intents],
    )


def answer(cursor: apsw.Cursor, batch: Batch) -> None:
    """Mark what a batch answers; raises OutOfOrder if any of it is no longer to be answered."""
    for intent in batch.answered:
        if not _closed(cursor, "answered", intent, batch.lease.session):
            raise OutOfOrder(
                f"Intent {intent} of session {batch.lease.session} was answered or withdrawn "
                "already, or was never posted."
            )


def _closed(cursor: apsw.Cursor, state: str, intent: str, session: str | None = None) -> bool:
    """Whether the intent was still open. Its id stays, so that it cannot be posted again."""
    closed = cursor.execute(
        "UPDATE intents SET state = ?1, body = x'' "
        "WHERE id = ?2 AND state = 'open' AND (?3 IS NULL OR session = ?3) RETURNING 1",
        (state, intent, session),
    ).get
    return closed is not None
