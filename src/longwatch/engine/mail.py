"""What one session's events mean for others, as wishes that are posted together with them.

The store keeps a wish in the transaction that keeps its cause, and each is answered once. So
nothing that passes between sessions is lost or doubled, whatever dies and when.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from longwatch.engine.storing import PostedIntent
from longwatch.session import Intent, KnownEvent, SessionState, encode_intent
from longwatch.session.events import Archived, MessageSent, State, StateChanged
from longwatch.session.intents import Archive, ChildEnded, Pause, Resume, Tell

ENDED: frozenset[State] = frozenset({"dormant", "idle", "failed"})
"""Where a child has come to its end, until somebody wakes it."""
LONGEST_TEXT = 100_000
"""Characters of a child's last words that are passed on."""


def letters(before: SessionState, event: KnownEvent, after: SessionState) -> Iterator[PostedIntent]:
    """What others are asked because of one event."""
    for place, (to, wish) in enumerate(_wishes(before, event, after)):
        number = f"{after.session}.{event.seq}.{place}"
        body = encode_intent(replace(wish, id=number, at=event.at))
        yield PostedIntent(number, to, event.at, body)


def _wishes(
    before: SessionState, event: KnownEvent, after: SessionState
) -> Iterator[tuple[str, Intent]]:
    match event:
        case MessageSent():
            yield (
                event.to,
                Tell(
                    text=event.text,
                    sender=after.session,
                    name=after.profile.title,
                    expects_reply=event.expects_reply,
                ),
            )
        case StateChanged(state="paused"):
            yield from ((child, Pause(parent=True)) for child in _living(after))
        case StateChanged(state="running") if before.state == "paused":
            yield from ((child, Resume(parent=True)) for child in _living(after))
        case StateChanged() if event.state in ENDED and before.state not in ENDED:
            if after.profile.parent is not None:
                yield after.profile.parent, _ended(after)
        case Archived():
            # What is put away must not work on unseen.
            yield from ((child, Pause(parent=True)) for child in _living(after))
            yield from ((child, Archive()) for child in after.children)
        case _:
            return


def _living(state: SessionState) -> list[str]:
    return [name for name, child in state.children.items() if not child.ended]


def _ended(state: SessionState) -> ChildEnded:
    below, spent = state.children.values(), state.spent
    done = state.state == "dormant"
    said = [state.turn.text]
    if state.activation.turns == 2:
        said.insert(0, state.activation.answered)
    return ChildEnded(
        child=state.session,
        title=state.profile.title,
        outcome=state.reason if done else f"{state.state}: {state.reason}",
        text="\n\n".join(text for text in said if text)[:LONGEST_TEXT],
        tokens=spent.input + spent.output + sum(child.tokens for child in below),
        cost=spent.cost + sum(child.cost for child in below),
    )
