"""Loki's dialect under random calls, edits and replays."""

from typing import Any, ClassVar

from dialect_machine import JUNK, PLACES, TEXTS, THOROUGH, Call, ListMachine
from dialect_oracle import Accepted, Refused, Row, whole_number
from hypothesis import strategies as st

from longwatch.dialects import DIALECTS
from longwatch.session.events import Arguments

ADD: st.SearchStrategy[Call] = st.tuples(st.just("todo__add"), st.builds(dict, task=TEXTS))
DONE: st.SearchStrategy[Call] = st.tuples(st.just("todo__done"), st.builds(dict, id=PLACES))
GOOD: st.SearchStrategy[Call] = st.one_of(
    ADD,
    ADD.map(lambda call: call),
    DONE,
    st.tuples(st.just("todo__init"), st.builds(dict, goal=TEXTS)),
    st.tuples(st.just("todo__clear"), st.just({})),
)
ODD: st.SearchStrategy[Call] = st.one_of(
    st.tuples(st.just("todo__add"), st.builds(dict, task=JUNK)),
    st.tuples(st.just("todo__done"), st.builds(dict, id=JUNK)),
    st.tuples(st.just("todo__init"), st.builds(dict, goal=JUNK)),
    st.tuples(st.just("todo__list"), st.just({})),
)


class LokiMachine(ListMachine):
    dialect = DIALECTS["loki"]
    cursor = "none"
    loop: ClassVar = {"auto_continue": True}
    opening = ("todo__add", {"task": "a"})
    good = GOOD
    odd = ODD

    def foretell(self, name: str, arguments: Arguments, siblings: int) -> Accepted | Refused:
        del siblings
        assert isinstance(arguments, dict)
        match name:
            case "todo__init":
                goal = arguments.get("goal")
                return Accepted([], goal.strip() if isinstance(goal, str) else "")
            case "todo__add":
                return self._add(arguments["task"])
            case "todo__done":
                return self._done(arguments["id"])
            case "todo__clear":
                return Accepted([], "")
            case _:
                return Accepted(self.rows, self.goal)

    def _add(self, task: Any) -> Accepted | Refused:
        if not isinstance(task, str) or not task.strip():
            return Refused("blank_text")
        highest = max((row.id for row in self.rows if isinstance(row.id, int)), default=0)
        return Accepted([*self.rows, Row(highest + 1, task.strip())], self.goal)

    def _done(self, given: Any) -> Accepted | Refused:
        number = whole_number(given)
        if number is None:
            return Refused("bad_arguments")
        row = self.row(number)
        if row is None:
            return Refused("unknown_id")
        if row.uid in self.held:
            return Refused("blocked_by_person")
        done = Row(row.id, row.text, "completed", "", row.uid)
        return Accepted([done if r.uid == row.uid else r for r in self.rows], self.goal)


TestLoki = LokiMachine.TestCase
TestLoki.settings = THOROUGH
