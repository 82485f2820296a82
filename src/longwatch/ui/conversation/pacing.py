"""Drafts at the pace of the screen: the last one counts, the others are never drawn."""

from collections.abc import Callable

from longwatch.engine.storing import Draft

FRAME = 1 / 30


class Pace:
    """Passes on the newest draft, at most thirty times a second."""

    def __init__(
        self,
        draw: Callable[[Draft | None], None],
        later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        self._draw = draw
        self._later = later
        self._waiting: list[Draft | None] = []
        self._resting = False

    def put(self, draft: Draft | None) -> None:
        """The reply so far; None when there is none any more."""
        self._waiting[:] = [draft]
        if self._resting:
            return
        # The end of a draft waits for a frame: the reply that it became is about to come.
        if draft is not None:
            self.flush()
        self._rest()

    def clear(self) -> None:
        self._waiting.clear()

    def flush(self) -> None:
        """Draw what waits, now."""
        if self._waiting:
            self._draw(self._waiting.pop())

    def _rest(self) -> None:
        self._resting = True
        self._later(FRAME, self._wake)

    def _wake(self) -> None:
        self._resting = False
        if self._waiting:
            self.flush()
            self._rest()
