"""A person's pause: what it cuts off is answered, so that the session can be taken up anywhere."""

from longwatch.discipline import texts
from longwatch.session.events import KnownEvent, StateChanged, ToolFinished
from longwatch.session.state import SessionState

REASON = "paused: resume or write to go on"
WITH_PARENT = "paused with its parent: goes on with it"
AT_WORK = frozenset({"running", "waiting", "awaiting_approval", "awaiting_peer"})


def pause(state: SessionState, intent: str, *, with_parent: bool = False) -> tuple[KnownEvent, ...]:
    """The events of a pause. The last one carries the intent: a pause half recorded is not one.

    A parent's pause stops only what is at work; what rests or waits for a person stays as it is.
    """
    if with_parent and state.state not in AT_WORK:
        return ()
    started = state.turn.started.call if state.turn.started is not None else None
    unanswered = (
        ToolFinished(
            call=call.id,
            ok=False,
            output=texts.PAUSED_MEANWHILE if call.id == started else texts.PAUSED,
        )
        for call in state.turn.pending
    )
    return *unanswered, StateChanged(
        state="paused", reason=WITH_PARENT if with_parent else REASON, intent=intent
    )
