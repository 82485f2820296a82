"""Text in which nothing hides: control, invisible and bidirectional characters become symbols."""

import re

# What is printable by its category and yet draws nothing, or changes how its neighbour is drawn.
BLANKS = frozenset(
    (
        0x034F,  # combining grapheme joiner
        0x115F,  # Hangul fillers
        0x1160,
        0x3164,
        0xFFA0,
        0x17B4,  # Khmer inherent vowels
        0x17B5,
        *range(0x180B, 0x1810),  # Mongolian selectors
        0x2800,  # braille pattern blank
        *range(0xFE00, 0xFE10),  # variation selectors
        0xFFFC,  # object replacement
        0x1D159,  # musical null notehead
        *range(0xE0100, 0xE01F0),
    )
)

_UNUSUAL = re.compile(r"[^\n\t -~]")
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters of both sets, direction marks, line separators, halves of pairs."""
_UNUSUAL_IN_LINE = re.compile(r"[^ -~]")


def visible(text: str) -> str:
    """The text with every hidden character shown; line feeds and tabs stay."""
    return _UNUSUAL.sub(_shown, text)


def visible_line(text: str, limit: int | None = None) -> str:
    """The text as one line: line feeds and tabs are shown as symbols too, what is long is cut."""
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    return _UNUSUAL_IN_LINE.sub(_shown, text)


def printable(text: str) -> str:
    """The text for a screen: what could steer a terminal is shown, emoji stay whole."""
    return _STEERING.sub(_shown, text)


def without_steering(text: str) -> str:
    """The text without what could steer a terminal; the same object if there is none of it."""
    return _STEERING.sub("", text) if _STEERING.search(text) else text


def _shown(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if character.isprintable() and code not in BLANKS:
        return character
    return f"⟨U+{code:04X}⟩"
