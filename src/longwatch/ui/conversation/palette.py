"""The styles that lines are drawn with, taken from the theme once for each change of it."""

import msgspec
from rich.style import Style
from textual.widget import Widget

NAMES = (
    "muted",
    "accent",
    "good",
    "notice",
    "bad",
    "heading",
    "code",
    "link",
    "border",
    "added",
    "removed",
    "keyword",
    "string",
    "number",
    "name",
    "cursor",
    "match",
    "found",
)
BEHIND = frozenset({"cursor", "match", "found"})
"""Those that lie behind text."""
COMPONENTS = frozenset(f"conversation--{name}" for name in NAMES)


class Palette(msgspec.Struct, frozen=True):
    """One style for each thing that is told apart; the last three lie behind text."""

    text: Style = Style.null()
    muted: Style = Style(dim=True)
    accent: Style = Style.null()
    good: Style = Style.null()
    notice: Style = Style.null()
    bad: Style = Style.null()
    heading: Style = Style(bold=True)
    code: Style = Style.null()
    link: Style = Style(underline=True)
    border: Style = Style(dim=True)
    added: Style = Style.null()
    removed: Style = Style.null()
    keyword: Style = Style.null()
    string: Style = Style.null()
    number: Style = Style.null()
    name: Style = Style.null()
    cursor: Style = Style(reverse=True)
    match: Style = Style(underline=True)
    found: Style = Style(reverse=True)


PLAIN = Palette()


def palette_of(widget: Widget) -> Palette:
    """What the widget's stylesheet says of its component classes."""
    styles = {}
    for name in NAMES:
        full = widget.get_component_rich_style(f"conversation--{name}")
        behind = full.bgcolor if name in BEHIND else None
        colour = full.color if name not in BEHIND or name == "found" else None
        styles[name] = Style(
            color=colour, bgcolor=behind, bold=full.bold or None, underline=full.underline or None
        )
    base = widget.rich_style
    return Palette(text=Style(color=base.color, bgcolor=base.bgcolor), **styles)
