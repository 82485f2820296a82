"""A scenario as a model: what it says, at which pace, and where it fails on purpose."""

import hashlib
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

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
from longwatch.adapters.models.rehearsal.playing import (
    is_asked_for_summary,
    is_compacted,
    next_turn,
)
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
from longwatch.session.transcript import AssistantText, Message, ToolResult, UserText

BYTES_PER_TOKEN = 4
SUMMARY = "The task: {{task}}\nWhat is open stands in the list; the files tell what was done."
REMEMBERED = 1000
"""How many places with a fault are remembered."""

_WORD = re.compile(r"\s*\S+\s*")
_TEMPLATE = re.compile(r"\{\{\s*(id|task|child|sender)\s*(?::\s*(.*?))?\s*\}\}")
_SENDER = re.compile(r"Message from session (\S+)")

Sleep = Callable[[float], Awaitable[None]]


class Known(msgspec.Struct, frozen=True):
    """What templates stand for, read off the messages."""

    board: Board
    task: str
    messages: Sequence[Message]

    def child(self, words: str) -> str | None:
        """The subagent that was started with these words."""
        started = re.compile(rf'Started subagent (\S+) "{re.escape(words)}', re.IGNORECASE)
        outputs = (m.output for m in self.messages if isinstance(m, ToolResult))
        return next((found[1] for text in outputs if (found := started.search(text))), None)

    @property
    def sender(self) -> str | None:
        """The session that wrote last."""
        heard = (m.text for m in reversed(self.messages) if _is_peers(m))
        return next((found[1] for text in heard if (found := _SENDER.match(text))), None)


def _is_peers(message: Message) -> TypeGuard[UserText]:
    return isinstance(message, UserText) and message.source == "peer"


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
        known = Known(board_of(request.messages), _task(request.messages), request.messages)
        text = str(_filled(turn.text, known))
        reasoning = str(_filled(turn.reasoning, known))
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
        calls = self._calls(turn, request, known)
        yield ModelReply(
            text=text,
            reasoning=reasoning,
            finish=turn.finish or _finish(calls),
            tool_calls=calls,
            usage=turn.usage or _usage(request, text, reasoning, calls),
        )

    def _turn(self, request: ModelRequest) -> Turn:
        try:
            scenario = self.scenario.part_for(_task(request.messages))
        except NoSuchScenario as problem:
            raise ModelFault("unknown_model", f"{self._provider}: {problem}") from None
        except ScenarioProblem as problem:
            raise ModelFault("bad_request", f"{self._provider}: {problem}") from None
        if is_asked_for_summary(request.messages):
            return Turn(text=SUMMARY)
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

    def _calls(self, turn: Turn, request: ModelRequest, known: Known) -> tuple[ToolCall, ...]:
        stem, first = _next_id(request.messages)
        return tuple(
            ToolCall(f"{stem}{first + at}", call.name, _arguments(call.arguments, known))
            for at, call in enumerate(turn.calls)
        )


def _arguments(given: Arguments, known: Known) -> Arguments:
    if isinstance(given, str):
        return read_arguments(str(_filled(given, known)))
    filled = _filled(given, known)
    assert isinstance(filled, dict)
    return filled


def _filled(value: Any, known: Known) -> Any:
    """A value with its templates resolved; one that is all template takes the id's own type."""
    match value:
        case str():
            whole = _TEMPLATE.fullmatch(value)
            if whole:
                return _resolved(whole, known)
            return _TEMPLATE.sub(lambda found: str(_resolved(found, known)), value)
        case dict():
            return {key: _filled(inner, known) for key, inner in value.items()}
        case list():
            return [_filled(inner, known) for inner in value]
        case _:
            return value


def _resolved(found: re.Match[str], known: Known) -> Any:
    """What a template stands for; one that cannot be resolved stays, so that it is seen."""
    value: Any
    match found[1]:
        case "task":
            value = known.task
        case "sender":
            value = known.sender
        case "child":
            value = known.child(found[2] or "")
        case _:
            value = id_of(known.board, found[2] or "")
    return found[0] if value is None else value


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
