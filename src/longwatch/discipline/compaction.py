"""When older turns are summed up: past a threshold, or because a request did not fit."""

from longwatch.discipline.rules import Rules
from longwatch.discipline.steps import CompactHistory, Enter, Step
from longwatch.session.state import SessionState

SHARE_OF_CONTEXT = 0.8
CHARACTERS_PER_TOKEN = 4


def compact_at(threshold: int | None, context: int | None) -> int | None:
    """The tokens from which on older turns are summed up, by the setting and the model's context.

    Unset is a share of what the model can read, if that is known; 0 is never.
    """
    if threshold is None:
        return None if context is None else int(context * SHARE_OF_CONTEXT)
    return threshold or None


def context_of(state: SessionState) -> int:
    """About how many tokens the next request takes."""
    return state.spent.context + state.memory.unsent // CHARACTERS_PER_TOKEN


def compaction_due(state: SessionState, rules: Rules) -> bool:
    """Whether the conversation has grown past the threshold, and well beyond what the last
    compaction left: one that helps little is not repeated turn by turn."""
    limit, memory = rules.compact_at, state.memory
    if limit is None or memory.past != "grown":
        return False
    return context_of(state) >= max(limit, memory.compacted_to + max(1, limit // 4))


def make_room(state: SessionState, rules: Rules) -> Step | None:
    """What must happen before a request, if anything.

    One that did not fit is compacted once, then sent with its outputs clipped, then given up.
    """
    memory = state.memory
    if not memory.too_long:
        return CompactHistory() if compaction_due(state, rules) else None
    if memory.past != "compacted":
        return CompactHistory(fully=True)
    return Enter("failed", memory.too_long[-1]) if len(memory.too_long) > 1 else None
