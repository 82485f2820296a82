"""Finding text in all sessions."""

import heapq
from collections.abc import Iterable, Iterator, Sequence

import apsw

from longwatch.adapters.store.database import Database
from longwatch.adapters.store.part import Part
from longwatch.adapters.store.schema import TOKENS, place, seq_of
from longwatch.engine.ports import Hit

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
WHERE {table} MATCH ? ORDER BY found.rowid DESC
"""

_BEHIND = """
SELECT number, indexed, last_seq FROM sessions
WHERE indexed < last_seq AND (?1 IS NULL OR id = ?1) LIMIT ?2
"""


class Search(Part):
    def search(self, text: str, limit: int = 50) -> Sequence[Hit]:
        """Where every word of the text stands, the newest session's last event first.

        The last word may be the beginning of one, unless it is a single letter.
        """
        query = as_query(text)
        if not query or limit <= 0:
            return ()
        with self._database.snapshot() as cursor:
            tables = ["search"]
            if _gather_unindexed(cursor):
                tables.append("unindexed")
            reader = self._database.reader
            matches = [reader.execute(_MATCHES.format(table=name), (query,)) for name in tables]
            merged = heapq.merge(*matches, key=lambda row: row[0], reverse=True)
            hits = list(_distinct(merged, limit))
            for rest in matches:
                rest.close()
            return hits


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


def _distinct(matches: Iterable[tuple[int, str, bytes]], limit: int) -> Iterator[Hit]:
    """The first hits, without those that show what was shown: a list is kept at each change."""
    shown: set[tuple[str, bytes]] = set()
    for looked_at, (event, session, snippet) in enumerate(matches):
        if len(shown) == limit or looked_at == limit * _SEEN_FOR_ONE:
            return
        if (session, snippet) not in shown:
            shown.add((session, snippet))
            # An event's bytes are kept as they came, also where they are no text.
            yield Hit(session, seq_of(event), snippet.decode(errors="replace"))


def _gather_unindexed(cursor: apsw.Cursor) -> bool:
    """Index, for this one search, what is not in the index yet; False if nothing is."""
    behind = list(cursor.execute(_BEHIND, (None, -1)))
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
