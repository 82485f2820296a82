"""Fork, undo and compaction as a person meets them in the dashboard."""

import pytest
from events_made import at
from textual.pilot import Pilot
from ui_services import FakeServices, begun

from longwatch.engine.forking import fork_id
from longwatch.session import SessionState
from longwatch.session.events import (
    AssistantMessage,
    Compacted,
    Failure,
    ModelStarted,
    Rewound,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from longwatch.session.intents import Fork, Undo
from longwatch.ui.activity import Activity, follow, line
from longwatch.ui.app import Dashboard

CALL = ToolCall("c1", "shell", {"command": "ls"})


@pytest.fixture
def app(services: FakeServices) -> Dashboard:
    services.keep(
        "s1",
        begun("auth"),
        UserMessage(text="Go on.", source="human"),
        StateChanged(state="running"),
        AssistantMessage(text="Looking.", finish="tool_calls", tool_calls=(CALL,)),
        ToolStarted(call="c1", name="shell", arguments={"command": "ls"}),
        ToolFinished(call="c1", ok=True, output="a b c"),
        AssistantMessage(text="Done.", finish="stop", tool_calls=()),
        StateChanged(state="dormant", reason="done"),
    )
    return Dashboard(services, session="s1")


async def pressed(pilot: Pilot[None], app: Dashboard, *keys: str) -> None:
    assert app.main is not None
    app.main.conversation.focus()
    await pilot.pause()
    await pilot.press(*keys)
    await pilot.pause()


async def test_a_fork_at_the_end_where_nothing_is_marked(
    app: Dashboard, services: FakeServices
) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pressed(pilot, app, "f")
        assert services.posted == [("s1", Fork(seq=None))]


async def test_a_fork_at_the_marked_place(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pressed(pilot, app, "up", "f")
        assert services.posted == [("s1", Fork(seq=5))]


async def test_a_fork_is_shown_when_it_is_there(app: Dashboard, services: FakeServices) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pressed(pilot, app, "f")
        services.keep(fork_id("i1"), begun("auth (2)"), answered=[])
        assert app.main is not None
        app.main.look()
        assert app.main.watched.session == fork_id("i1")


@pytest.mark.parametrize(("key", "intent"), [("u", Undo()), ("t", Undo(retry=True))])
async def test_undo_and_retry(
    app: Dashboard, services: FakeServices, key: str, intent: Undo
) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pressed(pilot, app, key)
        assert services.posted == [("s1", intent)]


async def test_what_is_undone_stays_to_be_seen_with_the_files_that_changed(
    app: Dashboard, services: FakeServices
) -> None:
    services.keep("s1", Rewound(to=1, files=("a.py",)))
    async with app.run_test(size=(160, 48)):
        assert app.main is not None
        pane = app.main.conversation
        shown = "\n".join(pane.render_line(y).text for y in range(pane.size.height))
        assert "Looking." in shown
        assert "Files stay as they are now: a.py" in shown


async def test_a_compaction_is_a_divider_that_opens_and_hides_nothing(
    app: Dashboard, services: FakeServices
) -> None:
    services.keep("s1", Compacted(before=120_000, after=8_000, summary="We looked.", keeps=2))
    async with app.run_test(size=(160, 48)) as pilot:
        assert app.main is not None
        pane = app.main.conversation
        await pressed(pilot, app, "up", "enter")
        shown = "\n".join(pane.render_line(y).text for y in range(pane.size.height))
        assert "compacted: 120k → 8.0k tokens" in shown
        assert "In place of all above but the last 2 messages the model reads:" in shown
        assert "We looked." in shown
        assert "Looking." in shown


@pytest.mark.parametrize("state", ["running", "dormant"])
def test_the_status_line_says_compacting(state: str) -> None:
    session = SessionState(session="s1", state=state, since=at(0))  # type: ignore[arg-type]
    begun_at = ModelStarted(model="m", attempt=1, purpose="summary", at=at(10))
    activity = follow(Activity(), begun_at)
    assert line(activity, session, at(13)) == "▶ compacting  0:03"
    for ending in (
        Compacted(before=9, after=1, summary="", at=at(14)),
        Failure(kind="refused", message="", at=at(14)),
    ):
        assert "compacting" not in line(follow(activity, ending), session, at(15))
