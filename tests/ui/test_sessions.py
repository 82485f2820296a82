"""The sidebar: what it lists and draws, and what its keys say."""

from typing import ClassVar

import pytest
from rich.cells import cell_len
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from longwatch.engine.storing import Summary
from longwatch.session import Intent
from longwatch.session.events import State
from longwatch.session.intents import Archive, Fork, Pause, Resume
from longwatch.ui.widgets.sessions import SessionsPane
from longwatch.ui.widgets.sessions_list import EMPTY, SessionsList
from longwatch.ui.widgets.sessions_rows import listed
from longwatch.ui.words import STATE_MARKS

NOW = "2026-11-18T12:00:00.000Z"
SINCE = "2026-11-18T11:46:00.000Z"


def made(
    name: str,
    state: State = "running",
    reason: str = "",
    done: int = 0,
    total: int = 0,
    created: str = SINCE,
    parent: str | None = None,
    archived: bool = False,
) -> Summary:
    return Summary(
        session=name,
        title=name,
        state=state,
        reason=reason,
        done=done,
        total=total,
        created=created,
        since=SINCE,
        parent=parent,
        archived=archived,
    )


AUTH = made("auth", done=5, total=7)
PAYMENTS = made("payments", "awaiting_approval", "approve: git push", 1, 4)
DOCS = made("docs", "idle", "no progress in 3 continuations", 2, 3)
LOG = made("changelog", "dormant", "done", 5, 5)
OLD = made("old", "dormant", "done", archived=True)
ALL = (AUTH, PAYMENTS, DOCS, LOG, OLD)


