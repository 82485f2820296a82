"""The model's question: it cannot be missed, and what is written next answers it."""

from ui_services import FakeServices, begun, running

from longwatch.session.events import StateChanged, UserMessage
from longwatch.session.intents import Answer, Say
from longwatch.ui.app import Dashboard
from longwatch.ui.widgets.question import QuestionPanel

QUESTION = "Staging or [bold]production[/]?\n\x1b[31mThe second line."


def asking(services: FakeServices) -> None:
    services.keep(
        "s1",
        begun("release"),
        UserMessage(text="Go on.", source="human"),
        StateChanged(state="running"),
        StateChanged(state="awaiting_human", reason=QUESTION),
    )


async def test_a_question_stands_above_the_message_box_with_every_character(
    services: FakeServices,
) -> None:
    asking(services)
    app = Dashboard(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert app.main is not None
        panel = app.main.question
        assert panel.display
        assert str(panel.border_title) == "? release asks"
        shown = str(panel.query("Static").first().render())
        assert shown == "Staging or [bold]production[/]?\n␛[31mThe second line."
        assert panel.region.bottom <= app.main.box.region.y
        assert app.main.box.region.bottom <= app.size.height


async def test_what_is_written_then_is_the_answer(services: FakeServices) -> None:
    asking(services)
    app = Dashboard(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"staging", "enter")
        await pilot.pause()
        assert services.posted == [("s1", Answer(text="staging"))]


async def test_an_answered_question_goes_away(services: FakeServices) -> None:
    asking(services)
    app = Dashboard(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        services.keep(
            "s1", UserMessage(text="staging", source="answer"), StateChanged(state="running")
        )
        assert app.main is not None
        app.main.look()
        await pilot.pause()
        assert not app.main.question.display
        await pilot.press(*"more", "enter")
        await pilot.pause()
        assert services.posted[-1] == ("s1", Say(text="more"))


async def test_a_session_that_asks_nothing_has_no_panel(services: FakeServices) -> None:
    running(services, "s1", "auth")
    app = Dashboard(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert not app.query_one(QuestionPanel).display
