"""The table of approval modes, cell by cell."""

import pytest

from longwatch.engine.approval import Mode, Permissions, Verdict, judge, nobody_here, refusal
from longwatch.engine.ports import Effect

TABLE: list[tuple[Mode, Effect, Verdict]] = [
    ("readonly", "read", "allow"),
    ("readonly", "read_secret", "allow"),
    ("readonly", "write", "refuse"),
    ("readonly", "execute", "refuse"),
    ("ask", "read", "allow"),
    ("ask", "read_secret", "ask"),
    ("ask", "write", "ask"),
    ("ask", "execute", "ask"),
    ("edits", "read", "allow"),
    ("edits", "read_secret", "allow"),
    ("edits", "write", "allow"),
    ("edits", "execute", "ask"),
    ("auto", "read", "allow"),
    ("auto", "read_secret", "allow"),
    ("auto", "write", "allow"),
]


@pytest.mark.parametrize(("mode", "effect", "verdict"), TABLE)
def test_each_mode_and_effect(mode: Mode, effect: Effect, verdict: Verdict) -> None:
    assert judge(Permissions(mode), effect) == verdict


@pytest.mark.parametrize(
    ("sandboxed", "required", "unsandboxed", "verdict"),
    [
        (True, False, False, "allow"),
        (True, True, False, "allow"),
        (False, False, False, "ask"),
        (False, False, True, "allow"),
        (False, True, False, "refuse"),
        (False, True, True, "refuse"),
    ],
)
def test_auto_runs_commands_in_the_sandbox_or_by_the_persons_word(
    sandboxed: bool, required: bool, unsandboxed: bool, verdict: Verdict
) -> None:
    permissions = Permissions("auto", sandboxed, required, unsandboxed)
    assert judge(permissions, "execute") == verdict


def test_the_words_for_a_no() -> None:
    assert nobody_here(Permissions("ask")) == (
        "Refused: no one is here to approve this call (approval mode: ask)."
    )
    assert "readonly" in refusal(Permissions("readonly"))
    assert "sandbox" in refusal(Permissions("auto", sandbox_required=True))
