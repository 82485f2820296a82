"""The question before a call: all of what would run, and one key for the answer."""

import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input

from longwatch.ui.widgets.approval_rows import QuestionRow, Waiting, question_rows
from longwatch.ui.words import age, cut, one_line

__all__ = ["ApprovalPanel", "Waiting"]

TOO_SOON = 0.4
"""Seconds after a question appears in which a key was meant for something else."""
RESENT = 2.0
"""Seconds after which a question that is still asked is shown again, though it was answered."""
GUTTER = 2
FOOT = 2
CHOICES = {
    "y": "once",
    "a": "always for this session",
    "n": "no",
    "e": "edit",
}
GAP = 3
END = 1_000_000
GETTING_HERE = "shift+tab to answer"


def _key(keys: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    return Binding(keys, action, description, id=f"approval.{name}", tooltip=tooltip, show=False)


def _answers(action: str) -> list[BindingType]:
    return [
        _key("y", f"{action}('y')", "once", "Once", "Allow this call, this time"),
        _key("a", f"{action}('a')", "session", "Always", "Allow exactly this call in this session"),
        _key("n", f"{action}('n')", "no", "No", "Refuse the call"),
        _key("e", f"{action}('e')", "edit", "Edit", "Refuse it and say what to do instead"),
    ]


class ApprovalPanel(ScrollView, can_focus=True, inherit_bindings=False):
    """Asks about calls, one after the other. It comes up without taking the focus."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "approval--head",
        "approval--plain",
        "approval--command",
        "approval--added",
        "approval--removed",
        "approval--place",
        "approval--file",
        "approval--muted",
        "approval--more",
        "approval--key",
    }

    DEFAULT_CSS = """
    ApprovalPanel {
        display: none;
        height: auto;
        max-height: 60vh;
        border: round $warning 60%;
        border-title-color: $text-warning;
        border-title-style: bold;
        border-subtitle-color: $text-muted;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size: 0 1;
        scrollbar-gutter: stable;
        scrollbar-background: $background;
        scrollbar-color: $foreground 20%;
        & > .approval--head { text-style: bold; }
        & > .approval--command { text-style: bold; }
        & > .approval--added { color: $text-success; }
        & > .approval--removed { color: $text-error; }
        & > .approval--place { color: $text-primary; }
        & > .approval--file { color: $text-muted; }
        & > .approval--muted { color: $text-muted; }
        & > .approval--more { color: $text-warning; }
        & > .approval--key { color: $text-primary; text-style: bold; }
    }
    ApprovalPanel.-asking {
        display: block;
    }
    ApprovalPanel:focus {
        border: round $warning;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *_answers("answer"),
        _key("up", "read(-1)", "up", "Up", "Scroll the question up"),
        _key("down", "read(1)", "down", "Down", "Scroll the question down"),
        _key("pageup", "read_page(-1)", "page_up", "Page up", "Scroll a page up"),
        _key("pagedown,space", "read_page(1)", "page_down", "Page down", "Scroll a page down"),
        _key("home", f"read(-{END})", "top", "Top", "The question's beginning"),
        _key("end", f"read({END})", "end", "End", "The question's end"),
    ]

    SCREEN_BINDINGS: ClassVar[list[BindingType]] = _answers("approval")
    """For a screen that passes on the keys which no focused widget wants: its
    ``action_approval`` hands them to ``press``."""

    class Answered(Message):
        """A person said yes or no to a call."""

        def __init__(self, call: str, allow: bool, scope: Literal["once", "session"]) -> None:
            super().__init__()
            self.call = call
            self.allow = allow
            self.scope: Literal["once", "session"] = scope

    class EditWanted(Message):
        """A person wants something else done than the call."""

        def __init__(self, call: str) -> None:
            super().__init__()
            self.call = call

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._queue: list[Waiting] = []
        self._sent: dict[str, float] = {}
        self._front: Waiting | None = None
        self._rows: list[QuestionRow] = []
        self._rows_width = 0
        self._quiet_since = 0.0
        self._first_shown: dict[str, float] = {}
        self._now = 0.0
        self._seen_end = False
        self._asked_again = ""

    # --- data in ----------------------------------------------------------------------------

    def show(self, waiting: Sequence[Waiting], *, now: float) -> None:
        """Ask about these calls, the first one first; hide where nothing waits."""
        present = self._monotonic()
        asked = {one.call for one in waiting}
        self._sent = {
            call: at for call, at in self._sent.items() if call in asked and present - at < RESENT
        }
        self._queue = [one for one in waiting if one.call not in self._sent]
        self._first_shown = {one.call: self._first_shown.get(one.call, now) for one in waiting}
        self._turn_to(self._queue[0] if self._queue else None)
        self._now = now
        self._entitle()

    def _turn_to(self, front: Waiting | None) -> None:
        if front == self._front:
            return
        self._front = front
        self._quiet_since = self._monotonic()
        self._asked_again = ""
        self._seen_end = False
        self._rows_width = 0
        self.set_class(front is not None, "-asking")
        self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self._fold(self.scrollable_content_region.width)
        self.refresh(layout=True)

    def _entitle(self) -> None:
        if self._front is None:
            return
        count = f"  1/{len(self._queue)}" if len(self._queue) > 1 else ""
        title = f"? Approve {cut(one_line(self._front.name), 40)}{count}"
        waited = self._now - self._first_shown.get(self._front.call, self._now)
        subtitle = f"waits {age(waited)}" if waited >= 60 else ""
        if title != str(self.border_title):
            self.border_title = Content(title)
        if subtitle != str(self.border_subtitle or ""):
            self.border_subtitle = Content(subtitle)

    # --- layout -----------------------------------------------------------------------------

    def _fold(self, width: int) -> None:
        if width <= 0 or width == self._rows_width:
            return
        self._rows_width = width
        self._rows = question_rows(self._front, width - GUTTER) if self._front else []
        self.virtual_size = Size(width, len(self._rows) + FOOT)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        del container, viewport
        self._fold(width - self.styles.scrollbar_size_vertical)
        return len(self._rows) + FOOT

    def on_resize(self) -> None:
        self._fold(self.scrollable_content_region.width)

    @property
    def _below(self) -> int:
        """Rows of the question that are still out of view, below."""
        room = self.scrollable_content_region.height - FOOT
        return max(0, len(self._rows) - round(self.scroll_y) - max(0, room))

    def action_read(self, by: int) -> None:
        """Scroll by so many rows."""
        self.scroll_to(y=self.scroll_y + by, animate=False, force=True, immediate=True)
        self.refresh()

    def action_read_page(self, pages: int) -> None:
        self.action_read(pages * max(1, self.scrollable_content_region.height - FOOT - 1))

    # --- answers ----------------------------------------------------------------------------

    def press(self, key: str) -> bool:
        """A key of an answer, from whoever got it; False while nothing is asked."""
        if self._front is None or key not in CHOICES:
            return False
        self.action_answer(key)
        return True

    def action_answer(self, key: str) -> None:
        front, present = self._front, self._monotonic()
        if front is None or present - self._quiet_since < TOO_SOON:
            return
        if key in "ya" and not self._seen_end and self._asked_again != key:
            # A key that is held down must not pass for a second press.
            self._asked_again, self._quiet_since = key, present
            self.refresh()
            return
        if key == "e":
            self.post_message(self.EditWanted(front.call))
        else:
            scope: Literal["once", "session"] = "session" if key == "a" else "once"
            self.post_message(self.Answered(front.call, key != "n", scope))
        self._sent[front.call] = present
        self._queue = self._queue[1:]
        self._turn_to(self._queue[0] if self._queue else None)
        self._entitle()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y != self.scrollable_content_region.height - 1:
            return
        left = GUTTER
        for key, label in CHOICES.items():
            right = left + len(f"{key} {label}")
            if left <= offset.x < right:
                event.stop()
                self.action_answer(key)
            left = right + GAP

    # --- drawing ----------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        region = self.scrollable_content_region
        index = round(self.scroll_y) + y
        if y == region.height - 1:
            line = self._choices_line()
        elif y == region.height - FOOT:
            line = [("more", " " * GUTTER + cut(self._notice(), region.width - GUTTER))]
        elif index < len(self._rows):
            row = self._rows[index]
            # Only what was drawn was in view, whatever the sizes say.
            self._seen_end = self._seen_end or index == len(self._rows) - 1
            line = [("muted", "↪ " if row.goes_on else "  "), (row.kind, row.text)]
        else:
            line = []
        segments = [Segment(text, self._style(name)) for name, text in line]
        return Strip(segments).adjust_cell_length(region.width, self._style("plain"))

    def _notice(self) -> str:
        below = self._below
        lines = "1 more line ↓" if below == 1 else f"{below} more lines ↓"
        if self._asked_again and not self._seen_end:
            return f"{lines}  unread: {self._asked_again} again to allow, end to read"
        return lines if below else ""

    def _choices_line(self) -> list[tuple[str, str]]:
        line = [("plain", " " * GUTTER)]
        for key, label in CHOICES.items():
            line += [("key", key), ("plain", f" {label}{' ' * GAP}")]
        room = self.scrollable_content_region.width - sum(len(text) for _, text in line)
        # Someone who types must know how to get here; the keys alone go into their text.
        if not self.has_focus and room >= len(GETTING_HERE):
            line.append(("muted", GETTING_HERE.rjust(room)))
        return line

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"approval--{name}").rich_style


# --- opened alone ---------------------------------------------------------------------------

SAMPLE = (
    Waiting(
        "c1",
        "edit_file src/login.py (1 place)\nin /home/ada/code/shop\n--- a/src/login.py\n"
        "+++ b/src/login.py\n@@ -10,5 +10,6 @@\n def login(name, word):\n"
        "-    if len(word) < 8:\n-        raise Weak(word)\n+    validate(word)\n"
        "+    remember(name)\n     return Session(name)",
        "edit_file",
        "/home/ada/code/shop",
    ),
    Waiting(
        "c2",
        "shell, at most 120 s, no sandbox\nin /home/ada/code/shop\n$ git push origin main",
        "shell",
        "/home/ada/code/shop",
    ),
)


class _Alone(App[None]):
    """The panel over a box that takes text."""

    CSS = "Screen { layout: vertical; align: left bottom; }"

    def compose(self) -> ComposeResult:
        yield ApprovalPanel()
        yield Input(placeholder="Message")

    def on_mount(self) -> None:
        self.query_one(ApprovalPanel).show(SAMPLE, now=0.0)
        self.query_one(Input).focus()


if __name__ == "__main__":
    _Alone().run()
