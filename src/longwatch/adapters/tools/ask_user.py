"""The tool that asks the person something; the session waits until it is answered."""

from collections.abc import Mapping
from typing import Any

from longwatch.dialects import ToolSpec
from longwatch.engine.deeds import Company, Deed
from longwatch.engine.ports import ToolRefused
from longwatch.session import SessionState
from longwatch.session.events import ToolCall

ASKED = "The question is put to the person. Their answer is the next message."


class AskUser:
    spec = ToolSpec(
        name="ask_user",
        description=(
            "Ask the person a question and wait for the answer. Only for what you can neither "
            "find out nor decide yourself: nothing goes on until they answer."
        ),
        parameters={
            "type": "object",
            "properties": {
                "question": {
                    "type": "string",
                    "description": "The question, with all that is needed to answer it.",
                },
            },
            "required": ["question"],
            "additionalProperties": False,
        },
    )

    def deed(
        self, call: ToolCall, arguments: Mapping[str, Any], state: SessionState, company: Company
    ) -> Deed:
        del call, state, company
        question = str(arguments["question"]).strip()
        if not question:
            raise ToolRefused("Error: ask_user: the question is empty.")
        return Deed(output=ASKED, question=question)
