"""The line at the bottom, as it is drawn at every width."""

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult

from longwatch.session.events import State
from longwatch.session.state import Activation, SessionState, Spent
from longwatch.ui.activity import Activity
from longwatch.ui.widgets.status import StatusLine, figures

AT = "2026-11-18T12:00:00.000Z"
NOW = "2026-11-18T12:00:03.000Z"
SPENT = Spent(input=312_000, output=21_000, cost=0.41, context=48_000)
TOOL = Activity("tool", since=AT, tool="shell", subject="pytest -q")
LEFT = " ▶ shell pytest -q  0:03 · wake 1/25 · ctx 24% · 312k↑ 21k↓ · $0.41"


class Alone(App[None]):
    def compose(self) -> ComposeResult:
        yield StatusLine()


def session(state: State = "running", reason: str = "") -> SessionState:
    return SessionState(
        session="s1",
        state=state,
        reason=reason,
        since=AT,
        spent=SPENT,
        activation=Activation(wakes=1),
    )


async def drawn(width: int, state: SessionState, activity: Activity = TOOL) -> str:
    app = Alone()
    async with app.run_test(size=(width, 3)) as pilot:
        line = app.query_one(StatusLine)
        line.show(state, activity, now=NOW, context=200_000, max_wakes=25)
        await pilot.pause()
        text = line.render_line(0).text
        assert cell_len(text) <= width
        return text


async def test_it_says_what_is_going_on_and_at_what_price() -> None:
    text = await drawn(120, session())
    assert text.startswith(LEFT + "   ")
    assert text.endswith("   esc pause  ^p palette  ? help")


@pytest.mark.parametrize(
    ("width", "end"),
    [
        (99, "$0.41  esc pause  ^p palette  ? help"),
        (92, "$0.41   esc pause  ^p palette"),
        (80, "$0.41   esc pause"),
        (70, "$0.41"),
    ],
)
async def test_hints_drop_out_step_by_step(width: int, end: str) -> None:
    text = await drawn(width, session())
    assert text.startswith(LEFT)
    assert text.rstrip().endswith(end)


async def test_a_long_activity_is_cut_before_a_hint_goes() -> None:
    activity = Activity("tool", since=AT, tool="shell", subject="pytest " + "x" * 200)
    text = await drawn(120, session(), activity)
    assert "x…  0:03 · wake 1/25" in text
    assert text.endswith("  esc pause  ^p palette  ? help")


@pytest.mark.parametrize("width", [60, 40, 30, 12, 3, 1])
async def test_a_narrow_line_keeps_what_is_going_on(width: int) -> None:
    assert (await drawn(width, session())).strip().startswith("▶"[: width - 1])


async def test_a_session_that_rests_offers_no_pause() -> None:
    text = await drawn(140, session("idle", "repeating shell"))
    assert text.startswith(" ◐ repeating shell  3s · resume or write to go on · wake 1/25 ·")
    assert "esc" not in text


async def test_how_to_go_on_is_kept_before_hints_and_figures() -> None:
    text = await drawn(60, session("paused", "paused: resume or write to go on"))
    assert text.startswith(" ‖ paused: resume or write to go on  3s · wake 1/25")


async def test_a_wide_mark_does_not_break_the_line() -> None:
    assert "⏳ rate limited" in await drawn(90, session("waiting", "rate limited"))


async def test_a_reason_is_not_markup() -> None:
    assert "[b]x[/b]␛[2J" in await drawn(140, session("failed", "[b]x[/b]\x1b[2J"))


async def test_without_a_session_it_says_so() -> None:
    assert (await drawn(80, SessionState())).startswith(" no session is open  ")


def test_an_unknown_context_is_said_in_tokens() -> None:
    assert "ctx 48k" in figures(session(), None, 25)


def test_a_session_that_has_used_nothing_has_no_price() -> None:
    assert figures(SessionState(session="s1"), None, 25) == ("wake 0/25",)


@pytest.mark.parametrize(
    ("sandbox", "first"), [(True, "sandbox"), (False, "no sandbox"), (None, "wake 1/25")]
)
def test_where_nobody_is_asked_it_says_whether_commands_are_held_in(
    sandbox: bool | None, first: str
) -> None:
    assert figures(session(), None, 25, sandbox)[0] == first
