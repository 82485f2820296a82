"""AgentParley's dialect under random calls, edits and replays."""

from typing import Any

from dialect_machine import JUNK, PLACES, TEXTS, THOROUGH, Call, ListMachine
from dialect_oracle import Accepted, Refused, Row, whole_number
from hypothesis import strategies as st

from longwatch.dialects import DIALECTS
from longwatch.session.events import Arguments

WRITE: st.SearchStrategy[Call] = st.tuples(
    st.just("todo_write"), st.builds(dict, items=st.lists(TEXTS, min_size=1, max_size=3))
)
GOOD: st.SearchStrategy[Call] = st.one_of(
    WRITE,
    st.tuples(st.just("todo_update"), st.builds(dict, id=PLACES, status=st.just("done"))),
    st.tuples(
        st.just("todo_update"),
        st.builds(dict, id=PLACES, status=st.just("blocked"), reason=TEXTS),
    ),
)
ODD: st.SearchStrategy[Call] = st.one_of(
    st.tuples(st.just("todo_write"), st.builds(dict, items=JUNK)),
    st.tuples(
        st.just("todo_update"),
        st.fixed_dictionaries(
            {"id": PLACES | JUNK, "status": st.sampled_from(["done", "blocked", "Done", None])},
            optional={"reason": st.just(" ")},
        ),
    ),
    st.tuples(st.just("todo_list"), st.just({})),
)


class ParleyMachine(ListMachine):
    dialect = DIALECTS["parley"]
    cursor = "none"
    opening = ("todo_write", {"items": ["a", "b", "c"]})
    good = GOOD
    odd = ODD

    def foretell(self, name: str, arguments: Arguments, siblings: int) -> Accepted | Refused:
        del siblings
        assert isinstance(arguments, dict)
        if name == "todo_write":
            return self._write(arguments["items"])
        if name == "todo_update":
            return self._update(arguments)
        return Accepted(self.rows, self.goal)

    def _write(self, items: Any) -> Accepted | Refused:
        if not isinstance(items, list) or not all(isinstance(text, str) for text in items):
            return Refused("not_a_list")
        if not items:
            return Refused("empty_list")
        if not all(text.strip() for text in items):
            return Refused("blank_text")
        first = self.seat.next_store_id
        new = [Row(number, text.strip()) for number, text in enumerate(items, first)]
        return Accepted([*self.rows, *new], self.goal)

    def _update(self, arguments: dict[str, Any]) -> Accepted | Refused:
        number = whole_number(arguments["id"])
        if number is None:
            return Refused("bad_arguments")
        row = self.row(number)
        if row is None:
            return Refused("unknown_id")
        if arguments["status"] not in ("done", "blocked"):
            return Refused("bad_status")
        done = arguments["status"] == "done"
        reason = arguments.get("reason", "").strip()
        if not done and not reason:
            return Refused("missing_reason")
        if row.uid in self.held:
            return Refused("blocked_by_person")
        status, reason = ("completed", "") if done else ("blocked", reason)
        changed = Row(row.id, row.text, status, reason, row.uid)
        return Accepted([changed if r.uid == row.uid else r for r in self.rows], self.goal)


TestParley = ParleyMachine.TestCase
TestParley.settings = THOROUGH
