"""A scenario as a model: what it says, at which pace, and where it fails on purpose."""

import hashlib
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from longwatch.adapters.models.provider import ProviderConfig, Surroundings
from longwatch.adapters.models.rehearsal.board import Board, board_of, id_of
from longwatch.adapters.models.rehearsal.files import (
    find_scenario,
    load_scenario,
    shipped_rehearsals,
)
from longwatch.adapters.models.rehearsal.improvised import improvise
from longwatch.adapters.models.rehearsal.playing import is_compacted, next_turn
from longwatch.adapters.models.rehearsal.scenario import (
    Fault,
    NoSuchScenario,
    Scenario,
    ScenarioProblem,
    Turn,
)
from longwatch.adapters.models.speech import encoded
from longwatch.engine.ports import (
    ModelFault,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
)
from longwatch.session.arguments import read_arguments
from longwatch.session.events import Arguments, Finish, ToolCall, Usage
from longwatch.session.transcript import AssistantText, Message, UserText

BYTES_PER_TOKEN = 4
REMEMBERED = 1000
"""How many places with a fault are remembered."""

_WORD = re.compile(r"\s*\S+\s*")
_TEMPLATE = re.compile(r"\{\{\s*(id|task)\s*(?::\s*(.*?))?\s*\}\}")

Sleep = Callable[[float], Awaitable[None]]


class RehearsalModel:
    """One scenario as a model. What it says follows from the messages alone.

    Only how often a fault was played is remembered: a request that is tried again looks the same.
    """

    def __init__(
        self,
        model: str,
        folders: Sequence[Path],
        *,
        provider: str = "rehearsal",
        speed: float = 1.0,
        sleep: Sleep,
        context: int | None = None,
    ) -> None:
        self._model = model
        self._folders = folders
        self._provider = provider
        self._speed = speed
        self._sleep = sleep
        self._context = context
        self._scenario: Scenario | None = None
        self._faults: dict[str, int] = {}

    @property
    def provider(self) -> str:
        return self._provider

    @property
    def context(self) -> int | None:
        return self._context

    @property
    def scenario(self) -> Scenario:
        """The scenario, read when it is first needed. Raises ScenarioProblem."""
        if self._scenario is None:
            self._scenario = load_scenario(find_scenario(self._model, self._folders))
        return self._scenario

    async def aclose(self) -> None:
        """There is nothing to close."""

    def preview(self, request: ModelRequest) -> Mapping[str, Any]:
        """There is no request to show; this is what is played."""
        turn = self._turn(request)
        return {
            "model": f"{self._provider}:{self._model}",
            "messages": len(request.messages),
            "tools": [tool.name for tool in request.tools],
            "plays": msgspec.to_builtins(turn),
        }

    async def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[TextDelta | ReasoningDelta | ModelReply, None]:
        turn = self._turn(request)
        board = board_of(request.messages)
        task = _task(request.messages)
        text = str(_filled(turn.text, board, task))
        reasoning = str(_filled(turn.reasoning, board, task))
        fault = self._due(turn.fault, request.messages)
        await self._wait(turn.pause)
        for word in _words(reasoning):
            yield ReasoningDelta(word)
            await self._wait(1 / self._pace(turn))
        if fault is not None:
            text = text[: fault.after]
        for word in _words(text):
            yield TextDelta(word)
            await self._wait(1 / self._pace(turn))
        if fault is not None:
            raise ModelFault(
                fault.kind, f"{self._provider}: {fault.message}", retry_after=fault.retry_after
            )
        calls = self._calls(turn, request, board, task)
        yield ModelReply(
            text=text,
            reasoning=reasoning,
            finish=turn.finish or _finish(calls),
            tool_calls=calls,
            usage=turn.usage or _usage(request, text, reasoning, calls),
        )

    def _turn(self, request: ModelRequest) -> Turn:
        try:
            scenario = self.scenario
        except NoSuchScenario as problem:
            raise ModelFault("unknown_model", f"{self._provider}: {problem}") from None
        except ScenarioProblem as problem:
            raise ModelFault("bad_request", f"{self._provider}: {problem}") from None
        turn = next_turn(scenario, request.messages)
        if turn is None:
            turn = improvise(scenario, request)
        return turn if request.tool_choice == "auto" else replace(turn, calls=())

    def _pace(self, turn: Turn) -> float:
        return turn.pace or self.scenario.pace

    async def _wait(self, seconds: float) -> None:
        if self._speed > 0 and seconds > 0:
            await self._sleep(seconds / self._speed)

    def _due(self, fault: Fault | None, messages: Sequence[Message]) -> Fault | None:
        """The turn's fault, unless it was played often enough at this place."""
        if fault is None:
            return None
        place = _fingerprint(messages)
        played = self._faults.pop(place, 0)
        self._faults[place] = played + 1
        if len(self._faults) > REMEMBERED:
            del self._faults[next(iter(self._faults))]
        return fault if played < fault.times else None

    def _calls(
        self, turn: Turn, request: ModelRequest, board: Board, task: str
    ) -> tuple[ToolCall, ...]:
        stem, first = _next_id(request.messages)
        return tuple(
            ToolCall(f"{stem}{first + at}", call.name, _arguments(call.arguments, board, task))
            for at, call in enumerate(turn.calls)
        )


