"""The reply that is coming in: what is new of it, and its pieces so far."""

from longwatch.engine.storing import Draft
from longwatch.ui.conversation.blocks import Prose, Thought
from longwatch.ui.conversation.cleaning import Cleaner
from longwatch.ui.conversation.markdown import Piece, Splitter
from longwatch.ui.conversation.rows import HEAD, Row

KEY = 2**61
"""After every event: what is not one yet."""


class Stream:
    """A draft that grows. Only what was added is looked at."""

    def __init__(self) -> None:
        self._text = ""
        self._cleaner = Cleaner()
        self._splitter = Splitter()
        self._block = Prose(key=KEY + 1, text="")
        self.reasoning = ""
        self.placed = 0
        """How many finished pieces have their rows."""

    def continues(self, text: str) -> bool:
        """Whether a text goes on where this one is."""
        return text.startswith(self._text)

    def feed(self, text: str) -> None:
        """The whole text so far."""
        self._splitter.feed(self._cleaner.feed(text[len(self._text) :]))
        self._text = text

    def thought(self, draft: Draft) -> list[Row]:
        """The line of the reasoning, marked as long as there is nothing else."""
        if not draft.reasoning.strip():
            return []
        block = Thought(key=KEY, text=draft.reasoning)
        return [Row(block, 0, HEAD, live=not draft.text or draft.text.isspace())]

    def rows(self) -> list[Row]:
        """Rows of the pieces that are not placed yet, the open one last."""
        finished = self._splitter.finished
        rows = [Row(self._block, k, finished[k]) for k in range(self.placed, len(finished))]
        self.placed = len(finished)
        last = self._splitter.open()
        if last is not None:
            rows.append(Row(self._block, len(finished), last, live=True))
        return rows

    def end(self, text: str) -> list[Piece]:
        """The pieces that are not placed, now that the text is whole."""
        self.feed(text)
        self._splitter.end()
        return self._splitter.finished[self.placed :]
