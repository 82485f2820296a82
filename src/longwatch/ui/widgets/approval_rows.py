"""A question as rows of a given width: every character of it, diffs told apart."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
from rich.cells import cell_len, chop_cells

from longwatch.engine.visible import printable

Kind = Literal["head", "plain", "command", "added", "removed", "place", "file"]

TAB = 4
NARROWEST = 8


class Waiting(msgspec.Struct, frozen=True):
    """A call that waits for a person, and what is asked about it."""

    call: str
    question: str
    name: str
    folder: str


class QuestionRow(msgspec.Struct, frozen=True):
    """One row of a question. ``goes_on`` marks what is still the line above."""

    kind: Kind
    text: str
    goes_on: bool = False


def question_rows(waiting: Waiting, width: int) -> list[QuestionRow]:
    """The folder and the whole question, folded so that nothing is left out."""
    lines = list(question_lines(waiting))
    room = max(NARROWEST, width)
    rows: list[QuestionRow] = []
    for kind, line in lines:
        first, *rest = folded(tabless(line), room)
        rows.append(QuestionRow(kind, first))
        rows += [QuestionRow(kind, text, goes_on=True) for text in rest]
    return rows


def question_lines(waiting: Waiting) -> Iterator[tuple[Kind, str]]:
    """Its lines and what each is; the folder comes first where the question does not name it."""
    lines = printable(waiting.question).split("\n")
    where = f"in {printable(waiting.folder)}"
    if waiting.folder and where not in lines[:2]:
        yield "plain", where
    yield from zip(kinds(lines), lines, strict=True)


def kinds(lines: Sequence[str]) -> Iterator[Kind]:
    """What each line is. File names of a diff stand before its first place, never after."""
    inside = False
    for number, line in enumerate(lines):
        inside = inside or line.startswith("@@")
        if number == 0:
            yield "head"
        elif line.startswith("@@"):
            yield "place"
        elif not inside and line.startswith(("--- ", "+++ ")):
            yield "file"
        elif line.startswith("+"):
            yield "added"
        elif line.startswith("-"):
            yield "removed"
        elif not inside and line.startswith(("$ ", "> ")):
            yield "command"
        else:
            yield "plain"


def tabless(line: str) -> str:
    """With each tab drawn as an arrow up to the next stop, so that it is seen and stays put."""
    if "\t" not in line:
        return line
    drawn = ""
    for part in line.split("\t"):
        drawn += part
        drawn += "→" + " " * (TAB - 1 - cell_len(drawn) % TAB)
    return drawn[: drawn.rindex("→")]


def folded(line: str, width: int) -> list[str]:
    """The line in pieces that fit, none of it lost."""
    if line.isascii():
        return [line[k : k + width] for k in range(0, len(line), width)] or [""]
    return chop_cells(line, width) or [""]
