"""Sessions for pictures: the wake loop itself writes the events, the tale says what happens."""

from collections import deque
from typing import Any

from events_made import Log, at
from msgspec.structs import replace
from stage import Call, Stage
from store_made import ME

from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.registry import make_tools
from longwatch.dialects import DIALECTS
from longwatch.discipline import CallModel, Rules, Stay
from longwatch.engine.opening import checkpoint_due, checkpoint_of
from longwatch.engine.storing import Batch, Checkpoint, Draft, Record, Store
from longwatch.engine.summary import summarize
from longwatch.session import KnownEvent, encode
from longwatch.session.events import (
    Finish,
    ModelStarted,
    SessionStarted,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
)

FOLDER = "/home/ada/code/shop"
MODEL = "openai:gpt-4o"
TOOLS = tuple(tool.spec for tool in make_tools(ReadMemory(), {}).values())
TURN = Usage(input=14_200, output=610, cached=9_000, cost=0.0231)


class Tale(Stage):
    """One session, told turn by turn. Each event takes a second unless the tale waits."""

    def __init__(
        self,
        session: str,
        title: str,
        *,
        began: float = 0.0,
        dialect: str = "longwatch",
        parent: str | None = None,
        **settings: Any,
    ) -> None:
        speech = DIALECTS[dialect]
        self.rules = Rules(speech, replace(speech.defaults, **settings), TOOLS, "Be useful.")
        self.log = Log(session)
        self.log.seconds = began
        self.calls = 0
        self.store_ids = 0
        self.run_tool = self._scripted
        self._results: deque[tuple[str, bool, float]] = deque()
        self._draft: Draft | None = None
        self.log.add(
            SessionStarted(
                title=title,
                cwd=FOLDER,
                model=MODEL,
                dialect=dialect,
                parent=parent,
                attended=True,
            )
        )

    def wait(self, seconds: float) -> None:
        self.log.seconds += seconds

    def ask(self) -> None:
        self.log.add(ModelStarted(model=MODEL, attempt=1))

    def answer(
        self, text: str = "", *calls: Call, finish: Finish = "stop", usage: Usage | None = None
    ) -> None:
        super().answer(text, *calls, finish=finish, usage=usage or TURN)

    def use(
        self,
        tool: str,
        output: str = "",
        *,
        ok: bool = True,
        seconds: float = 0.1,
        text: str = "",
        **arguments: Any,
    ) -> CallModel | Stay:
        """A turn with one call, and what came of it."""
        self._results.append((output, ok, seconds))
        return self.reply(text, (tool, arguments))

    def todo(self, tool: str, text: str = "", **arguments: Any) -> CallModel | Stay:
        """A turn with one call of a todo tool."""
        return self.reply(text, (tool, arguments))

    def begin(self, tool: str, text: str = "", **arguments: Any) -> ToolCall:
        """A turn whose call has not been run yet."""
        self.ask()
        self.answer(text, (tool, arguments))
        return self.log.state.turn.pending[0]

    def at_work(self, tool: str, text: str = "", **arguments: Any) -> None:
        """A turn whose tool is still running."""
        call = self.begin(tool, text, **arguments)
        self.log.add(ToolStarted(call=call.id, name=call.name, arguments=call.arguments))

    def rests(self, state: Any, reason: str) -> None:
        self.log.add(StateChanged(state=state, reason=reason))

    def streams(self, text: str, reasoning: str = "") -> None:
        """The model is asked, and so much of its reply has come in."""
        self.ask()
        self._draft = Draft(text, reasoning, at(self.log.seconds))

    def keep(self, store: Store) -> str:
        """Put it all into a store."""
        log = self.log
        lease = store.acquire(log.session, ME, 0.0)
        records = [Record(e.seq, _tag(e), encode(e)) for e in log.events]
        batch = Batch(
            lease=lease,
            records=records,
            summary=summarize(log.state, log.events[0].at),
            checkpoint=self._checkpoint(),
        )
        assert store.append([batch]) == [None]
        if self._draft is not None:
            store.put_draft(lease, self._draft)
        store.release(lease)
        return log.session

    def _checkpoint(self) -> Checkpoint | None:
        return checkpoint_of(self.log.state) if checkpoint_due(0, len(self.log.events)) else None

    def _scripted(self, call: ToolCall) -> ToolFinished:
        output, ok, seconds = self._results.popleft()
        self.wait(max(0.0, seconds - 1))
        return ToolFinished(call=call.id, ok=ok, output=output, seconds=seconds)


def _tag(event: KnownEvent) -> str:
    tag = event.__struct_config__.tag
    assert isinstance(tag, str)
    return tag
