"""The dashboard's services on a real store: what the screens may ask of the world."""

import gc
import os
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longwatch.commands.failure import CommandFailed
from longwatch.engine.ports import Clock
from longwatch.engine.storing import Store
from longwatch.session import Intent
from longwatch.session.intents import Resume, Say, SetSetting
from longwatch.ui.services import Choices, Limits, NewSession, Refused, SettingRow
from longwatch.wiring import Wiring

if TYPE_CHECKING:
    from longwatch.commands.setting_up import Configuration
    from longwatch.commands.welcoming import Welcome

# What only some wishes need is imported with them: the first screen waits for none of it.
# ruff: noqa: PLC0415

MEMORY_FILE = "ui.toml"


def open_dashboard(
    wiring: Wiring,
    folder: Path,
    session: str | None = None,
    *,
    resume: bool = False,
    demo: Callable[[], int] | None = None,
) -> int:
    """Show the dashboard until the person leaves it; ``demo`` plays one, if that is wished."""
    gc.disable()
    # A key waits for the next frame, a quarter as long so; nothing is drawn more often for it.
    os.environ.setdefault("TEXTUAL_FPS", "240")
    # Textual is slow to load, and only the dashboard needs it.
    from longwatch.adapters.logs import log_file
    from longwatch.adapters.settings.appearance import read_appearance, read_keymap, read_theme
    from longwatch.ui.app import DEFAULT_THEME, Dashboard
    from longwatch.ui.looks import Looks, looks_of

    if not folder.is_dir():
        raise CommandFailed(f"{folder} is not a folder.")
    desk = Desk(wiring, str(folder.resolve()))
    if resume and session is not None:
        desk.post(session, Resume())
    if any(summary.schedule for summary in wiring.store.summaries()):
        desk.ensure_worker()
    theme = str(desk.recall().get("theme", DEFAULT_THEME))
    own = read_theme(wiring.places, wiring.shipped, theme)
    looks = looks_of(own, read_keymap(wiring.places))  # What is wrong is told when all is read.

    def settled() -> Looks:
        # What was made until now stays for good: no need to look through it again and again.
        gc.freeze()
        gc.enable()
        read = read_appearance(wiring.places, wiring.shipped)
        return looks_of(read.themes, read.keymap, map(str, read.problems))

    app = Dashboard(
        desk,
        session=session,
        looks=Looks(looks.themes, looks.keymap) if looks.themes else settled(),
        settled=settled,
        log_file=str(log_file(wiring.places)),
        tmux="TMUX" in wiring.environ,
    )
    with wiring.logging("dashboard"):
        app.run()
    wiring.store.close()
    if app.wants_demo and demo is not None:
        return demo()
    return app.return_code or 0


