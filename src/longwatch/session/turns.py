"""Folding one turn: the reply, its calls, their results, and the approvals among them."""

import msgspec
from msgspec.structs import replace

from longwatch.session.events import (
    ApprovalGiven,
    ApprovalRequested,
    Arguments,
    AssistantMessage,
    Compacted,
    Progress,
    ProviderFault,
    ToolFinished,
    ToolStarted,
    Usage,
)
from longwatch.session.state import (
    Activation,
    Approvals,
    Memory,
    SessionState,
    Spent,
    StartedCall,
    Turn,
)


def call_digest(name: str, arguments: Arguments, output: str = "") -> str:
    """A fingerprint of exactly this call, and of its result if one is given."""
    # It loads a whole library of cryptography, and a dashboard can begin without it.
    from hashlib import blake2b  # noqa: PLC0415

    digest = blake2b(name.encode(), digest_size=12)
    digest.update(b"\0" + msgspec.json.encode(arguments))
    if output:
        digest.update(b"\0" + output.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def with_unsent(memory: Memory, text: str) -> Memory:
    """With one more text for the model to read."""
    return Memory(
        memory.past,
        memory.unsent + len(text),
        memory.compacted_to,
        memory.too_long,
        memory.summarizing,
    )


def compacted(state: SessionState, event: Compacted) -> SessionState:
    """What the model reads is smaller; the list, the counters and the budget stay."""
    state = _charged(state, event.usage or None)
    return replace(
        state,
        spent=replace(state.spent, context=event.after),
        memory=Memory(past="compacted", compacted_to=event.after),
    )


def faulted(state: SessionState, event: ProviderFault) -> SessionState:
    """Only that a conversation does not fit matters beyond its own request."""
    memory = state.memory
    if event.kind != "context" or memory.summarizing:
        return state
    return replace(state, memory=replace(memory, too_long=(*memory.too_long, event.message)))


def _remembered(memory: Memory, event: AssistantMessage) -> Memory:
    unsent = 0 if event.usage is not None else memory.unsent + len(event.text)
    return Memory(past="grown", unsent=unsent, compacted_to=memory.compacted_to)


def replied(state: SessionState, event: AssistantMessage) -> SessionState:
    state = _charged(state, event.usage)
    if event.partial:
        cut_off = event.finish == "cancelled" and bool(event.text)
        return replace(state, cut_off=True) if cut_off else state
    activation = state.activation
    cut = event.finish == "length" and any(isinstance(c.arguments, str) for c in event.tool_calls)
    turn = Turn(
        text=event.text,
        finish=event.finish,
        pending=event.tool_calls,
        names=tuple(call.name for call in event.tool_calls),
        forced=state.forced,
    )
    return replace(
        state,
        turn=turn,
        memory=_remembered(state.memory, event),
        forced=False,
        owes_reply=bool(event.tool_calls),
        phase="tools" if event.tool_calls else "reply",
        activation=replace(
            activation,
            turns=activation.turns + 1,
            limit_raised=activation.limit_raised or cut,
            lengthened=activation.lengthened and event.finish == "length",
        ),
    )


def _charged(state: SessionState, usage: Usage | None) -> SessionState:
    """What a fork has of another session was paid there."""
    if usage is None:
        return state
    spent, activation = state.spent, state.activation
    origin = state.profile.forked_from
    if origin is not None and state.seq < origin.seq:
        return replace(state, spent=replace(spent, context=usage.input + usage.output))
    cost = usage.cost or 0.0
    return replace(
        state,
        spent=Spent(
            input=spent.input + usage.input,
            output=spent.output + usage.output,
            cached=spent.cached + usage.cached,
            cost=spent.cost + cost,
            unpriced=spent.unpriced + (usage.cost is None),
            estimated=spent.estimated or usage.estimated,
            context=usage.input + usage.output,
        ),
        activation=replace(
            activation,
            tokens=activation.tokens + usage.input + usage.output,
            cost=activation.cost + cost,
        ),
    )


def tool_started(state: SessionState, event: ToolStarted) -> SessionState:
    started = StartedCall(event.call, event.kind)
    state = replace(state, turn=replace(state.turn, started=started))
    if not event.question:
        return state
    # Several questions of one turn are asked together.
    return replace(state, question=f"{state.question}\n{event.question}".strip())


def todo_refused(state: SessionState) -> SessionState:
    started = state.turn.started
    if started is None:
        return state
    return replace(state, turn=replace(state.turn, started=replace(started, refused=True)))


def tool_finished(state: SessionState, event: ToolFinished) -> SessionState:
    turn = state.turn
    call = next((pending for pending in turn.pending if pending.id == event.call), None)
    if call is None:
        return state
    started = turn.started if turn.started and turn.started.call == event.call else None
    denied = event.call in state.approvals.denied
    kind = started.kind if started else "tool"
    refused = started.refused if started else not denied
    activation = _counted(state.activation, event, kind, ran=started is not None and not refused)
    if event.resets_wakes is True:
        activation = replace(activation, wakes=0)
    if kind == "tool":
        activation = _repetition(
            activation, call.name, call_digest(call.name, call.arguments, event.output)
        )
    if not denied:
        activation = replace(activation, refusals=activation.refusals + 1 if refused else 0)
    valid = kind != "tool" and not refused and event.ok
    turn = replace(
        turn,
        pending=tuple(pending for pending in turn.pending if pending is not call),
        started=None,
        used_todo=turn.used_todo or kind != "tool",
        valid_todo=turn.valid_todo or valid,
        refused_todo=turn.refused_todo or (kind != "tool" and refused),
    )
    state = replace(
        state,
        turn=turn,
        activation=activation,
        approvals=_used(state.approvals, event.call),
        memory=with_unsent(state.memory, event.output),
        owes_reply=True,
    )
    if valid:
        state = replace(
            state,
            activation=replace(state.activation, corrections=0),
            guard=replace(state.guard, blocked=None, suppressed=False, correcting=False),
        )
    return state if turn.pending else _turn_over(state)


def _counted(activation: Activation, event: ToolFinished, kind: str, *, ran: bool) -> Activation:
    if kind == "todo_read":
        return replace(activation, used_tool=True)
    files = activation.files
    if not isinstance(event.files, msgspec.UnsetType):
        files = files.union(event.files)
    progress = activation.progress
    worked = ran and kind == "tool"
    return replace(
        activation,
        used_tool=True,
        moved=True,
        files=files,
        progress=Progress(progress.items, progress.tools + worked, len(files)),
    )


def _repetition(activation: Activation, name: str, digest: str) -> Activation:
    if activation.repeat == digest:
        return replace(activation, repeated=activation.repeated + 1)
    return replace(activation, repeat=digest, repeated=1, repeat_warned=False, repeating=name)


def _used(approvals: Approvals, call: str) -> Approvals:
    """An approval is used once, and a question that its call no longer needs is withdrawn."""
    if not any(call in of for of in (approvals.asked, approvals.allowed, approvals.denied)):
        return approvals
    return Approvals(
        asked={asked: shown for asked, shown in approvals.asked.items() if asked != call},
        waiting=tuple(waiting for waiting in approvals.waiting if waiting != call),
        allowed=approvals.allowed - {call},
        denied=approvals.denied - {call},
        always=approvals.always,
    )


def _turn_over(state: SessionState) -> SessionState:
    """All calls are answered: the reminders' counters move on."""
    turn, activation, guard = state.turn, state.activation, state.guard
    without = 0 if turn.used_todo else activation.turns_without_todo + 1
    if turn.valid_todo:
        guard = replace(guard, stale=0, stale_told=None)
    elif not turn.refused_todo:
        guard = replace(guard, stale=guard.stale + 1)
    return replace(
        state,
        phase="results",
        guard=guard,
        activation=replace(activation, turns_without_todo=without),
    )


def approvals_after(state: SessionState, event: ApprovalRequested | ApprovalGiven) -> Approvals:
    approvals = state.approvals
    if isinstance(event, ApprovalRequested):
        fresh = _used(approvals, event.call)
        asked = {**fresh.asked, event.call: event.fingerprint}
        return replace(fresh, asked=asked, waiting=(*fresh.waiting, event.call))
    waiting = tuple(call for call in approvals.waiting if call != event.call)
    if event.answer == "deny":
        return replace(approvals, waiting=waiting, denied=approvals.denied | {event.call})
    always = approvals.always
    call = next((call for call in state.turn.pending if call.id == event.call), None)
    if event.scope == "session" and call is not None:
        always = always | {call_digest(call.name, call.arguments)}
    return replace(
        approvals, waiting=waiting, allowed=approvals.allowed | {event.call}, always=always
    )
