"""What a rehearsal plays: turns in order, reactions to what happens, and faults on purpose."""

from typing import Any

import msgspec

from longwatch.adapters.models.provider import ProviderProblem
from longwatch.engine.ports import FaultKind
from longwatch.session.events import Finish, InjectedSource, Usage


class ScenarioProblem(ProviderProblem):
    """A scenario that cannot be played: which file, which line, and what is accepted."""


class NoSuchScenario(ScenarioProblem):
    """Nobody has a scenario of that name."""


class When(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must have come since the last reply; all that is given must hold."""

    injected: InjectedSource | None = None
    """The program wrote this."""
    said: str | None = None
    """A person wrote something with these words in it; empty: anything."""
    result: str | None = None
    """A tool's output has these words in it."""
    failed: str | bool | None = None
    """A call, or a call of this tool, was refused or went wrong."""
    denied: str | bool | None = None
    """A call, or a call of this tool, was not allowed."""


class Call(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool call. Arguments that are a text are sent as they stand, be they JSON or not."""

    name: str
    arguments: dict[str, Any] | str = {}


class Fault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The request fails, after so many characters of the text, so many times."""

    kind: FaultKind = "broken"
    after: int = 0
    times: int = 1
    message: str = "the rehearsal has a fault here on purpose."
    retry_after: float | None = None


class Turn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    when: When | None = None
    times: int = 1
    """How often a reaction is played."""
    pause: float = 0.3
    """Seconds before the reply begins."""
    pace: float | None = None
    finish: Finish | None = None
    usage: Usage | None = None
    fault: Fault | None = None
    empty: bool = False
    """The reply has nothing in it, on purpose."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rehearsal. ``dialect`` and ``task`` are for whoever starts a session with it."""

    turns: tuple[Turn, ...]
    title: str = ""
    about: str = ""
    dialect: str = "longwatch"
    task: str = ""
    pace: float = 30.0
    """Words a second."""
    reactions: tuple[Turn, ...] = ()
    closing: str = ""
    """What is said when the script is used up and nothing is open."""


STRUCTS: dict[str, type[msgspec.Struct]] = {
    "": Scenario,
    "turns": Turn,
    "reactions": Turn,
    "calls": Call,
    "when": When,
    "fault": Fault,
    "usage": Usage,
}
"""What stands under each key of a scenario."""


def complaint(scenario: Scenario) -> tuple[str, str] | None:
    """The first thing that makes no sense, as its path and what is wrong with it."""
    for part in ("turns", "reactions"):
        turns: tuple[Turn, ...] = getattr(scenario, part)
        for at, turn in enumerate(turns):
            wrong = _wrong(turn, reaction=part == "reactions")
            if wrong is not None:
                return f".{part}[{at}]", wrong
    if not scenario.turns:
        return ".turns", "there must be at least one turn"
    if scenario.pace <= 0:
        return ".pace", "pace must be more than 0 words a second"
    return None


def _wrong(turn: Turn, *, reaction: bool) -> str | None:
    said = bool(turn.text or turn.calls)
    if turn.empty and said:
        return "an empty turn has neither text nor calls"
    if not (turn.empty or said or turn.fault):
        return "a turn needs text, calls or a fault, or says that it is empty"
    if reaction and turn.when is None:
        return "a reaction needs a when"
    if turn.pause < 0 or (turn.pace is not None and turn.pace <= 0):
        return "pause must not be negative, and pace must be more than 0"
    return None
