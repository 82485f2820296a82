"""A person's pause: what it cuts off is answered, so that the session can be taken up anywhere."""

from longwatch.discipline import texts
from longwatch.session.events import KnownEvent, StateChanged, ToolFinished
from longwatch.session.state import SessionState

REASON = "paused: resume or write to go on"


def pause(state: SessionState, intent: str) -> tuple[KnownEvent, ...]:
    """The events of a pause. The last one carries the intent: a pause half recorded is not one."""
    started = state.turn.started.call if state.turn.started is not None else None
    unanswered = (
        ToolFinished(
            call=call.id,
            ok=False,
            output=texts.PAUSED_MEANWHILE if call.id == started else texts.PAUSED,
        )
        for call in state.turn.pending
    )
    return *unanswered, StateChanged(state="paused", reason=REASON, intent=intent)
