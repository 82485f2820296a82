"""The words that complete a dot command: settings, their values, agents, roles, sessions, files."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from longwatch.adapters.models.registry import TYPES
from longwatch.adapters.settings.declared import SETTINGS, setting_named
from longwatch.adapters.settings.files import Library, load_global
from longwatch.adapters.settings.kinds import Selection, Switch, spell
from longwatch.adapters.settings.problems import BadSetting, Problems
from longwatch.adapters.settings.setting import Setting
from longwatch.governing import House
from longwatch.session import SessionState
from longwatch.ui.dots.completing import Word
from longwatch.ui.dots.table import Kind
from longwatch.wiring import Wiring

MOST = 200
"""Words of one kind that are offered."""


class Words:
    """The words of one session, or of this run of the program."""

    def __init__(self, wiring: Wiring, state: SessionState) -> None:
        self._wiring = wiring
        self._state = state

    def of(self, kind: Kind, given: Sequence[str]) -> Sequence[Word]:
        """Nothing is raised: where the files are wrong, fewer words are known."""
        look: Mapping[str, Callable[[], Sequence[Word]]] = {
            "key": self._keys,
            "value": lambda: self._values(given),
            "agent": lambda: _named(self._library.agents()),
            "role": lambda: _named(self._library.roles()),
            "session": self._sessions,
            "file": self._files,
            "number": self._starters,
        }
        try:
            return look[kind]()[:MOST] if kind in look else ()
        except (Problems, OSError):
            return ()

    @property
    def _house(self) -> House:
        return self._wiring.house

    @property
    def _library(self) -> Library:
        return self._house.library_for(self._state.profile)

    def _keys(self) -> Sequence[Word]:
        return [Word(s.name, s.sentence) for s in SETTINGS.values() if "session" in s.layers]

    def _values(self, given: Sequence[str]) -> Sequence[Word]:
        try:
            setting = setting_named(given[0])
        except BadSetting:
            return ()
        now = spell(self._house.setup(self._state.profile).resolved[setting.name])
        names = dict.fromkeys((*self._possible(setting), now, "null"))
        return [Word(name, "as it is now" if name == now else "") for name in names]

    def _possible(self, setting: Setting) -> Sequence[str]:
        kind = setting.kind
        if setting.name == "model":
            return self.models()
        if isinstance(kind, Switch):
            return ("true", "false")
        if isinstance(kind, Selection):
            tools = self._house.tool_names if setting.name == "enabled_tools" else ()
            return ("all", "none", *tools)
        options: Sequence[str] = getattr(kind, "options", ())
        return options

    def models(self) -> Sequence[str]:
        """The usual one first, then the declared ones, then what is rehearsed."""
        rehearsals = self._wiring.shipped.config / "rehearsals"
        rehearsed = sorted(f"rehearsal:{path.stem}" for path in rehearsals.glob("*.yaml"))
        declared = load_global(self._wiring.places, TYPES).models
        house = self._wiring.house
        usual = house.setup(self._state.profile).model
        return tuple(dict.fromkeys((usual, *declared, *rehearsed)))

    def _sessions(self) -> Sequence[Word]:
        listed = [s for s in self._wiring.store.summaries() if not s.temporary and not s.archived]
        titles = [s.title for s in listed]
        return [
            # A title that two sessions have names neither of them.
            Word(s.title if titles.count(s.title) == 1 else s.session, f"{s.state} {s.reason}")
            for s in listed
            if s.session != self._state.session
        ]

    def _files(self) -> Sequence[Word]:
        folder = Path(self._state.profile.cwd)
        return [Word(path.name + "/" * path.is_dir()) for path in sorted(folder.iterdir())]

    def _starters(self) -> Sequence[Word]:
        agent = self._house.setup(self._state.profile).agent
        said = agent.conversation_starters if agent is not None else ()
        return [Word(str(number), text) for number, text in enumerate(said, 1)]


def _named(paths: Mapping[str, Path]) -> Sequence[Word]:
    return [Word(name, str(path)) for name, path in paths.items()]
