"""What happens next: budgets, reminders, guards and brakes as a pure decision."""

from longwatch.discipline.compaction import compact_at
from longwatch.discipline.guard_state import extra
from longwatch.discipline.next_step import limit_reached, next_step
from longwatch.discipline.pause import pause
from longwatch.discipline.rules import Rules
from longwatch.discipline.steps import (
    AnswerTodo,
    CallModel,
    CompactHistory,
    Enter,
    Inject,
    Reject,
    RunTool,
    Stay,
    Step,
)
from longwatch.discipline.todos import answer_todo, edit_list, store_ids_wanted

__all__ = [
    "AnswerTodo",
    "CallModel",
    "CompactHistory",
    "Enter",
    "Inject",
    "Reject",
    "Rules",
    "RunTool",
    "Stay",
    "Step",
    "answer_todo",
    "compact_at",
    "edit_list",
    "extra",
    "limit_reached",
    "next_step",
    "pause",
    "store_ids_wanted",
]
