"""The tables of the store, and how an event's place among all events is made."""

from collections.abc import Callable, Mapping

import apsw
import msgspec

APPLICATION_ID = 0x4C4F4E47
"""Marks a database as a store of longwatch: "LONG" in ASCII."""

SPAN = 1 << 32
"""Each session owns that many places; the events of one lie together, in order."""

TOKENS = "tokenize = 'unicode61 remove_diacritics 2'"

# An event's id is its session's number and its seq in one integer. The events of a session are
# then neighbours in the tree that holds the bodies, no second tree finds them, and the
# full-text index can name an event by the same integer.
#
# ``searchable`` says what of an event can be searched. The index holds no text of its own; it
# reads this view to make a snippet, and to take an event out again. What the view yields for an
# event may therefore only change together with a rebuilt index. It counts through a list by
# itself, because the index is not allowed to read another virtual table such as json_each.
_TABLES = f"""
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('epoch', 0), ('id', 0);

CREATE TABLE sessions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    last_seq INTEGER NOT NULL,
    indexed INTEGER NOT NULL DEFAULT 0,
    title TEXT NOT NULL,
    created TEXT NOT NULL,
    summary BLOB NOT NULL
) STRICT;

CREATE TABLE events (id INTEGER PRIMARY KEY, type TEXT NOT NULL, body BLOB NOT NULL) STRICT;

CREATE TABLE checkpoints (
    id INTEGER PRIMARY KEY, version INTEGER NOT NULL, body BLOB NOT NULL
) STRICT;

CREATE TABLE leases (
    session TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    held INTEGER NOT NULL,
    heartbeat REAL NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    boot TEXT NOT NULL,
    host TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE drafts (
    session TEXT PRIMARY KEY, text TEXT NOT NULL, reasoning TEXT NOT NULL, updated TEXT NOT NULL
) STRICT;

CREATE TABLE intents (
    place INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered', 'withdrawn')),
    posted TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX intents_open ON intents (place) WHERE state = 'open';

CREATE TABLE worker (
    only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    boot TEXT NOT NULL,
    host TEXT NOT NULL,
    version TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    began TEXT NOT NULL,
    heartbeat REAL NOT NULL,
    stopping INTEGER NOT NULL
) STRICT;

CREATE TABLE watchers (name TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;

CREATE VIEW searchable (id, text) AS
SELECT id, replace(replace(CASE type
    WHEN 'session_started' THEN doc ->> '$.title'
    WHEN 'renamed' THEN doc ->> '$.title'
    WHEN 'user_message' THEN doc ->> '$.text'
    WHEN 'assistant_message' THEN doc ->> '$.text'
    WHEN 'tool_finished' THEN substr(doc ->> '$.output', 1, 4096)
    WHEN 'checklist_changed' THEN concat_ws(char(10), doc ->> '$.goal', (
        WITH RECURSIVE item (n) AS (
            SELECT 0 UNION ALL
            SELECT n + 1 FROM item WHERE n + 1 < json_array_length(doc, '$.items')
        )
        SELECT group_concat(concat_ws(
            ' ', doc ->> ('$.items[' || n || '].text'), doc ->> ('$.items[' || n || '].reason')
        ), char(10)) FROM item
    ))
    END, char(2), ' '), char(3), ' ')
FROM (SELECT id, type, CAST(body AS TEXT) AS doc FROM events)
WHERE type IN (
    'session_started', 'renamed', 'user_message', 'assistant_message', 'tool_finished',
    'checklist_changed'
) AND json_valid(doc);

CREATE VIRTUAL TABLE search USING fts5 (
    text, content = 'searchable', content_rowid = 'id', columnsize = 0, {TOKENS}
);
"""  # noqa: S608 - nothing in it comes from outside


class Schema(msgspec.Struct, frozen=True):
    """One version of the tables, and the steps that lead to it from each version before."""

    version: int
    tables: str
    steps: Mapping[int, Callable[[apsw.Connection], None]]


CURRENT = Schema(version=1, tables=_TABLES, steps={})


def place(number: int, seq: int) -> int:
    """The id of an event, given its session's number."""
    return number * SPAN + min(max(seq, 0), SPAN - 1)


def seq_of(event: int) -> int:
    return event % SPAN
