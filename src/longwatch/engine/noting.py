"""What of a session's events is worth a line in the log."""

import logging

from longwatch.session import KnownEvent
from longwatch.session.events import Failure, ProviderFault, SessionStarted, StateChanged

log = logging.getLogger("longwatch.events")


def note(event: KnownEvent) -> None:
    """Starts, rests and faults; what was said stays in the store."""
    match event:
        case SessionStarted():
            log.info("session %s starts: %s, %s", event.session, event.dialect, event.model)
        case StateChanged():
            log.info("session %s is %s: %s", event.session, event.state, event.reason or "-")
        case ProviderFault():
            log.warning(
                "session %s, %s (attempt %d): %s",
                event.session,
                event.kind,
                event.attempt,
                event.message,
            )
        case Failure():
            log.info("session %s: %s", event.session, event.message)
        case _:
            pass
