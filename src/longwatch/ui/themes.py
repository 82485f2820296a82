"""From a theme's plain values to a theme, or to all that is wrong with them."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import PurePath
from typing import Any

from textual.color import Color, ColorParseError
from textual.css.constants import VALID_STYLE_FLAGS
from textual.theme import Theme

from longwatch.ui.complaint import Complaint, Source, nearest, shown

DEFAULT = "longwatch"

COLOURS = (
    "primary",
    "secondary",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
    "success",
    "warning",
    "error",
)
REQUIRED = ("primary", "foreground", "background")
SHARES = ("luminosity_spread", "text_alpha")
KEYS = (*COLOURS, *SHARES, "dark", "variables")

A_COLOUR = "a colour such as '#6fb3c8' or 'teal'"
A_MIXED_COLOUR = "a colour such as '#6fb3c8', 'auto 60%' or 'transparent'"
A_STYLE = "styles such as 'bold' or 'not underline'"

_SHARE = re.compile(r"\s+(?:100|[0-9]{1,2})%$")
_WORDS = frozenset({"auto", "initial", "transparent"})


def themes_of(sources: Iterable[Source]) -> tuple[dict[str, Theme], list[str]]:
    """The themes by name and what is wrong with the rest.

    Of several sources of one name the first good one counts: the person's own comes first.
    """
    themes: dict[str, Theme] = {}
    complaints: list[str] = []
    for source in sources:
        name = PurePath(source.file).stem
        if name in themes:
            continue
        made = theme_of(name, source.values)
        if isinstance(made, Theme):
            themes[name] = made
        else:
            complaints += [complaint.within(source) for complaint in made]
    return themes, complaints


def theme_of(name: str, values: Mapping[str, Any]) -> Theme | tuple[Complaint, ...]:
    """The theme of this name, or everything that keeps it from being one."""
    complaints = [
        Complaint(key, "nothing", A_COLOUR) for key in REQUIRED if values.get(key) is None
    ]
    for key, value in values.items():
        complaints += _wrong(key, value)
    if complaints:
        return tuple(complaints)
    given = {key: value for key, value in values.items() if key != "variables"}
    return Theme(name=name, **given, variables=dict(values.get("variables", {})))


def _wrong(key: str, value: Any) -> list[Complaint]:
    if key in COLOURS:
        return [] if _is_plain_colour(value) else [Complaint(key, shown(value), A_COLOUR)]
    if key in SHARES:
        fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
        return [] if fits else [Complaint(key, shown(value), "a number from 0 to 1")]
    if key == "dark":
        return [] if isinstance(value, bool) else [Complaint(key, shown(value), "true or false")]
    if key == "variables":
        if not isinstance(value, dict):
            return [Complaint(key, shown(value), "a table of colours and styles")]
        return [found for name, one in value.items() for found in _wrong_variable(name, one)]
    return [Complaint(key, "an unknown key", ", ".join(KEYS), nearest(key, KEYS))]


def _wrong_variable(name: str, value: Any) -> list[Complaint]:
    """A value that the styles could not be read with would end the program, so it ends here."""
    key = f"variables.{name}"
    known = variable_names()
    if name not in known:
        return [Complaint(key, "an unknown variable", "one of Textual's", nearest(name, known))]
    if name.endswith(("-style", "-style-hover")):
        fits = isinstance(value, str) and bool(words := value.split())
        fits = fits and all(word in VALID_STYLE_FLAGS for word in words)
        return [] if fits else [Complaint(key, shown(value), A_STYLE)]
    fits = isinstance(value, str) and _is_mixed_colour(value)
    return [] if fits else [Complaint(key, shown(value), A_MIXED_COLOUR)]


@cache
def variable_names() -> frozenset[str]:
    """Every variable that a theme can set; always the same, and slow to find out."""
    plain = Theme(name="", primary="#808080", foreground="#ffffff", background="#000000")
    return frozenset(plain.to_color_system().generate())


def _is_plain_colour(value: Any) -> bool:
    colour = _parsed(value) if isinstance(value, str) else None
    return colour is not None and colour.a == 1 and colour.ansi is None


def _is_mixed_colour(value: str) -> bool:
    base = _SHARE.sub("", value)
    return base in _WORDS or _parsed(base) is not None


def _parsed(value: str) -> Color | None:
    try:
        return Color.parse(value)
    except ColorParseError:
        return None
