"""Making a conversation fit again: a summary in place of the past, or clipped tool outputs."""

from collections.abc import Iterator, Sequence
from typing import assert_never

import msgspec
from msgspec.structs import replace

from longwatch.discipline import Rules
from longwatch.discipline.compaction import CHARACTERS_PER_TOKEN
from longwatch.session import Message, SessionState
from longwatch.session.transcript import AssistantText, ToolResult, UserText

SUMMARIZATION_PROMPT = (
    "Summarize this conversation for yourself, so that the work can go on without it: the task, "
    "what was done and found, decisions and their reasons, files touched, what is open. "
    "Be complete and brief. Use no tools."
)
SUMMARY_CONTEXT_PROMPT = "This is a summary of the conversation so far:"
LEFT_OUT = (
    "No summary could be made of what came before, so it is left out here. "
    "Look at the files and at the checklist before you rely on anything."
)
CLIPPED_TO = 2_000
"""Characters that are left of a tool output, or of a person's words, that had to be clipped."""
LONGEST_SUMMARY = 40_000
"""Characters of a summary where no threshold bounds it."""
SHORTEST_LIMIT = 2_000
ACTIVE_LIST = "[ACTIVE TODO LIST]"
FROM_OUTSIDE = ("human", "answer", "cron", "peer", "summary")
WORDS_REPEATED = 5
"""Messages from outside that are repeated where no summary could be made."""


class Past(msgspec.Struct, frozen=True):
    """A conversation in two: what is summed up, and what stays as it is."""

    older: Sequence[Message]
    kept: Sequence[Message]


def split(messages: Sequence[Message], room: int) -> Past:
    """The newest turns that take no more than ``room`` tokens stay; a turn is never split.

    What was written since the last reply stays whatever it takes, unless there is nothing else.
    """
    at = len(messages)
    while at > 0 and isinstance(messages[at - 1], UserText):
        at -= 1
    if at == 0:
        return Past(messages, ())
    left = room * CHARACTERS_PER_TOKEN - sum(map(size_of, messages[at:]))
    for start in _turns_before(messages, at):
        left -= sum(map(size_of, messages[start:at]))
        if left < 0 or start == 0:
            break
        at = start
    return Past(messages[:at], messages[at:])


def _turns_before(messages: Sequence[Message], at: int) -> Iterator[int]:
    """Where each turn before a place begins, the last one first: with a reply or what led to it."""
    for start in range(at - 1, -1, -1):
        if not isinstance(messages[start], ToolResult):
            yield start


def size_of(message: Message) -> int:
    """Characters that the model reads of a message."""
    match message:
        case UserText(text=text):
            return len(text)
        case AssistantText(text=text, calls=calls):
            return len(text) + sum(len(call.name) + len(str(call.arguments)) for call in calls)
        case ToolResult(output=output):
            return len(output)
        case _:
            assert_never(message)


def clipped(messages: Sequence[Message], limit: int = CLIPPED_TO) -> list[Message]:
    """The same messages with long tool outputs cut in their middle."""
    return [
        replace(message, output=clip(message.output, limit))
        if isinstance(message, ToolResult)
        else message
        for message in messages
    ]


def clip(text: str, limit: int) -> str:
    """A text cut in its middle, if it is longer than that."""
    if len(text) <= limit:
        return text
    half = limit // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n… {left_out} characters left out …\n{text[-half:]}"


def attempts(messages: Sequence[Message], prompt: str | None, *, fits: bool) -> list[list[Message]]:
    """The requests for a summary, each smaller than the one before.

    The first, if the conversation ``fits``, only adds to the last request: a provider has all of
    it in its cache.
    """
    ask = UserText(prompt or SUMMARIZATION_PROMPT, "summarize")
    shorter = clipped(messages)
    newer = split(shorter, sum(map(size_of, shorter)) // (2 * CHARACTERS_PER_TOKEN)).kept
    tries = [[*messages, ask]] if fits else []
    tries.append([*shorter, ask])
    if newer:
        tries.append([UserText(LEFT_OUT, "summary"), *newer, ask])
    return tries


def summary_text(
    state: SessionState, rules: Rules, summary: str, context_prompt: str | None
) -> str:
    """What the model reads from now on in place of the past: the live list first."""
    limit = LONGEST_SUMMARY
    if rules.compact_at is not None:
        limit = max(SHORTEST_LIMIT, rules.compact_at * CHARACTERS_PER_TOKEN // 4)
    introduced = f"{context_prompt or SUMMARY_CONTEXT_PROMPT}\n{clip(summary, limit)}"
    if not state.checklist.items or not rules.todo_on:
        return introduced
    shown = rules.dialect.result(state.checklist)
    return f"{ACTIVE_LIST}\n{shown}\n\n{introduced}"


def without_summary(older: Sequence[Message], context_prompt: str | None) -> str:
    """A plain note in place of a summary, with what people asked for last."""
    introduction = context_prompt or SUMMARY_CONTEXT_PROMPT
    asked = [
        clip(_without_list(message, introduction), CLIPPED_TO)
        for message in older
        if isinstance(message, UserText) and message.source in FROM_OUTSIDE
    ]
    words = [*asked[:1], *asked[1:][-(WORDS_REPEATED - 1) :]]
    if not words:
        return LEFT_OUT
    return "\n\n".join([f"{LEFT_OUT} What was asked for in it:", *words])


def _without_list(message: UserText, introduction: str) -> str:
    """An earlier summary is repeated without the list of then."""
    if message.source != "summary" or not message.text.startswith(ACTIVE_LIST):
        return message.text
    _, parted, rest = message.text.partition(f"\n\n{introduction}\n")
    return rest if parted else message.text
