"""The pane as a person meets it: following, scrolling, opening, searching, selecting."""

from collections.abc import Sequence

import pytest
from ui.conversation.panes import Pages, PaneApp, lines, shown, turns

from longwatch.session import AnyEvent
from longwatch.session.events import (
    AssistantMessage,
    ChildFinished,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from longwatch.ui.conversation.book import MOST_ROWS
from longwatch.ui.conversation.layout import MOST_LINES
from longwatch.ui.conversation.sample import draft as sample_draft
from longwatch.ui.conversation.sample import sample
from longwatch.ui.widgets.conversation import Conversation

SIZE = (100, 30)


def nothing(seq: int) -> Sequence[AnyEvent]:
    del seq
    return ()


@pytest.mark.parametrize("size", [(160, 48), (110, 32), (80, 24), (60, 16), (20, 5), (8, 3)])
async def test_everything_is_drawn_at_every_size(size: tuple[int, int]) -> None:
    app = PaneApp()
    async with app.run_test(size=size) as pilot:
        pane = await shown(app, pilot, sample(), nothing)
        pane.set_draft(sample_draft())
        for key in ["up", "enter"] * 12:
            await pilot.press(key)
        assert all(
            pane.render_line(y).cell_length == pane.scrollable_content_region.width
            for y in range(pane.size.height)
        )


async def test_a_session_as_a_person_reads_it() -> None:
    app = PaneApp()
    async with app.run_test(size=(90, 70)) as pilot:
        await shown(app, pilot, sample(), nothing)
        text = "\n".join(lines(app))
    assert " ▌ Refactor the authentication module." in text
    assert " ∴ thought: The module is old." in text
    assert "   ✓ shell   pytest -q " in text
    assert "   ✗ shell   pytest -q tests/login" in text
    assert " exit 1 " in text
    assert "   ☑ todo_done 2" in text
    assert "refused (unknown_id): there is no item 9" in text
    assert " ⟳ Auto-continuing (1/25): 4 incomplete todo(s) remain" in text
    assert " ⟳ told the model: nag" in text
    assert "(https://example.org/notes)" in text
    assert " compacted: 120k → 8.0k tokens " in text
    assert " ◐ wake budget used up (25/25), 4 open" in text
    assert "   ▸ shell   make check" in text
    assert "allowed by you" in text


async def test_it_follows_the_end_until_someone_scrolls_up() -> None:
    app = PaneApp()
    events = turns(40)
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, events[:100], nothing)
        pane.append(events[100:104])
        await pilot.pause()
        assert f"make t{events[101].seq - 1}" in "\n".join(lines(app)[-6:])
        await pilot.press("pageup")
        before = lines(app)
        pane.append(events[104:])
        await pilot.pause()
        assert lines(app) == before
        assert app.scrolled[-1] > 0
        assert pane.border_subtitle == f"↓ {app.scrolled[-1]} new"
        await pilot.press("end")
        assert "make t119" in "\n".join(lines(app)[-6:])
        assert app.scrolled[-1] == 0
        assert pane.border_subtitle is None


async def test_scrolling_up_pages_back_to_the_beginning_without_a_jump() -> None:
    app = PaneApp()
    events = turns(200, "Reply {seq}. " + "word " * 60)
    pages = Pages(events)
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, events[-40:], pages)
        height = pane.size.height
        for _ in range(400):
            before = lines(app)
            await pilot.press("pageup")
            after = lines(app)
            if after == before:
                break
            # A page leaves two lines in common, wherever a page of events ends.
            kept = after.index(before[0], 1) if before[0] in after[1:] else height - 2
            assert after[kept:] == before[: height - kept] or after[height - 2 :] == before[:2]
        assert lines(app)[0] == " ▌ Begin."
        assert pages.asked


async def test_home_and_end_in_a_very_long_session() -> None:
    app = PaneApp()
    events = turns(10_000)
    pages = Pages(events)
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, events[-80:], pages)
        await pilot.press("home")
        assert lines(app)[0] == " ▌ Begin."
        assert len(pages.asked) < 20
        for _ in range(5):
            await pilot.press("pagedown")
        assert "Begin" not in "\n".join(lines(app))
        events.append(UserMessage(seq=len(events) + 1, text="Still there?", source="human"))
        pane.append(events[-1:])
        await pilot.press("end")
        assert lines(app)[-1] == " ▌ Still there?"
        assert len(pages.asked) < 40


async def test_going_to_an_event_near_or_far() -> None:
    app = PaneApp()
    events = turns(3_000)
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, events[-80:], Pages(events))
        for seq in (events[-20].seq, events[-300].seq, 300, 9, 6_000):
            pane.go_to(seq)
            await pilot.pause()
            call = next(e for e in events[seq - 1 :] if isinstance(e, ToolStarted))
            assert isinstance(call.arguments, dict)
            assert call.arguments["command"] in "\n".join(lines(app))


async def test_what_is_held_is_bounded() -> None:
    app = PaneApp()
    events = turns(6_000, "# One\n\nTwo {seq}\n\nThree")
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, events[:80], Pages(events))
        for at in range(80, len(events), 200):
            pane.append(events[at : at + 200])
        await pilot.pause()
        layout = pane._reader.layout
        assert len(layout.rows) <= MOST_ROWS
        drawn = sum(len(row.strips) for row in layout.rows if row.strips is not None)
        assert drawn <= MOST_LINES + 50
        pane.go_to(9_000)
        await pilot.pause()
        assert len(layout.rows) <= 2 * MOST_ROWS


