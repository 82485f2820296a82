"""An engine on a real store, with a scripted model, plain tools and a clock that tests hold."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgspec.structs import replace as with_fields

from longwatch.adapters.store.process import this_process
from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.dialects import DIALECTS, ToolSpec
from longwatch.discipline import Rules
from longwatch.engine.approval import Permissions
from longwatch.engine.calling import Caller
from longwatch.engine.conduct import Changed, Conduct
from longwatch.engine.faults import Patience
from longwatch.engine.limiter import Limiters
from longwatch.engine.ports import (
    Effect,
    ModelFault,
    ModelReply,
    ModelRequest,
    Place,
    Prepared,
    ReasoningDelta,
    TextDelta,
    Tool,
    ToolOutput,
    ToolRefused,
)
from longwatch.engine.refusing import ChangeRefused, Misconfigured
from longwatch.engine.storing import Owner
from longwatch.engine.supervisor import Rhythm, Supervisor
from longwatch.session import KnownEvent, SessionState, decode
from longwatch.session.events import (
    AgentChanged,
    Finish,
    RoleChanged,
    SessionStarted,
    SettingsChanged,
    ToolCall,
    UserMessage,
)
from longwatch.session.intents import SetSetting

Part = TextDelta | ReasoningDelta | ModelReply | ModelFault | Callable[[], Any]
"""What a scripted reply does next: say, end, fail, or wait for something."""


class HeldClock:
    """Time passes when somebody sleeps, and takes no time to pass."""

    def __init__(self) -> None:
        self.seconds = 1_000_000.0
        self.slept: list[float] = []

    def now(self) -> str:
        return f"2026-11-18T08:00:{int(self.seconds) % 60:02d}.000Z"

    def wall(self) -> float:
        return 1_800_000_000.0 + self.seconds

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)


class Numbers:
    """Ids that a test can foresee."""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def new(self) -> str:
        return f"id{next(self._count)}"


def said(
    text: str = "", *calls: tuple[str, dict[str, Any] | str], finish: Finish = "stop"
) -> ModelReply:
    """A whole reply; its calls are numbered by the place they are said at."""
    called = tuple(ToolCall(f"call{k}", *call) for k, call in enumerate(calls))
    ending: Finish = "tool_calls" if called and finish == "stop" else finish
    return ModelReply(text=text, finish=ending, tool_calls=called)


class ScriptedModel:
    """Plays its script, one entry a request, and keeps what it was asked."""

    provider = "scripted"
    context: int | None = None

    def __init__(self, *script: ModelReply | ModelFault | Sequence[Part]) -> None:
        self.script = list(script)
        self.requests: list[ModelRequest] = []

    async def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[TextDelta | ReasoningDelta | ModelReply, None]:
        self.requests.append(replace_messages(request))
        entry = self.script.pop(0) if self.script else said("Nothing left to say.")
        parts: Sequence[Part] = entry if isinstance(entry, Sequence) else [entry]
        for part in parts:
            if isinstance(part, ModelFault):
                raise part
            if isinstance(part, TextDelta | ReasoningDelta | ModelReply):
                yield part
            else:
                await part()

    def preview(self, request: ModelRequest) -> Mapping[str, Any]:
        return {"model": request.model, "messages": len(request.messages)}


def replace_messages(request: ModelRequest) -> ModelRequest:
    """The request as it was when it was made."""
    return ModelRequest(
        model=request.model,
        system=request.system,
        tools=request.tools,
        messages=list(request.messages),
        tool_choice=request.tool_choice,
        max_output_tokens=request.max_output_tokens,
    )


@dataclass
class Hammer:
    """A tool that does what the test says."""

    effect: Effect = "execute"
    name: str = "hammer"
    hits: list[Mapping[str, Any]] = field(default_factory=list)
    fingerprint: str = "f"
    work: Callable[[], Any] | None = None
    output: Callable[[int], ToolOutput] = lambda hit: ToolOutput(ok=True, output=f"hit {hit}")

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, "Hit something.", {"type": "object"})

    def prepare(self, arguments: Mapping[str, Any], place: Place) -> Prepared:
        del place
        if "refuse" in arguments:
            raise ToolRefused("Error: not that.")
        return Prepared(
            effect=self.effect,
            question=f"Hit {arguments}?",
            fingerprint=self.fingerprint,
            plan=arguments,
        )

    async def run(self, prepared: Prepared, place: Place) -> ToolOutput:
        del place
        self.hits.append(prepared.plan)
        if self.work is not None:
            await self.work()
        return self.output(len(self.hits))


class Bylaws:
    """A governor that says the same of every session until a test changes it."""

    def __init__(self, conduct: Conduct, secrets: frozenset[str] = frozenset()) -> None:
        self.current = conduct
        self.secrets = secrets

    def conduct(self, state: SessionState) -> Conduct:
        del state
        return self.current

    def child(
        self, parent: SessionState, agent: str | None
    ) -> tuple[SessionStarted, Sequence[KnownEvent]]:
        if agent == "nobody":
            raise Misconfigured("there is no agent 'nobody'")
        return SessionStarted(
            cwd="/", model="m", agent=agent or parent.profile.agent, parent=parent.session
        ), ()

    def change(self, state: SessionState, wish: SetSetting) -> Changed:
        del state
        match wish:
            case SetSetting(key="nonsense"):
                raise ChangeRefused("Unknown key 'nonsense'")
            case SetSetting(key="agent", value=name):
                return AgentChanged(name=name)
            case SetSetting(key="role", value=name):
                return RoleChanged(name=name)
            case _:
                return SettingsChanged(key=wish.key, value=wish.value)


class Workshop:
    """One process's engine. Several of them may share a store's file."""

    def __init__(
        self,
        folder: Path,
        model: ScriptedModel,
        *,
        tools: Sequence[Tool] = (),
        dialect: str = "longwatch",
        permissions: Permissions | None = None,
        approver: bool = False,
        secrets: frozenset[str] = frozenset(),
        patience: Patience | None = None,
        owner: Owner | None = None,
        **settings: Any,
    ) -> None:
        self.owner = owner or this_process()
        self.clock = HeldClock()
        self.ids = Numbers()
        self.model = model
        self.store = SqliteStore.open(folder / "store.db")
        speech = DIALECTS[dialect]
        loop = with_fields(speech.defaults, **settings)
        specs = tuple(tool.spec for tool in tools)
        self.bylaws = Bylaws(
            Conduct(
                rules=Rules(speech, loop, specs, "Be useful."),
                model=model,
                model_name="m",
                place=Place(folder),
                tools={tool.spec.name: tool for tool in tools},
                permissions=permissions or Permissions(mode="auto", unsandboxed=True),
                approver=approver,
            ),
            secrets,
        )
        self.caller = Caller(
            self.clock, lambda: 0.5, Limiters(self.clock, lambda: 0.5), patience or Patience()
        )
        self.seen: list[KnownEvent] = []
        self.waiting: list[tuple[Callable[[KnownEvent], bool], asyncio.Event]] = []
        self.supervisor = Supervisor(
            self.store,
            self.bylaws,
            self.caller,
            self.clock,
            self.owner,
            listener=self._listen,
            rhythm=Rhythm(busy_poll=0.0, idle_poll=0.0, heartbeat=1.0),
        )

    def _listen(self, event: KnownEvent, body: bytes) -> None:
        del body
        self.seen.append(event)
        for wanted, found in self.waiting:
            if wanted(event):
                found.set()

    async def until(self, wanted: Callable[[KnownEvent], bool]) -> None:
        """Wait for an event that is recorded from now on."""
        found = asyncio.Event()
        self.waiting.append((wanted, found))
        await found.wait()

    def amend(self, **changes: Any) -> None:
        self.bylaws.current = replace(self.bylaws.current, **changes)

    async def run(self, task: str = "Do it.", session: str = "s1") -> SessionState:
        """A new session, worked on until it rests."""
        worker = await self.supervisor.start(
            session,
            [
                SessionStarted(title="t", cwd="/", model="m", attended=True),
                UserMessage(text=task, source="human"),
            ],
        )
        return await self.supervisor.work(worker)

    async def go_on(self, session: str = "s1") -> SessionState:
        return await self.supervisor.work(await self.supervisor.open(session))

    def events(self, session: str = "s1") -> list[Any]:
        return [decode(record.body) for record in self.store.records(session)]

    def types(self, session: str = "s1") -> list[str]:
        return [record.type for record in self.store.records(session)]

    async def close(self) -> None:
        await self.supervisor.close()
        self.store.close()
