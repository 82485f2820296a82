"""Random calls, edits and replays at one list, checked against what a test foretells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from dialect_desk import Answer, Seat
from dialect_oracle import Accepted, Cursor, Hand, Refused, Row, edited_by_person, intent_of
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from longwatch.dialects import Dialect
from longwatch.session import TodoIntent, decode, encode, fold
from longwatch.session.events import Arguments, ChecklistChanged
from longwatch.session.intents import ClearTodos, SetGoal

Call = tuple[str, Arguments]
Edit = tuple[str, int, str, int]
"""What a person does, to the item at which place, with which text, how far up or down."""

THOROUGH = settings(
    max_examples=120,
    stateful_step_count=15,
    deadline=None,
    derandomize=True,
    # A slow machine is no fault of the list's.
    suppress_health_check=[HealthCheck.too_slow],
)

TEXTS = st.sampled_from(["a", "b", "c", "d", "e", " a "])
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 1.5, "", "  ", "x", "1", "2", -1, 0, [], [1], ["a", 2], {}, {"id": 1}]
)
WILD: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
DEEDS = ("add", "block", "block", "done", "start", "reword", "move")
EDITS: st.SearchStrategy[Edit] = st.tuples(
    st.sampled_from([*DEEDS, *DEEDS, "reopen", "delete", "goal", "clear"]),
    st.integers(0, 6),
    TEXTS | st.just("  "),
    st.integers(-2, 2),
)


@dataclass(frozen=True)
class Place:
    """In a drawn call, the id of the item that the model sees at this place."""

    at: int


PLACES = st.builds(Place, st.integers(0, 3))


class ListMachine(RuleBasedStateMachine):
    """One session. A dialect's machine adds its calls and foretells what they do."""

    dialect: ClassVar[Dialect]
    cursor: ClassVar[Cursor]
    unique_ids: ClassVar[bool] = True
    most_calls: ClassVar[int] = 3
    opening: ClassVar[Call]
    good: ClassVar[st.SearchStrategy[Call]]
    odd: ClassVar[st.SearchStrategy[Call]]
    loop: ClassVar[Mapping[str, Any]] = {}

    def __init__(self) -> None:
        super().__init__()
        self.seat = Seat(self.dialect, **self.loop)
        self.hand = Hand(keeps_cursor=self.cursor == "kept")
        self.known: set[str] = set()
        self.siblings = 1

    # What the dialect's machine says

    def foretell(self, name: str, arguments: Arguments, siblings: int) -> Accepted | Refused:
        raise NotImplementedError

    # What the session is now

    @property
    def rows(self) -> list[Row]:
        return [Row(i.id, i.text, i.status, i.reason, i.uid) for i in self.seat.checklist]

    @property
    def goal(self) -> str:
        return self.seat.checklist.goal

    @property
    def held(self) -> dict[str, str]:
        """The items that the person blocked, with the reasons."""
        return self.hand.held

    @property
    def added(self) -> set[str]:
        """The items that the person added."""
        return self.hand.added

    def row(self, number: int) -> Row | None:
        return next((row for row in self.rows if row.id == number), None)

    # Steps

    @initialize(listed=st.sampled_from([True, True, False]))
    def begin(self, listed: bool) -> None:
        if listed:
            self.turn([self.opening])

    @rule(data=st.data())
    def model_works(self, data: st.DataObject) -> None:
        self.turn(data.draw(st.lists(self.good, min_size=1, max_size=self.most_calls)))

    @rule(data=st.data(), edit=EDITS)
    def model_works_on_an_edited_list(self, data: st.DataObject, edit: Edit) -> None:
        """The edit comes before the request: the model has seen it."""
        self.person_edits(edit)
        self.model_works(data)

    @rule(data=st.data(), edits=st.lists(st.tuples(st.integers(0, 2), EDITS), min_size=1))
    def model_works_on_an_old_list(
        self, data: st.DataObject, edits: list[tuple[int, Edit]]
    ) -> None:
        """Each edit comes just before the call of its number: the model has not seen it."""
        calls = data.draw(st.lists(self.good, min_size=1, max_size=self.most_calls))
        self.turn(calls, edits)

    @rule(data=st.data())
    def model_errs(self, data: st.DataObject) -> None:
        self.turn(data.draw(st.lists(self.good | self.odd, min_size=1, max_size=3)))

    @rule(data=st.data())
    def model_raves(self, data: st.DataObject) -> None:
        """Any JSON object, or no object at all, for any tool: only the invariants are known."""
        spec = data.draw(st.sampled_from(self.dialect.tools(self.seat.rules.loop)))
        keys = st.sampled_from([*spec.parameters["properties"], "other"])
        objects = st.dictionaries(keys, WILD | JUNK, max_size=3)
        self._speak([(spec.name, data.draw(objects | st.text(max_size=6)))])
        self._answer(foretold=False)

    @rule(edit=EDITS)
    def person_edits(self, edit: Edit) -> None:
        kind, place, text, by = edit
        rows = self.rows
        uid = rows[place % len(rows)].uid if rows and place < 6 else "gone"
        intent = intent_of(kind, uid, text, by)
        foretold = self._foretell_edit(intent)
        events = self.seat.edit(intent)
        changed = any(isinstance(event, ChecklistChanged) for event in events)
        if foretold is None:
            assert not changed
            assert self.rows == rows
            return
        assert changed
        self._compare(foretold, self.rows)
        assert self.goal == foretold.goal
        self.hand.edited(intent, rows, self.rows)

    @invariant()
    def the_list_is_sound(self) -> None:
        rows = self.rows
        assert all(row.text.strip() for row in rows)
        assert all(bool(row.reason) == (row.status == "blocked") for row in rows)
        current = sum(row.status == "in_progress" for row in rows)
        pending = any(row.status == "pending" for row in rows)
        match self.cursor:
            case "none":
                assert current == 0
            case "at_most_one":
                assert current <= 1
            case "kept":
                assert current == 1 if pending else current <= 1
        assert len({row.uid for row in rows}) == len(rows)
        if self.unique_ids:
            assert len({row.id for row in rows}) == len(rows)
        assert not self.hand.deleted & {row.uid for row in rows}

    @invariant()
    def replay_from_the_store_gives_the_same_state(self) -> None:
        assert fold(decode(encode(event)) for event in self.seat.log.events) == self.seat.log.state

    # Model's side

    def turn(self, calls: Sequence[Call], edits: Sequence[tuple[int, Edit]] = ()) -> None:
        """A request, its reply, and the answers to its calls, with the person's edits between."""
        self._speak(calls)
        for number in range(len(calls)):
            for before, edit in edits:
                if before == number:
                    self.person_edits(edit)
            self._answer(foretold=True)

    def _speak(self, calls: Sequence[Call]) -> None:
        self.hand.seen(self.rows, self.goal)
        self.siblings = len(calls)
        self.seat.speak(*((name, self._with_ids(arguments)) for name, arguments in calls))

    def _with_ids(self, arguments: Arguments) -> Arguments:
        if isinstance(arguments, str):
            return arguments
        ids = [row.id for row in self.rows]
        return {
            key: (ids[value.at] if value.at < len(ids) else 99)
            if isinstance(value, Place)
            else value
            for key, value in arguments.items()
        }

    def _answer(self, *, foretold: bool) -> None:
        call = self.seat.log.state.turn.pending[0]
        before, goal, checklist = self.rows, self.goal, self.seat.checklist
        expected = None
        if foretold and self.hand.untouched:
            expected = self.foretell(call.name, call.arguments, self.siblings)
        answer = self.seat.answer()
        assert answer.ok == (answer.rule is None)
        if not answer.ok:
            assert self.seat.checklist == checklist
        if isinstance(expected, Refused):
            assert answer.rule == expected.rule, answer
        elif expected is not None:
            self._check_foretold(expected, answer, before)
        self.known |= {row.uid for row in self.rows}
        self.hand.check(before, self.rows, goal, self.goal)

    def _check_foretold(self, expected: Accepted, answer: Answer, before: list[Row]) -> None:
        assert answer.ok, answer
        named = {row.uid for row in expected.rows}
        brought_back = {
            row.uid: row
            for row in before
            if row.uid not in named and (row.uid in self.held or row.uid in self.added)
        }
        now = self.rows
        self._compare(expected, [row for row in now if row.uid not in brought_back])
        assert self.goal == expected.goal
        returned = {row.uid: row for row in now if row.uid in brought_back}
        assert returned.keys() == brought_back.keys()
        for uid, row in returned.items():
            was = brought_back[uid]
            assert row.text == was.text
            assert row.state == was.state or (row.open and was.open)

    def _compare(self, expected: Accepted, rows: list[Row]) -> None:
        """The rows are the expected ones; a new item's uid is one that never was."""
        assert len(rows) == len(expected.rows), (rows, expected.rows)
        by_position = self.dialect.name == "cubepi"
        for row, wanted in zip(rows, expected.rows, strict=True):
            if not wanted.uid:
                assert row.uid not in self.known
            uid = wanted.uid or row.uid
            number = row.id if by_position else wanted.id
            assert row == replace(wanted, uid=uid, id=number)
        self.known |= {row.uid for row in rows}

    # Person's side

    def _foretell_edit(self, intent: TodoIntent) -> Accepted | None:
        new_id = self._new_id([row.id for row in self.rows])
        rows = edited_by_person(intent, self.rows, new_id, self.cursor)
        goal = self.goal
        if isinstance(intent, SetGoal):
            goal = intent.goal.strip()
        elif isinstance(intent, ClearTodos):
            goal = ""
        if rows is None or (rows == self.rows and goal == self.goal):
            return None
        return Accepted(rows, goal)

    def _new_id(self, ids: list[int | str]) -> int | str:
        match self.dialect.name:
            case "longwatch":
                return self.highest_ever + 1
            case "parley":
                return self.seat.next_store_id
            case "loki":
                return max((n for n in ids if isinstance(n, int)), default=0) + 1
            case _:
                return next(str(n) for n in range(1, 99) if str(n) not in ids)

    @property
    def highest_ever(self) -> int:
        """The highest number that any recorded list showed."""
        changes = (e for e in self.seat.log.events if isinstance(e, ChecklistChanged))
        shown = (entry.id for change in changes for entry in change.items)
        return max((n for n in shown if isinstance(n, int)), default=0)
