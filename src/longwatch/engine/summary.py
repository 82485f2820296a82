"""The one row that lists and sidebars show of a session, from its state."""

from longwatch.engine.ports import Summary
from longwatch.session import SessionState


def summarize(state: SessionState, created: str, *, temporary: bool = False) -> Summary:
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
    )