@dataclass(frozen=True)
class Desk:
    """Services for one dashboard in one folder."""

    wiring: Wiring
    folder: str

    @property
    def store(self) -> Store:
        return self.wiring.store

    @property
    def clock(self) -> Clock:
        return self.wiring.clock

    @cached_property
    def configuring(self) -> "Configuration":
        from longwatch.commands.setting_up import Configuration

        return Configuration(self.wiring, self.folder, self.post)

    @cached_property
    def welcoming(self) -> "Welcome":
        from longwatch.commands.welcoming import Welcome

        return Welcome(self.wiring, self.recall, self.remember)

    def post(self, session: str, intent: Intent) -> str:
        from longwatch.engine.asking import post

        number = post(self.store, self.clock, self.wiring.ids, session, intent)
        self.ensure_worker()
        return number

    def withdraw(self, intent: str) -> bool:
        return self.store.withdraw(intent)

    def start(self, wanted: NewSession) -> str:
        from msgspec.structs import replace

        from longwatch.adapters.store.process import this_process
        from longwatch.commands.running import Task, first_event
        from longwatch.engine.storing import Batch, Record
        from longwatch.engine.summary import summarize
        from longwatch.session import EMPTY, advance, encode

        # What was set without a session counts for every one that is started.
        preset = self.configuring.preset.profile
        agent, role = wanted.agent or preset.agent, wanted.role or preset.role
        task = Task(wanted.task, Path(wanted.cwd), None, agent, role)
        try:
            started = first_event(self.wiring, task, attended=True)
        except CommandFailed as failed:
            raise Refused(str(failed)) from failed
        session = self.wiring.ids.new()
        started = replace(
            started,
            seq=1,
            at=self.clock.now(),
            session=session,
            model=wanted.model or preset.model or started.model,
            dialect=wanted.dialect or preset.dialect or started.dialect,
        )
        lease = self.store.acquire(session, this_process(), self.clock.wall())
        try:
            batch = Batch(
                lease=lease,
                records=[Record(1, "session_started", encode(started))],
                summary=summarize(advance(EMPTY, started), started.at),
            )
            error = self.store.append([batch])[0]
        finally:
            self.store.release(lease)
        if error is not None:
            raise Refused(str(error)) from error
        own = {**preset.settings, **({"approval": wanted.approval} if wanted.approval else {})}
        for key, value in own.items():
            self.post(session, SetSetting(key=key, value=value))
        self.post(session, Say(text=wanted.task))
        return session

    def auto_risk(self, wanted: NewSession) -> str:
        from longwatch.adapters.settings.problems import Problems
        from longwatch.session.state import Profile

        house = self.wiring.house
        profile = Profile(cwd=wanted.cwd, agent=wanted.agent, role=wanted.role)
        try:
            resolved = house.setup(profile).resolved
            if (wanted.approval or resolved["approval"]) != "auto":
                return ""
            return house.bounds.auto_risk(resolved, Path(wanted.cwd))
        except Problems as problems:
            raise Refused(str(problems)) from problems

    def allow_auto(self, cwd: str) -> None:
        from longwatch.adapters.settings.problems import Problems
        from longwatch.adapters.settings.trust import Trust

        try:
            Trust.unsandboxed(self.wiring.places).add(Path(cwd))
        except (OSError, Problems) as error:
            raise Refused(str(error)) from error

    def ensure_worker(self) -> None:
        from longwatch.commands.serving import ensure_worker

        ensure_worker(self.wiring)

    def choices(self, cwd: str) -> Choices:
        from longwatch.adapters.settings.declared import APPROVALS
        from longwatch.adapters.settings.problems import Problems
        from longwatch.commands.vocabulary import Words
        from longwatch.dialects import DIALECTS
        from longwatch.session import SessionState
        from longwatch.session.state import Profile

        profile = Profile(cwd=cwd)
        try:
            library = self.wiring.house.library_for(profile)
            models = Words(self.wiring, SessionState(profile=profile)).models()
        except Problems as problems:
            raise Refused(str(problems)) from problems
        return Choices(
            agents=tuple(library.agents()),
            roles=tuple(library.roles()),
            models=models,
            dialects=tuple(DIALECTS),
            approvals=APPROVALS,
        )

    def settings(self, session: str | None) -> Sequence[SettingRow]:
        from longwatch.adapters.settings.declared import SETTINGS
        from longwatch.adapters.settings.kinds import spell
        from longwatch.adapters.settings.problems import Problems

        try:
            resolved = self.wiring.house.setup(self.configuring.state(session).profile).resolved
        except Problems as problems:
            raise Refused(str(problems)) from problems
        return [
            SettingRow(
                row.key,
                spell(row.value),
                " ".join(part for part in (row.layer, row.name, row.file) if part),
                SETTINGS[row.key].sentence,
            )
            for row in resolved.as_rows()
        ]

    def limits(self, session: str) -> Limits:
        from longwatch.engine.opening import state_of
        from longwatch.engine.refusing import Misconfigured

        try:
            conduct = self.wiring.house.conduct(state_of(self.store, session))
        except Misconfigured:
            return Limits()
        bounds = conduct.permissions
        return Limits(
            conduct.rules.loop.max_auto_continues,
            conduct.model.context,
            bounds.sandboxed if bounds.mode == "auto" else None,
        )

    def announced(self, session: str) -> Collection[str]:
        from longwatch.adapters.settings.declared import NOTIFIED
        from longwatch.adapters.settings.problems import Problems
        from longwatch.engine.opening import state_of

        try:
            setup = self.wiring.house.setup(state_of(self.store, session).profile)
        except Problems:
            return NOTIFIED
        kinds: Collection[str] = setup.resolved["notify"]
        return kinds

    def recall(self) -> Mapping[str, Any]:
        try:
            return tomllib.loads((self.wiring.places.config / MEMORY_FILE).read_text())
        except (OSError, ValueError):
            return {}

    def remember(self, **values: Any) -> None:
        import tomli_w

        from longwatch.adapters.settings.writing import write_private

        merged = {**self.recall(), **values}
        text = tomli_w.dumps({key: value for key, value in merged.items() if value is not None})
        write_private(self.wiring.places.config / MEMORY_FILE, text.encode())
