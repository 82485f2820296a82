"""A reply without tool calls: go on or rest. The order of the checks is the contract."""

from longwatch.discipline import company, texts
from longwatch.discipline.compaction import compaction_due
from longwatch.discipline.rules import Rules
from longwatch.discipline.steps import CompactHistory, Enter, Inject, Step
from longwatch.discipline.todos import finished_reason
from longwatch.session.events import AutoContinuing, Injected, InjectedSource
from longwatch.session.state import SessionState


def after_reply(state: SessionState, rules: Rules) -> Step:
    """First match wins."""
    return (
        company.tell_of_children(state, rules)
        or company.let_in(state, rules)
        or _unfinished_reply(state, rules)
        or _explained(state)
        or company.remind_of_replies(state, rules)
        or company.wait_for_children(state)
        or company.wait_for_replies(state)
        or _plan_nudge(state, rules)
        or _nothing_open(state)
        or _off(state, rules)
        or _guard(state, rules)
        or _auto_continue_off(state, rules)
        or _identical(state, rules)
        or _go_on(state, rules)
    )


def after_resume(state: SessionState, rules: Rules) -> Step | None:
    """How a resumed session goes on; None to ask the model for the answer that it owes."""
    waits = company.ask_person(state) or company.tell_of_children(state, rules)
    if waits is not None:
        return waits
    if state.checklist.open_count == 0 or not rules.todo_on:
        if state.cut_off:
            return _inject(state, rules, "resume", texts.GO_ON) or _capped(rules)
        if state.owes_reply:
            return None
        waits = company.wait_for_children(state) or company.wait_for_replies(state)
        return waits or _nothing_open(state) or _off(state, rules)
    if rules.loop.auto_continue:
        return _go_on(state, rules)
    text = rules.dialect.continuation(state.checklist, rules.loop, 0)
    return _inject(state, rules, "resume", text) or _capped(rules)


def _inject(state: SessionState, rules: Rules, source: InjectedSource, text: str) -> Inject | None:
    """A message that causes a request, while the hard cap allows one more."""
    if state.activation.injected >= rules.loop.hard_cap:
        return None
    return Inject((Injected(source=source, text=text),))


def _capped(rules: Rules) -> Enter:
    return Enter("idle", f"injected-turn limit reached ({rules.loop.hard_cap})")


def _unfinished_reply(state: SessionState, rules: Rules) -> Step | None:
    """A reply that the output limit cut, or that was withheld: one more try each."""
    activation = state.activation
    match state.turn.finish:
        case "length" if not activation.lengthened and not state.turn.forced:
            return _inject(state, rules, "length", texts.LENGTH)
        case "refusal" if not activation.reformulated:
            nudge = _inject(state, rules, "reformulate", texts.REFORMULATE)
            return nudge or _capped(rules)
        case "refusal":
            return Enter("idle", "the model refused to go on")
        case _:
            return None


def _explained(state: SessionState) -> Step | None:
    if state.turn.forced:
        return Enter("idle", "the checklist was not brought up to date")
    return None


def _plan_nudge(state: SessionState, rules: Rules) -> Step | None:
    activation = state.activation
    if not (rules.loop.plan_nudge and rules.todo_on) or activation.attended:
        return None
    planless = not state.checklist.items and not activation.used_tool
    if not planless or activation.plan_nudged or activation.turns != 1:
        return None
    return _inject(state, rules, "plan_nudge", texts.PLAN_NUDGE)


def _nothing_open(state: SessionState) -> Step | None:
    if state.checklist.open_count:
        return None
    return Enter("dormant", finished_reason(state.checklist))


def _off(state: SessionState, rules: Rules) -> Step | None:
    if rules.todo_on:
        return None
    if rules.loop.function_calling_support:
        return Enter("idle", f"{state.checklist.open_count} open, auto-continue is off")
    return Enter("idle", f"{state.checklist.open_count} open, the todo system is off")


def _guard(state: SessionState, rules: Rules) -> Step | None:
    """The finalization guard: corrections first, then what was chosen for a model that ignores
    them."""
    loop = rules.loop
    if not loop.finalization_corrections or state.guard.suppressed:
        return None
    if state.activation.corrections < loop.finalization_corrections:
        correction = _inject(state, rules, "finalization", texts.FINALIZATION)
        return correction or _capped(rules)
    if loop.on_guard_exhausted == "proceed":
        return None
    return _inject(state, rules, "guard_blocked", texts.GUARD_BLOCKED) or _capped(rules)


def _auto_continue_off(state: SessionState, rules: Rules) -> Step | None:
    if rules.loop.auto_continue:
        return None
    return Enter("idle", f"{state.checklist.open_count} open, auto-continue is off")


def _identical(state: SessionState, rules: Rules) -> Step | None:
    activation = state.activation
    if not rules.loop.stop_on_identical_reply or state.turn.text != activation.continued_on:
        return None
    changed = activation.continued_at != state.checklist.revision
    if rules.dialect.same_list_to_be_identical and changed:
        return None
    return Enter("idle", "stopped: identical reply")


def _go_on(state: SessionState, rules: Rules) -> Step:
    """Charge one wake and continue, unless the budget, the hard cap or no progress forbids it."""
    activation, loop, checklist = state.activation, rules.loop, state.checklist
    remaining = checklist.open_count
    if activation.wakes >= loop.max_auto_continues:
        used = f"{activation.wakes}/{loop.max_auto_continues}"
        return Enter("idle", f"wake budget used up ({used}), {remaining} open")
    if activation.injected >= loop.hard_cap:
        return _capped(rules)
    stalled = 0
    if activation.continued_on is not None and not activation.moved:
        stalled = activation.stalled + 1
    if 0 < loop.max_idle_continues <= stalled:
        return Enter("idle", f"no progress in {loop.max_idle_continues} continuations")
    if compaction_due(state, rules):
        return CompactHistory()
    n, most = activation.wakes + 1, loop.max_auto_continues
    after = " after compression" if state.memory.past == "compacted" else ""
    continuing = AutoContinuing(
        n=n,
        max=most,
        remaining=remaining,
        text=f"Auto-continuing{after} ({n}/{most}): {remaining} incomplete todo(s) remain",
        progress=activation.progress,
    )
    text = rules.dialect.continuation(checklist, loop, stalled)
    return Inject(
        (*_edits_told(state, rules), continuing, Injected(source="continuation", text=text))
    )


def _edits_told(state: SessionState, rules: Rules) -> tuple[Injected, ...]:
    text = texts.human_edit(rules.dialect, state.seen, state.checklist)
    return () if text is None else (Injected(source="human_edit", text=text),)
