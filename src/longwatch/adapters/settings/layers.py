"""Which value holds: layers over one another, key by key, each value with its origin."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from longwatch.adapters.settings.checking import Standing, demand_place
from longwatch.adapters.settings.declared import SETTINGS, check, parse, setting_named
from longwatch.adapters.settings.kinds import spell
from longwatch.adapters.settings.problems import BadSetting, Problem, Problems
from longwatch.adapters.settings.setting import LAYERS, STRICT_GROUPS, Layer, Setting
from longwatch.dialects import DIALECTS, LoopSettings

OriginLayer = Layer | Literal["dialect", "schema"]


@dataclass(frozen=True)
class Given:
    """What one layer sets, and where: a file, and its own place for keys that come from elsewhere.

    ``name`` is that of the agent or role.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    name: str = ""
    places: Mapping[str, str] = field(default_factory=dict)

    def place(self, key: str) -> str:
        return self.places.get(key, self.file)

    def under(self, other: "Given") -> "Given":
        """This layer, with what another one sets put over it."""
        over = {key: value for key, value in other.values.items() if value is not None}
        places = {**self.places, **{key: other.place(key) for key in over}}
        return Given({**self.values, **over}, self.file, self.name, places)


@dataclass(frozen=True)
class Origin:
    """Where a value comes from. ``name`` is that of the agent, role or dialect."""

    layer: OriginLayer
    file: str = ""
    name: str = ""


class Row(msgspec.Struct, frozen=True):
    """One line of ``config show``."""

    key: str
    value: Any
    layer: OriginLayer
    file: str
    name: str


@dataclass(frozen=True)
class Resolved:
    """Every setting's value and origin."""

    values: Mapping[str, Any]
    origins: Mapping[str, Origin]
    hidden: frozenset[str] = frozenset()
    """Keys whose lower layers an agent hides, as strict_agents says."""
    agent: str = ""

    def __getitem__(self, key: str) -> Any:
        return self.values[setting_named(key).name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def origin(self, key: str) -> Origin:
        return self.origins[setting_named(key).name]

    def loop_settings(self) -> LoopSettings:
        return LoopSettings(**{name: self.values[name] for name in LoopSettings.__struct_fields__})

    def as_rows(self) -> list[Row]:
        """For people and scripts, in the order of the declaration."""
        return [
            Row(key, value, origin.layer, origin.file, origin.name)
            for key, value in self.values.items()
            for origin in (self.origins[key],)
        ]

    def answer_to_set(self, key: str) -> str:
        """What a person is told who has set a key for the session."""
        setting = setting_named(key)
        origin, value = self.origins[setting.name], spell(self.values[setting.name])
        if origin.layer == "agent":
            return f"Set for this session; agent '{origin.name}' sets it to {value}, which wins"
        if origin.layer == "flag":
            return f"Set for this session; a flag sets it to {value}, which wins"
        if setting.name in self.hidden:
            return f"Set for this session; agent '{self.agent}' hides it (strict_agents)"
        return "Set for this session"


def resolve(given: Mapping[Layer, Given]) -> Resolved:
    """Each key from the highest layer that sets it; absent and null fall through."""
    strict, _ = _found("strict_agents", given, LAYERS)
    hides = bool(strict) and "agent" in given
    dialect, _ = _found("dialect", given, LAYERS)
    defaults = DIALECTS[dialect or SETTINGS["dialect"].default]
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    hidden: set[str] = set()
    for name, setting in SETTINGS.items():
        layers = LAYERS
        if hides and setting.group in STRICT_GROUPS:
            layers = ("flag", "agent")
            hidden.add(name)
        value, origin = _found(name, given, layers)
        if value is None:
            value, origin = _default(setting, defaults.name, defaults.defaults)
        values[name], origins[name] = value, origin
    agent = given["agent"].name if "agent" in given else ""
    return Resolved(values, origins, frozenset(hidden), agent)


def accept(key: str, value: Any, layer: Layer = "session") -> Any:
    """A value for one layer, canonical; text is read as on a command line. Raises BadSetting."""
    demand_place(setting_named(key), Standing(layer))
    return parse(key, value) if isinstance(value, str) else check(key, value)


def from_environment(environ: Mapping[str, str]) -> Given:
    """What LONGWATCH_ variables set; raises Problems. An empty one sets nothing."""
    names = {setting.variable: name for name, setting in SETTINGS.items()}
    for name, setting in SETTINGS.items():
        names.update({f"LONGWATCH_{alias.upper()}": name for alias in setting.aliases})
    present = [(variable, key) for variable, key in names.items() if environ.get(variable)]
    return _parsed([(variable, key, environ[variable]) for variable, key in present], "global")


def from_flags(pairs: Sequence[str], options: Mapping[str, str] | None = None) -> Given:
    """What ``--set KEY=VALUE`` and options of a setting's own set; raises Problems."""
    told: list[tuple[str, str, str]] = []
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign:
            raise Problems([Problem("--set", None, "", repr(pair), "KEY=VALUE")])
        told.append(("--set", key.strip(), value))
    told += [(f"--{key.replace('_', '-')}", key, text) for key, text in (options or {}).items()]
    return _parsed(told, "flag")


def from_record(values: Mapping[str, Any]) -> Given:
    """A session's recorded settings. What this version does not accept falls through."""
    kept: dict[str, Any] = {}
    for key, value in values.items():
        try:
            kept[setting_named(key).name] = check(key, value)
        except BadSetting:
            continue
    return Given(kept)


def _parsed(told: Sequence[tuple[str, str, str]], layer: Layer) -> Given:
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    problems: list[Problem] = []
    for place, key, text in told:
        try:
            name = setting_named(key).name
            values[name] = accept(key, text, layer)
            places[name] = place
        except BadSetting as bad:
            problems.append(Problem.of(bad, place))
    if problems:
        raise Problems(problems)
    return Given(values, places=places)


def _found(name: str, given: Mapping[Layer, Given], layers: Sequence[Layer]) -> tuple[Any, Origin]:
    for layer in layers:
        values = given.get(layer)
        if values is not None and values.values.get(name) is not None:
            return values.values[name], Origin(layer, values.place(name), values.name)
    return None, Origin("schema")


def _default(setting: Setting, dialect: str, loop: LoopSettings) -> tuple[Any, Origin]:
    if setting.by_dialect:
        value = getattr(loop, setting.name)
        if value is not None:
            return value, Origin("dialect", name=dialect)
    return setting.default, Origin("schema")
