"""A reply as it comes in."""

import pytest
from textual.strip import Strip
from ui.conversation.panes import PaneApp, draft, lines, shown, turns

from longwatch.engine.storing import Draft
from longwatch.session.events import AssistantMessage
from longwatch.ui.conversation.pacing import Pace
from longwatch.ui.conversation.sample import REPLY

SIZE = (90, 60)


def reply(seq: int, text: str, reasoning: str = "") -> AssistantMessage:
    return AssistantMessage(seq=seq, text=text, finish="stop", tool_calls=(), reasoning=reasoning)


async def test_a_streamed_reply_looks_like_a_whole_one() -> None:
    app = PaneApp()
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, turns(1), lambda _: ())
        for end in range(0, len(REPLY), 7):
            pane._stream(draft(REPLY[:end]))
        pane._stream(draft(REPLY))
        assert "▌" in "".join(lines(app)[5:])
        pane.append([reply(5, REPLY)])
        await pilot.pause()
        streamed = lines(app)
        pane.show([*turns(1), reply(5, REPLY)], None, lambda _: ())
        await pilot.pause()
        assert streamed == lines(app)


async def test_only_the_open_piece_is_drawn_again() -> None:
    app = PaneApp()
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, [], lambda _: ())
        text = "First paragraph.\n\nSecond paragraph.\n\nThird"
        pane._stream(draft(text))
        rows = pane._reader.layout.rows
        held: list[object] = [row.strips for row in rows[:2]]
        pane._stream(draft(text + " goes on"))
        assert [row.strips for row in rows[:2]] == held
        assert all(row.strips is strips for row, strips in zip(rows, held, strict=False))
        assert any("Third goes on▌" in line for line in lines(app))
        await pilot.pause()


@pytest.mark.parametrize("reasoning", ["", "Hm."])
async def test_only_changed_lines_are_painted_again(reasoning: str) -> None:
    app = PaneApp()
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, turns(5), lambda _: ())
        before = "Finished before.\n\n- a list\n\n"
        pane._stream(draft(before + "A line of words", reasoning))
        await pilot.pause()
        painted: list[int] = []
        real = pane.render_line

        def counted(y: int) -> Strip:
            painted.append(y)
            return real(y)

        pane.render_line = counted  # type: ignore[method-assign]
        pane._stream(draft(before + "A line of words, and more", reasoning))
        await pilot.pause()
        first = next(y for y, line in enumerate(lines(app)) if "A line of words" in line)
        del painted[-SIZE[1] + 2 :]
        assert painted
        assert min(painted) >= first


async def test_a_draft_that_is_taken_back_leaves_nothing() -> None:
    app = PaneApp()
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, turns(1), lambda _: ())
        before = lines(app)
        pane._stream(draft("Half a", "Hm"))
        pane._stream(draft("Something else"))
        assert not any("Half" in line for line in lines(app))
        pane._stream(None)
        await pilot.pause()
        assert lines(app) == before


async def test_reasoning_is_one_line_while_it_comes_and_after() -> None:
    app = PaneApp()
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, turns(1), lambda _: ())
        pane._stream(draft("", "First.\nSecond thought"))
        assert any("∴ thinking… Second thought" in line for line in lines(app))
        pane._stream(draft("Now", "First.\nSecond thought"))
        assert any("∴ thought: First." in line for line in lines(app))
        pane.append([reply(5, "Now then.", "First.\nSecond thought")])
        await pilot.pause()
        text = "\n".join(lines(app))
        assert text.count("∴") == 1
        assert " Now then." in text


async def test_streaming_does_not_move_someone_who_reads() -> None:
    app = PaneApp()
    async with app.run_test(size=(90, 20)) as pilot:
        pane = await shown(app, pilot, turns(30), lambda _: ())
        await pilot.press("pageup", "pageup")
        before = lines(app)
        for end in range(0, len(REPLY), 50):
            pane._stream(draft(REPLY[:end]))
        pane.append([reply(92, REPLY)])
        await pilot.pause()
        assert lines(app) == before
        assert app.scrolled[-1] == 1


async def test_someone_who_reads_a_growing_reply_stays_where_they_are() -> None:
    app = PaneApp()
    async with app.run_test(size=(90, 12)) as pilot:
        pane = await shown(app, pilot, turns(3), lambda _: ())
        pane._stream(draft(REPLY * 3))
        await pilot.press("pageup", "pageup")
        before = lines(app)
        pane._stream(draft(REPLY * 5))
        assert lines(app) == before
        pane.append([reply(11, REPLY * 5)])
        await pilot.pause()
        assert lines(app) == before


@pytest.mark.parametrize("count", [1, 5, 100])
def test_drafts_come_at_the_pace_of_the_screen(count: int) -> None:
    drawn: list[Draft | None] = []
    timers = []
    pace = Pace(drawn.append, lambda _, wake: timers.append(wake))
    for n in range(count):
        pace.put(draft(str(n)))
    assert drawn == [draft("0")]
    assert len(timers) == 1
    timers.pop()()
    assert drawn == [draft("0")] + ([draft(str(count - 1))] if count > 1 else [])


def test_the_end_of_a_draft_waits_for_its_reply() -> None:
    drawn: list[Draft | None] = []
    timers = []
    pace = Pace(drawn.append, lambda _, wake: timers.append(wake))
    pace.put(None)
    assert drawn == []
    timers.pop()()
    assert drawn == [None]
