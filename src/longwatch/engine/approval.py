"""May this call run? The table of modes and effects, and the words for a no."""

from typing import Literal, assert_never, get_args

import msgspec

from longwatch.engine.ports import Effect

Mode = Literal["readonly", "ask", "edits", "auto"]
"""From the least to the most that is allowed unasked."""
Verdict = Literal["allow", "ask", "refuse"]


class Permissions(msgspec.Struct, frozen=True):
    """What governs the tools of a session. It never comes from the workspace or the model.

    ``unsandboxed`` is the person's word that ``auto`` may run commands without a sandbox.
    """

    mode: Mode = "ask"
    sandboxed: bool = False
    sandbox_required: bool = False
    unsandboxed: bool = False


def judge(permissions: Permissions, effect: Effect) -> Verdict:
    """Deny beats ask beats allow."""
    match permissions.mode:
        case "readonly":
            return "allow" if effect in ("read", "read_secret") else "refuse"
        case "ask":
            return "allow" if effect == "read" else "ask"
        case "edits":
            return "ask" if effect == "execute" else "allow"
        case "auto":
            return _judge_auto(permissions) if effect == "execute" else "allow"
        case _:
            assert_never(permissions.mode)


def within(child: Permissions, parent: Permissions) -> bool:
    """Whether a child may do nothing that its parent may not."""
    modes = get_args(Mode)
    if modes.index(child.mode) > modes.index(parent.mode):
        return False
    unboxed = child.mode == "auto" and not child.sandboxed
    return not (unboxed and (parent.sandboxed or parent.sandbox_required))


def _judge_auto(permissions: Permissions) -> Verdict:
    if permissions.sandboxed:
        return "allow"
    if permissions.sandbox_required:
        return "refuse"
    return "allow" if permissions.unsandboxed else "ask"


def refusal(permissions: Permissions) -> str:
    if permissions.mode == "auto":
        return "Refused: a sandbox is required and none is available here."
    return f"Refused: the approval mode is {permissions.mode}; only reading is allowed."


def nobody_here(permissions: Permissions) -> str:
    mode = permissions.mode
    return f"Refused: no one is here to approve this call (approval mode: {mode})."
