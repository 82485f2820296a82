"""The tool that writes to another session."""

from collections.abc import Mapping
from typing import Any

from longwatch.dialects import ToolSpec
from longwatch.engine.deeds import Company, Deed
from longwatch.engine.ports import ToolRefused
from longwatch.engine.storing import Readable, Summary
from longwatch.engine.visible import visible_line
from longwatch.session import SessionState
from longwatch.session.events import MessageSent, ToolCall

MOST_LISTED = 10
LONGEST = 50_000
"""Characters of a message."""


class SendMessage:
    spec = ToolSpec(
        name="send_message",
        description=(
            "Write to another session. It reads the text as information from you, not as an order. "
            "With expects_reply its reply comes to you as a message: end your turn to wait for it."
        ),
        parameters={
            "type": "object",
            "properties": {
                "session": {
                    "type": "string",
                    "description": "Its id, the beginning of its id, or its name.",
                },
                "text": {"type": "string", "description": "What to tell it."},
                "expects_reply": {
                    "type": "boolean",
                    "description": "Whether you need an answer (default: false).",
                },
            },
            "required": ["session", "text"],
            "additionalProperties": False,
        },
    )

    def deed(
        self, call: ToolCall, arguments: Mapping[str, Any], state: SessionState, company: Company
    ) -> Deed:
        del call
        peer = _peer(str(arguments["session"]).strip(), company.store)
        text = str(arguments["text"])
        if peer.session == state.session:
            raise ToolRefused("Error: send_message: that is this session itself.")
        if peer.archived:
            raise ToolRefused(f"Error: send_message: {_named(peer)} is archived.")
        if not text.strip():
            raise ToolRefused("Error: send_message: the text is empty.")
        if len(text) > LONGEST:
            raise ToolRefused(f"Error: send_message: at most {LONGEST} characters at once.")
        expects = bool(arguments.get("expects_reply", False))
        coming = " Its reply comes as a message; end your turn to wait for it." if expects else ""
        return Deed(
            output=f"Sent to {_named(peer)}.{coming}",
            events=(MessageSent(to=peer.session, text=text, expects_reply=expects),),
        )


def _peer(name: str, store: Readable) -> Summary:
    """The one session that is meant; otherwise the model reads what there is."""
    found = [s for session in store.find(name) if name and (s := store.summary(session))]
    if len(found) == 1:
        return found[0]
    if found:
        shown = "; ".join(_named(one) for one in found[:MOST_LISTED])
        raise ToolRefused(
            f"Error: send_message: {visible_line(name, 60)!r} names {len(found)} sessions. "
            f"Use an id: {shown}."
        )
    open_ones = [s for s in store.summaries() if not s.archived and not s.temporary]
    shown = "; ".join(_named(one) for one in open_ones[-MOST_LISTED:])
    raise ToolRefused(
        f"Error: send_message: there is no session {visible_line(name, 60)!r}. There are: {shown}."
    )


def _named(summary: Summary) -> str:
    return f'{summary.session} "{visible_line(summary.title, 60)}"'
