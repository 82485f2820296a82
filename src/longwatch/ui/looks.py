"""How a dashboard looks and which keys it has, from a person's files."""

from collections.abc import Iterable, Mapping

import msgspec
from textual.theme import Theme

from longwatch.ui.complaint import Source
from longwatch.ui.themes import themes_of


class Looks(msgspec.Struct, frozen=True):
    """What of the files can be used, and what is wrong with the rest."""

    themes: Mapping[str, Theme] = {}
    keymap: Mapping[str, str] = {}
    """The keys that differ from the default."""
    complaints: tuple[str, ...] = ()


def looks_of(
    themes: Iterable[Source], keymap: Source | None, problems: Iterable[str] = ()
) -> Looks:
    """``problems`` are those that kept a file from being read at all."""
    made, wrong = themes_of(themes)
    complaints = (*problems, *wrong)
    if keymap is None:
        return Looks(made, {}, complaints)
    # Every screen that binds keys is loaded for it, so only where somebody has keys of their own.
    from longwatch.ui.actions import collect, keymap_of  # noqa: PLC0415
    from longwatch.ui.app import Dashboard  # noqa: PLC0415
    from longwatch.ui.places import places  # noqa: PLC0415

    keys, unusable = keymap_of(keymap, collect(places(Dashboard)))
    return Looks(made, keys, (*complaints, *unusable))
