"""Folding what passes between sessions: children, messages, replies owed and awaited."""

from msgspec.structs import replace

from longwatch.session.events import ChildFinished, ChildStarted, MessageSent, UserMessage
from longwatch.session.state import Child, SessionState


def _copied(state: SessionState) -> bool:
    """What a fork has of another session passed between that one and others."""
    origin = state.profile.forked_from
    return origin is not None and state.seq < origin.seq


def child_started(state: SessionState, event: ChildStarted) -> SessionState:
    if _copied(state):
        return state
    return replace(state, children={**state.children, event.child: Child(title=event.title)})


def child_finished(state: SessionState, event: ChildFinished) -> SessionState:
    """Its result waits to be told, and what it has used since it was last counted is counted."""
    if _copied(state):
        return state
    known = state.children.get(event.child, Child())
    tokens = max(known.tokens, event.tokens or 0)
    cost = max(known.cost, event.cost or 0.0)
    ended = Child(
        title=event.title,
        ended=True,
        outcome=event.outcome,
        text=event.text or "",
        told=False,
        tokens=tokens,
        cost=cost,
    )
    activation = state.activation
    return replace(
        state,
        children={**state.children, event.child: ended},
        activation=replace(
            activation,
            tokens=activation.tokens + tokens - known.tokens,
            cost=activation.cost + cost - known.cost,
        ),
    )


def children_told(state: SessionState) -> SessionState:
    """The model has read how they ended."""
    children = {
        name: child if child.told else replace(child, told=True, text="")
        for name, child in state.children.items()
    }
    return replace(state, children=children)


def message_sent(state: SessionState, event: MessageSent) -> SessionState:
    """Whatever is sent to a session is the reply that it was owed."""
    if _copied(state):
        return state
    owed = {name: nudged for name, nudged in state.owed.items() if name != event.to}
    awaited = tuple(name for name in state.awaited if name != event.to)
    if event.expects_reply:
        awaited = (*awaited, event.to)
    return replace(state, owed=owed, awaited=awaited)


def peer_heard(state: SessionState, event: UserMessage) -> SessionState:
    """Whatever a session sends is the reply that was awaited from it."""
    if _copied(state):
        return state
    sender = event.sender or ""
    awaited = tuple(name for name in state.awaited if name != sender)
    owed = state.owed
    if event.expects_reply is True and sender:
        owed = {**owed, sender: False}
    return replace(state, awaited=awaited, owed=owed)


def reminded_of_replies(state: SessionState) -> SessionState:
    return replace(state, owed=dict.fromkeys(state.owed, True))
