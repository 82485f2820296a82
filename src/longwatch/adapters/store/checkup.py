"""Looking for damage: in the file, and in what the store promises about it."""

from collections.abc import Iterator

import apsw
import msgspec

from longwatch.adapters.store.database import Database, connection
from longwatch.adapters.store.faults import FAULTS
from longwatch.adapters.store.schema import SPAN, seq_of
from longwatch.engine.storing import Summary

_MOST_TOLD = 100


class _Envelope(msgspec.Struct):
    seq: int
    session: str
    type: str


_ENVELOPES = msgspec.json.Decoder(_Envelope)


def problems(database: Database) -> Iterator[str]:
    """What is wrong, in words, on a connection of its own: reading everything takes long."""
    try:
        own = connection(database.path, readonly=True)
        try:
            own.execute("BEGIN")
            for look in (_damage, _gaps, _bodies, _rows, _orphans):
                yield from look(own)
        finally:
            own.close()
    except FAULTS as error:
        yield f"The store {database.path} cannot be read: {error}."


def _damage(own: apsw.Connection) -> Iterator[str]:
    for (line,) in own.execute(f"PRAGMA integrity_check({_MOST_TOLD})"):
        if line != "ok":
            yield f"The database is damaged: {line}"


def _gaps(own: apsw.Connection) -> Iterator[str]:
    counted = own.execute(
        f"""
        SELECT sessions.id, last_seq, indexed, count(events.id), ifnull(min(events.id % {SPAN}), 0),
               ifnull(max(events.id % {SPAN}), 0)
        FROM sessions LEFT JOIN events
            ON events.id > number * {SPAN} AND events.id < (number + 1) * {SPAN}
        GROUP BY number
        """  # noqa: S608 - nothing in it comes from outside
    )
    for session, last, indexed, count, lowest, highest in counted:
        if highest != last:
            yield f"Session {session} should end with event {last} and ends with {highest}."
        if count and (lowest != 1 or count != highest):
            yield f"Session {session} has gaps: {count} events from {lowest} to {highest}."
        if indexed > last:
            yield f"Session {session} is indexed to event {indexed} and ends with {last}."


def _bodies(own: apsw.Connection) -> Iterator[str]:
    names = dict(own.execute("SELECT number, id FROM sessions"))
    for event, kind, body in own.execute("SELECT id, type, body FROM events"):
        session, seq = names.get(event // SPAN), seq_of(event)
        if session is None:
            continue
        try:
            said = _ENVELOPES.decode(body)
        except msgspec.DecodeError as error:
            yield f"Event {seq} of session {session} cannot be read: {error}."
            continue
        if (said.session, said.seq, said.type) != (session, seq, kind):
            yield (
                f"Event {seq} of session {session} ({kind}) says that it is event {said.seq} of "
                f"session {said.session} ({said.type})."
            )


def _rows(own: apsw.Connection) -> Iterator[str]:
    for session, last, body in own.execute("SELECT id, last_seq, summary FROM sessions"):
        try:
            summary = msgspec.json.decode(body, type=Summary)
        except msgspec.DecodeError as error:
            yield f"The summary of session {session} cannot be read: {error}."
            continue
        if (summary.session, summary.last_seq) != (session, last):
            yield (
                f"The summary of session {session} is of session {summary.session} up to event "
                f"{summary.last_seq}, not {last}."
            )


def _orphans(own: apsw.Connection) -> Iterator[str]:
    for table in ("events", "checkpoints"):
        query = (
            f"SELECT count(*) FROM {table} WHERE id / {SPAN} NOT IN (SELECT number FROM sessions)"  # noqa: S608
        )
        if count := own.execute(query).get:
            yield f"{count} rows of {table} belong to no session."
    for table in ("intents", "drafts"):
        query = f"SELECT count(*) FROM {table} WHERE session NOT IN (SELECT id FROM sessions)"  # noqa: S608
        if count := own.execute(query).get:
            yield f"{count} rows of {table} belong to no session."
    late = own.execute(
        f"SELECT count(*) FROM checkpoints JOIN sessions ON number = checkpoints.id / {SPAN} "  # noqa: S608
        f"WHERE checkpoints.id % {SPAN} > last_seq"
    ).get
    if late:
        yield f"{late} checkpoints are of events that are not there."
