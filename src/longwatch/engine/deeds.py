"""Tools that act on sessions: what they do is events, kept in one piece with their result.

Nothing of it happens outside the store, so there is nothing to approve and nothing that a crash
could cut in half. What a child or a peer then does is judged there, under its own rules.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from longwatch.dialects import ToolSpec
from longwatch.engine.ledger import Ledger, Newborn
from longwatch.engine.ports import ToolRefused
from longwatch.engine.storing import Readable
from longwatch.session import KnownEvent, SessionState
from longwatch.session.events import SessionStarted, ToolCall, ToolFinished, ToolStarted


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """What a call comes to: its result, what else is recorded, and who is born."""

    output: str
    events: tuple[KnownEvent, ...] = ()
    newborn: tuple[Newborn, ...] = ()
    question: str = ""
    """What the person is asked; the session waits for the answer."""


@dataclass(frozen=True)
class Company:
    """The other sessions, as such a tool sees them."""

    store: Readable
    child: Callable[[SessionState, str | None], tuple[SessionStarted, Sequence[KnownEvent]]]
    """How a child of a session begins, as an agent if one is named; raises Misconfigured."""


class SessionTool(Protocol):
    @property
    def spec(self) -> ToolSpec: ...

    def deed(
        self, call: ToolCall, arguments: Mapping[str, Any], state: SessionState, company: Company
    ) -> Deed:
        """What the call comes to; raises ToolRefused. Changes nothing."""
        ...


async def do(ledger: Ledger, tool: SessionTool, call: ToolCall, company: Company) -> None:
    """One call, from its start to its result, in one piece."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    try:
        deed = await asyncio.to_thread(tool.deed, call, arguments, ledger.state, company)
    except ToolRefused as refused:
        await ledger.record(ToolFinished(call=call.id, ok=False, output=str(refused)))
        return
    await ledger.record_from(
        lambda state: (
            started(state, call, deed.question),
            *deed.events,
            ToolFinished(call=call.id, ok=True, output=deed.output),
        ),
        newborn=deed.newborn,
    )


def started(state: SessionState, call: ToolCall, question: str = "") -> ToolStarted:
    """The start of a call, for the sake of whichever item is under way."""
    current = state.checklist.current
    return ToolStarted(
        call=call.id,
        name=call.name,
        arguments=call.arguments,
        todo=current.uid if current else None,
        question=question or msgspec.UNSET,
    )
