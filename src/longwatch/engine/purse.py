"""Money and tokens of a family: what children at work have used counts toward those above them."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from longwatch.discipline import Rules, limit_reached
from longwatch.engine.conduct import Governor
from longwatch.engine.family import descent
from longwatch.engine.opening import state_of
from longwatch.engine.refusing import Misconfigured
from longwatch.engine.storing import Readable, Summary
from longwatch.session import SessionState


def overspent(store: Readable, governor: Governor, state: SessionState, rules: Rules) -> str | None:
    """The limit that forbids another request: the session's own, or that of one above it."""
    if state.profile.parent is None and not state.children:
        return None
    for member, governed in _upwards(store, governor, state, rules):
        loop = governed.loop
        if loop.max_tokens_per_run is None and loop.max_cost_per_run is None:
            continue
        reached = limit_reached(_with_children(member, store.summaries()), governed)
        if reached is not None:
            whose = "" if member is state else f" by {member.profile.title or member.session}"
            return f"{reached}{whose}"
    return None


def _upwards(
    store: Readable, governor: Governor, state: SessionState, rules: Rules
) -> Iterator[tuple[SessionState, Rules]]:
    yield state, rules
    above = state.profile.parent
    while above is not None and store.summary(above) is not None:
        member = state_of(store, above)
        try:
            yield member, governor.conduct(member).rules
        except Misconfigured:
            # One that cannot be worked on has no limits that could be read.
            return
        above = member.profile.parent


def _with_children(state: SessionState, summaries: Sequence[Summary]) -> SessionState:
    """As if all that its children have used so far had been counted already."""
    tokens, cost = 0, 0.0
    for name, child in state.children.items():
        family = descent(name, summaries)
        tokens += max(0, sum(one.input + one.output for one in family) - child.tokens)
        cost += max(0.0, sum(one.cost for one in family) - child.cost)
    activation = state.activation
    counted = replace(activation, tokens=activation.tokens + tokens, cost=activation.cost + cost)
    return replace(state, activation=counted)
