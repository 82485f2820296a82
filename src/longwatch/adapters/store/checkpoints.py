"""Folded states beside the events: many of late, few of long ago."""

from collections.abc import Sequence
from itertools import pairwise

import apsw

from longwatch.adapters.store.schema import SPAN, place, seq_of
from longwatch.engine.storing import Checkpoint

_NEWEST_KEPT = 3
_SPARSENESS = 2


def keep_checkpoint(cursor: apsw.Cursor, number: int, checkpoint: Checkpoint) -> None:
    """Add one, and drop those of another fold and those that are too close together."""
    lowest = place(number, 0)
    cursor.execute(
        "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)",
        (lowest + checkpoint.seq, checkpoint.version, checkpoint.body),
    )
    cursor.execute(
        "DELETE FROM checkpoints WHERE id >= ? AND id < ? AND version <> ?",
        (lowest, lowest + SPAN, checkpoint.version),
    )
    kept = list(
        cursor.execute(
            "SELECT id FROM checkpoints WHERE id >= ? AND id < ? ORDER BY id DESC",
            (lowest, lowest + SPAN),
        )
    )
    cursor.executemany(
        "DELETE FROM checkpoints WHERE id = ?",
        [(lowest + seq,) for seq in superfluous([seq_of(event) for (event,) in kept])],
    )


def superfluous(seqs: Sequence[int]) -> Sequence[int]:
    """Those of the seqs, newest first, whose absence leaves no gap that is too wide.

    The further back, the wider a gap may be: folding on from the checkpoint before any seq then
    costs a part of the way back to it at most, and the number kept grows with the logarithm of
    the session's length.
    """
    newest = seqs[0] if seqs else 0
    dropped: list[int] = []
    kept = seqs[min(_NEWEST_KEPT, len(seqs)) - 1] if seqs else 0
    for seq, older in pairwise(seqs[_NEWEST_KEPT:]):
        if (kept - older) * _SPARSENESS <= newest - older:
            dropped.append(seq)
        else:
            kept = seq
    return dropped
