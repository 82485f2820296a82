"""The conversation pane: a session's events as they come, drawn line by line."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from msgspec.structs import replace
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from longwatch.engine.storing import Draft
from longwatch.engine.visible import printable
from longwatch.session import AnyEvent
from longwatch.session.intents import Fork, Undo
from longwatch.ui.conversation.book import Older
from longwatch.ui.conversation.drawing import Drawer
from longwatch.ui.conversation.pacing import Pace
from longwatch.ui.conversation.painting import Look, paint, selected_text
from longwatch.ui.conversation.palette import COMPONENTS, PLAIN, palette_of
from longwatch.ui.conversation.reader import Reader


class Conversation(ScrollView, can_focus=True, inherit_bindings=False):
    """One session's conversation. It follows the end until someone scrolls up."""

    DEFAULT_CSS = """
    Conversation {
        border: round $border-blurred;
        border-title-color: $foreground;
        border-subtitle-color: $accent;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        scrollbar-color: $foreground 20%;
        scrollbar-color-hover: $accent;
        scrollbar-color-active: $accent;
    }
    Conversation:focus { border: round $accent; }
    Conversation > .conversation--muted { color: $text-muted; }
    Conversation > .conversation--accent { color: $accent; }
    Conversation > .conversation--good { color: $text-success; }
    Conversation > .conversation--notice { color: $text-warning; }
    Conversation > .conversation--bad { color: $text-error; }
    Conversation > .conversation--heading { color: $text-primary; text-style: bold; }
    Conversation > .conversation--code { color: $text-secondary; }
    Conversation > .conversation--link { color: $foreground; text-style: underline; }
    Conversation > .conversation--border { color: $foreground 35%; }
    Conversation > .conversation--added { color: $text-success; }
    Conversation > .conversation--removed { color: $text-error; }
    Conversation > .conversation--keyword { color: $text-accent; }
    Conversation > .conversation--string { color: $text-success; }
    Conversation > .conversation--number { color: $text-warning; }
    Conversation > .conversation--name { color: $text-primary; }
    Conversation > .conversation--cursor { background: $foreground 12%; }
    Conversation > .conversation--match { background: $warning 40%; }
    Conversation > .conversation--found { background: $warning; color: $background; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)
    ALLOW_SELECT = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "up,k",
            "go('up')",
            "Up",
            id="conversation.up",
            tooltip="To the block above that opens",
            show=False,
        ),
        Binding(
            "down,j",
            "go('down')",
            "Down",
            id="conversation.down",
            tooltip="To the block below that opens",
            show=False,
        ),
        Binding(
            "enter",
            "open",
            "Open / close",
            id="conversation.open",
            tooltip="Show or hide what a line stands for",
        ),
        Binding(
            "f",
            "want('fork')",
            "Fork here",
            id="conversation.fork",
            tooltip="Start another session from the marked place, or the last one in sight",
        ),
        Binding(
            "u",
            "want('undo')",
            "Undo",
            id="conversation.undo",
            tooltip="Take back the last message and all that came of it; files stay as they are",
        ),
        Binding(
            "t",
            "want('retry')",
            "Try again",
            id="conversation.retry",
            tooltip="Take back the last answer and ask again; files stay as they are",
        ),
        Binding(
            "pageup",
            "go('pageup')",
            "Page up",
            id="conversation.pageup",
            tooltip="A page back",
            show=False,
        ),
        Binding(
            "pagedown",
            "go('pagedown')",
            "Page down",
            id="conversation.pagedown",
            tooltip="A page on",
            show=False,
        ),
        Binding(
            "home",
            "go('home')",
            "Beginning",
            id="conversation.home",
            tooltip="To the first event",
            show=False,
        ),
        Binding(
            "end",
            "go('end')",
            "End",
            id="conversation.end",
            tooltip="To the end, and follow it",
        ),
    ]

    class Scrolled(Message):
        """How much is new below while the end is not followed; 0 once it is again."""

        def __init__(self, new: int) -> None:
            super().__init__()
            self.new = new

    class Wanted(Message):
        """A person wants something of the shown session."""

        def __init__(self, intent: Fork | Undo) -> None:
            super().__init__()
            self.intent = intent

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._palette = PLAIN
        self._reader = Reader(lambda *_: ())
        self._pace = Pace(self._stream, self.set_timer)
        self._placing = False
        self._drawn = (0, 0)
        self._painted = 0
        self._thumb = (0, 0)
        self._told = (True, 0)

    # --- what is shown ----------------------------------------------------------------------

    def show(self, events: Sequence[AnyEvent], draft: Draft | None, older: Older) -> None:
        """Open a session by its tail; ``older`` gives the page of events before a seq."""
        self._pace.clear()
        if self.is_mounted and self.text_selection is not None:
            self.screen.clear_selection()
        self._reader.open(events, draft, older)
        self._place()

    def append(self, events: Sequence[AnyEvent]) -> None:
        """New events of the shown session."""
        if events:
            self._reader.append(events)
            self._place()

    def set_draft(self, draft: Draft | None) -> None:
        """The reply so far, as often as one likes: it is drawn at most thirty times a second."""
        self._pace.put(draft)

    def go_to(self, seq: int) -> None:
        """Bring an event into view."""
        self._reader.reach(seq)
        self._place()

    def search(self, text: str) -> int:
        """Highlight a text and go to the nearest match; says how many there are at hand."""
        finder = self._reader.finder
        finder.begin(text)
        self._reader.find(forward=True)
        self._place()
        return len(finder.matches())

    def found_afar(self, text: str, seqs: Sequence[int]) -> int:
        """Where else in the session the text stands; says how many matches there are in all."""
        reader = self._reader
        finder = reader.finder
        if finder.pattern is None or finder.text != text:
            return 0
        finder.afar = seqs
        here = finder.matches()
        first, last = reader.book.at_hand
        if not here and seqs:
            reader.find(forward=False)
            self._place()
        return len(here) + sum(not first <= seq <= last for seq in seqs)

    def step(self, *, forward: bool) -> None:
        """Go to the next match, or back to the one before."""
        self._reader.find(forward=forward)
        self._place()

    # --- keys and mouse ---------------------------------------------------------------------

    def action_go(self, where: str) -> None:
        reader = self._reader
        page = max(1, reader.view.height - 2)
        match where:
            case "up" | "down":
                reader.move(-1 if where == "up" else 1)
            case "pageup" | "pagedown":
                reader.scroll(-page if where == "pageup" else page)
            case "home":
                reader.home()
            case _:
                reader.end()
        self._place()

    def action_want(self, what: Literal["fork", "undo", "retry"]) -> None:
        fork = what == "fork"
        intent = Fork(seq=self._reader.marked) if fork else Undo(retry=what == "retry")
        self.post_message(self.Wanted(intent))

    def action_open(self) -> None:
        reader = self._reader
        if reader.cursor is not None and reader.toggle(reader.layout.index(reader.cursor)):
            self._place()

    def on_click(self, event: events.Click) -> None:
        """A line that opens is opened; a drag that selected text is no click."""
        reader = self._reader
        found = reader.line(reader.view.top + event.get_content_offset_capture(self).y)
        if self.text_selection is not None or found is None or not found[0].is_head:
            return
        if reader.toggle(reader.layout.index(found[0].order)):
            self._place()

    # --- drawing ----------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        look = Look(self.virtual_size.width, self._palette, self.has_focus)
        if (selection := self.text_selection) is not None:
            style = self.screen.get_component_rich_style("screen--selection")
            look = replace(look, selection=selection, selected=style)
        return paint(self._reader, y, look)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self._reader, selection), "\n"

    def render_str(self, text_content: str | Content) -> Content:
        """Titles are text from outside: never markup."""
        if isinstance(text_content, Content):
            return text_content
        return Content(printable(text_content))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Textual moved it: a wheel, the scrollbar, a drag that selects."""
        del old_value
        reader = self._reader
        lines = round(new_value) - reader.view.top
        if self._placing or not lines or self.scrollable_content_region.size != self._drawn:
            # In another size Textual only fits it in; the reader finds its own place there.
            return
        if abs(lines) <= 2 * reader.view.height:
            reader.scroll(lines)
        else:
            reader.jump(round(new_value))
        self._place()

    def on_resize(self) -> None:
        """Another size or theme: all is drawn anew, and the reader's place stays."""
        width, height = self.scrollable_content_region.size
        if not height or not self.is_attached:
            return
        palette = palette_of(self)
        if (palette, width, height) == (self._palette, *self._drawn):
            return
        self._palette, self._drawn = palette, (width, height)
        self._reader.reset(Drawer(self.app.console, palette).draw, width, height)
        self._place()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        # The component classes follow in a moment.
        self.call_later(self.on_resize)

    def _stream(self, draft: Draft | None) -> None:
        self._place(self._reader.stream(draft))

    def _place(self, changed: int = 0) -> None:
        """Tell Textual where the reader is; repaint from the first line that changed."""
        view, total = self._reader.view, self._reader.layout.total
        if not view.height:
            return
        size = Size(self.scrollable_content_region.width, max(total, view.height))
        # Set quietly: the pane's own size does not depend on it, so nothing is laid out.
        self.set_reactive(Widget.virtual_size, size)
        if round(self.scroll_y) != view.top:
            self._placing = True
            self.scroll_y = self.scroll_target_y = view.top
            self._placing = False
        if self._painted != view.top:
            self._painted = view.top
            self.refresh(Region(0, 0, size.width, view.height))
        elif changed < view.bottom:
            first = max(0, changed - view.top)
            self.refresh(Region(0, first, size.width, view.height - first))
        thumb = (
            view.height * view.height * 2 // size.height,
            view.top * view.height // size.height,
        )
        if thumb != self._thumb:
            # The scrollbar is drawn again only when it looks different.
            self._thumb = thumb
            bar = self.vertical_scrollbar
            bar.window_size, bar.window_virtual_size = view.height, size.height
            bar.position = view.top
        told = (view.following, self._reader.new)
        if told != self._told:
            self._told = told
            self.border_subtitle = f"↓ {told[1]} new" if told[1] else None
            self.post_message(self.Scrolled(told[1]))


if __name__ == "__main__":
    from textual.app import App, ComposeResult

    from longwatch.ui.conversation.sample import draft, sample

    class Alone(App[None]):
        """The pane with a sample session."""

        def compose(self) -> ComposeResult:
            yield Conversation()

        def on_mount(self) -> None:
            pane = self.query_one(Conversation)
            pane.border_title = "refactor-auth"
            pane.show(sample(), draft(), lambda _: ())
            pane.focus()

    Alone().run()
