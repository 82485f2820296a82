"""The one row that lists and sidebars show of a session, from its state."""

from collections.abc import Callable
from dataclasses import dataclass

from longwatch.engine.storing import Summary
from longwatch.session import SessionState


@dataclass(frozen=True)
class Schedule:
    """When a session at rest is kicked: in cron's words, and when next after an event's time."""

    words: str
    after: Callable[[str], str | None]


def summarize(
    state: SessionState,
    created: str,
    *,
    temporary: bool = False,
    schedule: str = "",
    next_kick: str = "",
) -> Summary:
    profile, checklist, spent = state.profile, state.checklist, state.spent
    current = checklist.current or next(iter(checklist.open), None)
    return Summary(
        session=state.session,
        title=profile.title,
        cwd=profile.cwd,
        model=profile.model,
        dialect=profile.dialect,
        agent=profile.agent,
        parent=profile.parent,
        attended=profile.attended,
        temporary=temporary,
        archived=profile.archived,
        created=created,
        updated=state.at,
        state=state.state,
        reason=state.reason,
        since=state.since,
        current=current.text if current else "",
        done=checklist.done_count,
        total=len(checklist.items),
        blocked=len(checklist.blocked),
        input=spent.input,
        output=spent.output,
        cost=spent.cost,
        unpriced=spent.unpriced,
        last_seq=state.seq,
        schedule=schedule,
        next_kick=next_kick,
    )


def title_of(text: str) -> str:
    """A short name from the first words of a task."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "session")
    return line if len(line) <= 60 else line[:59].rstrip() + "…"


def kick_after(state: SessionState) -> str:
    """From when on a kick is due; empty while none may come.

    What came due while it was busy, or before there was a schedule, is not made up for.
    """
    profile = state.profile
    if state.state not in ("dormant", "idle") or profile.archived or profile.parent is not None:
        return ""
    return max(state.since, state.scheduled)
