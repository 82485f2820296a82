"""How well the words of a picture stand out from what is behind them."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
_FILL = re.compile(r"\.(terminal-r\d+) \{ fill: (#[0-9a-f]{6})")


class Paper(NamedTuple):
    """A coloured part of the screen."""

    x: float
    y: float
    width: float
    height: float
    colour: str

    def holds(self, x: float, y: float) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


def faint(svg: str, least: float) -> set[str]:
    """The words whose contrast is below this."""
    return {words for words, ink, paper in _inked(svg) if contrast(ink, paper) < least}


def contrast(one: str, other: str) -> float:
    """From 1 to 21, as the accessibility guidelines reckon it."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    shares = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.03928 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return sum(weight * s for weight, s in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _inked(svg: str) -> Iterator[tuple[str, str, str]]:
    """Words, their colour, and the colour behind where they begin."""
    root = ET.fromstring(svg)
    inks = dict(_FILL.findall(svg))
    papers = [_paper(rect) for rect in root.iter(f"{SVG}rect") if "shape-rendering" in rect.attrib]
    for text in root.iter(f"{SVG}text"):
        words = (text.text or "").replace("\xa0", " ").strip()
        ink = inks.get(text.get("class", ""))
        if ink is None or not re.search(r"\w", words):
            continue
        x, y = float(text.attrib["x"]) + 1, float(text.attrib["y"]) - 8
        yield words, ink, next(paper.colour for paper in reversed(papers) if paper.holds(x, y))


def _paper(rect: ET.Element) -> Paper:
    x, y, width, height = (float(rect.attrib[side]) for side in ("x", "y", "width", "height"))
    return Paper(x, y, width, height, rect.attrib["fill"])
