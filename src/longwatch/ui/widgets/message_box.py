"""Where a person writes to the shown session: many lines, history, queue and completion."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static, TextArea

from longwatch.engine.visible import printable
from longwatch.ui.dots.completing import Completion, complete
from longwatch.ui.widgets.offers import Completions, Offers, agreement, no_completions
from longwatch.ui.words import cut, one_line

MOST_QUEUED = 3
"""Queued messages that are listed; more are counted."""
PROMPT = "❯"
NO_SESSION = "Say what is to be done: enter starts a session"


class Past:
    """What was sent before, and how far back a person has gone in it."""

    def __init__(self) -> None:
        self._sent: list[str] = []
        self._place = 0
        self._unsent = ""

    def add(self, text: str) -> None:
        if not self._sent or self._sent[-1] != text:
            self._sent.append(text)
        self._place = len(self._sent)

    def older(self, text: str) -> str | None:
        """The message before; what is written now comes back on the way forth."""
        if not self._place:
            return None
        if self._place == len(self._sent):
            self._unsent = text
        self._place -= 1
        return self._sent[self._place]

    def newer(self) -> str | None:
        if self._place == len(self._sent):
            return None
        self._place += 1
        return self._sent[self._place] if self._place < len(self._sent) else self._unsent


def _key(key: str, action: str, name: str, description: str, tooltip: str) -> Binding:
    return Binding(key, action, description, id=f"message.{name}", tooltip=tooltip, show=False)


class MessageEditor(TextArea):
    """The text of a message; it tells what was sent and what is offered."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("enter", "send", "send", "Send", "Send the message, or queue it while the agent runs"),
        _key(
            "alt+enter",
            "send(True)",
            "interrupt",
            "Interrupt and send",
            "Interrupt the agent and send",
        ),
        _key("shift+enter,ctrl+j", "newline", "newline", "New line", "Begin another line"),
        _key("tab", "complete", "complete", "Complete", "Complete a command"),
        _key("escape", "close_offer", "close_offer", "Close", "Close the completions"),
    ]

    class Sent(Message):
        def __init__(self, text: str, *, interrupt: bool) -> None:
            super().__init__()
            self.text = text
            self.interrupt = interrupt

    class TakenBack(Message):
        def __init__(self, intent: str) -> None:
            super().__init__()
            self.intent = intent

    class Offered(Message):
        """What the text may become, and which of it was taken (-1: none yet)."""

        def __init__(self, options: Sequence[Completion], taken: int) -> None:
            super().__init__()
            self.options = options
            self.taken = taken

    def __init__(self) -> None:
        super().__init__(compact=True, highlight_cursor_line=False)
        self.cursor_blink = False
        self.completions: Completions = no_completions
        self.queued: Sequence[tuple[str, str]] = ()
        self._past = Past()
        self._options: Sequence[Completion] = ()
        self._taken = -1

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tab and escape are the box's only while they have something to do here."""
        del parameters
        if action == "complete":
            return self.text.startswith((".", "/"))
        return bool(self._options) if action == "close_offer" else True

    async def _on_key(self, event: events.Key) -> None:
        """Do what a key is bound to in the box here and now.

        On its way to the app's bindings a key is overtaken by those typed after it: what comes
        after enter would be sent with what came before it, and backspace would take the wrong
        character.
        """
        if event.is_printable:
            return
        bound = self.screen.active_bindings.get(event.key)
        if bound is not None and bound.node is self and bound.enabled:
            event.stop()
            event.prevent_default()
            await self.run_action(bound.binding.action)

    async def _on_paste(self, event: events.Paste) -> None:
        """Take in what was pasted, with its control characters made visible."""
        event.stop()
        event.prevent_default()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        self.move_cursor(self.replace(printable(text), *self.selection).end_location)

    def write(self, text: str) -> None:
        """Hold this text instead, the cursor at its end."""
        self.replace(printable(text), (0, 0), self.document.end)
        self.move_cursor(self.document.end)

    def action_send(self, interrupt: bool = False) -> None:
        text = self.text.rstrip()
        self._offer(())
        if text.strip():
            self._past.add(text)
            self.load_text("")
            self.post_message(self.Sent(text, interrupt=interrupt))

    def action_newline(self) -> None:
        self.move_cursor(self.replace("\n", *self.selection).end_location)

    def action_cursor_up(self, select: bool = False) -> None:
        if select or not self.navigator.is_first_wrapped_line(self.cursor_location):
            super().action_cursor_up(select)
        elif not self.text and self.queued:
            intent, text = self.queued[-1]
            self.queued = self.queued[:-1]
            self.write(text)
            self.post_message(self.TakenBack(intent))
        elif (older := self._past.older(self.text)) is not None:
            self.write(older)

    def action_cursor_down(self, select: bool = False) -> None:
        if select or not self.navigator.is_last_wrapped_line(self.cursor_location):
            super().action_cursor_down(select)
        elif (newer := self._past.newer()) is not None:
            self.write(newer)

    @on(TextArea.Changed)
    def _follow(self) -> None:
        """What is offered follows what is typed; what was just taken is still offered."""
        if self._options and self.text not in [option.text for option in self._options]:
            self._offer(self.completions(self.text))

    def action_complete(self) -> None:
        """As far as all options agree, then one after the other."""
        if self._options:
            taken = (self._taken + 1) % len(self._options)
            self._offer(self._options, taken)
            self.write(self._options[taken].text)
            return
        options = self.completions(self.text)
        agreed = agreement([option.text for option in options])
        self._offer(options if len(options) > 1 else ())
        if len(agreed) > len(self.text):
            self.write(agreed)

    def action_close_offer(self) -> None:
        self._offer(())

    def _offer(self, options: Sequence[Completion], taken: int = -1) -> None:
        if options or self._options:
            self._options, self._taken = options, taken
            self.post_message(self.Offered(options, taken))


