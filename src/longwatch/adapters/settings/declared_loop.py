"""The settings of the wake loop, with the defaults of LoopSettings."""

from longwatch.adapters.settings.kinds import Amount, Choice, Count, Switch, Text
from longwatch.adapters.settings.setting import Setting
from longwatch.dialects import LoopSettings

_LOOP = LoopSettings()

LOOP = (
    Setting(
        name="auto_continue",
        group="loop",
        kind=Switch(),
        default=_LOOP.auto_continue,
        by_dialect=True,
        sentence="Go on by itself while open todos are left.",
    ),
    Setting(
        name="max_auto_continues",
        group="loop",
        kind=Count(),
        default=_LOOP.max_auto_continues,
        by_dialect=True,
        aliases=("max_wake_cycles", "maxWakeCycles"),
        sentence="How many times one activation is continued before it rests.",
    ),
    Setting(
        name="inject_todo_instructions",
        group="loop",
        kind=Switch(),
        default=_LOOP.inject_todo_instructions,
        by_dialect=True,
        sentence="Add the dialect's short instructions to the system prompt.",
    ),
    Setting(
        name="continuation_prompt",
        group="loop",
        kind=Text(),
        default=_LOOP.continuation_prompt,
        by_dialect=True,
        sentence="The text of a continuation, before the list; null is the dialect's own.",
    ),
    Setting(
        name="stop_on_identical_reply",
        group="loop",
        kind=Switch(),
        default=_LOOP.stop_on_identical_reply,
        by_dialect=True,
        sentence="Rest when a reply repeats, word for word, the one before the last continuation.",
    ),
    Setting(
        name="max_idle_continues",
        group="loop",
        kind=Count(),
        default=_LOOP.max_idle_continues,
        by_dialect=True,
        sentence="Rest after so many continuations in a row that changed nothing; 0 is never.",
    ),
    Setting(
        name="max_todos",
        group="loop",
        kind=Count(),
        default=_LOOP.max_todos,
        by_dialect=True,
        sentence="How many items the model may have on its list; 0 is no maximum.",
    ),
    Setting(
        name="tool_description",
        group="loop",
        kind=Text(),
        default=_LOOP.tool_description,
        sentence="What the model reads about the todo tool, in the cubepi dialect.",
    ),
    Setting(
        name="todo_system_prompt",
        group="loop",
        kind=Text(),
        default=_LOOP.todo_system_prompt,
        sentence="The todo instructions in the system prompt, in the cubepi dialect.",
    ),
)

REMINDERS = (
    Setting(
        name="plan_nudge",
        group="reminders",
        kind=Switch(),
        default=_LOOP.plan_nudge,
        by_dialect=True,
        sentence="Ask once for a checklist when an unattended run begins without one.",
    ),
    Setting(
        name="nag_after",
        group="reminders",
        kind=Count(),
        default=_LOOP.nag_after,
        by_dialect=True,
        sentence="Remind of the todos after so many turns without a todo tool; 0 is never.",
    ),
    Setting(
        name="nag_without_list",
        group="reminders",
        kind=Switch(),
        default=_LOOP.nag_without_list,
        by_dialect=True,
        sentence="Remind also while there are no open todos.",
    ),
    Setting(
        name="stale_after",
        group="reminders",
        kind=Count(),
        default=_LOOP.stale_after,
        by_dialect=True,
        sentence="Remind softly, once, after so many turns without a todo tool; 0 is never.",
    ),
    Setting(
        name="stale_interval",
        group="reminders",
        kind=Count(),
        default=_LOOP.stale_interval,
        by_dialect=True,
        sentence="How many turns lie between two such reminders.",
    ),
    Setting(
        name="finalization_corrections",
        group="reminders",
        kind=Count(),
        default=_LOOP.finalization_corrections,
        by_dialect=True,
        sentence="How often a final answer with unfinished items is sent back; 0 is no guard.",
    ),
    Setting(
        name="on_guard_exhausted",
        group="reminders",
        kind=Choice(("proceed", "explain")),
        default=_LOOP.on_guard_exhausted,
        by_dialect=True,
        sentence="After the last correction: go on as if nothing was, or ask for a reason and "
        "rest.",
    ),
)

LIMITS = (
    Setting(
        name="max_turns",
        group="limits",
        kind=Count(least=1),
        default=_LOOP.max_turns,
        by_dialect=True,
        sentence="How many turns one activation may have.",
    ),
    Setting(
        name="max_injected_turns",
        group="limits",
        kind=Count(),
        default=_LOOP.max_injected_turns,
        by_dialect=True,
        sentence="How many requests may be made only because the program said something; null "
        "is 50 or twice `max_auto_continues`, whichever is more.",
    ),
    Setting(
        name="max_tokens_per_run",
        group="limits",
        kind=Count(least=1, most=10**15),
        default=_LOOP.max_tokens_per_run,
        by_dialect=True,
        sentence="How many tokens one activation may take; null is no limit.",
    ),
    Setting(
        name="max_cost_per_run",
        group="limits",
        kind=Amount(most=1e9, above=True),
        default=_LOOP.max_cost_per_run,
        by_dialect=True,
        sentence="How much one activation may cost, in dollars; null is no limit.",
    ),
    Setting(
        name="max_minutes_per_run",
        group="limits",
        kind=Amount(most=1e7, above=True),
        default=_LOOP.max_minutes_per_run,
        by_dialect=True,
        sentence="How many minutes one activation may take; null is no limit.",
    ),
)
