"""Finding text in all sessions."""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

import apsw
import msgspec
from msgspec.structs import replace

from longwatch.adapters.store.database import Database
from longwatch.adapters.store.part import Part
from longwatch.adapters.store.schema import SPAN, TOKENS, place, seq_of
from longwatch.engine.storing import Hit

_SLICE = 500
_SLICES_AT_ONCE = 20
_TERMS = 16
_TERM_LENGTH = 80
_SEEN_FOR_ONE = 20
"""How many matches are looked at, at most, for each one that is wanted."""

_MATCHES = """
SELECT found.rowid, sessions.id,
       CAST(snippet({table}, 0, char(2), char(3), '…', 16) AS BLOB)
FROM {table} AS found CROSS JOIN sessions ON sessions.number = found.rowid >> 32
WHERE {table} MATCH ? AND found.rowid < ? ORDER BY found.rowid DESC
"""
_PLACES = """
SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid > ? AND rowid < ?
ORDER BY rowid DESC LIMIT ?
"""
_LAST = (1 << 63) - 1
_Match = tuple[int, str, bytes]

_BEHIND = """
SELECT number, indexed, last_seq FROM sessions
WHERE indexed < last_seq AND (?1 IS NULL OR id = ?1) LIMIT ?2
"""


class _Timed(msgspec.Struct):
    at: str = ""


_TIMES = msgspec.json.Decoder(_Timed)


class Search(Part):
    def search(self, text: str, limit: int = 50) -> Sequence[Hit]:
        """Where every word of the text stands, the newest session's last event first.

        The last word may be the beginning of one, unless it is a single letter.
        """
        query = as_query(text)
        if not query or limit <= 0:
            return ()
        with self._database.search() as reader:
            return _hits(reader, _tables(reader), query, limit)

    def search_each(self, text: str, most: int = 3) -> Mapping[str, Sequence[Hit]]:
        """One query for each session that has it: a common word of one hides no other."""
        query = as_query(text)
        found: dict[str, Sequence[Hit]] = {}
        if not query or most <= 0:
            return found
        with self._database.search() as reader:
            tables, before = _tables(reader), _LAST
            while True:
                last = max(_places(reader, tables, query, -1, before, 1), default=None)
                if last is None:
                    return found
                number = last // SPAN
                hits = _hits(reader, tables, query, most, before, place(number, 0))
                found[hits[0].session] = hits
                before = place(number, 0)

    def search_in(self, session: str, text: str, limit: int = 1000) -> Sequence[int]:
        query = as_query(text)
        if not query or limit <= 0:
            return ()
        with self._database.search() as reader:
            number: int | None = reader.execute(
                "SELECT number FROM sessions WHERE id = ?", (session,)
            ).get
            if number is None:
                return ()
            ends = place(number, 0), place(number + 1, 0)
            places = _places(reader, _tables(reader, session), query, *ends, limit)
            return [seq_of(event) for event in sorted(places)[-limit:]]


def as_query(text: str) -> str:
    """Any text as a query that has no syntax: words, all of them wanted."""
    words = text.encode("utf-8", "ignore").decode().replace("\0", " ").split()[:_TERMS]
    if not words:
        return ""
    quoted = " ".join('"' + word[:_TERM_LENGTH].replace('"', '""') + '"' for word in words)
    # A single letter begins so many words that looking for all of them can be felt. In scripts
    # without spaces a single character says much more.
    lone_letter = len(words[-1]) == 1 and words[-1].isascii()
    return quoted if lone_letter else quoted + "*"


def _hits(
    reader: apsw.Connection,
    tables: Sequence[str],
    query: str,
    limit: int,
    before: int = _LAST,
    after: int = -1,
) -> Sequence[Hit]:
    """The last hits between two places, each with its time."""
    matches = [reader.execute(_MATCHES.format(table=name), (query, before)) for name in tables]
    merged = heapq.merge(*matches, key=lambda row: row[0], reverse=True)
    hits = list(_distinct(takewhile(lambda row: row[0] > after, merged), limit))
    for rest in matches:
        rest.close()
    return [replace(hit, seq=seq_of(hit.seq), at=_time_of(reader, hit.seq)) for hit in hits]


