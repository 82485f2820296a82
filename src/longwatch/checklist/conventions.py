"""The little that the shared list rules must know of the dialect in use."""

from typing import Literal

import msgspec

Cursor = Literal["none", "at_most_one", "kept"]
"""Whether items can be in progress: never, at most one, or exactly one that the program moves."""

Numbering = Literal["session", "store", "highest", "label", "position"]
"""Where a new item's shown id comes from.

``session`` counts on and never reuses; ``store`` takes from a block the caller hands in;
``highest`` is the highest present plus one; ``label`` is a free number as text; ``position``
is the item's place in the list.
"""


class Conventions(msgspec.Struct, frozen=True):
    """How one dialect's lists number their items and mark the current one."""

    cursor: Cursor
    numbering: Numbering
