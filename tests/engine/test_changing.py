"""Settings that change while a session runs: at once, recorded, and still there after a restart."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from workshop import ScriptedModel, Workshop, said

from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.shipped import find_shipped
from longwatch.adapters.store.process import this_process
from longwatch.engine.asking import post
from longwatch.engine.conduct import Conduct
from longwatch.engine.supervisor import Rhythm, Supervisor
from longwatch.governing import House, Outside
from longwatch.session import Intent, KnownEvent, SessionState
from longwatch.session.events import Failure, SessionStarted, SettingsChanged, UserMessage
from longwatch.session.intents import ClearTodos, Say, SetSetting

Opened = Callable[..., "Shop"]

SUPPORT = "function_calling_support"
INIT = ("todo__init", {"goal": "g"})
ADD = ("todo__add", {"task": "one"})


class Governed(House):
    """The real configuration, with the test's model in place of the configured one."""

    def __init__(self, places: Places, model: ScriptedModel) -> None:
        super().__init__(Outside(places=places, shipped=find_shipped(), environ={}))
        self._scripted = model

    def conduct(self, state: SessionState) -> Conduct:
        return replace(super().conduct(state), model=self._scripted, model_name="m")


class Shop(Workshop):
    """A workshop that is governed by files and by what a person sets."""

    def __init__(self, folder: Path, model: ScriptedModel) -> None:
        super().__init__(folder, model)
        self.places = Places(folder / "config", folder / "data")
        self.supervisor = Supervisor(
            self.store,
            Governed(self.places, model),
            self.caller,
            self.clock,
            this_process(),
            listener=self._listen,
            rhythm=Rhythm(busy_poll=0.0, idle_poll=0.0, heartbeat=1.0),
        )

    async def begin(self, task: str = "Do it.", **started: Any) -> SessionState:
        """A session in the dialect loki, where the todo system is off until somebody wants it."""
        profile = {"cwd": "/", "model": "rehearsal:tour", "dialect": "loki", "attended": True}
        events: list[KnownEvent] = [
            SessionStarted(title="t", **{**profile, **started}),
            UserMessage(text=task, source="human"),
        ]
        return await self.supervisor.work(await self.supervisor.start("s1", events))

    def ask(self, *intents: Intent) -> None:
        for intent in intents:
            post(self.store, self.clock, self.ids, "s1", intent)

    @property
    def offered(self) -> list[bool]:
        """Whether each request offered the todo tools."""
        names = [{tool.name for tool in request.tools} for request in self.model.requests]
        return ["todo__init" in request for request in names]

    @property
    def changes(self) -> list[tuple[str, Any]]:
        events = [event for event in self.events() if isinstance(event, SettingsChanged)]
        return [(event.key, event.value) for event in events]

    @property
    def failures(self) -> list[str]:
        return [event.message for event in self.events() if isinstance(event, Failure)]


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Opened]:
    opened: list[Shop] = []

    def build(*script: Any) -> Shop:
        opened.append(Shop(tmp_path, ScriptedModel(*script)))
        return opened[-1]

    yield build
    for one in opened:
        await one.close()


async def test_the_todo_tools_are_there_from_the_next_request_on(shop: Opened) -> None:
    one = shop(said("Hello."), said("", INIT), said("", ADD), said("", ("todo__done", {"id": 1})))
    await one.begin()
    one.ask(SetSetting(key="auto_continue", value="true"), Say(text="Now plan."))
    await one.go_on()
    assert one.offered == [False, True, True, True, True]
    assert one.changes == [("auto_continue", True)]
    assert one.events()[-1].state == "dormant"


async def test_while_a_request_is_under_way_the_next_one_is_changed_already(shop: Opened) -> None:
    one = shop()

    async def meanwhile() -> None:
        one.ask(SetSetting(key="auto_continue", value="false"))
        await one.until(lambda event: isinstance(event, SettingsChanged))

    one.model.script = [
        said("Hello."),
        said("", INIT),
        [meanwhile, said("", ADD)],
        said("That is all."),
    ]
    await one.begin()
    one.ask(SetSetting(key="auto_continue", value="true"), Say(text="Plan."))
    state = await one.go_on()
    assert one.offered == [False, True, True, False]
    assert (state.state, state.reason) == ("dormant", "done")


async def test_what_was_set_is_still_set_after_a_restart(shop: Opened) -> None:
    first = shop(said("Hello."))
    await first.begin()
    first.ask(SetSetting(key="auto_continue", value="true"), Say(text="And?"))
    await first.go_on()
    await first.supervisor.close()
    second = shop(said("Still here."))
    second.ids = first.ids
    second.ask(Say(text="Go on."))
    state = await second.go_on()
    assert second.offered == [True]
    assert state.profile.settings == {"auto_continue": True}


async def test_one_wish_holds_for_the_next(shop: Opened) -> None:
    one = shop(said("Hello."))
    await one.begin()
    one.ask(
        ClearTodos(),
        SetSetting(key=SUPPORT, value="false"),
        SetSetting(key="auto_continue", value="true"),
        SetSetting(key=SUPPORT, value="null"),
        SetSetting(key="auto_continue", value="true"),
        ClearTodos(),
    )
    await one.supervisor.answer("s1")
    assert one.failures == [
        "The todo system is off, so there is no list to clear.",
        f"auto_continue needs function calling, which is off; first: .set {SUPPORT} true",
        "The todo list is already empty.",
    ]
    assert one.changes == [
        (SUPPORT, False),
        (SUPPORT, None),
        ("auto_continue", True),
    ]


async def test_clearing_the_list_stops_continuing_and_resets_the_count(shop: Opened) -> None:
    one = shop()

    async def clear() -> None:
        one.ask(ClearTodos())
        await one.until(lambda event: getattr(event, "action", "") == "todo_clear")

    one.model.script = [
        said("", INIT, ADD),
        said("I stop."),
        [clear, said("I stop here.")],
    ]
    one.places.config.mkdir()
    one.places.config_file.write_text("auto_continue: true\n")
    state = await one.begin()
    assert (state.state, state.reason) == ("dormant", "done")
    assert state.activation.wakes == 0
    assert not state.checklist.items
    assert len(one.model.requests) == 3


async def test_a_session_whose_agent_is_broken_is_mended_by_another_one(shop: Opened) -> None:
    one = shop(said("Hello."))
    folder = one.places.config / "agents" / "mine"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("instructions: Be brief.\n")
    await one.begin(agent="mine")
    (folder / "config.yaml").write_text("instrcutions: Be brief.\n")
    one.ask(Say(text="Go on."))
    state = await one.go_on()
    assert state.state == "failed"
    assert "did you mean 'instructions'?" in state.reason
    one.ask(SetSetting(key="agent", value="coder"))
    state = await one.go_on()
    assert state.profile.agent == "coder"
    assert len(one.model.requests) == 2
