"""What a wish for another setting, agent or role comes to."""

from collections.abc import Callable
from typing import Any

from msgspec import structs

from longwatch.adapters.settings.declared import setting_named
from longwatch.adapters.settings.layers import Resolved, accept
from longwatch.engine.conduct import Changed
from longwatch.engine.refusing import ChangeRefused
from longwatch.governing.setups import Setup
from longwatch.session.events import AgentChanged, RoleChanged, SettingsChanged
from longwatch.session.intents import SetSetting
from longwatch.session.state import Profile

SetUp = Callable[[Profile], Setup]
"""Everything that is configured for such a session; raises Problems."""


def changed(profile: Profile, wish: SetSetting, set_up: SetUp) -> Changed:
    """The event of a change, as far as the value alone says; raises BadSetting, ChangeRefused."""
    if wish.key in ("agent", "role"):
        kind = AgentChanged if wish.key == "agent" else RoleChanged
        return kind(name=None if wish.value is None else str(wish.value))
    key = setting_named(wish.key).name
    value = accept(wish.key, wish.value)
    if value is None and key in ("model", "dialect"):
        value = _without(profile, key, set_up)
    if key == "auto_continue" and value:
        _demand_function_calling(set_up(profile).resolved)
    return SettingsChanged(key=key, value=value, by="human")


def _without(profile: Profile, key: str, set_up: SetUp) -> Any:
    """What holds where a session, which always has a model and a dialect, has none."""
    setup = set_up(structs.replace(profile, **{key: ""}))
    return setup.model if key == "model" else setup.resolved[key]


def _demand_function_calling(resolved: Resolved) -> None:
    """Continuing means todo tools, and those are function calls."""
    key = "function_calling_support"
    if resolved[key]:
        return
    origin = resolved.origin(key)
    if origin.layer in ("agent", "flag"):
        who = f"agent '{origin.name}'" if origin.layer == "agent" else "a flag"
        first = f"{who} sets {key} to false; change it there first"
    else:
        first = f"first: .set {key} true"
    raise ChangeRefused(f"auto_continue needs function calling, which is off; {first}")
