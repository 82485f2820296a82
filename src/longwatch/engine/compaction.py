"""Making a conversation fit again: a summary in place of the past, or clipped tool outputs."""

from collections.abc import Sequence

from msgspec.structs import replace

from longwatch.discipline import Rules
from longwatch.session import Message, SessionState
from longwatch.session.transcript import ToolResult, UserText

SUMMARIZATION_PROMPT = (
    "Summarize this conversation for yourself, so that the work can go on without it: the task, "
    "what was done and found, decisions and their reasons, files touched, what is open. "
    "Be complete and brief. Use no tools."
)
SUMMARY_CONTEXT_PROMPT = "This is a summary of the conversation so far:"
CLIPPED_TO = 2_000
"""Characters that are left of a tool output that had to be clipped."""


def clipped(messages: Sequence[Message], limit: int = CLIPPED_TO) -> list[Message]:
    """The same messages with long tool outputs cut in their middle."""
    return [
        replace(message, output=_clip(message.output, limit))
        if isinstance(message, ToolResult) and len(message.output) > limit
        else message
        for message in messages
    ]


def _clip(output: str, limit: int) -> str:
    half = limit // 2
    left_out = len(output) - 2 * half
    return f"{output[:half]}\n… {left_out} characters left out …\n{output[-half:]}"


def to_summarize(messages: Sequence[Message], prompt: str | None) -> list[Message]:
    """The messages of a request for a summary."""
    return [*clipped(messages), UserText(prompt or SUMMARIZATION_PROMPT, "summary")]


def summary_text(
    state: SessionState, rules: Rules, summary: str, context_prompt: str | None
) -> str:
    """What the model reads from now on in place of the past: the live list first."""
    introduced = f"{context_prompt or SUMMARY_CONTEXT_PROMPT}\n{summary}"
    if not state.checklist.items or not rules.todo_on:
        return introduced
    shown = rules.dialect.result(state.checklist)
    return f"[ACTIVE TODO LIST]\n{shown}\n\n{introduced}"
