"""One run under a bad model: a real engine, store, tools and HTTP; only the model is made up."""

import asyncio
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec
from fault_server import FaultServer

from bench.bad_model import TASK, BadModel, Temper, written
from bench.bad_speech import part_of
from longwatch.adapters.settings.layers import from_flags
from longwatch.commands.running import Task, first_event
from longwatch.session import SessionState
from longwatch.session.events import UserMessage
from longwatch.wiring import Wiring

SESSION = "bench"
Mode = Literal["off", "own", "full"]
MODES: dict[Mode, Sequence[str]] = {
    "off": (
        "auto_continue=false",
        "plan_nudge=false",
        "nag_after=0",
        "stale_after=0",
        "finalization_corrections=0",
    ),
    "own": ("auto_continue=true",),
    "full": (
        "auto_continue=true",
        "max_auto_continues=25",
        "max_idle_continues=3",
        "stop_on_identical_reply=false",
        "plan_nudge=true",
        "nag_after=3",
    ),
}
"""Without the discipline, with what the dialect's document has of it, and with all of it."""


@dataclass(frozen=True)
class Trial:
    """A run that is to be made."""

    dialect: str
    mode: Mode
    seed: int
    stops: float | None = None
    """The chance to stop in a reply, where it is not the seed's own."""

    @property
    def temper(self) -> Temper:
        own = Temper.of(self.seed)
        return own if self.stops is None else replace(own, stops=self.stops)


class Outcome(msgspec.Struct, frozen=True):
    """What came of it."""

    written: int
    """Parts that are really there."""
    ticked: int
    untrue: int
    """Ticked and not there."""
    calls: int
    wakes: int
    ending: str


def play(trial: Trial, base: Path) -> Outcome:
    """Run one session to its rest, and look at the files afterwards."""
    model = BadModel(trial.seed, trial.temper)
    with (
        FaultServer(otherwise=model.answer) as server,
        tempfile.TemporaryDirectory(dir=base) as folder,
    ):
        state = asyncio.run(_run(_wiring(trial, server.url, Path(folder)), Path(folder)))
        there = written(Path(folder) / "work")
    ticked = {part_of(item.text) for item in state.checklist if item.status == "completed"}
    return Outcome(
        written=len(there),
        ticked=len(ticked),
        untrue=len(ticked - there),
        calls=model.calls,
        wakes=state.activation.wakes,
        ending=_ending(state),
    )


def _wiring(trial: Trial, url: str, folder: Path) -> Wiring:
    config = folder / "config"
    config.mkdir()
    provider = {"type": "openai", "base_url": f"{url}/v1", "api_key_env": "TEST_KEY"}
    (config / "config.yaml").write_bytes(msgspec.json.encode({"providers": {"test": provider}}))
    return Wiring(
        environ={
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
            "TEST_KEY": "a-key-for-nothing",
            "LONGWATCH_CONFIG_DIR": str(config),
            "LONGWATCH_DATA_DIR": str(folder / "data"),
            "LONGWATCH_PATIENCE": "0.001",
        },
        flags=from_flags(
            (*MODES[trial.mode], "sandbox=off"),
            {"dialect": trial.dialect, "approval": "auto", "model": "test:bad"},
        ),
    )


async def _run(wiring: Wiring, folder: Path) -> SessionState:
    work = folder / "work"
    work.mkdir()
    with wiring.logging("bench"):
        supervisor = wiring.supervisor()
        try:
            started = first_event(wiring, Task(TASK, work), attended=False)
            said = UserMessage(text=TASK, source="human")
            return await supervisor.work(await supervisor.start(SESSION, [started, said]))
        finally:
            await supervisor.close()
            await wiring.house.close()
            wiring.store.close()


def _ending(state: SessionState) -> str:
    """Why it stopped, without what differs from run to run."""
    if state.state == "failed":
        return "failed"
    if "auto-continue is off" in state.reason:
        return "stopped with open items"
    return state.reason.split(" (")[0].removeprefix("stopped: ")
