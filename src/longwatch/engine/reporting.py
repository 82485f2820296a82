"""A call's progress as events and drafts, while it goes on."""

from collections.abc import Callable
from datetime import datetime, timedelta

from longwatch.engine.ledger import Ledger
from longwatch.engine.ports import Clock, ModelFault, ReasoningDelta, TextDelta
from longwatch.session.events import (
    AssistantMessage,
    Finish,
    ModelStarted,
    ProviderFault,
    Retrying,
    StateChanged,
)

DRAFT_SECONDS = 0.1
"""A draft is shown at 10 Hz."""

DeltaListener = Callable[[str, TextDelta | ReasoningDelta], None]


class Reporting:
    """The audience of one call: a session's ledger, and whoever wants the deltas."""

    def __init__(
        self, ledger: Ledger, model: str, clock: Clock, on_delta: DeltaListener | None
    ) -> None:
        self._ledger = ledger
        self._model = model
        self._clock = clock
        self._on_delta = on_delta
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._shown = float("-inf")

    async def attempting(self, attempt: int) -> None:
        self._text.clear()
        self._reasoning.clear()
        await self._ledger.record(self._started(attempt))

    def _started(self, attempt: int) -> ModelStarted:
        return ModelStarted(model=self._model, attempt=attempt)

    def streaming(self, delta: TextDelta | ReasoningDelta) -> None:
        (self._text if isinstance(delta, TextDelta) else self._reasoning).append(delta.text)
        if self._on_delta is not None:
            self._on_delta(self._ledger.lease.session, delta)
        now = self._clock.monotonic()
        if now - self._shown >= DRAFT_SECONDS:
            self._shown = now
            self._ledger.draft("".join(self._text), "".join(self._reasoning))

    async def faulted(self, fault: ModelFault, attempt: int) -> None:
        events = (
            ProviderFault(
                kind=fault.kind, status=fault.status, attempt=attempt, message=fault.message
            ),
        )
        partial = self.partial("stop", fault)
        if partial is not None:
            await self._ledger.record(partial, *events, closes_draft=True)
        else:
            await self._ledger.record(*events)

    def partial(self, finish: Finish, fault: ModelFault | None = None) -> AssistantMessage | None:
        """What came of a reply that was cut off; None if nothing did."""
        usage = fault.usage if fault is not None else None
        if not self._text and not self._reasoning and usage is None:
            return None
        return AssistantMessage(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            finish=finish,
            tool_calls=(),
            usage=usage,
            partial=True,
        )

    async def retrying(self, attempt: int, most: int, seconds: float, reason: str) -> None:
        await self._ledger.record(
            Retrying(attempt=attempt, max=most, seconds=round(seconds, 3), reason=reason)
        )

    async def waiting(self, seconds: float, reason: str) -> None:
        then = datetime.fromisoformat(self._clock.now()) + timedelta(seconds=seconds)
        until = f"next try at {then:%H:%M:%S} UTC"
        await self._ledger.record(StateChanged(state="waiting", reason=f"{reason} ({until})"))


class SummaryReporting(Reporting):
    """The audience of a call for a summary: its words are no reply, so nobody is shown them."""

    def __init__(self, ledger: Ledger, model: str, clock: Clock) -> None:
        super().__init__(ledger, model, clock, None)

    def _started(self, attempt: int) -> ModelStarted:
        return ModelStarted(model=self._model, attempt=attempt, purpose="summary")

    def streaming(self, delta: TextDelta | ReasoningDelta) -> None:
        del delta