class MessageFrame(Widget):
    """The border around the prompt and the editor."""


class MessageBox(Widget):
    """The editor in its frame, with what is queued and what may be completed over it."""

    DEFAULT_CSS = """
    MessageBox {
        height: auto;
        width: 1fr;
        layout: vertical;
        & > Static {
            height: auto;
            padding: 0 2;
            display: none;
            color: $text-muted;
            text-wrap: nowrap;
            text-overflow: ellipsis;
        }
        & > Static.-filled { display: block; }
        & > MessageFrame {
            height: auto;
            layout: horizontal;
            border: round $border-blurred;
            border-title-color: $text-muted;
            padding: 0 1;
            &:focus-within { border: round $border; border-title-color: $foreground; }
        }
        & > MessageFrame > Static { width: 2; height: 1; color: $accent; text-style: bold; }
        & > MessageFrame > MessageEditor {
            height: auto;
            min-height: 1;
            max-height: 8;
            width: 1fr;
            padding: 0;
            background: transparent;
            scrollbar-size-vertical: 1;
            scrollbar-color: $foreground 20%;
            scrollbar-background: transparent;
            &:focus { background-tint: transparent; }
        }
    }
    """

    class Submitted(Message):
        """A message is to be sent; ``interrupt`` does not wait for the turn's end."""

        def __init__(self, text: str, interrupt: bool) -> None:
            super().__init__()
            self.text = text
            self.interrupt = interrupt

    class TakeBack(Message):
        """A queued message is to be withdrawn; the box holds its text again."""

        def __init__(self, intent: str) -> None:
            super().__init__()
            self.intent = intent

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002 - as every widget names it
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._queue = Static(markup=False)
        self._offers = Offers()
        self._frame = MessageFrame()
        self._editor = MessageEditor()
        self._title: str | None = None
        self._queued: tuple[tuple[str, str], ...] = ()

    def compose(self) -> ComposeResult:
        yield self._queue
        yield self._offers
        with self._frame:
            yield Static(PROMPT, markup=False)
            yield self._editor

    @property
    def completions(self) -> Completions:
        """What dot commands may become."""
        return self._editor.completions

    @completions.setter
    def completions(self, completions: Completions) -> None:
        self._editor.completions = completions

    @property
    def text(self) -> str:
        """What is written and not sent."""
        return self._editor.text

    @text.setter
    def text(self, text: str) -> None:
        self._editor.write(text)

    def focus(self, scroll_visible: bool = True) -> "MessageBox":
        self._editor.focus(scroll_visible)
        return self

    def show(self, title: str, queued: Sequence[tuple[str, str]]) -> None:
        """Write to the session of this title; list what waits for its next turn."""
        shown = one_line(title)
        if shown != self._title:
            self._title = shown
            title = f"Message {shown}" if shown else "New session"
            self._frame.border_title = Content(cut(title, 60))
            placeholder = f"Write to {cut(shown, 40)}" if shown else NO_SESSION
            self._editor.placeholder = Content(placeholder)
        if tuple(queued) != self._queued:
            self._queued = tuple(queued)
            self._editor.queued = self._queued
            self._list_queued()

    @on(MessageEditor.Sent)
    def _sent(self, event: MessageEditor.Sent) -> None:
        event.stop()
        self.post_message(self.Submitted(event.text, event.interrupt))

    @on(MessageEditor.TakenBack)
    def _taken_back(self, event: MessageEditor.TakenBack) -> None:
        event.stop()
        self._queued = tuple(self._editor.queued)
        self._list_queued()
        self.post_message(self.TakeBack(event.intent))

    @on(MessageEditor.Offered)
    def _offered(self, event: MessageEditor.Offered) -> None:
        event.stop()
        self._offers.show(event.options, event.taken)

    def _list_queued(self) -> None:
        lines = [f"queued  {cut(one_line(text), 60)}" for _, text in self._queued]
        if len(lines) > MOST_QUEUED:
            hidden = len(lines) - MOST_QUEUED
            lines = [f"queued  {hidden} more", *lines[-MOST_QUEUED:]]
        self._queue.set_class(bool(lines), "-filled")
        hint = "  (up takes it back)" if lines else ""
        self._queue.update(Content("\n".join(lines) + hint))


def main() -> None:
    """Open the box alone; what is sent is queued over it."""

    class Alone(App[None]):
        queued: ClassVar[list[tuple[str, str]]] = [("1", "Also update the changelog.")]

        def compose(self) -> ComposeResult:
            yield MessageBox()

        def on_mount(self) -> None:
            box = self.query_one(MessageBox)
            box.completions = lambda text: complete(text, lambda *_: ())
            box.show("refactor-auth", self.queued)
            box.focus()

    Alone().run()


if __name__ == "__main__":
    main()