def _tables(reader: apsw.Connection, session: str | None = None) -> Sequence[str]:
    """What to look through: the index, and what is not in it yet."""
    return ("search", "unindexed") if _gather_unindexed(reader.cursor(), session) else ("search",)


def _places(
    reader: apsw.Connection, tables: Sequence[str], query: str, after: int, before: int, limit: int
) -> list[int]:
    """The last events between two places that match, by their place among all."""
    places: list[int] = []
    for name in tables:
        found = reader.execute(_PLACES.format(table=name), (query, after, before, limit))
        places.extend(event for (event,) in found.fetchall())  # type: ignore[misc]
    return places


def _time_of(reader: apsw.Connection, event: int) -> str:
    body: bytes = reader.execute("SELECT body FROM events WHERE id = ?", (event,)).get
    return _TIMES.decode(body).at


def _distinct(matches: Iterable[_Match], limit: int) -> Iterator[Hit]:
    """The first hits, without those that show what was shown: a list is kept at each change.

    A hit's seq is still the place among all events.
    """
    shown: set[tuple[str, bytes]] = set()
    for looked_at, (event, session, snippet) in enumerate(matches):
        if len(shown) == limit or looked_at == limit * _SEEN_FOR_ONE:
            return
        if (session, snippet) not in shown:
            shown.add((session, snippet))
            # An event's bytes are kept as they came, also where they are no text.
            yield Hit(session, event, snippet.decode(errors="replace"))


def _gather_unindexed(cursor: apsw.Cursor, session: str | None = None) -> bool:
    """Index, for this one search, what is not in the index yet; False if nothing is."""
    behind = list(cursor.execute(_BEHIND, (session, -1)))
    if not behind:
        return False
    cursor.execute("DROP TABLE IF EXISTS temp.unindexed")
    cursor.execute(f"CREATE VIRTUAL TABLE temp.unindexed USING fts5 (text, {TOKENS})")
    cursor.executemany(
        "INSERT INTO temp.unindexed (rowid, text) "
        "SELECT id, text FROM searchable WHERE id > ? AND id <= ?",
        [(place(number, done), place(number, last)) for number, done, last in behind],
    )
    return True


def catch_up(database: Database, session: str | None = None) -> None:
    """Index what was appended since the last time: all of one session, or some of all.

    Apart from appending, because indexing an event takes several times as long as keeping it,
    and takes less for many events at once. A search looks at what is behind by itself.
    """
    slices = 0
    while database.rows(_BEHIND, (session, 1)):
        if session is None and slices == _SLICES_AT_ONCE:
            return
        with database.in_passing() as cursor:
            _index_slice(cursor, session)
        slices += 1


def _index_slice(cursor: apsw.Cursor, session: str | None) -> None:
    room = _SLICE
    for number, done, last in list(cursor.execute(_BEHIND, (session, room))):
        upto = min(last, done + room)
        cursor.execute(
            "INSERT INTO search (rowid, text) "
            "SELECT id, text FROM searchable WHERE id > ? AND id <= ?",
            (place(number, done), place(number, upto)),
        )
        cursor.execute("UPDATE sessions SET indexed = ? WHERE number = ?", (upto, number))
        room -= upto - done
        if room == 0:
            return


def forget(cursor: apsw.Cursor, number: int, indexed: int) -> None:
    """Take a session's events out of the index, while they are still there to be read."""
    cursor.execute(
        "INSERT INTO search (search, rowid, text) "
        "SELECT 'delete', id, text FROM searchable WHERE id > ? AND id <= ?",
        (place(number, 0), place(number, indexed)),
    )
