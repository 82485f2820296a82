"""The TodoWrite lesson's dialect under random calls, edits and replays."""

from typing import Any, ClassVar

from dialect_machine import JUNK, TEXTS, THOROUGH, Call, ListMachine
from dialect_oracle import Accepted, Refused, Row
from hypothesis import strategies as st

from longwatch.dialects import DIALECTS
from longwatch.session.events import Arguments

MAX = 4
LABELS = st.sampled_from(["1", "2", "3", "4", "x", 1, 2, None])
STATUSES = st.sampled_from(["pending", "completed", "Pending"])
ITEMS = st.fixed_dictionaries({"text": TEXTS}, optional={"id": LABELS, "status": STATUSES})
ODD_STATUSES = st.sampled_from(["in_progress", "In_Progress", "pending", "done"])
BUSY_ITEMS = st.fixed_dictionaries({"text": TEXTS, "status": ODD_STATUSES})
ODD_ITEMS = st.fixed_dictionaries({}, optional={"text": TEXTS | st.just(" "), "id": LABELS})


@st.composite
def fit_lists(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Lists with at most one item in progress."""
    items = draw(st.lists(ITEMS, max_size=5))
    current = draw(st.integers(0, 5))
    return [
        {**one, "status": "in_progress"} if k == current else one for k, one in enumerate(items)
    ]


GOOD: st.SearchStrategy[Call] = st.tuples(st.just("todo"), st.builds(dict, items=fit_lists()))
ODD: st.SearchStrategy[Call] = st.tuples(
    st.just("todo"),
    st.builds(
        dict,
        items=st.one_of(
            st.lists(BUSY_ITEMS, max_size=4), st.lists(ITEMS | ODD_ITEMS), st.lists(JUNK), JUNK
        ),
    ),
)


class TodoWriteMachine(ListMachine):
    dialect = DIALECTS["todowrite"]
    cursor = "at_most_one"
    unique_ids = False
    loop: ClassVar = {"max_todos": MAX}
    opening = ("todo", {"items": [{"text": text} for text in "abc"]})
    good = GOOD
    odd = ODD

    def foretell(self, name: str, arguments: Arguments, siblings: int) -> Accepted | Refused:
        del name, siblings
        assert isinstance(arguments, dict)
        items = arguments["items"]
        if not isinstance(items, list):
            return Refused("not_a_list")
        given = [_read(raw, place) for place, raw in enumerate(items, 1)]
        free = [row.id for row in self.rows if row.uid in self.added]
        counted = 0
        for row in given:
            if row.id in free:
                free.remove(row.id)
            else:
                counted += 1
        if counted > MAX:
            return Refused("too_many")
        for row in given:
            if not row.text:
                return Refused("blank_text")
            if row.status not in ("pending", "in_progress", "completed"):
                return Refused("bad_status")
        if sum(row.status == "in_progress" for row in given) > 1:
            return Refused("two_in_progress")
        return Accepted(self._matched(given), self.goal)

    def _matched(self, given: list[Row]) -> list[Row]:
        """The item of the same id is the same item; a person's block on it holds."""
        left = self.rows
        matched = []
        for row in given:
            old = next((other for other in left if other.id == row.id), None)
            if old is None:
                matched.append(row)
                continue
            left.remove(old)
            held = old.status == "blocked" and (row.status == "pending" or old.uid in self.held)
            status, reason = old.state if held else (row.status, "")
            matched.append(Row(old.id, row.text, status, reason, old.uid))
        return matched


def _read(raw: Any, place: int) -> Row:
    item = raw if isinstance(raw, dict) else {}
    given = item.get("id")
    return Row(
        id=str(place if given is None else given),
        text=item.get("text", "").strip(),
        status=item.get("status", "pending").lower(),
    )


TestTodoWrite = TodoWriteMachine.TestCase
TestTodoWrite.settings = THOROUGH
