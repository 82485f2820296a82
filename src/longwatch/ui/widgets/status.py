"""The line at the bottom: what is going on now, for how long, at what price; which keys help."""

from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widget import Widget

from longwatch.session import SessionState
from longwatch.session.state import RESTING, Spent
from longwatch.ui.activity import Activity, Said, said
from longwatch.ui.words import NEEDS_PERSON, STATE_MARKS, cost, cut, share, tokens

PARTED = " · "
LEAST_SAID = 24
"""Cells of what is going on that are kept before hints and figures are left out."""
LEAST_REASON = 64
"""The same of why a session does not run: it says what to do."""

Hints = tuple[tuple[str, str], ...]
HINTS: Hints = (("esc", "pause"), ("^p", "palette"), ("?", "help"))


class StatusLine(Widget):
    """One line; the activity gives way first, then the hints, then the figures from the right."""

    DEFAULT_CSS = """
    StatusLine {
        height: 1;
        width: 1fr;
        color: $text-muted;
        text-wrap: nowrap;
    }
    """

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002 - as every widget names it
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._said = Said("", "")
        self._figures: tuple[str, ...] = ()
        self._style = ""
        self._hints = HINTS[1:]

    def show(
        self,
        state: SessionState,
        activity: Activity,
        *,
        now: str,
        context: int | None,
        max_wakes: int,
        sandbox: bool | None = None,
    ) -> None:
        """Say how the shown session is. ``context`` is how many tokens its model can read;
        ``sandbox`` whether commands that nobody is asked about are held in."""
        drawn = (
            said(activity, state, now) if state.session else Said("", "no session is open"),
            figures(state, context, max_wakes, sandbox),
            _style(state),
            HINTS if state.session and state.state not in RESTING else HINTS[1:],
        )
        if drawn != (self._said, self._figures, self._style, self._hints):
            self._said, self._figures, self._style, self._hints = drawn
            self.refresh()

    def render(self) -> Content:
        words, shown, hints = self._said, self._figures, self._hints
        room = self.size.width - 2
        fixed = _fixed(words)
        least = LEAST_SAID if words.mark == STATE_MARKS["running"] else LEAST_REASON
        wanted = min(least, cell_len(words.text) + _advice(words))
        while hints and room - fixed - _figures_width(shown) - _hints_width(hints) < wanted:
            hints = hints[:-1]
        while shown and room - fixed - _figures_width(shown) - _hints_width(hints) < wanted:
            shown = shown[:-1]
        left = room - fixed - _figures_width(shown) - _hints_width(hints)
        # What to do about it, or when it goes on, is worth more than the end of the reason.
        short = min(LEAST_SAID, cell_len(words.text))
        advice = words.advice if short + _advice(words) <= left else ""
        text = cut(words.text, left - (_advice(words) if advice else 0))
        used = fixed + cell_len(text) + (_advice(words) if advice else 0) + _figures_width(shown)
        gap = room - used - sum(map(cell_len, _flat(hints)))
        return Content.assemble(
            " ",
            (f"{words.mark} " if words.mark else "", self._style),
            (text, self._style if "$text" in self._style else "$foreground"),
            f"  {words.clock}" if words.clock else "",
            f"{PARTED}{advice}" if advice else "",
            *(f"{PARTED}{figure}" for figure in shown),
            " " * max(0, gap),
            *_hint_parts(hints),
        )


def figures(
    state: SessionState, context: int | None, max_wakes: int, sandbox: bool | None = None
) -> tuple[str, ...]:
    """Sandbox, wake budget, context, tokens and cost, as far as there is anything to say."""
    if not state.session:
        return ()
    spent = state.spent
    shown = [] if sandbox is None else ["sandbox" if sandbox else "no sandbox"]
    if max_wakes:
        shown.append(f"wake {state.activation.wakes}/{max_wakes}")
    if spent.context:
        shown.append(f"ctx {share(spent.context, context) if context else tokens(spent.context)}")
    if spent.input or spent.output:
        about = "~" if spent.estimated else ""
        shown.append(f"{about}{tokens(spent.input)}↑ {tokens(spent.output)}↓")
        shown.append(cost(spent.cost, spent.unpriced))
    return tuple(shown)


def _style(state: SessionState) -> str:
    if state.state == "failed":
        return "bold $text-error"
    if state.state in NEEDS_PERSON:
        return "bold $text-warning"
    return "$success" if state.state == "running" else ""


def _fixed(words: Said) -> int:
    mark = cell_len(words.mark) + 1 if words.mark else 0
    return mark + (cell_len(words.clock) + 2 if words.clock else 0)


def _advice(words: Said) -> int:
    return len(PARTED) + cell_len(words.advice) if words.advice else 0


def _figures_width(shown: tuple[str, ...]) -> int:
    return sum(len(PARTED) + cell_len(figure) for figure in shown)


def _flat(hints: Hints) -> list[str]:
    return [f"{'  ' if n else ''}{key} {what}" for n, (key, what) in enumerate(hints)]


def _hints_width(hints: Hints) -> int:
    """With the two cells that part them from what is at their left."""
    return sum(map(cell_len, _flat(hints))) + 2 if hints else 0


def _hint_parts(hints: Hints) -> list[str | tuple[str, str]]:
    parts: list[str | tuple[str, str]] = []
    for n, (key, what) in enumerate(hints):
        parts += ["  " if n else "", (key, "bold $foreground"), f" {what}"]
    return parts


def main() -> None:
    """Open the line alone, with a tool at work."""
    at = "2026-11-18T12:00:00.000Z"
    state = SessionState(session="s1", state="running", since=at, spent=Spent(312_000, 21_000))
    activity = Activity("tool", since=at, tool="shell", subject="pytest -q")

    class Alone(App[None]):
        def compose(self) -> ComposeResult:
            yield StatusLine()

        def on_mount(self) -> None:
            now = "2026-11-18T12:00:03.000Z"
            line = self.query_one(StatusLine)
            line.show(state, activity, now=now, context=200_000, max_wakes=25)

    Alone().run()


if __name__ == "__main__":
    main()
