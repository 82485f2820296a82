"""What a model is told before anything else: where it is, whose it is, and how to be."""

from longwatch.governing.setups import Setup
from longwatch.session.state import Profile

BASE_PROMPT = """\
You carry out a task in the folder {cwd}, by yourself and to the end.
Use the tools to look before you change anything, and check what you have done.
Paths are relative to that folder; you cannot leave it. Keep what you say short."""

CHILD_PROMPT = """\
You are a subagent of session {parent}: it gave you the task and reads nothing but what you say
last, so put your result there."""


def system_prompt(profile: Profile, setup: Setup) -> str:
    """From the general to the particular: the program, the role, the agent, the folder."""
    parts = [BASE_PROMPT.format(cwd=profile.cwd)]
    if profile.parent is not None:
        parts.append(CHILD_PROMPT.format(parent=profile.parent))
    if setup.role is not None:
        parts.append(setup.role.prompt)
    if setup.agent is not None:
        parts.append(setup.agent.instructions)
    parts.extend(f"From {name} in the folder:\n{text}" for name, text in setup.instructions.items())
    return "\n\n".join(part.strip() for part in parts if part.strip())
