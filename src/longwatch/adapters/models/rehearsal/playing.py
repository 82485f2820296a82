"""Which turn of a scenario comes next: a pure function of the messages, so that nothing is lost."""

from collections.abc import Sequence

import msgspec

from longwatch.adapters.models.rehearsal.scenario import Scenario, Turn, When
from longwatch.discipline.texts import DENIED
from longwatch.session.transcript import AssistantText, Message, ToolResult, UserText

AFTER_A_REPLY = {
    "continuation",
    "plan_nudge",
    "finalization",
    "guard_blocked",
    "reply_nudge",
    "length",
    "reformulate",
}
"""What is only ever injected because a reply ended, even one that left no message."""
REFUSED = "Refused: "
"""How the answer begins to a call that nobody is there to allow."""


class Chosen(msgspec.Struct, frozen=True):
    """A turn, and where the script stands after it."""

    turn: Turn
    place: "Place"


class Place(msgspec.Struct, frozen=True):
    """Where a script stands: the next turn, and how often each reaction was played."""

    turn: int = 0
    reacted: tuple[int, ...] = ()

    def choose(self, scenario: Scenario, latest: Sequence[Message]) -> Chosen | None:
        """What is played after the messages that came last; None when the script is used up."""
        played = self.reacted or (0,) * len(scenario.reactions)
        for at, reaction in enumerate(scenario.reactions):
            if played[at] < reaction.times and holds(reaction.when, latest):
                counted = tuple(count + (k == at) for k, count in enumerate(played))
                return Chosen(reaction, Place(self.turn, counted))
        for at in range(self.turn, len(scenario.turns)):
            if holds(scenario.turns[at].when, latest):
                return Chosen(scenario.turns[at], Place(at + 1, played))
        return None


def next_turn(scenario: Scenario, messages: Sequence[Message]) -> Turn | None:
    """The turn to play; None when the script is used up.

    Of a conversation that was compacted nobody knows where it stands: only reactions are left.
    """
    place = Place(len(scenario.turns)) if is_compacted(messages) else Place()
    latest: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantText):
            chosen = place.choose(scenario, latest)
            if chosen is not None and not _cut_off(chosen.turn, message):
                place = chosen.place
            latest = []
            continue
        if _follows_a_silent_reply(message, latest):
            chosen = place.choose(scenario, latest)
            place = chosen.place if chosen is not None else place
            latest = []
        latest.append(message)
    chosen = place.choose(scenario, latest)
    return chosen.turn if chosen is not None else None


def is_compacted(messages: Sequence[Message]) -> bool:
    """Whether a summary stands in place of what came first."""
    first = messages[0] if messages else None
    return isinstance(first, UserText) and first.source == "summary"


def is_asked_for_summary(messages: Sequence[Message]) -> bool:
    """Whether what is wanted is a summary and not the next turn."""
    last = messages[-1] if messages else None
    return isinstance(last, UserText) and last.source == "summarize"


def latest_of(messages: Sequence[Message]) -> Sequence[Message]:
    """What came since the last reply."""
    replies = [at for at, message in enumerate(messages) if isinstance(message, AssistantText)]
    return messages[replies[-1] + 1 :] if replies else messages


def _cut_off(turn: Turn, message: AssistantText) -> bool:
    """Whether a reply is only the beginning of its turn, since a person interrupted it."""
    if message.calls:
        return False
    if turn.calls:
        return True
    return len(message.text) < len(turn.text) and turn.text.startswith(message.text)


def _follows_a_silent_reply(message: Message, latest: Sequence[Message]) -> bool:
    """A reply without text and calls leaves no message; what was injected after it tells of it."""
    if not isinstance(message, UserText) or message.source not in AFTER_A_REPLY:
        return False
    return any(not isinstance(m, UserText) or m.source != "human_edit" for m in latest)


def holds(when: When | None, latest: Sequence[Message]) -> bool:
    """Whether a condition is met by what came last."""
    if when is None:
        return True
    written = [m for m in latest if isinstance(m, UserText)]
    results = [m for m in latest if isinstance(m, ToolResult)]
    failed = [m for m in results if not m.ok]
    denied = [m for m in failed if m.output == DENIED or m.output.startswith(REFUSED)]
    spoken = [m.text for m in written if m.source in ("human", "answer")]
    heard = [m.text for m in written if m.source == "peer"]
    checks = (
        when.injected is None or any(m.source == when.injected for m in written),
        when.said is None or _mentioned(when.said, spoken),
        when.heard is None or _mentioned(when.heard, heard),
        when.kicked is None or any(m.source == "cron" for m in written) == when.kicked,
        when.result is None or _mentioned(when.result, [m.output for m in results]),
        _named(when.failed, failed),
        _named(when.denied, denied),
    )
    return all(checks)


def _mentioned(words: str, texts: Sequence[str]) -> bool:
    return any(words.casefold() in text.casefold() for text in texts)


def _named(wanted: str | bool | None, results: Sequence[ToolResult]) -> bool:
    match wanted:
        case None:
            return True
        case bool():
            return bool(results) == wanted
        case str():
            return any(result.name == wanted for result in results)
