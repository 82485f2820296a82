"""The checklist pane: what it draws, what each key asks for, and that edits can be taken back."""

import pytest
from events_made import at
from made_lists import HIGHEST, KEPT, LABELLED, made, recorded
from msgspec.structs import replace
from stage import Stage
from textual.app import App, ComposeResult
from textual.widgets import Input

from longwatch.checklist import Checklist, Conventions, person
from longwatch.session import Intent
from longwatch.session.intents import (
    AddTodo,
    BlockTodo,
    ClearTodos,
    CompleteTodo,
    DeleteTodo,
    EditTodo,
    MoveTodo,
    ReopenTodo,
    SetGoal,
    StartTodo,
    TodoIntent,
)
from longwatch.ui.widgets.checklist import ChecklistPane, sample

FOUR = made("a [x] Read", "b [>] Write", "c [ ] Test", "d [!] Ship (no key)", goal="Release")


class Desk(App[None]):
    """The pane alone; what it asks for is kept."""

    CSS = "ChecklistPane { width: 38; }"

    def __init__(self, checklist: Checklist = FOUR, conventions: Conventions = KEPT) -> None:
        super().__init__()
        self.checklist = checklist
        self.conventions = conventions
        self.wanted: list[Intent] = []
        self.gone: list[str] = []
        self.undone = 0

    def compose(self) -> ComposeResult:
        yield ChecklistPane()
        yield Input()

    @property
    def pane(self) -> ChecklistPane:
        return self.query_one(ChecklistPane)

    def on_mount(self) -> None:
        self.put(self.checklist)
        self.pane.focus()

    def put(
        self, checklist: Checklist, seconds: float = 100, disputed: frozenset[str] = frozenset()
    ) -> None:
        self.checklist = checklist
        self.pane.show(checklist, self.conventions, now=at(seconds), disputed=disputed)

    def on_checklist_pane_wanted(self, event: ChecklistPane.Wanted) -> None:
        self.wanted.append(event.intent)

    def on_checklist_pane_go_to(self, event: ChecklistPane.GoTo) -> None:
        self.gone.append(event.uid)

    def on_checklist_pane_undone(self) -> None:
        self.undone += 1

    @property
    def told(self) -> list[str]:
        return [notification.message for notification in self._notifications]


def lines(app: App[None]) -> list[str]:
    return [strip.text for strip in app.screen._compositor.render_strips()]


def inside(app: Desk) -> list[str]:
    """The lines between the pane's borders, without what ends them."""
    region = app.pane.region
    return [line[1:36].rstrip() for line in lines(app)[region.y + 1 : region.bottom - 1]]


# --- drawing --------------------------------------------------------------------------------


async def test_the_list_is_drawn_as_designed() -> None:
    listed, now = sample()
    app = Desk(listed)
    async with app.run_test(size=(60, 20)) as pilot:
        app.pane.show(listed, KEPT, now=now, disputed=frozenset({"1.6"}))
        app.query_one(Input).focus()
        await pilot.pause()
        assert inside(app)[:13] == [
            " Refactor the auth module",
            " ━━━━━━━━━╸━━━━━━━━━━━━━━━━━━━  2/6",
            "",
            " [x] 1 Read the structure      0:41",
            " [x] 2 Extract validation      3:10",
            " [>] 3 Update login handler    1:02",
            " [ ] 4 Update registration",
            "       and everything else that",
            "       calls it",
            " [!] 5 Rotate the keys ✎",
            "       waiting for ops",
            " [ ] 6 Write the release",
            "       notes ≠ yours",
        ]


async def test_the_running_time_goes_on_with_the_time_passed_in() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        app.put(FOUR, 62)
        await pilot.pause()
        assert any(line.endswith("1:02") for line in inside(app))
        app.put(FOUR, 63)
        await pilot.pause()
        assert any(line.endswith("1:03") for line in inside(app))


async def test_what_was_just_completed_is_bold_for_five_seconds() -> None:
    after = person.complete(FOUR, KEPT, "b")
    assert isinstance(after, Checklist)
    done = recorded(FOUR, after, by="model", seconds=60)
    app = Desk()

    def is_bold() -> bool:
        strips = app.screen._compositor.render_strips()
        segments = [segment for strip in strips for segment in strip if "Write" in segment.text]
        style = segments[0].style
        return style is not None and bool(style.bold)

    async with app.run_test() as pilot:
        app.put(done, 64.9)
        await pilot.pause()
        assert is_bold()
        app.put(done, 65)
        await pilot.pause()
        assert not is_bold()


