"""Who looks elsewhere is told what they wanted to be told of, and nothing else."""

import pytest
from ui_services import FakeServices, begun, running

from longwatch.session.events import State, StateChanged
from longwatch.session.intents import Fork
from longwatch.ui.app import Dashboard
from longwatch.ui.notices import escape_sequences

TOLD: list[tuple[State, str, str]] = [
    ("dormant", "all done", "done"),
    ("idle", "budget used up", "idle"),
    ("awaiting_approval", "approve: push", "approval"),
    ("awaiting_human", "which one?", "approval"),
    ("failed", "no key", "failed"),
]


async def toasts(services: FakeServices, state: State, reason: str) -> list[str]:
    """What is said of a session that is not shown when it comes to this."""
    running(services, "s1", "shown")
    running(services, "s2", "other")
    app = Dashboard(services, session="s1")
    async with app.run_test(size=(120, 40)) as pilot:
        services.keep("s2", StateChanged(state=state, reason=reason))
        assert app.main is not None
        app.main.look()
        await pilot.pause()
        return [notice.message for notice in app._notifications]


@pytest.mark.parametrize(("state", "reason", "kind"), TOLD)
async def test_what_is_wanted_is_told(
    services: FakeServices, state: State, reason: str, kind: str
) -> None:
    services.kinds = (kind,)
    assert await toasts(services, state, reason) == [f"other {state.replace('_', ' ')}: {reason}"]


@pytest.mark.parametrize(("state", "reason", "kind"), TOLD)
async def test_what_is_not_wanted_is_not_told(
    services: FakeServices, state: State, reason: str, kind: str
) -> None:
    services.kinds = tuple(one for one in services.kinds if one != kind)
    assert await toasts(services, state, reason) == []


@pytest.mark.parametrize("state", ["paused", "running", "waiting"])
async def test_what_needs_nobody_is_never_told(services: FakeServices, state: State) -> None:
    assert await toasts(services, state, "") == []


def test_tmux_passes_it_on() -> None:
    assert escape_sequences("a;b", tmux=True).startswith("\x1bPtmux;\x1b\x1b]9;a,b\x07\x1b\\")


async def test_a_fork_is_asked_of_the_session(services: FakeServices) -> None:
    services.keep("s1", begun("auth"))
    app = Dashboard(services, session="s1")
    async with app.run_test(size=(120, 40)) as pilot:
        assert app.main is not None
        app.main.sessions.focus()
        await pilot.press("f")
        await pilot.pause()
    assert services.posted == [("s1", Fork())]
