"""Sessions that have to do with each other: what a child's end, a reply or a question calls for.

Whatever wakes a session here is charged on the one budget of its activation, so that no two
sessions can keep each other awake.
"""

from longwatch.discipline import texts
from longwatch.discipline.rules import Rules
from longwatch.discipline.steps import Enter, Inject, Step
from longwatch.session.events import Injected
from longwatch.session.state import SessionState

MOST_NAMED = 3
"""How many of those that are waited for a reason names."""


def ask_person(state: SessionState) -> Step | None:
    """A question parks the session; it is the reason that everyone reads."""
    return Enter("awaiting_human", state.question) if state.question else None


def let_in(state: SessionState, rules: Rules) -> Step | None:
    """A peer wrote when the reply was just over: at the price of a wake it is heard."""
    if state.knocking and state.activation.wakes < rules.loop.max_auto_continues:
        return Enter("running", "a message from another session")
    return None


def tell_of_children(state: SessionState, rules: Rules) -> Step | None:
    """How children ended, in one message, while the budget allows it."""
    ended = [(name, child) for name, child in state.children.items() if not child.told]
    if not ended or not _affordable(state, rules):
        return None
    return Inject((Injected(source="subagent", text=texts.children_ended(ended)),))


def _affordable(state: SessionState, rules: Rules) -> bool:
    activation, loop = state.activation, rules.loop
    if state.state == "running" and state.phase == "call" and not activation.turns:
        return True
    return activation.wakes < loop.max_auto_continues and activation.injected < loop.hard_cap


def remind_of_replies(state: SessionState, rules: Rules) -> Step | None:
    """Once for each message: the turn ends, and somebody still expects a reply."""
    owed = [name for name, nudged in state.owed.items() if not nudged]
    if not owed or "send_message" not in rules.by_name or not _affordable(state, rules):
        return None
    return Inject((Injected(source="reply_nudge", text=texts.reply_owed(owed)),))


def wait_for_children(state: SessionState) -> Step | None:
    """Whoever stops while a child works has nothing to do but to wait for it."""
    working = [child.title or name for name, child in state.children.items() if not child.ended]
    if not working:
        return None
    if len(working) == 1:
        return Enter("awaiting_peer", f"waits for its child: {working[0]}")
    named = ", ".join(working[:MOST_NAMED]) + (", …" if len(working) > MOST_NAMED else "")
    return Enter("awaiting_peer", f"waits for {len(working)} children: {named}")


def wait_for_replies(state: SessionState) -> Step | None:
    """With nothing open, a reply is what the session waits for; open items come first."""
    if not state.awaited or state.checklist.open_count:
        return None
    return Enter("awaiting_peer", f"waits for a reply from {', '.join(state.awaited)}")


def wait_over(state: SessionState, rules: Rules) -> Step | None:
    """What was waited for has come, and the budget does not let it in."""
    waits = any(not child.ended for child in state.children.values()) or state.awaited
    if waits:
        return None
    used, most = state.activation.wakes, rules.loop.max_auto_continues
    return Enter("idle", f"wake budget used up ({used}/{most}), {state.checklist.open_count} open")