async def test_an_empty_list_says_what_to_do() -> None:
    app = Desk(Checklist())
    async with app.run_test() as pilot:
        await pilot.pause()
        shown = "\n".join(inside(app))
        assert "No todos yet." in shown
        assert "a add a todo yourself" in shown
        await pilot.press("space", "enter", "d")
        await pilot.pause()
        assert (app.wanted, app.gone) == ([], [])
        assert "No todo here yet: a adds one." in app.told


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (110, 32), (160, 48)])
async def test_wide_and_foreign_text_keeps_the_columns(size: tuple[int, int]) -> None:
    listed = made("a [>] 漢字テスト漢字テスト漢字テスト 👩‍👩‍👧 שלום", "b [ ] x\x1b[31my\u202e[b]z")
    app = Desk(replace(listed, goal="[red]目標\x07"))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        region = app.pane.region
        strips = app.screen._compositor.render_strips()[region.y : region.bottom]
        assert {strip.cell_length for strip in strips} == {size[0]}
        shown = "\n".join(inside(app))
        assert "x␛[31my⟨U+202E⟩[b]z" in shown.replace("\n       ", "")
        assert "[red]目標␇" in shown


async def test_the_current_item_is_always_in_view() -> None:
    texts = [f"i{k} [{'>' if k == 3 else ' '}] Item {k}" for k in range(60)]
    app = Desk(made(*texts))
    async with app.run_test(size=(60, 16)) as pilot:
        await pilot.press("end")
        await pilot.pause()
        shown = inside(app)
        assert any("Item 59" in line for line in shown)
        assert any("[>]  4 Item 3" in line for line in shown)
        texts[3], texts[30] = "i3 [x] Item 3", "i30 [>] Item 30"
        app.query_one(Input).focus()
        app.put(made(*texts))
        await pilot.pause()
        assert any("[>] 31 Item 30" in line for line in inside(app))


async def test_the_progress_stays_on_top() -> None:
    app = Desk(made(*[f"i{k} [ ] Item {k}" for k in range(60)], goal="Ship"))
    async with app.run_test(size=(60, 16)) as pilot:
        await pilot.press("end")
        await pilot.pause()
        assert "Ship" in inside(app)[0]
        assert "0/60" in inside(app)[1]


# --- the mark -------------------------------------------------------------------------------


async def test_the_mark_begins_on_the_current_item_and_moves() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        await pilot.press("enter", "down", "enter", "home", "enter", "end", "enter")
        await pilot.press("pageup", "enter", "pagedown", "down", "enter", "up", "enter")
        await pilot.pause()
        assert app.gone == ["b", "c", "a", "d", "a", "d", "c"]


async def test_the_mark_stays_on_its_item_when_the_list_changes() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        await pilot.press("down")
        app.put(made("x [ ] New", "c [ ] Test", "b [>] Write", "a [x] Read"))
        await pilot.press("enter")
        app.put(made("x [ ] New", "b [>] Write", "a [x] Read"))
        await pilot.press("enter")
        app.put(made("x [ ] New"))
        await pilot.press("enter")
        await pilot.pause()
        assert app.gone == ["c", "b", "x"]


async def test_a_click_marks_and_a_click_on_the_box_ticks() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        await pilot.click(app.pane, offset=(12, 6))
        await pilot.press("enter")
        assert (app.gone, app.wanted) == (["c"], [])
        await pilot.click(app.pane, offset=(3, 4))
        await pilot.click(app.pane, offset=(3, 5))
        await pilot.click(app.pane, offset=(3, 1))
        await pilot.pause()
        assert app.wanted == [ReopenTodo(uid="a"), CompleteTodo(uid="b")]


# --- keys -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ("home space", [ReopenTodo(uid="a")]),
        ("space", [CompleteTodo(uid="b")]),
        ("end space", [CompleteTodo(uid="d")]),
        ("b n o enter", [BlockTodo(uid="b", reason="no")]),
        ("b n o escape", []),
        ("end b enter", []),
        ("end b s enter", [BlockTodo(uid="d", reason="no keys")]),
        ("u", []),
        ("home u", [ReopenTodo(uid="a")]),
        ("end u", [ReopenTodo(uid="d")]),
        ("s", []),
        ("down s", [StartTodo(uid="c")]),
        ("a X enter", [AddTodo(text="X", after="b")]),
        ("a escape", []),
        ("e r enter", [EditTodo(uid="b", text="Writer")]),
        ("e enter", []),
        ("d", [DeleteTodo(uid="b")]),
        ("shift+up", [MoveTodo(uid="b", by=-1)]),
        ("shift+down", [MoveTodo(uid="b", by=1)]),
        ("K", [MoveTodo(uid="b", by=-1)]),
        ("J", [MoveTodo(uid="b", by=1)]),
        ("home shift+up", []),
        ("end shift+down", []),
        ("g s enter", [SetGoal(goal="Releases")]),
        ("g enter", []),
        ("c c", [ClearTodos()]),
        ("c enter", []),
        ("c escape", []),
        ("c up enter", [ClearTodos()]),
    ],
)
async def test_each_key_asks_for_one_thing(keys: str, wanted: list[Intent]) -> None:
    app = Desk()
    async with app.run_test(size=(60, 16)) as pilot:
        await pilot.press(*keys.split())
        await pilot.pause()
        assert app.wanted == wanted
        assert len(app.screen_stack) == 1


