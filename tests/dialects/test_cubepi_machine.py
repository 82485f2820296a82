"""cubepi's dialect under random calls, edits and replays."""

from typing import Any

from dialect_machine import JUNK, TEXTS, THOROUGH, Call, ListMachine
from dialect_oracle import Accepted, Refused, Row
from hypothesis import strategies as st

from longwatch.dialects import DIALECTS
from longwatch.session.events import Arguments

STATUSES = st.sampled_from(["pending", "completed", "in_progress"])
ITEMS = st.fixed_dictionaries({"content": TEXTS, "status": STATUSES})
DONE_ITEMS = st.fixed_dictionaries({"content": TEXTS, "status": st.just("completed")})
ODD_ITEMS = st.fixed_dictionaries(
    {}, optional={"content": TEXTS | JUNK, "status": STATUSES | st.just("Pending") | JUNK}
)


@st.composite
def fit_lists(draw: st.DrawFn) -> list[dict[str, str]]:
    """Lists with exactly one item in progress, so that most calls get past that rule."""
    texts = draw(st.lists(st.sampled_from("abcde"), min_size=1, max_size=4))
    at = draw(st.integers(0, len(texts) - 1))
    rest = st.sampled_from(["pending", "completed"])
    return [
        {"content": text, "status": "in_progress" if k == at else draw(rest)}
        for k, text in enumerate(texts)
    ]


GOOD: st.SearchStrategy[Call] = st.tuples(
    st.just("write_todos"),
    st.builds(dict, todos=fit_lists() | st.lists(DONE_ITEMS, max_size=4)),
)
ODD: st.SearchStrategy[Call] = st.tuples(
    st.just("write_todos"),
    st.builds(dict, todos=st.lists(ITEMS, max_size=4) | st.lists(ODD_ITEMS) | JUNK),
)


class CubepiMachine(ListMachine):
    dialect = DIALECTS["cubepi"]
    cursor = "at_most_one"
    most_calls = 1
    opening = (
        "write_todos",
        {
            "todos": [
                {"content": "a", "status": "in_progress"},
                {"content": "b", "status": "pending"},
            ]
        },
    )
    good = GOOD
    odd = ODD

    def foretell(self, name: str, arguments: Arguments, siblings: int) -> Accepted | Refused:
        del name
        assert isinstance(arguments, dict)
        todos = arguments["todos"]
        if siblings > 1:
            return Refused("parallel_calls")
        if not isinstance(todos, list):
            return Refused("not_a_list")
        wrong = next((rule for rule in map(_misshapen, todos) if rule), None)
        if wrong:
            return Refused(wrong)
        if not todos and any(row.open for row in self.rows):
            return Refused("empty_list")
        if not all(todo["content"].strip() for todo in todos):
            return Refused("blank_text")
        return self._written([(todo["content"], todo["status"]) for todo in todos])

    def _written(self, todos: list[tuple[str, str]]) -> Accepted | Refused:
        """The item of the same text, taken in order, is the same item; a person's block holds."""
        left = self.rows
        rows = []
        for text, status in todos:
            old = next((row for row in left if row.text == text), None)
            if old is None:
                rows.append(Row(0, text, status))
                continue
            left.remove(old)
            rows.append(old if old.uid in self.held else Row(0, text, status, "", old.uid))
        unfinished = [row.status for row in rows if row.open]
        if unfinished and unfinished.count("in_progress") != 1:
            return Refused("not_one_in_progress")
        return Accepted(rows, self.goal)


def _misshapen(todo: Any) -> str | None:
    if not isinstance(todo, dict):
        return "bad_arguments"
    if not all(isinstance(todo.get(key), str) for key in ("content", "status")):
        return "bad_arguments"
    return None if todo["status"] in ("pending", "in_progress", "completed") else "bad_status"


TestCubepi = CubepiMachine.TestCase
TestCubepi.settings = THOROUGH
