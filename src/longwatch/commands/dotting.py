"""A dot command in place of a task: `longwatch run --session NAME '.set max_turns 50'`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from longwatch.commands.choosing import chosen
from longwatch.commands.failure import CommandFailed
from longwatch.commands.setting_up import Configuration
from longwatch.engine.asking import NotAnswered, ask
from longwatch.engine.visible import printable
from longwatch.session import Intent, KnownEvent
from longwatch.session.events import Failure
from longwatch.session.intents import Rename, SetSetting
from longwatch.ui.dots.parsing import INTENTS, Dot, NotUnderstood, help_lines, parse, switch
from longwatch.ui.services import Refused
from longwatch.wiring import Wiring

IN_THE_DASHBOARD = ("session", "edit")
RESUME = "`longwatch resume SESSION --headless`"


def carry_out(wiring: Wiring, text: str, session: str | None, cwd: Path) -> list[str]:
    """Do what a dot command says, without a turn of the model; gives the lines to print."""
    try:
        dot = parse(text)
        return [printable(line) for line in _Headless(wiring, session, cwd).run(dot)]
    except NotUnderstood as wrong:
        raise CommandFailed(str(wrong)) from wrong
    except Refused as refused:
        raise CommandFailed(str(refused)) from refused


class _Headless:
    """The commands that mean something without a screen."""

    def __init__(self, wiring: Wiring, session: str | None, cwd: Path) -> None:
        self._wiring = wiring
        self._session = None if session is None else chosen(wiring.store, session)
        self._configuration = Configuration(wiring, str(cwd.resolve()), self._ask)

    def run(self, dot: Dot) -> Sequence[str]:
        name, word = dot.command.name, dot.word
        if name in IN_THE_DASHBOARD or (name == "exit" and word not in ("agent", "role")):
            raise CommandFailed(f".{name} works in the dashboard only.")
        if name == "continue":
            raise CommandFailed(f".continue lets the model go on: use {RESUME}.")
        if name == "help":
            return help_lines(word)
        if name == "info":
            return self._configuration.info(self._session, word).splitlines()
        session = self._demand_session(dot)
        if name in INTENTS:
            self._ask(session, INTENTS[name])
            return [f"Done. {RESUME} goes on." if name == "retry" else "Done."]
        return self._about(session, dot)

    def _about(self, session: str, dot: Dot) -> Sequence[str]:
        match dot.command.name, dot.words:
            case "set", (key, value):
                return [self._change(session, SetSetting(key=key, value=value))]
            case "agent" | "role" | "exit", (word,):
                return [self._change(session, switch(dot.command.name, word))]
            case "rename", (title,):
                self._ask(session, Rename(title=title))
                return [f"Renamed to {title}"]
            case "export", (form, file):
                return [self._configuration.export(session, form, file)]
            case "starter", ():
                starters = self._configuration.starters(session)
                return [f"{number}  {text}" for number, text in enumerate(starters, 1)]
            case "starter", _:
                raise CommandFailed("Give the starter's text as the task.")
            case _:
                raise CommandFailed(f"usage: {dot.command.usage}")

    def _change(self, session: str, wish: SetSetting) -> str:
        return self._configuration.change(session, wish)

    def _demand_session(self, dot: Dot) -> str:
        if self._session is None:
            raise CommandFailed(
                f".{dot.command.name} is about a session: add --session NAME. "
                "For one run alone there is --set KEY=VALUE."
            )
        return self._session

    def _ask(self, session: str, intent: Intent) -> None:
        """Whoever works on it answers; a refusal ends the command."""
        for event in asyncio.run(self._asked(session, intent)):
            if isinstance(event, Failure):
                raise CommandFailed(event.message)

    async def _asked(self, session: str, intent: Intent) -> list[KnownEvent]:
        wiring = self._wiring
        supervisor = wiring.supervisor()
        try:
            return await ask(wiring.store, supervisor, wiring.clock, wiring.ids, session, intent)
        except NotAnswered as late:
            raise CommandFailed(
                "The process that works on this session does not answer; it stays asked for."
            ) from late
        finally:
            await supervisor.close()
            await wiring.house.close()
