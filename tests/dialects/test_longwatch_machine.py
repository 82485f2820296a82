"""The default dialect under random calls, edits and replays."""

from typing import Any, ClassVar

from dialect_machine import JUNK, PLACES, TEXTS, THOROUGH, Call, ListMachine
from dialect_oracle import Accepted, Refused, Row, whole_number, with_cursor
from hypothesis import strategies as st

from longwatch.dialects import DIALECTS
from longwatch.session.events import Arguments

MAX = 6
LISTS = st.lists(TEXTS, min_size=1, max_size=3)
PLANS = st.fixed_dictionaries({"items": LISTS, "replace": st.booleans()}, optional={"goal": TEXTS})
GOOD: st.SearchStrategy[Call] = st.one_of(
    st.tuples(st.just("todo_plan"), PLANS),
    st.tuples(
        st.just("todo_add"),
        st.fixed_dictionaries({"items": LISTS}, optional={"after": PLACES}),
    ),
    st.tuples(st.just("todo_start"), st.builds(dict, id=PLACES)),
    st.tuples(st.just("todo_done"), st.builds(dict, id=PLACES)),
    st.tuples(st.just("todo_block"), st.builds(dict, id=PLACES, reason=TEXTS)),
)
ODD: st.SearchStrategy[Call] = st.one_of(
    st.tuples(st.just("todo_plan"), st.builds(dict, items=JUNK, replace=st.booleans())),
    st.tuples(st.just("todo_add"), st.builds(dict, items=LISTS | JUNK, after=JUNK)),
    st.tuples(st.sampled_from(["todo_start", "todo_done"]), st.builds(dict, id=JUNK)),
    st.tuples(st.just("todo_block"), st.builds(dict, id=PLACES, reason=st.just(" "))),
    st.tuples(st.just("todo_list"), st.just({})),
)


def _texts(value: Any) -> list[str] | Refused:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        return Refused("not_a_list")
    if not value:
        return Refused("empty_list")
    if not all(text.strip() for text in value):
        return Refused("blank_text")
    return [text.strip() for text in value]


class LongwatchMachine(ListMachine):
    dialect = DIALECTS["longwatch"]
    cursor = "kept"
    loop: ClassVar = {"max_todos": MAX}
    opening = ("todo_plan", {"goal": "g", "items": ["a", "b", "c"]})
    good = GOOD
    odd = ODD

    def foretell(self, name: str, arguments: Arguments, siblings: int) -> Accepted | Refused:
        del siblings
        assert isinstance(arguments, dict)
        match name:
            case "todo_plan":
                return self._plan(arguments)
            case "todo_add":
                return self._add(arguments)
            case "todo_list":
                return Accepted(self.rows, self.goal)
            case _:
                return self._one_item(name, arguments)

    def _within_maximum(self, rows: list[Row], goal: str) -> Accepted | Refused:
        counted = [r for r in rows if r.status != "completed" and r.uid not in self.added]
        return Refused("too_many") if len(counted) > MAX else Accepted(with_cursor(rows), goal)

    def _plan(self, arguments: dict[str, Any]) -> Accepted | Refused:
        texts = _texts(arguments["items"])
        if isinstance(texts, Refused):
            return texts
        if any(row.open for row in self.rows) and not arguments.get("replace"):
            return Refused("plan_unfinished")
        stay = [r for r in self.rows if r.status == "completed" or r.uid in self.held]
        plan: list[Row] = []
        number = self.highest_ever
        for text in texts:
            old = next((row for row in stay if row.text == text), None)
            if old is None:
                number += 1
                plan.append(Row(number, text))
            else:
                stay.remove(old)
                plan.append(old)
        return self._within_maximum(plan, arguments.get("goal", "").strip())

    def _add(self, arguments: dict[str, Any]) -> Accepted | Refused:
        texts = _texts(arguments["items"])
        if isinstance(texts, Refused):
            return texts
        rows, at = self.rows, len(self.rows)
        if arguments.get("after") is not None:
            number = whole_number(arguments["after"])
            if number is None:
                return Refused("bad_arguments")
            at = next((k for k, row in enumerate(rows, 1) if row.id == number), 0)
            if not at:
                return Refused("unknown_id")
        new = [Row(k, text) for k, text in enumerate(texts, self.highest_ever + 1)]
        return self._within_maximum([*rows[:at], *new, *rows[at:]], self.goal)

    def _one_item(self, name: str, arguments: dict[str, Any]) -> Accepted | Refused:
        number = whole_number(arguments["id"])
        if number is None:
            return Refused("bad_arguments")
        row = self.row(number)
        if row is None:
            return Refused("unknown_id")
        if row.uid in self.held:
            return Refused("blocked_by_person")
        if row.status == "completed":
            return Accepted(self.rows, self.goal) if name == "todo_done" else Refused("bad_status")
        reason = arguments.get("reason", "").strip()
        if name == "todo_block" and not reason:
            return Refused("missing_reason")
        to = {"todo_start": "in_progress", "todo_done": "completed", "todo_block": "blocked"}[name]
        changed = Row(row.id, row.text, to, reason if to == "blocked" else "", row.uid)
        rows = [
            changed
            if other.uid == row.uid
            else Row(other.id, other.text, "pending", "", other.uid)
            if to == other.status == "in_progress"
            else other
            for other in self.rows
        ]
        return Accepted(with_cursor(rows), self.goal)


TestLongwatch = LongwatchMachine.TestCase
TestLongwatch.settings = THOROUGH
