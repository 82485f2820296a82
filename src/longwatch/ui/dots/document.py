"""docs/dot-commands.md, made of the table of commands: `python -m longwatch.ui.dots.document`."""

from pathlib import Path

from longwatch.ui.dots.table import COMMANDS

HEAD = """\
# Dot commands

Typed into the message box of a session; `/` for `.` is the same. Tab completes names, keys and
values in a list over the box, escape closes it. The palette (`ctrl+p`) has the same words.

| command | what it does |
|---|---|
"""
REST = """
What is typed after the last word of a command belongs to it, with all its spaces and line breaks.
A text that begins with a dot or a slash and one plain word is a command; a path, `.NET` or
`... and then` is a message, and so is anything with a space in front.

`.set` changes the running session at once, is recorded in it, and holds after a restart. Where an
agent or a flag sets the same key, the answer says so. With no session open, `.set`, `.agent` and
`.role` count for every session that this run of the program starts.

`.edit` opens `$VISUAL` or `$EDITOR`. What was written is checked as a whole before anything of it
applies; if something is wrong it is shown, and the text can be edited again. What ships with the
program is edited as a copy of your own.

## Without the dashboard

`longwatch run --session NAME '.set max_turns 50'` does the same to a session, prints the answer and
runs nothing. So do `.clear todo`, `.info`, `.agent`, `.role`, `.exit agent`, `.exit role`,
`.rename`, `.export`, `.compact`, `.fork`, `.undo`, `.retry`, `.starter` and `.help`; what needs a
screen says so and ends with exit code 2. A task from standard input is never a command.
"""


def page() -> str:
    rows = [f"| `{_escaped(one.usage)}` | {one.sentence} |\n" for one in COMMANDS]
    return HEAD + "".join(rows) + REST


def _escaped(usage: str) -> str:
    return usage.replace("|", r"\|")


if __name__ == "__main__":
    path = Path(__file__).parents[4] / "docs" / "dot-commands.md"
    path.write_text(page(), encoding="utf-8")
