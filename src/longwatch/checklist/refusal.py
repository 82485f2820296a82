"""Why a change to a checklist was not made."""

from typing import Literal

import msgspec

Rule = Literal[
    "not_a_list",
    "bad_arguments",
    "blank_text",
    "bad_status",
    "missing_reason",
    "unknown_id",
    "too_many",
    "two_in_progress",
    "not_one_in_progress",
    "empty_list",
    "parallel_calls",
    "plan_unfinished",
    "blocked_by_person",
]


class Refusal(msgspec.Struct, frozen=True):
    """A change that broke a rule. The list is untouched; the message goes back word for word."""

    rule: Rule
    message: str