async def test_starting_says_why_not_where_there_is_no_current_item() -> None:
    app = Desk(made("a [ ] Read"), HIGHEST)
    async with app.run_test() as pilot:
        await pilot.press("s")
        await pilot.pause()
        assert app.wanted == []
        assert app.told == ["This dialect has no current item, so none can be started."]


async def test_items_added_one_after_another_keep_their_order() -> None:
    stage = Stage()
    app = Desk(stage.log.state.checklist)
    async with app.run_test() as pilot:
        await pilot.press("a", "X", "enter")
        await pilot.pause()
        obey(app, stage)
        for key in "YZ":
            await pilot.press("a", key, "enter")
            await pilot.pause()
            obey(app, stage)
        await pilot.pause()
        assert [item.text for item in app.checklist] == ["X", "Y", "Z"]


# --- taking back ----------------------------------------------------------------------------


def obey(app: Desk, stage: Stage) -> None:
    """Answer what was asked for, as the worker does, and show each new list."""
    while app.wanted:
        intent = app.wanted.pop(0)
        assert isinstance(intent, TodoIntent)
        stage.edit(intent)
        app.put(stage.log.state.checklist)


def told(checklist: Checklist) -> tuple[str, list[tuple[str, str, str]]]:
    return checklist.goal, [(item.text, item.status, item.reason) for item in checklist]


EDITS = [
    "space",
    "home space",
    "end space",
    "b n o enter",
    "home b n o enter",
    "end b s enter",
    "end u",
    "home u",
    "down s",
    "end s",
    "home s",
    "a X enter",
    "e r enter",
    "d",
    "home d",
    "end d",
    "shift+up",
    "shift+down",
    "g X enter",
    "c c",
]


@pytest.mark.parametrize("keys", EDITS)
@pytest.mark.parametrize("dialect", ["longwatch", "todowrite", "parley"])
async def test_an_edit_can_be_taken_back(dialect: str, keys: str) -> None:
    stage = Stage(dialect)
    stage.say()
    stage.plan("Read", "Write", "Test", "Ship")
    uids = [item.uid for item in stage.log.state.checklist]
    stage.edit(CompleteTodo(uid=uids[0]))
    stage.edit(BlockTodo(uid=uids[3], reason="no key"))
    if dialect == "todowrite":
        stage.edit(StartTodo(uid=uids[1]))
    app = Desk(stage.log.state.checklist, stage.rules.dialect.conventions)
    before = told(app.checklist)
    async with app.run_test() as pilot:
        await pilot.press("home", "down", *keys.split())
        await pilot.pause()
        if not app.wanted:
            assert dialect == "parley"
            assert keys.endswith("s")
            return
        obey(app, stage)
        await pilot.pause()
        assert told(app.checklist) != before
        await pilot.press("z")
        for _ in range(4):
            await pilot.pause()
            obey(app, stage)
        assert told(app.checklist) == before
        assert app.undone == 1


async def test_edits_are_taken_back_in_reverse_and_then_no_more() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        await pilot.press("e", "r", "enter", "g", "s", "enter")
        await pilot.press("ctrl+z", "z", "z")
        await pilot.pause()
        assert app.wanted[2:] == [SetGoal(goal="Release"), EditTodo(uid="b", text="Write")]
        assert app.undone == 2
        assert app.told == ["Nothing to undo."]


async def test_an_added_item_that_is_gone_needs_no_undo() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        await pilot.press("a", "X", "enter", "z")
        await pilot.pause()
        assert app.wanted == [AddTodo(text="X", after="b")]
        assert app.told == ["That item is gone already."]


async def test_another_sessions_list_is_not_touched_by_undo() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        await pilot.press("space")
        app.pane.forget()
        app.put(made("b [ ] Another"))
        await pilot.press("z")
        await pilot.pause()
        assert app.wanted == [CompleteTodo(uid="b")]


async def test_starting_the_only_open_item_cannot_be_taken_back() -> None:
    app = Desk(made("a [ ] Read"), LABELLED)
    async with app.run_test() as pilot:
        await pilot.press("s", "z")
        await pilot.pause()
        assert app.wanted == [StartTodo(uid="a")]
        assert app.told == ["Nothing to undo."]
