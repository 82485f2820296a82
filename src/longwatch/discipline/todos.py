"""Changing the list: a model's todo calls and a person's intents, as the events they make."""

from typing import assert_never

from msgspec.structs import replace

from longwatch.checklist import Author, Checklist, Kept, Refusal, merge, person
from longwatch.dialects import Desk, Looked, TodoCall, Written
from longwatch.discipline import texts
from longwatch.discipline.rules import Rules
from longwatch.session.arguments import complaint
from longwatch.session.events import (
    ChecklistChanged,
    ChecklistRefused,
    Failure,
    KnownEvent,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolKind,
    ToolStarted,
)
from longwatch.session.intents import (
    AddTodo,
    BlockTodo,
    ClearTodos,
    CompleteTodo,
    DeleteTodo,
    EditTodo,
    MoveTodo,
    ReopenTodo,
    SetGoal,
    StartTodo,
    TodoIntent,
)
from longwatch.session.state import SessionState


def todo_call(state: SessionState, rules: Rules, call: ToolCall) -> TodoCall:
    """The call as its dialect judges it."""
    siblings = sum(name in rules.todo_tools for name in state.turn.names)
    problem = complaint(call.arguments) if isinstance(call.arguments, str) else ""
    return TodoCall(call.name, call.arguments, max(1, siblings), problem)


def answer_todo(
    state: SessionState, rules: Rules, call: ToolCall, first_store_id: int = 1
) -> tuple[KnownEvent, ...]:
    """All events of one todo call. They belong into the store together."""
    dialect = rules.dialect
    kind: ToolKind = "todo_read" if call.name in dialect.reading_tools else "todo"
    current = state.checklist.current
    started = ToolStarted(
        call=call.id,
        name=call.name,
        arguments=call.arguments,
        todo=current.uid if current else None,
        kind=kind,
    )
    now = state.checklist
    seen = replace(state.seen, revision=now.revision, last_id=now.last_id)
    desk = Desk(seen, now, rules.loop.max_todos, first_store_id)
    outcome = dialect.apply(todo_call(state, rules, call), desk)
    match outcome:
        case Refusal(rule=rule, message=message):
            return (
                started,
                ChecklistRefused(rule=rule, message=message, call=call.id),
                ToolFinished(call=call.id, ok=False, output=message),
            )
        case Looked():
            return started, ToolFinished(call=call.id, ok=True, output=dialect.result(now))
        case Written():
            return started, *_written(state, rules, call, outcome, seen)
        case _:
            assert_never(outcome)


def _written(
    state: SessionState, rules: Rules, call: ToolCall, outcome: Written, seen: Checklist
) -> tuple[KnownEvent, ...]:
    dialect, now = rules.dialect, state.checklist
    merged = merge(seen, outcome.checklist, now, dialect.conventions)
    after, kept = merged.checklist, merged.kept
    output = dialect.result(after) if outcome.reply is None else outcome.reply
    if kept:
        output = dialect.with_kept(output, texts.kept_line(dialect, after, seen, kept))
    finished = ToolFinished(call=call.id, ok=True, output=output)
    if after.says_the_same(now):
        return (_unchanged(finished, outcome, kept),)
    changed = changed_event(after, by="model", action=call.name, note=outcome.note, kept=kept)
    if outcome.resets_wakes:
        changed = replace(changed, resets_wakes=True)
    return changed, finished


def _unchanged(finished: ToolFinished, outcome: Written, kept: tuple[Kept, ...]) -> ToolFinished:
    """The result carries what a recorded change would have carried."""
    if kept:
        finished = replace(finished, kept=kept)
    return replace(finished, resets_wakes=True) if outcome.resets_wakes else finished


def changed_event(
    checklist: Checklist,
    *,
    by: Author,
    action: str,
    note: str = "",
    kept: tuple[Kept, ...] = (),
) -> ChecklistChanged:
    return ChecklistChanged(
        by=by,
        action=action,
        goal=checklist.goal,
        items=tuple(item.entry() for item in checklist),
        done=checklist.done_count,
        total=len(checklist.items),
        note=note,
        kept=kept,
    )


def store_ids_wanted(rules: Rules, intent: TodoIntent) -> int:
    """How many ids of the store's counter a person's edit needs."""
    stored = rules.dialect.conventions.numbering == "store"
    return int(stored and isinstance(intent, AddTodo))


def edit_list(
    state: SessionState, rules: Rules, intent: TodoIntent, store_id: int = 1
) -> tuple[KnownEvent, ...]:
    """The events that answer a person's edit. An edit never starts a resting session."""
    before = state.checklist
    after = _edited(before, rules, intent, store_id)
    if isinstance(after, Refusal):
        return (Failure(intent=intent.id, kind=after.rule, message=after.message),)
    if after.says_the_same(before):
        message = "The list is already so; nothing was changed."
        return (Failure(intent=intent.id, kind="nothing_changed", message=message),)
    changed = changed_event(after, by="human", action=str(intent.__struct_config__.tag))
    changed = replace(changed, intent=intent.id)
    if isinstance(intent, ClearTodos):
        changed = replace(changed, resets_wakes=True)
    return changed, *_at_rest(state, after, intent.id)


def _edited(
    checklist: Checklist, rules: Rules, intent: TodoIntent, store_id: int
) -> Checklist | Refusal:
    how = rules.dialect.conventions
    match intent:
        case AddTodo(text=text, after=after):
            return person.add(checklist, how, text, after=after, store_id=store_id)
        case CompleteTodo(uid=uid):
            return person.complete(checklist, how, uid)
        case BlockTodo(uid=uid, reason=reason):
            return person.block(checklist, how, uid, reason)
        case ReopenTodo(uid=uid):
            return person.reopen(checklist, how, uid)
        case StartTodo(uid=uid):
            return person.start(checklist, how, uid)
        case EditTodo(uid=uid, text=text):
            return person.reword(checklist, uid, text)
        case MoveTodo(uid=uid, by=by):
            return person.move(checklist, how, uid, by)
        case DeleteTodo(uid=uid):
            return person.delete(checklist, how, uid)
        case ClearTodos():
            return person.clear(checklist)
        case SetGoal(goal=goal):
            return person.set_goal(checklist, goal)
        case _:
            assert_never(intent)


def _at_rest(state: SessionState, after: Checklist, intent: str) -> tuple[StateChanged, ...]:
    """A resting session's state says whether something is open, also after an edit."""
    if state.state == "dormant" and after.open_count:
        reason = f"{after.open_count} open: resume to go on"
        return (StateChanged(state="idle", reason=reason, intent=intent),)
    if state.state == "idle" and not after.open_count:
        return (StateChanged(state="dormant", reason=finished_reason(after), intent=intent),)
    return ()


def finished_reason(checklist: Checklist) -> str:
    """Why a session with nothing open rests."""
    if not checklist.blocked:
        return "done"
    held = "; ".join(f"{item.text} ({item.reason})" for item in checklist.blocked)
    return f"only blocked todos left: {held}"
