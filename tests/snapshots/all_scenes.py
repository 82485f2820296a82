"""Every scene by its name: importing this fills the list."""

from snapshots import scenes, scenes_dialogs, scenes_looks, scenes_team, scenes_text
from snapshots.scene import SCENES, Scene

__all__ = ["ALL", "PICTURE"]

FILES = (scenes, scenes_dialogs, scenes_text, scenes_team, scenes_looks)
ALL: dict[str, Scene] = SCENES
PICTURE = scenes_looks.PICTURE
