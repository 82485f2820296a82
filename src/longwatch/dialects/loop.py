"""The wake loop's settings: one typed value that a dialect gives defaults for."""

from typing import Literal

import msgspec

OnGuardExhausted = Literal["proceed", "explain"]


class LoopSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What governs continuation, reminders, guards and limits. Zero turns a counter off."""

    auto_continue: bool = False
    max_auto_continues: int = 10
    inject_todo_instructions: bool = True
    continuation_prompt: str | None = None
    stop_on_identical_reply: bool = False
    max_idle_continues: int = 0
    plan_nudge: bool = False
    nag_after: int = 0
    nag_without_list: bool = False
    stale_after: int = 0
    stale_interval: int = 0
    finalization_corrections: int = 0
    on_guard_exhausted: OnGuardExhausted = "proceed"
    max_todos: int = 0
    max_turns: int = 1000
    max_injected_turns: int | None = None
    max_tokens_per_run: int | None = None
    max_cost_per_run: float | None = None
    max_minutes_per_run: float | None = None
    function_calling_support: bool = True
    tool_description: str | None = None
    todo_system_prompt: str | None = None

    @property
    def hard_cap(self) -> int:
        """How many requests of one activation may exist only because the program injected."""
        if self.max_injected_turns is not None:
            return self.max_injected_turns
        return max(50, 2 * self.max_auto_continues)
