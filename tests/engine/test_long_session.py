"""A session much longer than what its model can read."""

from collections.abc import AsyncGenerator
from dataclasses import replace as with_rule
from pathlib import Path
from typing import Any

import msgspec
from workshop import Hammer, ScriptedModel, Workshop

from longwatch.discipline import compact_at
from longwatch.engine.compaction import size_of
from longwatch.engine.fsck import check
from longwatch.engine.ports import ModelFault, ModelReply, ModelRequest, ToolOutput
from longwatch.session.events import Compacted, SessionStarted, ToolCall, Usage, UserMessage
from longwatch.session.transcript import UserText

TURNS = 2000
ITEMS = 20
CONTEXT = 16_000
OUTPUT = 800


class Workhorse(ScriptedModel):
    """Hits once a turn and closes an item now and then; it knows what it reads and no more."""

    context = CONTEXT

    def __init__(self) -> None:
        super().__init__()
        self.turns = self.summaries = self.largest = 0
        self.frames: set[bytes] = set()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Any, None]:
        read = (len(request.system) + sum(map(size_of, request.messages))) // 4
        self.largest = max(self.largest, read)
        if read > CONTEXT:
            raise ModelFault("context", "The prompt is too long.")
        self.frames.add(msgspec.json.encode((request.system, request.tools)))
        last = request.messages[-1]
        if isinstance(last, UserText) and last.source == "summarize":
            self.summaries += 1
            yield ModelReply(text=f"{self.turns} turns.", finish="stop", usage=Usage(input=read))
            return
        self.turns += 1
        usage = Usage(input=read, output=20, cost=0.001)
        if self.turns == TURNS:
            yield ModelReply(text="Done.", finish="stop", usage=usage)
            return
        call = ToolCall(f"c{self.turns}", *self.move())
        yield ModelReply(
            text=f"Turn {self.turns}.", finish="tool_calls", tool_calls=(call,), usage=usage
        )

    def move(self) -> tuple[str, dict[str, Any]]:
        if self.turns == 1:
            return "todo_plan", {"goal": "g", "items": [f"item {k + 1}" for k in range(ITEMS)]}
        closed, rest = divmod(self.turns, (TURNS - 10) // ITEMS)
        if rest == 0 and closed <= ITEMS:
            return "todo_done", {"id": closed}
        return "hammer", {"turn": self.turns}


async def test_two_thousand_turns_in_sixteen_thousand_tokens(tmp_path: Path) -> None:
    model = Workhorse()
    hammer = Hammer(output=lambda hit: ToolOutput(ok=True, output=f"{hit} " + "x" * OUTPUT))
    shop = Workshop(tmp_path, model, tools=[hammer], max_turns=TURNS + 1)
    # What a disk needs for ten thousand commits is not what is tested.
    shop.store._database.writer.execute("PRAGMA synchronous = OFF")
    rules = shop.bylaws.current.rules
    shop.amend(rules=with_rule(rules, compact_at=compact_at(None, model.context)))
    # Nobody asks anything meanwhile, so nobody listens: only the work itself takes time.
    worker = await shop.supervisor.start(
        "s1", [SessionStarted(title="t", model="m"), UserMessage(text="Go.", source="human")]
    )
    await worker.run()
    state = worker.state
    assert (state.state, state.reason) == ("dormant", "done")
    assert [item.status for item in state.checklist] == ["completed"] * ITEMS
    assert state.activation.turns == model.turns == TURNS
    assert state.activation.wakes == 0
    assert len(model.frames) == 1
    assert model.summaries > 20
    assert model.largest <= CONTEXT
    compactions = [e for e in shop.events() if isinstance(e, Compacted)]
    assert len(compactions) == model.summaries
    assert all(e.after < e.before / 2 for e in compactions)
    assert check(shop.store) == []
    await shop.close()
