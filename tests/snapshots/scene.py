"""A scene: what is in the store, how large the terminal is, which keys are pressed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ui_services import FakeServices

from longwatch.ui.app import Dashboard

Fill = Callable[[FakeServices], str | None]
"""Fills the store; names the session to show, if any."""
Ready = Callable[[Dashboard], bool]
Size = tuple[int, int]

SCENES: dict[str, "Scene"] = {}
USUAL: Size = (132, 38)


@dataclass(frozen=True)
class Scene:
    """One picture and how it comes about."""

    name: str
    caption: str
    fill: Fill
    size: Size = USUAL
    theme: str = "longwatch"
    keys: Sequence[str] = ()
    ready: Ready = lambda _: True
    """What must be so before the picture is taken."""
    environ: Mapping[str, str] = field(default_factory=dict)
    """What the terminal's user has set."""


def scene(
    *,
    size: Size = USUAL,
    theme: str = "longwatch",
    keys: Sequence[str] = (),
    ready: Ready = lambda _: True,
) -> Callable[[Fill], Fill]:
    """The scene that a function fills: it gives the name, its first line is the caption."""

    def taken(fill: Fill) -> Fill:
        caption = (fill.__doc__ or "").strip()
        add(Scene(fill.__name__, caption, fill, size, theme, keys, ready))
        return fill

    return taken


def add(one: Scene) -> None:
    assert one.name not in SCENES, one.name
    SCENES[one.name] = one
