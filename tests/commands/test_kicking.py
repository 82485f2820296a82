"""Schedules from an agent's file to the message, by the real worker in held time."""

import asyncio
from collections.abc import Coroutine, Iterator
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from held_time import HeldLoop, LoopClock

from longwatch.commands.serving import Duty, info
from longwatch.engine.asking import post
from longwatch.engine.storing import Summary
from longwatch.session import Intent, decode
from longwatch.session.events import AutoContinuing, SessionStarted, UserMessage
from longwatch.session.intents import Archive, Pause, Resume, Say
from longwatch.wiring import Wiring

MORNING = datetime(2026, 11, 18, 8, 0, tzinfo=UTC)
HOUR, DAY = 3600.0, 86_400.0
AGENT = "instructions: You look after the notes.\nschedule: 0 9 * * *\nmax_auto_continues: 2\n"
REHEARSAL = """
turns:
  - calls: [{name: todo_plan, arguments: {goal: Order, items: [Sort the notes]}}]
  - text: I have looked at them.
  - text: I have looked again.
  - text: I cannot bring myself to it.
reactions:
  - when: {kicked: true}
    times: 9
    text: I begin anew.
    calls: [{name: todo_list}]
  - when: {result: Sort the notes}
    times: 9
    text: Nothing has moved.
"""


class Office(Wiring):
    """A worker's process whose clock is the loop's."""

    @cached_property
    def clock(self) -> LoopClock:
        return LoopClock(MORNING)

    async def work_for(self, seconds: float) -> None:
        """Be the store's worker so long."""
        ours, supervisor = info(self), self.supervisor()
        assert self.store.register_worker(ours)
        duty, end = Duty(self, ours, supervisor), self.clock.monotonic() + seconds
        await supervisor.serve(duty.wanted, lambda: duty.over() or self.clock.monotonic() >= end)
        assert self.clock.monotonic() >= end, "a worker with a schedule has no end"
        await supervisor.close()
        self.store.unregister_worker(ours.owner)

    async def begin(self, session: str) -> None:
        """A session of the agent with the schedule, and its first work."""
        supervisor = self.supervisor()
        started = SessionStarted(
            title=session, cwd="/", model="rehearsal:notes-keeper", agent="keeper", attended=True
        )
        await supervisor.start(session, [started])
        await supervisor.close()
        self.ask(session, Say(text="Keep the notes in order."))
        await self.work_for(30)

    def ask(self, session: str, intent: Intent) -> None:
        post(self.store, self.clock, self.ids, session, intent)

    def kicks(self, session: str) -> list[UserMessage]:
        events = (decode(record.body) for record in self.store.records(session))
        return [e for e in events if isinstance(e, UserMessage) and e.source == "cron"]

    def wakes(self, session: str) -> list[int]:
        events = (decode(record.body) for record in self.store.records(session))
        return [e.n for e in events if isinstance(e, AutoContinuing)]

    def row(self, session: str) -> Summary:
        found = self.store.summary(session)
        assert found is not None
        return found


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    config = tmp_path / "config"
    for name, text in (
        ("agents/keeper/config.yaml", AGENT),
        ("rehearsals/notes-keeper.yaml", REHEARSAL),
    ):
        file = config / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
    environ = {
        "LONGWATCH_CONFIG_DIR": str(config),
        "LONGWATCH_DATA_DIR": str(tmp_path / "data"),
        "TZ": "UTC",
    }
    made = Office(environ=environ)
    yield made
    made.store.close()


def lived(story: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=HeldLoop) as runner:
        runner.run(story)


def test_a_kick_that_was_missed_for_days_comes_once_and_the_next_one_on_time(
    office: Office,
) -> None:
    async def story() -> None:
        await office.begin("s1")
        assert office.row("s1").next_kick == "2026-11-18T09:00:00.000Z"
        await office.clock.sleep(5 * DAY)
        await office.work_for(120)
        (kick,) = office.kicks("s1")
        assert "due on Wednesday, 2026-11-18 at 09:00" in kick.text
        assert kick.at.startswith("2026-11-23T08:00:")
        assert office.row("s1").next_kick == "2026-11-23T09:00:00.000Z"
        await office.clock.sleep(HOUR - 240)
        await office.work_for(240)
        _, second = office.kicks("s1")
        assert second.at.startswith("2026-11-23T09:00:0")
        assert office.row("s1").next_kick == "2026-11-24T09:00:00.000Z"

    lived(story())


def test_a_kick_is_fresh_input_and_its_budgets_are_fresh(office: Office) -> None:
    async def story() -> None:
        await office.begin("s1")
        assert office.row("s1").reason == "wake budget used up (2/2), 1 open"
        assert office.wakes("s1") == [1, 2]
        await office.clock.sleep(HOUR)
        await office.work_for(60)
        assert len(office.kicks("s1")) == 1
        assert office.wakes("s1") == [1, 2, 1, 2]
        assert office.row("s1").reason == "done"

    lived(story())


@pytest.mark.parametrize("wish", [Pause(), Archive()])
def test_what_a_person_put_aside_is_not_kicked(office: Office, wish: Intent) -> None:
    async def story() -> None:
        await office.begin("s1")
        await office.begin("s2")
        office.ask("s1", wish)
        await office.work_for(5)
        assert office.row("s1").next_kick == ""
        await office.clock.sleep(3 * DAY)
        await office.work_for(60)
        assert office.kicks("s1") == []
        assert len(office.kicks("s2")) == 1

    lived(story())


def test_times_that_passed_while_it_was_paused_are_not_made_up_for(office: Office) -> None:
    async def story() -> None:
        await office.begin("s1")
        office.ask("s1", Pause())
        await office.work_for(5)
        await office.clock.sleep(3 * DAY)
        office.ask("s1", Resume())
        await office.work_for(60)
        assert office.kicks("s1") == []
        assert office.row("s1").next_kick == "2026-11-21T09:00:00.000Z"

    lived(story())
