"""A pane in an app of its own, and sessions to show in it."""

from collections.abc import Callable, Sequence

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from longwatch.engine.storing import Draft
from longwatch.session import AnyEvent
from longwatch.session.events import AssistantMessage, ToolFinished, ToolStarted, UserMessage
from longwatch.ui.widgets.conversation import Conversation

PAGE = 60


class PaneApp(App[None]):
    """The pane alone; it keeps what the pane said."""

    def __init__(self) -> None:
        super().__init__()
        self.scrolled: list[int] = []

    def compose(self) -> ComposeResult:
        yield Conversation()

    @property
    def pane(self) -> Conversation:
        return self.query_one(Conversation)

    def on_conversation_scrolled(self, message: Conversation.Scrolled) -> None:
        self.scrolled.append(message.new)


class Pages:
    """A session's events by pages, as the store gives them; counts what was asked for."""

    def __init__(self, events: Sequence[AnyEvent]) -> None:
        self.events = events
        self.asked: list[int] = []

    def __call__(self, seq: int) -> Sequence[AnyEvent]:
        self.asked.append(seq)
        return self.events[max(0, seq - 1 - PAGE) : max(0, seq - 1)]


def lines(app: PaneApp) -> list[str]:
    """What is on the screen, inside the border."""
    pane = app.pane
    return [pane.render_line(y).text.rstrip() for y in range(pane.size.height)]


def draft(text: str, reasoning: str = "") -> Draft:
    return Draft(text, reasoning, "")


def turns(count: int, text: str = "Reply number {seq}.") -> list[AnyEvent]:
    """A message, then turns of a reply, a call and its result."""
    events: list[AnyEvent] = [UserMessage(seq=1, text="Begin.", source="human")]
    for _ in range(count):
        seq = len(events) + 1
        call = f"c{seq}"
        words = text.format(seq=seq)
        arguments = {"command": f"make t{seq}"}
        events += [
            AssistantMessage(seq=seq, text=words, finish="tool_calls", tool_calls=()),
            ToolStarted(seq=seq + 1, call=call, name="shell", arguments=arguments),
            ToolFinished(seq=seq + 2, call=call, ok=True, output=f"out {seq}\n", seconds=0.5),
        ]
    return events


async def shown(
    app: PaneApp,
    pilot: Pilot[None],
    events: Sequence[AnyEvent],
    older: Callable[[int], Sequence[AnyEvent]],
) -> Conversation:
    """The pane with the tail of a session, focused."""
    app.pane.show(events, None, older)
    app.pane.focus()
    await pilot.pause()
    return app.pane
