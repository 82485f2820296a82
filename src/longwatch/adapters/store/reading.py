"""Looking at sessions: their rows, their events from either end, and what is kept beside."""

from collections.abc import Iterator, Sequence

import apsw
import msgspec

from longwatch.adapters.store.part import Part
from longwatch.adapters.store.schema import SPAN, place, seq_of
from longwatch.engine.storing import Checkpoint, Draft, Record, Summary

_PAGE_ROWS = 512
_PAGE_BYTES = 1024 * 1024
_SUMMARIES = msgspec.json.Decoder(Summary)


class Reading(Part):
    def version(self) -> int:
        return self._database.version()

    def summaries(self) -> Sequence[Summary]:
        rows = self._database.rows(
            "SELECT summary, id, title, last_seq FROM sessions ORDER BY created, number"
        )
        return [_summary(*row) for row in rows]

    def summary(self, session: str) -> Summary | None:
        rows = self._database.rows(
            "SELECT summary, id, title, last_seq FROM sessions WHERE id = ?", (session,)
        )
        return _summary(*rows[0]) if rows else None

    def find(self, name: str) -> Sequence[str]:
        """Nothing for an empty name."""
        for condition in ("id = ?", "title = ?", "substr(id, 1, length(?1)) = ?1"):
            rows = self._database.rows(
                f"SELECT id FROM sessions WHERE {condition} ORDER BY created, number",  # noqa: S608
                (name,),
            )
            if rows and name:
                return [session for (session,) in rows]
        return ()

    def records(self, session: str, after: int = 0, limit: int | None = None) -> Iterator[Record]:
        """The events in order, read page by page; between two pages nothing is held."""
        left = SPAN if limit is None else limit
        while left > 0:
            page = self._page(session, after, min(left, _PAGE_ROWS))
            if not page:
                return
            yield from page
            left -= len(page)
            after = page[-1].seq

    def _page(self, session: str, after: int, rows: int) -> Sequence[Record]:
        """The next events, at least one and otherwise as many as stay in bounds."""
        with self._database.snapshot() as cursor:
            number = _number(cursor, session)
            if number is None:
                return ()
            found = cursor.execute(
                "SELECT id, type, body FROM events WHERE id > ? AND id < ? ORDER BY id LIMIT ?",
                (place(number, after), place(number + 1, 0), rows),
            )
            page, size = [], 0
            for event, kind, body in found:
                page.append(Record(seq_of(event), kind, body))
                size += len(body)
                if size >= _PAGE_BYTES:
                    break
            return page

    def records_before(self, session: str, before: int, limit: int) -> Sequence[Record]:
        with self._database.snapshot() as cursor:
            number = _number(cursor, session)
            if number is None:
                return ()
            found = list(
                cursor.execute(
                    "SELECT id, type, body FROM events WHERE id > ? AND id < ? "
                    "ORDER BY id DESC LIMIT ?",
                    (place(number, 0), place(number, before), max(limit, 0)),
                )
            )
        return [Record(seq_of(event), kind, body) for event, kind, body in reversed(found)]

    def checkpoint(self, session: str, upto: int | None = None) -> Checkpoint | None:
        with self._database.snapshot() as cursor:
            number = _number(cursor, session)
            if number is None:
                return None
            row = cursor.execute(
                "SELECT id, version, body FROM checkpoints WHERE id > ? AND id <= ? "
                "ORDER BY id DESC LIMIT 1",
                (place(number, 0), place(number, SPAN if upto is None else upto)),
            ).fetchone()
        return Checkpoint(seq_of(row[0]), row[1], row[2]) if row else None

    def draft(self, session: str) -> Draft | None:
        rows = self._database.rows(
            "SELECT text, reasoning, updated FROM drafts WHERE session = ?", (session,)
        )
        return Draft(*rows[0]) if rows else None


def _number(cursor: apsw.Cursor, session: str) -> int | None:
    number: int | None = cursor.execute("SELECT number FROM sessions WHERE id = ?", (session,)).get
    return number


def _summary(body: bytes, session: str, title: str, last_seq: int) -> Summary:
    try:
        return _SUMMARIES.decode(body)
    except msgspec.DecodeError:
        # Another version wrote what this one cannot read. The row is derived and is written
        # again with the next event; until then the session is listed by what is known.
        return Summary(session=session, title=title, last_seq=last_seq)
