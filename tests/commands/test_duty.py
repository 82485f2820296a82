"""What the background worker has to do: schedules, children, and what others left."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import pytest

from longwatch.adapters.store.process import this_process
from longwatch.adapters.system import SystemClock
from longwatch.commands.serving import Duty, info
from longwatch.engine.storing import Owner
from longwatch.session import KnownEvent, decode_intent
from longwatch.session.events import (
    SessionStarted,
    SettingsChanged,
    StateChanged,
    UserMessage,
)
from longwatch.session.intents import Kick
from longwatch.wiring import Wiring

MORNING = datetime(2026, 11, 18, 7, 0, tzinfo=UTC)
OTHER = Owner(pid=1, started="0", boot="another", host="another.host")


class SetClock(SystemClock):
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> str:
        at = datetime.fromtimestamp(self.wall(), UTC)
        return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def wall(self) -> float:
        return MORNING.timestamp() + self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class Office(Wiring):
    @cached_property
    def clock(self) -> SetClock:
        return SetClock()


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    environ = {
        "LONGWATCH_CONFIG_DIR": str(tmp_path / "config"),
        "LONGWATCH_DATA_DIR": str(tmp_path / "data"),
        "LONGWATCH_LINGER": "60",
        "TZ": "UTC",
    }
    made = Office(environ=environ)
    yield made
    made.store.close()


async def keep(office: Office, session: str, *events: KnownEvent) -> None:
    """A session with these events, worked on as far as that goes without a model."""
    supervisor = office.supervisor()
    found = office.store.summary(session)
    if found is None:
        worker = await supervisor.start(session, events)
    else:
        worker = await supervisor.open(session)
        await worker.ledger.record(*events)
    await worker.run()
    await supervisor.close()


def begun(**more: object) -> SessionStarted:
    return SessionStarted(title="t", cwd="/", model="rehearsal:tour", **more)  # type: ignore[arg-type]


DAILY = SettingsChanged(key="schedule", value="0 9 * * *")
DONE = StateChanged(state="dormant", reason="done")


def duty_of(office: Office) -> Duty:
    ours = info(office)
    assert office.store.register_worker(ours)
    return Duty(office, ours, office.supervisor())


async def test_a_session_at_rest_shows_its_next_kick(office: Office) -> None:
    await keep(office, "s1", begun(), DAILY, DONE)
    summary = office.store.summary("s1")
    assert summary is not None
    assert (summary.schedule, summary.next_kick) == ("0 9 * * *", "2026-11-18T09:00:00.000Z")


async def test_it_is_kicked_when_its_time_has_come_and_not_before(office: Office) -> None:
    await keep(office, "s1", begun(), DAILY, DONE)
    duty = duty_of(office)
    assert duty.wanted() == ()
    office.clock.seconds += 2 * 3600 - 1
    assert duty.wanted() == ()
    office.clock.seconds += 1
    duty.wanted()
    assert duty.wanted() == ("s1",)
    (posted,) = office.store.unanswered()
    kick = decode_intent(posted.body)
    assert isinstance(kick, Kick)
    assert "2026-11-18 at 09:00" in kick.text


async def test_kicks_that_were_missed_happen_once(office: Office) -> None:
    await keep(office, "s1", begun(), DAILY, DONE)
    office.clock.seconds += 5 * 86_400
    for _ in range(3):
        duty_of(office).wanted()
    assert len(office.store.unanswered()) == 1
    supervisor = office.supervisor()
    await supervisor.answer("s1")
    await supervisor.close()
    duty = duty_of(office)
    duty.wanted()
    assert office.store.unanswered() == []
    await keep(office, "s1", StateChanged(state="running"), DONE)
    summary = office.store.summary("s1")
    assert summary is not None
    assert summary.next_kick == "2026-11-23T09:00:00.000Z"


@pytest.mark.parametrize("state", ["paused", "failed", "awaiting_human"])
async def test_only_what_rests_is_kicked(office: Office, state: str) -> None:
    parked = StateChanged(state=state, reason="r")  # type: ignore[arg-type]
    await keep(office, "s1", begun(), DAILY, parked)
    office.clock.seconds += 86_400
    duty_of(office).wanted()
    assert office.store.unanswered() == []


async def test_a_schedule_that_is_unset_kicks_no_more(office: Office) -> None:
    await keep(office, "s1", begun(), DAILY, DONE)
    await keep(office, "s1", SettingsChanged(key="schedule", value=None))
    summary = office.store.summary("s1")
    assert summary is not None
    assert (summary.schedule, summary.next_kick) == ("", "")


async def test_the_worker_stays_while_a_session_has_a_schedule(office: Office) -> None:
    await keep(office, "s1", begun(), DAILY, DONE)
    duty = duty_of(office)
    duty.wanted()
    assert not duty.over()
    office.clock.seconds += 3600
    assert not duty.over()
    await keep(office, "s1", SettingsChanged(key="schedule", value=None))
    duty.wanted()
    assert not duty.over()
    office.clock.seconds += 61
    assert duty.over()


async def put(office: Office, session: str, *events: KnownEvent) -> None:
    """A session with these events and nobody at work on it."""
    supervisor = office.supervisor()
    await supervisor.start(session, events)
    await supervisor.close()


RUNNING = (UserMessage(text="Go", source="human"), StateChanged(state="running"))
WAITS = StateChanged(state="awaiting_peer", reason="waits for its child")


@pytest.mark.parametrize(("attended", "wanted"), [(True, ("c1",)), (False, ())])
async def test_a_child_that_was_cut_off_goes_on_if_its_family_is_the_workers(
    office: Office, attended: bool, wanted: tuple[str, ...]
) -> None:
    await put(office, "s1", begun(attended=attended), WAITS)
    await put(office, "c1", begun(parent="s1"), *RUNNING)
    assert duty_of(office).wanted() == wanted


async def test_a_child_is_left_to_the_process_that_works_on_its_parent(office: Office) -> None:
    await put(office, "s1", begun(attended=True), WAITS)
    await put(office, "c1", begun(parent="s1"), *RUNNING)
    office.store.acquire("s1", OTHER, office.clock.wall())
    assert duty_of(office).wanted() == ()
    assert this_process() != OTHER
