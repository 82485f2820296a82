"""Replies that are kept besides the store, where the settings ask for it."""

from longwatch.engine.conduct import Keepsake
from longwatch.engine.ledger import Ledger
from longwatch.session.transcript import AssistantText


def keep_reply(keepsake: Keepsake | None, ledger: Ledger) -> None:
    """The last reply, as it was recorded: without keys."""
    said = ledger.transcript.messages[-1]
    if keepsake is not None and isinstance(said, AssistantText) and said.text.strip():
        state = ledger.state
        keepsake.keep(state.session, state.profile.title, state.at, said.text)
