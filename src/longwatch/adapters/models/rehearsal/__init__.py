"""The built-in model: it plays a scenario with real tools, and needs no network and no key."""

from longwatch.adapters.models.rehearsal.files import (
    find_scenario,
    load_scenario,
    shipped_rehearsals,
)
from longwatch.adapters.models.rehearsal.model import RehearsalModel, build
from longwatch.adapters.models.rehearsal.scenario import Scenario, ScenarioProblem

__all__ = [
    "RehearsalModel",
    "Scenario",
    "ScenarioProblem",
    "build",
    "find_scenario",
    "load_scenario",
    "shipped_rehearsals",
]
