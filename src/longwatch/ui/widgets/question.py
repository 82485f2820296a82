"""What the model asks the person, right above where it is answered."""

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from longwatch.engine.visible import printable
from longwatch.ui.words import LONGEST_LINE, cut, one_line

ANSWERED_BELOW = "write the answer below"


class QuestionPanel(VerticalScroll, can_focus=False):
    """Stands above the message box for as long as a question waits."""

    DEFAULT_CSS = """
    QuestionPanel {
        display: none;
        height: auto;
        max-height: 40vh;
        border: round $warning;
        border-title-color: $text-warning;
        border-title-style: bold;
        border-subtitle-color: $text-muted;
        padding: 0 1;
        scrollbar-size: 0 1;
        & > Static { width: 1fr; height: auto; text-style: bold; }
    }
    QuestionPanel.-asking { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._asked = ""
        self.border_subtitle = Content(ANSWERED_BELOW)

    def compose(self) -> ComposeResult:
        yield Static("", markup=False)

    def show(self, title: str, question: str) -> None:
        """Ask this; an empty question is none."""
        if question == self._asked:
            return
        self._asked = question
        self.set_class(bool(question), "-asking")
        self.border_title = Content(f"? {cut(one_line(title), 60)} asks")
        self.query_one(Static).update(_shown(question))
        self.scroll_home(animate=False)


def _shown(question: str) -> Content:
    lines = (line[:LONGEST_LINE] for line in printable(question).split("\n"))
    return Content("\n".join(lines))


def main() -> None:
    """Open the panel alone."""

    class Alone(App[None]):
        def compose(self) -> ComposeResult:
            yield QuestionPanel()

        def on_mount(self) -> None:
            self.query_one(QuestionPanel).show("release", "Is it for staging or for production?")

    Alone().run()


if __name__ == "__main__":
    main()
