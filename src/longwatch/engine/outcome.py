"""How a run ended, as an exit code that a script can act on."""

from longwatch.session import SessionState

USAGE = 2
INTERRUPTED = 130
TERMINATED = 143


def exit_code(state: SessionState, *, wanted_approver: bool) -> int:
    """First match: failed, waits for someone, stopped early, blocked items left, done.

    ``wanted_approver``: a call was refused because nobody was there to approve it.
    """
    match state.state:
        case "failed":
            return 1
        case "awaiting_approval" | "awaiting_human" | "awaiting_peer":
            return 5
        case _ if wanted_approver and state.checklist.open_count:
            return 5
        case "idle" | "paused":
            return 3
        case "dormant" if state.checklist.blocked:
            return 4
        case "dormant":
            return 0
        case "running" | "waiting":
            return 3
