"""The dashboard's services on a real store: what the screens may ask of the world."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longwatch.commands.failure import CommandFailed
from longwatch.engine.ports import Clock, Store
from longwatch.session import Intent
from longwatch.session.intents import Resume, Say
from longwatch.ui.services import Choices, Limits, NewSession, Refused, SettingRow
from longwatch.wiring import Wiring

# What only some wishes need is imported with them: the first screen waits for none of it.
# ruff: noqa: PLC0415

MEMORY_FILE = "ui.toml"


def open_dashboard(
    wiring: Wiring, folder: Path, session: str | None = None, *, resume: bool = False
) -> int:
    """Show the dashboard until the person leaves it."""
    # Textual is slow to load, and only the dashboard needs it.
    from longwatch.adapters.settings.appearance import read_appearance
    from longwatch.ui.app import Dashboard
    from longwatch.ui.themes import themes_of

    if not folder.is_dir():
        raise CommandFailed(f"{folder} is not a folder.")
    desk = Desk(wiring, str(folder.resolve()))
    if resume and session is not None:
        desk.post(session, Resume())
    looks = read_appearance(wiring.places, wiring.shipped)
    themes, complaints = themes_of(looks.themes)
    keymap: dict[str, str] = {}
    if looks.keymap is not None:
        from longwatch.ui.actions import collect, keymap_of
        from longwatch.ui.places import places

        keymap, wrong = keymap_of(looks.keymap, collect(places(Dashboard)))
        complaints = [*complaints, *wrong]
    app = Dashboard(
        desk,
        session=session,
        themes=themes,
        keymap=keymap,
        warnings=[*map(str, looks.problems), *complaints],
        tmux="TMUX" in wiring.environ,
    )
    app.run()
    wiring.store.close()
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
        from longwatch.engine.ports import Batch, Record
        from longwatch.engine.summary import summarize
        from longwatch.session import EMPTY, advance, encode

        task = Task(wanted.task, Path(wanted.cwd), None, wanted.agent, wanted.role)
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
            model=wanted.model or started.model,
            dialect=wanted.dialect or started.dialect,
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
        self.post(session, Say(text=wanted.task))
        return session

    def ensure_worker(self) -> None:
        from longwatch.commands.serving import ensure_worker

        ensure_worker(self.wiring)

    def choices(self, cwd: str) -> Choices:
        from longwatch.adapters.models.registry import TYPES, default_selection
        from longwatch.adapters.settings.files import load_global
        from longwatch.adapters.settings.problems import Problems
        from longwatch.dialects import DIALECTS

        del cwd
        library = self.wiring.house.library()
        try:
            declared = load_global(self.wiring.places, TYPES)
        except Problems as problems:
            raise Refused(str(problems)) from problems
        usual = default_selection(self.wiring.environ)
        rehearsed = sorted(
            f"rehearsal:{path.stem}"
            for path in (self.wiring.house.outside.shipped.config / "rehearsals").glob("*.yaml")
        )
        models = dict.fromkeys([usual, *declared.models, *rehearsed])
        return Choices(
            agents=tuple(library.agents()),
            roles=tuple(library.roles()),
            models=tuple(models),
            dialects=tuple(DIALECTS),
        )

    def settings(self, session: str | None) -> Sequence[SettingRow]:
        from longwatch.adapters.settings.declared import SETTINGS
        from longwatch.adapters.settings.kinds import spell
        from longwatch.adapters.settings.problems import Problems
        from longwatch.engine.opening import state_of
        from longwatch.session.state import Profile

        profile = state_of(self.store, session).profile if session else Profile(dialect="")
        try:
            resolved = self.wiring.house.setup(profile).resolved
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
        from longwatch.engine.conduct import Misconfigured
        from longwatch.engine.opening import state_of

        try:
            conduct = self.wiring.house.conduct(state_of(self.store, session))
        except Misconfigured:
            return Limits()
        return Limits(conduct.rules.loop.max_auto_continues, conduct.model.context)

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
