"""Running one call of a tool: looked at, approved where it must be, recorded, run."""

import asyncio
import logging

from longwatch.engine.approval import judge, nobody_here, refusal
from longwatch.engine.conduct import Conduct
from longwatch.engine.deeds import started
from longwatch.engine.ledger import Ledger
from longwatch.engine.ports import Clock, Prepared, Tool, ToolOutput, ToolRefused
from longwatch.session import KnownEvent, SessionState
from longwatch.session.events import (
    ApprovalGiven,
    ApprovalRequested,
    StateChanged,
    ToolCall,
    ToolFinished,
)
from longwatch.session.turns import call_digest

log = logging.getLogger(__name__)


async def run_tool(ledger: Ledger, conduct: Conduct, call: ToolCall, clock: Clock) -> None:
    """One call from question to result. ``tool_started`` is durable before the tool runs."""
    tool = conduct.tools[call.name]
    try:
        prepared = await _prepared(tool, conduct, call)
    except ToolRefused as refused:
        await ledger.record(_failed(call, str(refused)))
        return
    questions = _questions(ledger.state, conduct, call, prepared)
    if questions:
        await ledger.record(*questions)
        return
    await ledger.record_from(lambda state: (started(state, call),))
    began = clock.monotonic()
    output = await _output(tool, prepared, conduct)
    await ledger.record(
        ToolFinished(
            call=call.id,
            ok=output.ok,
            output=output.output,
            truncated=output.truncated,
            seconds=round(clock.monotonic() - began, 3),
            files=output.files,
        )
    )


async def _prepared(tool: Tool, conduct: Conduct, call: ToolCall) -> Prepared:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    return await asyncio.to_thread(tool.prepare, arguments, conduct.place)


def _failed(call: ToolCall, output: str) -> ToolFinished:
    return ToolFinished(call=call.id, ok=False, output=output)


def _questions(
    state: SessionState, conduct: Conduct, call: ToolCall, prepared: Prepared
) -> tuple[KnownEvent, ...]:
    """What must be recorded instead of running it; nothing if it may run."""
    permissions, approvals = conduct.permissions, state.approvals
    verdict = judge(permissions, prepared.effect)
    if verdict == "refuse":
        return (_failed(call, refusal(permissions)),)
    approved = (
        call.id in approvals.allowed and approvals.asked.get(call.id) == prepared.fingerprint
    ) or call_digest(call.name, call.arguments) in approvals.always
    if verdict == "allow" or approved:
        return ()
    asked = ApprovalRequested(
        call=call.id, question=prepared.question, fingerprint=prepared.fingerprint
    )
    if conduct.approver:
        return asked, StateChanged(state="awaiting_approval", reason=_reason(call))
    denied = ApprovalGiven(call=call.id, answer="deny", by="system", scope="once")
    return asked, denied, _failed(call, nobody_here(permissions))


def _reason(call: ToolCall) -> str:
    """What waits, in one short line."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    subject = str(arguments.get("command") or arguments.get("path") or "")
    line = subject.splitlines()[0] if subject else ""
    return f"approve: {call.name} {line}".strip()[:120]


async def _output(tool: Tool, prepared: Prepared, conduct: Conduct) -> ToolOutput:
    """The boundary of a tool call: whatever goes wrong in it becomes its result."""
    try:
        return await tool.run(prepared, conduct.place)
    except ToolRefused as refused:
        return ToolOutput(ok=False, output=str(refused))
    except Exception as error:
        log.exception("the tool failed")
        return ToolOutput(ok=False, output=f"Error: the tool failed: {error}")
