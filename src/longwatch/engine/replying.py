"""A whole reply as what is recorded of it."""

from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from longwatch.engine.ports import ModelReply
from longwatch.session import KnownEvent, SessionState
from longwatch.session.events import AssistantMessage, StateChanged, ToolCall


def reply_events(
    state: SessionState, reply: ModelReply, used: AbstractSet[str]
) -> tuple[KnownEvent, ...]:
    """The reply's events; a session that waited for the provider runs again."""
    message = AssistantMessage(
        text=reply.text,
        reasoning=reply.reasoning,
        finish=reply.finish,
        tool_calls=tuple(_fresh_ids(reply.tool_calls, used, state.seq)),
        usage=reply.usage,
        provider_data=reply.provider_data,
    )
    if state.state == "waiting":
        return StateChanged(state="running"), message
    return (message,)


def _fresh_ids(calls: tuple[ToolCall, ...], used: AbstractSet[str], seq: int) -> list[ToolCall]:
    """Ids that the session has not seen: some servers count from one in every reply."""
    return [
        replace(call, id=f"{call.id}-{seq}-{place}") if call.id in used else call
        for place, call in enumerate(calls)
    ]
