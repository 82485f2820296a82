"""Settings, roles and agents as a person changes them while the program runs."""

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from longwatch.adapters.settings.kinds import spell
from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.writing import FILE_MODE, make_private_folder, write_private
from longwatch.commands.editing import Editing, editor_of, session_changes
from longwatch.commands.failure import CommandFailed
from longwatch.commands.telling import info
from longwatch.commands.transfer import export
from longwatch.commands.vocabulary import Words
from longwatch.engine.conduct import Changed
from longwatch.engine.opening import state_of
from longwatch.engine.refusing import ChangeRefused, Misconfigured
from longwatch.governing import House
from longwatch.session import Intent, SessionState, advance
from longwatch.session.events import AgentChanged, RoleChanged, SettingsChanged
from longwatch.session.intents import SetSetting
from longwatch.session.state import Profile
from longwatch.ui.configuring import Draft
from longwatch.ui.dots.completing import Word
from longwatch.ui.dots.table import Kind
from longwatch.ui.services import Refused
from longwatch.wiring import Wiring

Post = Callable[[str, Intent], object]
NO_MCP = ("enabled_mcp_servers", "mcp_server_support")


class Configuration:
    """What `ui.configuring.Configuring` asks for, on a real store and real files.

    Without a session everything is about the sessions that this run of the program starts.
    """

    def __init__(self, wiring: Wiring, folder: str, post: Post) -> None:
        self._wiring = wiring
        self._post = post
        self.preset = SessionState(profile=Profile(cwd=folder, dialect=""))
        """As a session would be that is started now."""

    def state(self, session: str | None) -> SessionState:
        return self.preset if session is None else state_of(self._wiring.store, session)

    def change(self, session: str | None, wish: SetSetting) -> str:
        state = self.state(session)
        try:
            event = self._house.change(state, wish)
        except ChangeRefused as refused:
            raise Refused(str(refused)) from refused
        after = advance(state, replace(event, at=state.at))
        if session is None:
            self.preset = after
        else:
            self._post(session, wish)
        return answer_to(self._house, event, after)

    def words(self, session: str | None, kind: Kind, given: Sequence[str]) -> Sequence[Word]:
        return Words(self._wiring, self.state(session)).of(kind, given)

    def info(self, session: str | None, topic: str | None) -> str:
        try:
            return "\n".join(info(self._house, self.state(session), topic))
        except (Problems, Misconfigured) as problem:
            raise Refused(str(problem)) from problem

    def starters(self, session: str | None) -> Sequence[str]:
        try:
            agent = self._house.setup(self.state(session).profile).agent
        except Problems as problems:
            raise Refused(str(problems)) from problems
        if agent is None:
            raise Refused("No agent is active, so there are no conversation starters.")
        if not agent.conversation_starters:
            raise Refused(f"Agent '{agent.name}' has no conversation starters.")
        return agent.conversation_starters

    def export(self, session: str, form: str, file: str) -> str:
        path = Path(self.state(session).profile.cwd) / Path(file).expanduser()
        if path.is_dir():
            raise Refused(f"{path} is a folder; name a file in it.")
        try:
            write_private(path, export(self._wiring.store, session, form))
        except (OSError, CommandFailed) as error:
            raise Refused(f"Nothing was exported: {error}") from error
        return f"Exported to {path}"

    def draft(self, session: str | None, what: str, name: str | None) -> Draft:
        return Editing(self._wiring, self.state(session)).draft(what, name)

    def apply(self, session: str | None, draft: Draft, written: str) -> str:
        state = self.state(session)
        editing = Editing(self._wiring, state)
        editing.check(draft, written)
        if draft.what != "session":
            return editing.save(draft, written)
        wishes = session_changes(self._house, state, written)
        for wish in wishes:
            self._post(state.session, wish)
        return f"{len(wishes)} changed in this session." if wishes else "Nothing was changed."

    def scratch(self, draft: Draft) -> str:
        make_private_folder(self._wiring.places.data)
        stem = draft.name or draft.what
        descriptor, path = tempfile.mkstemp(
            prefix=f"{stem}-", suffix=draft.suffix, dir=self._wiring.places.data
        )
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, FILE_MODE)
            file.write(draft.text.encode())
        return path

    def editor(self) -> Sequence[str]:
        return editor_of(self._wiring.environ)

    @property
    def _house(self) -> House:
        return self._wiring.house


def answer_to(house: House, event: Changed, after: SessionState) -> str:
    """What a person is told whose change is granted."""
    where = "this session" if after.session else "this run"
    match event:
        case AgentChanged(name=name):
            return f"Agent '{name}' from now on" if name else "No agent from now on"
        case RoleChanged(name=name):
            return f"Role '{name}' from now on" if name else "No role from now on"
        case SettingsChanged(key=key, value=None):
            resolved = house.setup(after.profile).resolved
            origin = resolved.origin(key)
            source = " ".join(part for part in (origin.layer, origin.name) if part)
            return f"Unset for {where}; it is {spell(resolved[key])} now ({source})"
        case SettingsChanged(key=key):
            told = house.setup(after.profile).resolved.answer_to_set(key)
            if key in NO_MCP:
                told += "; no MCP servers can be declared yet, so nothing follows from it"
            return told.replace("this session", where, 1)
