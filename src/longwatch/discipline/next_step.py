"""What happens next: the whole wake loop as one pure function of the session's state."""

from typing import assert_never

from longwatch.checklist import millis
from longwatch.discipline import company, texts
from longwatch.discipline.after_reply import after_reply, after_resume
from longwatch.discipline.compaction import make_room
from longwatch.discipline.rules import Rules
from longwatch.discipline.schema import misfit
from longwatch.discipline.steps import (
    AnswerTodo,
    CallModel,
    Enter,
    Inject,
    Reject,
    RunTool,
    Stay,
    Step,
)
from longwatch.discipline.todos import todo_call
from longwatch.session.arguments import complaint
from longwatch.session.events import Injected, InjectedSource, ToolCall
from longwatch.session.state import SessionState

REPEATS_TOLD = 3
REPEATS_STOPPED = 5
REFUSALS_STOPPED = 6


def next_step(state: SessionState, rules: Rules) -> Step:
    """The one thing to do now. It is asked again after each step's events were folded in."""
    if state.state != "running":
        return _when_not_running(state, rules)
    if state.continuing and state.checklist.open_count:
        return Inject((_continuation(state, rules),))
    match state.phase:
        case "rest":
            return Stay()
        case "resumed":
            return after_resume(state, rules) or _request(state, rules)
        case "call":
            return _request(state, rules)
        case "tools":
            return _tool(state, rules)
        case "results":
            return _after_results(state, rules)
        case "reply":
            return after_reply(state, rules)
        case _:
            assert_never(state.phase)


def _when_not_running(state: SessionState, rules: Rules) -> Step:
    """A session runs again when what it waits for has come; a pause ends only by the person."""
    match state.state:
        case "waiting":
            return Enter("running")
        case "awaiting_approval":
            return Stay() if state.approvals.waiting else Enter("running")
        case "idle" | "dormant" | "awaiting_peer" if state.phase == "rest":
            return _when_at_rest(state, rules)
        case _ if state.phase == "rest":
            return Stay()
        case _ if state.knocking and state.activation.wakes >= rules.loop.max_auto_continues:
            return _not_waiting(state, rules) or Stay()
        case _:
            return Enter("running")


def _when_at_rest(state: SessionState, rules: Rules) -> Step:
    """Children may have ended meanwhile; nothing else wakes a session from here."""
    told = None if state.profile.archived else company.tell_of_children(state, rules)
    return told or _not_waiting(state, rules) or Stay()


def _not_waiting(state: SessionState, rules: Rules) -> Step | None:
    return company.wait_over(state, rules) if state.state == "awaiting_peer" else None


def _continuation(state: SessionState, rules: Rules) -> Injected:
    """The message of a wake that is charged already."""
    text = rules.dialect.continuation(state.checklist, rules.loop, state.activation.stalled)
    return Injected(source="continuation", text=text)


def _request(state: SessionState, rules: Rules) -> Step:
    """Call the model, unless a limit forbids it; what a person edited is told first."""
    reached = limit_reached(state, rules)
    if reached is not None:
        return Enter("idle", reached)
    told = company.tell_of_children(state, rules)
    if told is not None:
        return told
    if rules.todo_on and state.seen is not state.checklist:
        text = texts.human_edit(rules.dialect, state.seen, state.checklist)
        if text is not None:
            return Inject((Injected(source="human_edit", text=text),))
    return make_room(state, rules) or CallModel(
        tool_choice="none" if state.forced else "auto",
        raise_output_limit=state.activation.limit_raised,
        clip_outputs=bool(state.memory.too_long),
    )