class Alone(App[None]):
    """The pane alone; it keeps what the pane says."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "escaped", "Pause")]

    def __init__(self) -> None:
        super().__init__()
        self.said: list[Message] = []
        self.escaped = 0

    def compose(self) -> ComposeResult:
        yield SessionsPane()

    @on(SessionsPane.Selected)
    @on(SessionsPane.Wanted)
    @on(SessionsPane.NewWanted)
    @on(SessionsPane.RenameWanted)
    def keep(self, message: Message) -> None:
        self.said.append(message)

    def action_escaped(self) -> None:
        self.escaped += 1

    @property
    def pane(self) -> SessionsPane:
        return self.query_one(SessionsPane)

    @property
    def selected(self) -> list[str]:
        return [one.session for one in self.said if isinstance(one, SessionsPane.Selected)]

    @property
    def wanted(self) -> list[tuple[str, Intent]]:
        return [
            (one.session, one.intent) for one in self.said if isinstance(one, SessionsPane.Wanted)
        ]

    def lines(self) -> list[str]:
        seen = self.query_one(SessionsList)
        return [seen.render_line(y).text for y in range(seen.size.height)]


def shown(app: Alone, *summaries: Summary, current: str | None = "auth") -> None:
    app.pane.show(summaries or ALL, current, now=NOW)
    app.pane.focus()


async def test_each_session_has_two_lines() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.show(ALL, "auth", now=NOW, unread=frozenset({"docs"}))
        await pilot.pause()
        assert app.lines()[:8] == [
            "▌ ▶ auth                5/7 ",
            "▌   ━━━━━━━━━━━━━╸━━━━━ 14m ",
            "  ? payments            1/4 ",
            "    approve: git push   14m ",
            "• ◐ docs                2/3 ",
            "    no progress in 3 c… 14m ",
            "  ○ changelog           5/5 ",
            "    done                14m ",
        ]


@pytest.mark.parametrize("state", STATE_MARKS)
@pytest.mark.parametrize("narrow", [False, True])
async def test_every_state_is_drawn_with_its_mark_and_fits(state: State, narrow: bool) -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.narrow = narrow
        shown(app, made("日本語の長い題名です🚀🚀", state, "because " * 9, 12, 20), current=None)
        await pilot.pause()
        first, second = app.lines()[:2]
        width = app.query_one(SessionsList).size.width
        assert STATE_MARKS[state] in first
        assert "12/20" in first
        assert cell_len(first) == cell_len(second) == width


async def test_what_needs_a_person_says_the_word() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app, made("a", "awaiting_human", "Which?"), made("b", "failed", "no key"))
        await pilot.pause()
        text = "\n".join(app.lines())
        assert "asks: Which?" in text
        assert "failed: no key" in text


async def test_a_title_is_neither_markup_nor_steers_the_terminal() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app, made("[red]x\x1b[2J", "idle", "[b]why\x07"))
        await pilot.pause()
        assert "[red]x␛[2J" in app.lines()[0]
        assert "[b]why␇" in app.lines()[1]


async def test_an_empty_pane_says_what_to_do() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.focus()
        await pilot.press("enter", "down", "p", "r", "f", "x")
        said = " ".join(" ".join(app.lines()).split())
        assert said == EMPTY
        assert app.said == []


async def test_narrow_folds_to_marks_and_counts() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.narrow = True
        shown(app)
        await pilot.pause()
        assert app.pane.size.width < 14
        assert app.lines()[:2] == ["▌ ▶     5/7 ", "▌ auth      "]


def test_the_order_is_by_creation_and_children_follow_their_parent() -> None:
    times = [f"2026-11-18T08:00:0{n}.000Z" for n in range(4)]
    child = made("child", created=times[2], parent="one")
    grandchild = made("grandchild", created=times[3], parent="child")
    given = [grandchild, made("two", created=times[1]), child, made("one", created=times[0])]
    found = [(one.summary.session, one.depth) for one in listed(given)]
    assert found == [("one", 0), ("child", 1), ("grandchild", 2), ("two", 0)]


def test_a_child_whose_parent_is_not_listed_stands_alone() -> None:
    child = made("child", parent="old")
    assert [(one.summary.session, one.depth) for one in listed([OLD, child])] == [("child", 0)]


def test_a_state_never_moves_a_session() -> None:
    order = [one.summary.session for one in listed(ALL)]
    changed = [made(s.session, "failed", archived=s.archived) for s in ALL]
    assert [one.summary.session for one in listed(changed)] == order


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("PAY", ["payments"]), ("archived", ["old"]), ("done change", ["changelog"]), ("zzz", [])],
)
def test_a_filter_looks_at_everything(wanted: str, found: list[str]) -> None:
    assert [one.summary.session for one in listed(ALL, wanted)] == found


async def test_keys_move_the_cursor_and_enter_opens() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app)
        await pilot.press("down", "enter", "end", "enter", "up", "enter", "home", "up", "enter")
        await pilot.press("pagedown", "enter")
        assert app.selected == ["payments", "changelog", "docs", "auth", "changelog"]


async def test_what_is_wanted_of_a_session() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app)
        await pilot.press("p", "f", "x", "down", "p", "down", "p")
        assert app.wanted == [
            ("auth", Pause()),
            ("auth", Fork()),
            ("auth", Archive()),
            ("payments", Pause()),
            ("docs", Resume()),
        ]


async def test_new_and_rename_are_asked_for() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app)
        await pilot.press("n", "r")
        new, rename = app.said
        assert isinstance(new, SessionsPane.NewWanted)
        assert isinstance(rename, SessionsPane.RenameWanted)
        assert (rename.session, rename.title) == ("auth", "auth")


async def test_the_filter_opens_narrows_and_closes() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app)
        await pilot.press("slash", *"old")
        assert app.query_one(Input).display
        assert "old" in app.lines()[0]
        assert "archived, done" in app.lines()[1]
        await pilot.press("x")
        assert app.query_one(Input).value == "oldx"
        assert "No session matches." in " ".join(app.lines())
        await pilot.press("escape")
        assert not app.query_one(Input).display
        assert "auth" in app.lines()[0]
        assert app.focused is app.pane
        assert app.escaped == 0


async def test_without_a_filter_escape_is_left_to_others() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app)
        await pilot.press("escape")
        assert app.escaped == 1


async def test_enter_in_the_filter_opens_what_it_found() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app)
        await pilot.press("slash", "o", "down", "enter")
        assert app.selected == ["docs"]
        assert app.focused is app.pane


async def test_an_archived_session_is_not_archived_again() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app)
        await pilot.press("slash", *"old", "enter", "x")
        assert app.selected == ["old"]
        assert app.wanted == []


async def test_a_click_opens() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app)
        await pilot.pause()
        await pilot.click(SessionsList, offset=(5, 3))
        assert app.selected == ["payments"]


async def test_the_cursor_stays_in_place_when_its_session_goes() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app)
        await pilot.press("down")
        shown(app, AUTH, DOCS, LOG)
        await pilot.press("enter")
        assert app.selected == ["docs"]


@pytest.mark.parametrize(
    ("current", "expected"),
    [("auth", "payments"), ("payments", "asks"), ("asks", "payments"), (None, "payments")],
)
async def test_the_next_that_needs_a_person(current: str | None, expected: str) -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)):
        shown(app, *ALL, made("asks", "awaiting_human"), made("x", "failed", archived=True))
        app.pane.show([*ALL, made("asks", "awaiting_human")], current, now=NOW)
        assert app.pane.next_needing() == expected
        app.pane.show([AUTH, DOCS], "auth", now=NOW)
        assert app.pane.next_needing() is None


async def test_of_many_sessions_only_the_visible_ones_are_drawn() -> None:
    many = [made(f"s{n:03}", created=f"2026-11-18T08:00:00.{n:03}Z") for n in range(300)]
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app, *many, current="s000")
        await pilot.pause()
        seen = app.query_one(SessionsList)
        assert len(seen._drawn) <= 12
        await pilot.press("end")
        await pilot.pause()
        assert "s299" in app.lines()[-2]
        shown(app, *many, current="s150")
        await pilot.pause()
        assert any("s150" in line for line in app.lines())


async def test_only_rows_that_look_different_are_drawn_again() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        shown(app)
        await pilot.pause()
        seen = app.query_one(SessionsList)
        seen._dirty_regions.clear()
        seen._repaint_regions.clear()
        app.pane.show(ALL, "auth", now="2026-11-18T12:00:01.000Z")
        assert not seen._repaint_regions
        moved = made("docs", "running", done=3, total=3)
        app.pane.show((AUTH, PAYMENTS, moved, LOG, OLD), "auth", now=NOW)
        assert {region.y for region in seen._repaint_regions} == {4}


async def test_it_can_be_told_before_it_is_mounted() -> None:
    class Early(App[None]):
        def compose(self) -> ComposeResult:
            pane = SessionsPane()
            pane.show(ALL, "auth", now=NOW)
            yield pane

    app = Early()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "auth" in app.query_one(SessionsList).render_line(0).text


def test_every_key_has_an_id_a_description_and_a_tooltip() -> None:
    for binding in SessionsPane.BINDINGS:
        assert not isinstance(binding, tuple)
        assert binding.id
        assert binding.description
        assert binding.tooltip