async def test_a_call_opens_and_closes_by_key_and_by_mouse() -> None:
    app = PaneApp()
    edit = {"path": "a.py", "old": "one\ntwo\n", "new": "one\nthree\n"}
    events: list[AnyEvent] = [
        ToolStarted(seq=1, call="c", name="edit_file", arguments=edit),
        ToolFinished(seq=2, call="c", ok=True, output="Changed.", seconds=0.1),
    ]
    async with app.run_test(size=SIZE) as pilot:
        await shown(app, pilot, events, nothing)
        closed = lines(app)
        await pilot.press("up")
        assert lines(app)[0].startswith("›")
        await pilot.press("enter")
        opened = "\n".join(lines(app))
        assert "│ -two" in opened
        assert "│ +three" in opened
        assert "│ Changed." in opened
        await pilot.press("enter")
        assert [line.replace("›", " ") for line in lines(app)] == closed
        await pilot.click(Conversation, offset=(10, 1))
        assert "│ +three" in "\n".join(lines(app))


@pytest.mark.parametrize(("count", "whole"), [(4, True), (60, False)])
async def test_what_opens_at_the_lower_edge_comes_into_sight_with_its_head(
    count: int, whole: bool
) -> None:
    app = PaneApp()
    text = "\n".join(f"line {n}" for n in range(count))
    ended = ChildFinished(seq=29, child="c", title="t", outcome="done", text=text)
    async with app.run_test(size=SIZE) as pilot:
        await shown(app, pilot, [*turns(9), ended], nothing)
        await pilot.press("up", "enter")
        opened = lines(app)
        assert (f"│ line {count - 1}" in "\n".join(opened)) is whole
        assert any("child ended · done · t" in line for line in opened)
        assert "│ line" in opened[-1]


async def test_a_result_comes_into_its_line() -> None:
    app = PaneApp()
    events = turns(1)
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, events[:3], nothing)
        assert any("▸ shell   make t2" in line for line in lines(app))
        pane.append(events[3:])
        await pilot.pause()
        assert any("✓ shell   make t2" in line and line.endswith("0.5s") for line in lines(app))


async def test_resizing_keeps_the_readers_place() -> None:
    app = PaneApp()
    events = turns(100, "Reply {seq}. " + "word " * 80)
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, events[-200:], Pages(events))
        for _ in range(3):
            await pilot.press("pageup")
        top = pane._reader.view.held
        for width in (60, 140, 40, 100):
            await pilot.resize_terminal(width, 30)
            await pilot.pause()
            assert pane._reader.view.held == top


async def test_searching() -> None:
    app = PaneApp()
    events = turns(30)
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, events, nothing)
        assert pane.search("number 50.") == 1
        assert any("Reply number 50." in line for line in lines(app))
        assert pane.search("NUMBER") == 30
        first = pane._reader.finder.current
        pane.step(forward=True)
        assert pane._reader.finder.current != first
        pane.step(forward=False)
        assert pane._reader.finder.current == first
        assert pane.search("nowhere") == 0
        assert pane.search("") == 0


async def test_searching_opens_what_hides_a_match() -> None:
    app = PaneApp()
    events: list[AnyEvent] = [
        ToolStarted(seq=1, call="c", name="read_file", arguments={"path": "a"}),
        ToolFinished(seq=2, call="c", ok=True, output="first\nneedle here\nlast", seconds=0.1),
        *turns(40)[1:],
    ]
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, events, nothing)
        assert pane.search("needle") == 1
        assert any("│ needle here" in line for line in lines(app))


async def test_selecting_copies_what_was_selected() -> None:
    app = PaneApp()
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, turns(2), nothing)
        rows = lines(app)
        y = next(k for k, line in enumerate(rows) if "Reply number 2." in line)
        await pilot.mouse_down(Conversation, offset=(2, y + 1))
        await pilot.hover(Conversation, offset=(12, y + 2))
        await pilot.mouse_up(Conversation, offset=(12, y + 2))
        selected = app.screen.get_selected_text()
        assert selected is not None
        assert selected.startswith("Reply number 2.\n")
        assert "✓ shell" in selected
        # Text from before puts nothing else under the selection.
        pane.append(turns(4)[7:])
        await pilot.pause()
        assert app.screen.get_selected_text() == selected


async def test_the_wheel_scrolls() -> None:
    app = PaneApp()
    async with app.run_test(size=SIZE) as pilot:
        pane = await shown(app, pilot, turns(60), nothing)
        before = lines(app)
        pane._scroll_up_for_pointer(animate=False)
        await pilot.pause()
        assert lines(app)[2:] == before[:-2]
        assert not pane._reader.view.following
        pane._scroll_down_for_pointer(animate=False)
        await pilot.pause()
        assert lines(app) == before
        assert pane._reader.view.following


async def test_titles_are_no_markup() -> None:
    app = PaneApp()
    async with app.run_test(size=SIZE) as pilot:
        app.pane.border_title = "[red]a[/foo] \x1b[31m"
        await pilot.pause()
        assert "[red]a[/foo] ␛[31m" in str(app.pane._border_title)


async def test_it_says_what_to_do_while_nothing_is_open() -> None:
    app = PaneApp()
    async with app.run_test(size=SIZE) as pilot:
        assert any("enter starts a session" in line for line in lines(app))
        await shown(app, pilot, [UserMessage(seq=1, text="Hello", source="human")], nothing)
        assert not any("enter starts a session" in line for line in lines(app))


async def test_a_reply_without_words_is_not_shown() -> None:
    app = PaneApp()
    async with app.run_test(size=SIZE) as pilot:
        empty = AssistantMessage(seq=1, text=" \n", finish="tool_calls", tool_calls=())
        await shown(app, pilot, [empty], nothing)
        assert not any(lines(app))