def limit_reached(state: SessionState, rules: Rules) -> str | None:
    """The limit on turns, tokens, money or time that the activation has come to."""
    spent, loop = state.activation, rules.loop
    if spent.turns >= loop.max_turns:
        return f"turn limit reached ({loop.max_turns})"
    if loop.max_tokens_per_run is not None and spent.tokens >= loop.max_tokens_per_run:
        return f"token limit reached ({spent.tokens} of {loop.max_tokens_per_run})"
    if loop.max_cost_per_run is not None and spent.cost >= loop.max_cost_per_run:
        return f"cost limit reached (${spent.cost:.2f} of ${loop.max_cost_per_run:.2f})"
    if loop.max_minutes_per_run is not None:
        minutes = (millis(state.at) - millis(spent.began)) / 60_000
        if minutes >= loop.max_minutes_per_run:
            return f"time limit reached ({loop.max_minutes_per_run:g} min)"
    return None


def _tool(state: SessionState, rules: Rules) -> Step:
    call, started = state.turn.pending[0], state.turn.started
    if started is not None:
        # Nothing runs while this is asked, so a call that began and did not end was cut off.
        cut_off = next((c for c in state.turn.pending if c.id == started.call), call)
        todo = started.kind != "tool"
        return Reject(cut_off, texts.TODO_INTERRUPTED if todo else texts.INTERRUPTED)
    if call.id in state.approvals.denied:
        return Reject(call, texts.DENIED)
    if state.turn.forced:
        return Reject(call, texts.FORCED)
    if call.name not in rules.by_name:
        return Reject(call, texts.unknown_tool(call.name, rules.by_name))
    if isinstance(call.arguments, str) and state.turn.finish == "length":
        return Reject(call, texts.CUT)
    if call.name in rules.todo_tools:
        return AnswerTodo(call, rules.dialect.store_ids_wanted(todo_call(state, rules, call)))
    wrong = _bad_arguments(call, rules)
    return RunTool(call) if wrong is None else Reject(call, f"Error: {call.name}: {wrong}.")


def _bad_arguments(call: ToolCall, rules: Rules) -> str | None:
    if isinstance(call.arguments, str):
        return f"the arguments are not one JSON object: {complaint(call.arguments)}"
    return misfit(call.arguments, rules.by_name[call.name].parameters)


def _after_results(state: SessionState, rules: Rules) -> Step:
    """Reminders that are due ride on the results; then the brakes; then the model again."""
    due = _due_reminders(state, rules)
    if due:
        return Inject(due)
    activation = state.activation
    if state.turn.forced:
        return Enter("idle", "the checklist was not brought up to date")
    if activation.repeated >= REPEATS_STOPPED:
        return Enter("idle", f"repeating {activation.repeating}")
    if activation.refusals >= REFUSALS_STOPPED:
        return Enter("idle", "six tool calls in a row were refused")
    return company.ask_person(state) or _request(state, rules)


def _due_reminders(state: SessionState, rules: Rules) -> tuple[Injected, ...]:
    activation, turn = state.activation, state.turn
    due: list[tuple[InjectedSource, str]] = []
    if activation.repeated >= REPEATS_TOLD and not activation.repeat_warned:
        warning = texts.repeat_warning(activation.repeating, activation.repeated)
        due.append(("repeat_warning", warning))
    if rules.todo_on and not turn.forced:
        if _nag_due(state, rules):
            due.append(("nag", texts.NAG))
        if _stale_due(state, rules):
            due.append(("stale", texts.STALE))
    return tuple(
        Injected(source=source, text=text) for source, text in due if source not in turn.told
    )


def _nag_due(state: SessionState, rules: Rules) -> bool:
    loop = rules.loop
    wanted = loop.nag_without_list or state.checklist.open_count > 0
    return wanted and 0 < loop.nag_after <= state.activation.turns_without_todo


def _stale_due(state: SessionState, rules: Rules) -> bool:
    loop, guard, turn = rules.loop, state.guard, state.turn
    if not 0 < loop.stale_after <= guard.stale or turn.refused_todo:
        return False
    if state.checklist.open_count == 0:
        return False
    if guard.stale_told is None:
        return True
    return 0 < loop.stale_interval <= guard.stale - guard.stale_told
