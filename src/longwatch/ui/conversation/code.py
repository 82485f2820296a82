"""Source code and diffs in the colours of the theme."""

from typing import Any

from rich.style import Style
from rich.text import Text

from longwatch.ui.conversation.palette import Palette

UNHIGHLIGHTED = frozenset({"", "text", "txt", "plain", "console", "output", "log"})


def code_lines(code: str, language: str, palette: Palette) -> list[Text]:
    """Each line of a piece of code, not wrapped yet."""
    if language == "diff":
        return [diff_line(line, palette) for line in code.split("\n")]
    text = _highlighted(code, language, palette)
    return list(text.split("\n", allow_blank=True))


def diff_line(line: str, palette: Palette) -> Text:
    """A line of a unified diff; its first character says what it is, its colour too."""
    match line[:1]:
        case "+":
            return Text(line, palette.added)
        case "-":
            return Text(line, palette.removed)
        case "@":
            return Text(line, palette.accent)
        case _:
            return Text(line, palette.muted)


def _highlighted(code: str, language: str, palette: Palette) -> Text:
    lexer = None if language.lower() in UNHIGHLIGHTED else _lexer(language)
    if lexer is None:
        return Text(code, palette.code)
    text = Text(style=palette.code)
    styles: dict[object, Style | None] = {}
    for kind, part in lexer.get_tokens(code):
        if kind not in styles:
            styles[kind] = _style(str(kind), palette)
        text.append(part, styles[kind])
    # A lexer adds the last line feed where there is none.
    plain = text.plain
    if plain.endswith("\n") and not code.endswith("\n"):
        text.right_crop(1)
    return text


def _lexer(language: str) -> Any:
    """The lexer of that name, if there is one."""
    # Loading pygments takes longer than opening the pane; most sessions open without code.
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415
    from pygments.util import ClassNotFound  # noqa: PLC0415

    try:
        return get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return None


def _style(kind: str, palette: Palette) -> Style | None:
    parts = kind.split(".")[1:]
    match parts:
        case ["Comment", *_]:
            return palette.muted
        case ["Keyword", *_] | ["Operator", "Word"]:
            return palette.keyword
        case ["Literal", "String", *_]:
            return palette.string
        case ["Literal", "Number", *_]:
            return palette.number
        case ["Name", "Function" | "Class" | "Decorator" | "Tag" | "Builtin", *_]:
            return palette.name
        case ["Generic", "Inserted"]:
            return palette.added
        case ["Generic", "Deleted"]:
            return palette.removed
        case _:
            return None
