"""The tool that starts a child session for a part of the work."""

import hashlib
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from longwatch.dialects import ToolSpec
from longwatch.engine.deeds import Company, Deed
from longwatch.engine.ledger import Newborn
from longwatch.engine.ports import ToolRefused
from longwatch.engine.refusing import Misconfigured
from longwatch.engine.storing import Readable
from longwatch.engine.summary import title_of
from longwatch.session import SessionState
from longwatch.session.events import ChildStarted, StateChanged, ToolCall, UserMessage

DEEPEST = 3
"""How many sessions a child may have above it."""
MOST_CHILDREN = 8
"""How many children of one session may be at work at once."""


class SpawnAgent:
    spec = ToolSpec(
        name="spawn_agent",
        description=(
            "Start a subagent: a session of its own, in the same folder, that works on one task "
            "while you go on. It knows nothing but the task you give it. You are told how it "
            "ended and what it said last; end your turn when you have nothing to do but wait. "
            f"At most {MOST_CHILDREN} at once."
        ),
        parameters={
            "type": "object",
            "properties": {
                "task": {
                    "type": "string",
                    "description": "All that it needs to know, and what its last words must hold.",
                },
                "agent": {
                    "type": "string",
                    "description": "The agent that it works as (default: as you do).",
                },
            },
            "required": ["task"],
            "additionalProperties": False,
        },
    )

    def deed(
        self, call: ToolCall, arguments: Mapping[str, Any], state: SessionState, company: Company
    ) -> Deed:
        task = str(arguments["task"]).strip()
        if not task:
            raise ToolRefused("Error: spawn_agent: the task is empty.")
        _check_limits(state, company.store)
        try:
            started, settings = company.child(state, arguments.get("agent") or None)
        except Misconfigured as problem:
            raise ToolRefused(f"Error: spawn_agent: {problem}") from problem
        child, title = child_id(state.session, call.id), title_of(task)
        given = UserMessage(
            text=task, source="human", sender=state.session, name=state.profile.title
        )
        first = (replace(started, title=title), *settings, given, StateChanged(state="running"))
        return Deed(
            output=f'Started subagent {child} "{title}". You are told when it has ended.',
            events=(ChildStarted(child=child, title=title),),
            newborn=(Newborn(child, first),),
        )


def child_id(parent: str, call: str) -> str:
    """The same for the same call, so that one call never has two children."""
    return hashlib.blake2b(f"{parent}\0{call}".encode(), digest_size=5).hexdigest()


def _check_limits(state: SessionState, store: Readable) -> None:
    working = sum(not child.ended for child in state.children.values())
    if working >= MOST_CHILDREN:
        raise ToolRefused(
            f"Error: spawn_agent: {working} subagents are at work, and that is the most at once. "
            "Wait until one has ended: end your turn."
        )
    if _depth(state.profile.parent, store) >= DEEPEST:
        raise ToolRefused(
            f"Error: spawn_agent: a subagent has at most {DEEPEST} sessions above it, and you have "
            "as many. Do this yourself."
        )


def _depth(parent: str | None, store: Readable) -> int:
    depth = 0
    while parent is not None and depth < DEEPEST:
        depth += 1
        above = store.summary(parent)
        parent = above.parent if above is not None else None
    return depth
