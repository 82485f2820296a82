"""How a child of a session begins: as its parent is set up, or as an agent that may do no more."""

from collections.abc import Callable, Sequence

from msgspec import structs

from longwatch.engine.approval import within
from longwatch.engine.conduct import Conduct
from longwatch.engine.refusing import Misconfigured
from longwatch.session import KnownEvent, SessionState
from longwatch.session.events import SessionStarted, SettingsChanged


def child_of(
    parent: SessionState, agent: str | None, conduct: Callable[[SessionState], Conduct]
) -> tuple[SessionStarted, Sequence[KnownEvent]]:
    """Its first event, and those that give it its parent's settings; raises Misconfigured."""
    profile = parent.profile
    kept = {key: value for key, value in profile.settings.items() if key != "schedule"}
    wanted = structs.replace(
        profile, agent=agent or profile.agent, settings=kept, parent=parent.session
    )
    theirs = conduct(SessionState(profile=wanted))
    mine = conduct(parent)
    if not _stays_within(theirs, mine):
        raise Misconfigured(
            f"agent {wanted.agent!r} is allowed more than this session is "
            f"(approval mode: {mine.permissions.mode})."
        )
    started = SessionStarted(
        cwd=profile.cwd,
        model=theirs.model_name,
        dialect=theirs.rules.dialect.name,
        agent=wanted.agent,
        role=profile.role,
        parent=parent.session,
    )
    settings = (SettingsChanged(key=k, value=v, by="system") for k, v in kept.items())
    return started, tuple(settings)


def _stays_within(child: Conduct, parent: Conduct) -> bool:
    if child.place.sandbox_network and not parent.place.sandbox_network:
        return False
    return within(child.permissions, parent.permissions)
