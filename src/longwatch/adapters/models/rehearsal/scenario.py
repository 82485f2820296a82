"""What a rehearsal plays: turns in order, reactions to what happens, and faults on purpose."""

from typing import Any

import msgspec
from msgspec.structs import replace

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
    heard: str | None = None
    """Another session wrote something with these words in it; empty: anything."""
    kicked: bool | None = None
    """The session's schedule woke it."""
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


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a session plays whose task has these words in it: a subagent's part."""

    task: str
    turns: tuple[Turn, ...]
    reactions: tuple[Turn, ...] = ()
    closing: str = ""


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
    parts: tuple[Part, ...] = ()

    def part_for(self, task: str) -> "Scenario":
        """The scenario as a session with this task plays it."""
        for part in self.parts:
            if part.task.casefold() in task.casefold():
                return replace(
                    self, turns=part.turns, reactions=part.reactions, closing=part.closing
                )
        return self


STRUCTS: dict[str, type[msgspec.Struct]] = {
    "": Scenario,
    "parts": Part,
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
    wrong = _wrong_in(scenario, "")
    for at, part in enumerate(scenario.parts):
        wrong = wrong or _wrong_in(part, f".parts[{at}]")
    if wrong is not None:
        return wrong
    if scenario.pace <= 0:
        return ".pace", "pace must be more than 0 words a second"
    return None


def _wrong_in(played: Scenario | Part, where: str) -> tuple[str, str] | None:
    for kind, turns in (("turns", played.turns), ("reactions", played.reactions)):
        for at, turn in enumerate(turns):
            wrong = _wrong(turn, reaction=kind == "reactions")
            if wrong is not None:
                return f"{where}.{kind}[{at}]", wrong
    return None if played.turns else (f"{where}.turns", "there must be at least one turn")


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
