"""A compaction from the question for a summary to its event, whatever becomes of the summary."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from longwatch.discipline import CallModel
from longwatch.discipline.compaction import CHARACTERS_PER_TOKEN, context_of
from longwatch.engine.calling import Caller, TooLong
from longwatch.engine.compaction import (
    Past,
    attempts,
    size_of,
    split,
    summary_text,
    without_summary,
)
from longwatch.engine.conduct import Conduct
from longwatch.engine.ledger import Ledger
from longwatch.engine.ports import Clock, ModelReply, ModelRequest
from longwatch.engine.reporting import SummaryReporting
from longwatch.engine.requesting import request_for
from longwatch.session import SessionState
from longwatch.session.events import Compacted

NOTHING_TO_COMPACT = "There is nothing to compact: the model has said nothing new yet."
COMPACTION_INTERRUPTED = "The compaction was interrupted; nothing was changed."


@dataclass(frozen=True)
class Compaction:
    """One session's past, to be summed up by its own model."""

    ledger: Ledger
    conduct: Conduct
    caller: Caller
    clock: Clock

    async def made(self, *, fully: bool, fits: bool = True) -> Callable[[SessionState], Compacted]:
        """The event, given the state when it is recorded; raises GaveUp.

        With ``fully`` nothing that the model has answered stays as it is.
        """
        request = request_for(CallModel(), self.conduct, self.ledger.transcript.messages)
        limit = self.conduct.rules.compact_at
        past = split(request.messages, 0 if fully or limit is None else limit // 4)
        reply = await self._summary(request, fits=fits)
        return lambda state: self._compacted(state, past, reply)

    async def _summary(self, request: ModelRequest, *, fits: bool) -> ModelReply | None:
        """The model's own words; None if it has none, however small the request is made."""
        conduct = self.conduct
        ask = replace(request, tool_choice="none")
        reporting = SummaryReporting(self.ledger, conduct.model_name, self.clock)
        for messages in attempts(request.messages, conduct.summarization_prompt, fits=fits):
            try:
                return await self.caller.reply(
                    conduct.model, replace(ask, messages=messages), reporting
                )
            except TooLong:
                continue
        return None

    def _compacted(self, state: SessionState, past: Past, reply: ModelReply | None) -> Compacted:
        """The event. What came while the summary was made stays, like what was to be kept."""
        said = "" if reply is None or reply.finish == "refusal" else reply.text.strip()
        introduction = self.conduct.summary_context_prompt
        said = said or without_summary(past.older, introduction)
        text = summary_text(state, self.conduct.rules, said, introduction)
        before = context_of(state)
        saved = (sum(map(size_of, past.older)) - len(text)) // CHARACTERS_PER_TOKEN
        least = (len(text) + sum(map(size_of, past.kept))) // CHARACTERS_PER_TOKEN
        return Compacted(
            before=before,
            after=max(before - saved, least),
            summary=text,
            keeps=len(self.ledger.transcript) - len(past.older) or msgspec.UNSET,
            usage=(reply and reply.usage) or msgspec.UNSET,
        )
