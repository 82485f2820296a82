"""One lively screen in every size and every theme."""

from ui_services import FakeServices

from snapshots.cast import lively
from snapshots.scene import Scene, Size, add
from snapshots.taking import themes

SIZES: tuple[Size, ...] = ((160, 48), (110, 32), (100, 30), (80, 24), (60, 16), (20, 6))
NO_COLOR = {"NO_COLOR": "1"}


def _lively(services: FakeServices) -> str:
    return lively(services.store)


for _size in SIZES:
    add(Scene(f"size_{_size[0]}x{_size[1]}", f"In {_size[0]} by {_size[1]}.", _lively, _size))
for _theme in themes():
    add(Scene(f"theme_{_theme.replace('-', '_')}", f"The theme {_theme}.", _lively, theme=_theme))
    add(
        Scene(
            f"theme_{_theme.replace('-', '_')}_palette",
            f"The palette in the theme {_theme}.",
            _lively,
            theme=_theme,
            keys=("ctrl+p", "down"),
        )
    )
add(
    Scene(
        "checklist_narrow",
        "A narrow terminal with the checklist opened.",
        _lively,
        (80, 24),
        keys=("ctrl+t",),
    )
)
add(Scene("no_color", "With NO_COLOR: marks and words say it all.", _lively, environ=NO_COLOR))
add(Scene("sidebar_hidden", "Without the sidebar.", _lively, keys=("ctrl+b",)))

PICTURE = Scene("dashboard", "The picture in the README.", _lively, (140, 42))
"""Not one of the scenes: it is kept among the documents."""
