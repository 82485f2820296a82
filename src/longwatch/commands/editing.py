"""`.edit`: what a person opens in an editor, and what becomes of it afterwards."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from longwatch.adapters.models.registry import TYPES
from longwatch.adapters.settings.files import agent_of, global_of, role_of
from longwatch.adapters.settings.layers import from_record
from longwatch.adapters.settings.opening import read_text
from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.reading import parse_front_matter, parse_yaml
from longwatch.adapters.settings.sessions import parse_session, print_session
from longwatch.adapters.settings.writing import write_private
from longwatch.engine.refusing import ChangeRefused
from longwatch.governing import House
from longwatch.session import SessionState, advance
from longwatch.session.intents import Rename, SetSetting
from longwatch.session.state import Profile
from longwatch.ui.configuring import Draft, Editable
from longwatch.ui.services import Refused
from longwatch.wiring import Wiring

SESSION_FILE = "session.yaml"
SESSION_HEAD = """\
# This session's title and its own settings; a key that is taken out falls through to what agent,
# role and configuration say. Nothing changes before all of it is right.
"""
FIRST = ("function_calling_support",)
"""Settings without which others are refused, so they come first."""


class Editing:
    """The files and the session that one person can edit."""

    def __init__(self, wiring: Wiring, state: SessionState) -> None:
        self._wiring = wiring
        self._state = state

    def draft(self, what: str, name: str | None) -> Draft:
        """The text as it is now; raises Refused, also for a file that cannot be read."""
        sort: Editable = "agent" if what == "agent-config" else what  # type: ignore[assignment]
        if sort == "session":
            if not self._state.session:
                raise Refused("No session is open, so there is none to edit.")
            text = SESSION_HEAD + session_text(self._state.profile)
            return Draft("session", SESSION_FILE, text, ".yaml")
        if sort == "config":
            return Draft("config", str(self._config_file), self._config_text(), ".yaml")
        active = self._state.profile.role if sort == "role" else self._state.profile.agent
        named = name or active
        if named is None:
            raise Refused(f"No {sort} is active; name one: .edit {what} NAME")
        path, _ = self._found(sort, named)
        text = self._read(path)
        return Draft(sort, str(self._own(path)), text, path.suffix, named)

    def check(self, draft: Draft, written: str) -> None:
        """Raises Refused with everything that is wrong."""
        file = draft.file
        try:
            match draft.what:
                case "config":
                    global_of(parse_yaml(written, file), self._wiring.places.config, TYPES)
                case "role":
                    document, body = parse_front_matter(written, file)
                    _, inside = self._found("role", draft.name)
                    role_of(draft.name, document, body, in_project=inside)
                case "agent":
                    _, inside = self._found("agent", draft.name)
                    agent_of(draft.name, parse_yaml(written, file), in_project=inside)
                case "session":
                    session_changes(self._wiring.house, self._state, written)
        except Problems as problems:
            raise Refused(str(problems)) from problems

    def save(self, draft: Draft, written: str) -> str:
        """Put a file in place of the one it was; raises Refused."""
        # The file itself, where its name is a link that the person has made.
        path = Path(draft.file).resolve()
        try:
            write_private(path, written.encode())
        except OSError as error:
            raise Refused(f"{path} was not written: {error.strerror or error}") from error
        return f"Saved {path}; it counts from the next activation on."

    @property
    def _config_file(self) -> Path:
        return self._wiring.places.config_file

    def _config_text(self) -> str:
        """The person's own, else the template, in which every line is a comment."""
        own = self._read(self._config_file)
        return own or self._read(self._wiring.shipped.config / "config.yaml")

    def _found(self, sort: str, name: str) -> tuple[Path, bool]:
        library = self._wiring.house.library_for(self._state.profile)
        try:
            return library.role_file(name) if sort == "role" else library.agent_file(name)
        except Problems as problems:
            raise Refused(str(problems)) from problems

    def _own(self, path: Path) -> Path:
        """What ships is not changed: the person gets a copy of their own, which comes first."""
        shipped = self._wiring.shipped.config
        if not path.is_relative_to(shipped):
            return path
        return self._wiring.places.config / path.relative_to(shipped)

    def _read(self, path: Path) -> str:
        try:
            return read_text(path) or ""
        except Problems as problems:
            raise Refused(str(problems)) from problems


def session_text(profile: Profile) -> str:
    """A session's title and settings as YAML; its model and dialect are settings here too."""
    return print_session(profile.title, _own(profile))


def _own(profile: Profile) -> Mapping[str, Any]:
    own = {"model": profile.model or None, "dialect": profile.dialect or None, **profile.settings}
    recorded = from_record(own).values
    return {key: value for key, value in recorded.items() if value is not None}


def session_changes(house: House, state: SessionState, written: str) -> list[SetSetting | Rename]:
    """The wishes that make a session what the text says, in an order in which all are granted.

    Raises Problems for what is wrong in the text, and Refused for what the session cannot have.
    """
    told = parse_session(written, SESSION_FILE)
    if told.events is not None:
        raise Refused("A session's events cannot be edited; take the key 'events' out.")
    title = (told.title or "").strip()
    wished = list(_settings(_own(state.profile), {**told.settings, **told.safety}))
    renamed = [Rename(title=title)] if title and title != state.profile.title else []
    for wish in wished:
        state = _granted(house, state, wish)
    return [*wished, *renamed]


def _settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[SetSetting]:
    keys = dict.fromkeys((*FIRST, *before, *after))
    for key in keys:
        if before.get(key) != after.get(key):
            yield SetSetting(key=key, value=after.get(key))


def _granted(house: House, state: SessionState, wish: SetSetting) -> SessionState:
    try:
        event = house.change(state, wish)
    except ChangeRefused as refused:
        raise Refused(f"{SESSION_FILE}: {refused}") from refused
    return advance(state, replace(event, at=state.at))


def editor_of(environ: Mapping[str, str]) -> Sequence[str]:
    """The person's editor as a command line; `vi` is on every system that this runs on."""
    for variable in ("VISUAL", "EDITOR"):
        if environ.get(variable, "").strip():
            try:
                return shlex.split(environ[variable])
            except ValueError as error:
                raise Refused(f"${variable} is no command line: {error}") from error
    return ("vi",)