def _arguments(given: Arguments, board: Board, task: str) -> Arguments:
    if isinstance(given, str):
        return read_arguments(str(_filled(given, board, task)))
    filled = _filled(given, board, task)
    assert isinstance(filled, dict)
    return filled


def _filled(value: Any, board: Board, task: str) -> Any:
    """A value with its templates resolved; one that is all template takes the id's own type."""
    match value:
        case str():
            whole = _TEMPLATE.fullmatch(value)
            if whole:
                return _resolved(whole, board, task)
            return _TEMPLATE.sub(lambda found: str(_resolved(found, board, task)), value)
        case dict():
            return {key: _filled(inner, board, task) for key, inner in value.items()}
        case list():
            return [_filled(inner, board, task) for inner in value]
        case _:
            return value


def _resolved(found: re.Match[str], board: Board, task: str) -> Any:
    """What a template stands for; one that cannot be resolved stays, so that it is seen."""
    if found[1] == "task":
        return task
    id_ = id_of(board, found[2] or "")
    return found[0] if id_ is None else id_


def _task(messages: Sequence[Message]) -> str:
    spoken = (m.text for m in messages if isinstance(m, UserText) and m.source == "human")
    return next(spoken, "")


def _finish(calls: Sequence[ToolCall]) -> Finish:
    return "tool_calls" if calls else "stop"


def _words(text: str) -> list[str]:
    """The text in pieces of one word each; together they are the text."""
    return _WORD.findall(text) or ([text] if text else [])


def _next_id(messages: Sequence[Message]) -> tuple[str, int]:
    """Calls are counted through the conversation, anew under another name after a compaction."""
    made = sum(len(message.calls) for message in messages if isinstance(message, AssistantText))
    if is_compacted(messages):
        return f"call_{_fingerprint(messages[:1])[:6]}_", made + 1
    return "call_", made + 1


def _fingerprint(messages: Sequence[Message]) -> str:
    """A name for a place in a conversation: the same for the same messages, and for no others."""
    digest = hashlib.blake2b(digest_size=8)
    for message in messages:
        digest.update(encoded(msgspec.to_builtins(message)))
    return digest.hexdigest()


def _usage(request: ModelRequest, text: str, reasoning: str, calls: Sequence[ToolCall]) -> Usage:
    """Tokens by size. A rehearsal is free."""
    read = len(request.system)
    for message in request.messages:
        match message:
            case AssistantText(text=said, calls=made):
                read += len(said) + sum(len(str(call.arguments)) for call in made)
            case UserText(text=said):
                read += len(said)
            case _:
                read += len(message.output)
    written = len(text) + len(reasoning) + sum(len(str(call.arguments)) for call in calls)
    return Usage(input=read // BYTES_PER_TOKEN, output=-(-written // BYTES_PER_TOKEN), cost=0.0)


def build(
    name: str, model: str, config: ProviderConfig, surroundings: Surroundings
) -> RehearsalModel:
    """A rehearsal of a scenario, by its name or its path."""
    return RehearsalModel(
        model,
        (*surroundings.rehearsals, shipped_rehearsals()),
        provider=name,
        speed=surroundings.speed,
        sleep=surroundings.sleep,
        context=config.context_of(model),
    )
