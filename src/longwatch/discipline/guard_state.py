"""The todo middleware's state under its documented names, as `longwatch show --json` prints it."""

from typing import Any

from longwatch.session.state import SessionState


def extra(state: SessionState) -> dict[str, Any]:
    """The stable keys of cubepi's ``ctx.extra``."""
    todos = [{"content": item.text, "status": item.status} for item in state.checklist]
    blocked = state.guard.blocked
    return {
        "todos": todos or None,
        "todo_guard_retries": {"finalization": state.activation.corrections},
        "todo_guard_blocked": None if blocked is None else {"message": blocked},
        "todo_guard_suppressed": state.guard.suppressed,
        "todo_stale_iterations": state.guard.stale,
        "todo_finalization_correction": state.guard.correcting or None,
    }
