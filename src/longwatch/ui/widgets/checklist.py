"""The checklist as steering wheel: every item within reach of one key."""

from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from longwatch.checklist import Checklist, Conventions, Entry, Item, record
from longwatch.session.intents import (
    AddTodo,
    BlockTodo,
    ClearTodos,
    CompleteTodo,
    DeleteTodo,
    EditTodo,
    Intent,
    MoveTodo,
    ReopenTodo,
    SetGoal,
    StartTodo,
    TodoIntent,
)
from longwatch.ui.screens.dialogs import AskText, Choice, Confirm
from longwatch.ui.widgets.checklist_rows import one_line
from longwatch.ui.widgets.checklist_undo import Added, Inverse, Returning, inverse, uids
from longwatch.ui.widgets.checklist_view import BOX, ChecklistView
from longwatch.ui.words import cut

MOST_UNDONE = 50
PAGE = 10
END = 100_000


def _key(keys: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    return Binding(keys, action, description, id=f"checklist.{name}", tooltip=tooltip, show=False)


class ChecklistPane(ChecklistView, can_focus=True, inherit_bindings=False):
    """A session's list. What a person asks of it leaves as intents."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("space", "tick", "done", "Done", "Mark the item done, or not done"),
        _key("b", "block", "block", "Block", "Hold the item; asks why"),
        _key("u", "reopen", "reopen", "Reopen", "Let a blocked or done item go on"),
        _key("s", "start", "start", "Start", "Make it the current item"),
        _key("a", "add", "add", "Add", "Add a todo after this one"),
        _key("e", "edit", "edit", "Edit", "Change the item's text"),
        _key("d,delete", "delete", "delete", "Delete", "Remove the item; z brings it back"),
        _key("shift+up,K", "move(-1)", "move_up", "Move up", "Move the item up"),
        _key("shift+down,J", "move(1)", "move_down", "Move down", "Move the item down"),
        _key("g", "goal", "goal", "Goal", "Set the goal"),
        _key("c", "clear", "clear", "Clear", "Remove the goal and all items; asks"),
        _key("enter", "go", "go", "Go to", "Go to where the item was worked on"),
        _key("z,ctrl+z", "undo", "undo", "Undo", "Take back your last edit of the list"),
        _key("up", "step(-1)", "up", "Up", "The item above"),
        _key("down", "step(1)", "down", "Down", "The item below"),
        _key("pageup", f"step(-{PAGE})", "page_up", "Page up", "Ten items up"),
        _key("pagedown", f"step({PAGE})", "page_down", "Page down", "Ten items down"),
        _key("home", f"step(-{END})", "first", "First", "The first item"),
        _key("end", f"step({END})", "last", "Last", "The last item"),
    ]

    class Wanted(Message):
        """A person wants the list changed."""

        def __init__(self, intent: Intent) -> None:
            super().__init__()
            self.intent = intent

    class GoTo(Message):
        """A person wants to see where an item was worked on."""

        def __init__(self, uid: str) -> None:
            super().__init__()
            self.uid = uid

    class Undone(Message):
        """The last edit was taken back; the intents that do so were sent before this."""

    def __init__(self) -> None:
        super().__init__()
        self._undo: list[Inverse] = []
        self._returning: Returning | None = None
        self._last_added: Added | None = None

    # --- data in ----------------------------------------------------------------------------

    def show(
        self,
        checklist: Checklist,
        conventions: Conventions,
        *,
        now: str,
        disputed: frozenset[str] = frozenset(),
    ) -> None:
        if checklist.revision < self._checklist.revision:
            self.forget()
        super().show(checklist, conventions, now=now, disputed=disputed)
        if self._returning is not None:
            self._returning, wanted = self._returning.arrived(checklist, conventions)
            for intent in wanted:
                self.post_message(self.Wanted(intent))

    def forget(self) -> None:
        """Another session's list comes next: uids mean other items there."""
        self._undo.clear()
        self._returning = self._last_added = None
        self._marked, self._place = "", 0

    # --- the mark ---------------------------------------------------------------------------

    def action_step(self, by: int) -> None:
        self._last_added = None
        self.step(by)

    def action_go(self) -> None:
        if (item := self.marked) is not None:
            self.post_message(self.GoTo(item.uid))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        row = None if offset is None else self.row_at(offset.y)
        if offset is None or row is None:
            return
        event.stop()
        self._last_added = None
        self.mark(row.uid)
        if row.first and offset.x in BOX:
            self.action_tick()

    # --- statuses ---------------------------------------------------------------------------

    def action_tick(self) -> None:
        if (item := self._need()) is None:
            return
        done = item.status == "completed"
        self._want(ReopenTodo(uid=item.uid) if done else CompleteTodo(uid=item.uid))

    def action_block(self) -> None:
        if (item := self._need()) is None:
            return
        uid, before = item.uid, one_line(item.reason)

        def blocked(reason: str | None) -> None:
            if reason and reason != before:
                self._want(BlockTodo(uid=uid, reason=reason))

        dialog = AskText("Why is it blocked?", before, detail=_named(item))
        self.app.push_screen(dialog, blocked)

    def action_reopen(self) -> None:
        if (item := self._need()) is None:
            return
        if item.is_open:
            self._say("It is open already.")
        else:
            self._want(ReopenTodo(uid=item.uid))

    def action_start(self) -> None:
        if (item := self._need()) is None:
            return
        if self._conventions.cursor == "none":
            self._say("This dialect has no current item, so none can be started.")
        elif item.status == "in_progress":
            self._say("It is the current item already.")
        else:
            self._want(StartTodo(uid=item.uid))

    # --- the list ---------------------------------------------------------------------------

    def action_add(self) -> None:
        def added(text: str | None) -> None:
            if not text:
                return
            before, known = self._last_added, uids(self._checklist)
            # One added after another follows it, though the mark stays where it is.
            after = None if before is None else before.found(self._checklist)
            self._want(AddTodo(text=text, after=after or self._marked or None))
            self._last_added = Added(text, known)

        item = self.marked
        detail = "" if item is None else f"after {_named(item)}"
        self.app.push_screen(AskText("New todo", detail=detail), added)

    def action_edit(self) -> None:
        if (item := self._need()) is None:
            return
        uid, before = item.uid, one_line(item.text)

        def edited(text: str | None) -> None:
            if text and text != before:
                self._want(EditTodo(uid=uid, text=text))

        self.app.push_screen(AskText("Edit the todo", before), edited)

    def action_delete(self) -> None:
        if (item := self._need()) is not None:
            self._want(DeleteTodo(uid=item.uid))
            self._say("Deleted. z brings it back.")

    def action_move(self, by: int) -> None:
        item = self._need()
        if item is not None and 0 <= self._place + by < len(self._checklist.items):
            self._want(MoveTodo(uid=item.uid, by=by))

    def action_goal(self) -> None:
        before = one_line(self._checklist.goal)

        def set_goal(goal: str | None) -> None:
            if goal is not None and goal != before:
                self._want(SetGoal(goal=goal))

        self.app.push_screen(AskText("The goal", before, blank_ok=True), set_goal)

    def action_clear(self) -> None:
        count = len(self._checklist.items)
        if not count and not self._checklist.goal:
            self._say("The list is empty already.")
            return

        def cleared(answer: str | None) -> None:
            if answer == "clear":
                self._want(ClearTodos())

        items = "1 item" if count == 1 else f"{count} items"
        choices = (Choice("clear", "c", "Clear the list"), Choice("keep", "k", "Keep it"))
        question = f"Remove the goal and {items}? Nothing is left open then, so the agent rests."
        dialog = Confirm(question, choices, default="keep", title="Clear the list")
        self.app.push_screen(dialog, cleared)

    # --- asking, and taking back ------------------------------------------------------------

    def action_undo(self) -> None:
        if not self._undo:
            self._say("Nothing to undo.")
            return
        back = self._undo.pop()
        intents = back.intents
        if back.added is not None:
            uid = back.added.found(self._checklist)
            intents = () if uid is None else (DeleteTodo(uid=uid),)
        if not intents:
            self._say("That item is gone already.")
            return
        self._returning = Returning(uids(self._checklist), back.comebacks)
        for intent in intents:
            self.post_message(self.Wanted(intent))
        self.post_message(self.Undone())

    def _want(self, intent: TodoIntent) -> None:
        back = inverse(self._checklist, intent)
        if back is not None:
            self._undo = [*self._undo, back][-MOST_UNDONE:]
        self._returning = self._last_added = None
        self.post_message(self.Wanted(intent))

    def _need(self) -> Item | None:
        """The marked item, or a word that there is none."""
        if self.marked is None:
            self._say("No todo here yet: a adds one.")
        return self.marked

    def _say(self, text: str) -> None:
        self.notify(text, markup=False, timeout=3)


def _named(item: Item) -> str:
    return cut(f"{item.id} {one_line(item.text)}", 200)


class ChecklistLine(Widget):
    """The list in one line, for narrow terminals: ``3/7 ▸ Update login handler``."""

    DEFAULT_CSS = """
    ChecklistLine {
        height: 1;
        padding: 0 1;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._checklist = Checklist()

    def show(self, checklist: Checklist) -> None:
        if checklist is not self._checklist:
            self._checklist = checklist
            self.refresh()

    def render(self) -> Content:
        total = len(self._checklist.items)
        if not total:
            return Content.styled("No todos yet", "$text-muted")
        count = f"{self._checklist.done_count}/{total}"
        mark, style, text = self._now()
        shown = cut(text, self.size.width - len(count) - 3)
        return Content.assemble((count, "bold"), (f" {mark} ", style), shown)

    def _now(self) -> tuple[str, str, str]:
        """The mark, its style and the words for what the list is at."""
        checklist = self._checklist
        item = checklist.current or next(iter(checklist.open), None)
        if item is not None:
            return "▸", "$text-primary", one_line(item.text)
        if held := checklist.blocked:
            more = f" (and {len(held) - 1} more)" if len(held) > 1 else ""
            return "!", "bold $text-warning", f"blocked: {one_line(held[0].reason)}{more}"
        return "✓", "$text-success", "all done"


# --- opened alone ---------------------------------------------------------------------------


def sample() -> tuple[Checklist, str]:
    """A list with every kind of item, and the time at which it looks so."""
    first = (
        Entry("1.1", 1, "Read the structure", "in_progress"),
        Entry("1.2", 2, "Extract validation"),
        Entry("1.3", 3, "Update login handler"),
        Entry("1.4", 4, "Update registration and everything else that calls it"),
        Entry("1.5", 5, "Rotate the keys"),
        Entry("1.6", 6, "Write the release notes"),
    )
    goal = "Refactor the auth module"
    later = (
        Entry("1.1", 1, "Read the structure", "completed"),
        Entry("1.2", 2, "Extract validation", "in_progress"),
        *first[2:],
    )
    last = (
        Entry("1.1", 1, "Read the structure", "completed"),
        Entry("1.2", 2, "Extract validation", "completed"),
        Entry("1.3", 3, "Update login handler", "in_progress"),
        first[3],
        first[4],
        first[5],
    )
    held = (*last[:4], Entry("1.5", 5, "Rotate the keys", "blocked", "waiting for ops"), last[5])
    listed = record(Checklist(), goal, first, at="2026-11-18T08:00:00.000Z", by="model")
    listed = record(listed, goal, later, at="2026-11-18T08:00:41.000Z", by="model")
    listed = record(listed, goal, last, at="2026-11-18T08:03:51.000Z", by="model")
    listed = record(listed, goal, held, at="2026-11-18T08:04:20.000Z", by="human")
    return listed, "2026-11-18T08:04:53.000Z"


class _Alone(App[None]):
    """The pane and the line with a sample list; wishes are only told."""

    CSS = "ChecklistPane { width: 38; }"

    def compose(self) -> ComposeResult:
        yield ChecklistLine()
        yield ChecklistPane()

    def on_mount(self) -> None:
        listed, now = sample()
        pane = self.query_one(ChecklistPane)
        pane.show(listed, Conventions("kept", "session"), now=now, disputed=frozenset({"1.6"}))
        self.query_one(ChecklistLine).show(listed)
        pane.focus()

    def on_checklist_pane_wanted(self, event: ChecklistPane.Wanted) -> None:
        self.notify(str(event.intent), markup=False)


if __name__ == "__main__":
    _Alone().run()
