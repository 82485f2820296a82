"""From a scene to its picture: settled, and the same on every machine."""

import os
import re
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from unittest import mock

from textual.pilot import Pilot
from textual.theme import Theme
from ui_services import FakeServices

from longwatch.ui.app import Dashboard
from longwatch.ui.looks import Looks
from longwatch.ui.themes import theme_of
from longwatch.ui.widgets.header import Whereabouts
from snapshots.scene import Scene
from snapshots.tale import FOLDER

THEMES = Path(__file__).parents[2] / "themes"
NOW = 4 * 3600.0
"""Seconds after the start of the events: noon, UTC."""
ALIKE = 3
"""Pictures in a row that must look the same."""
MOST = 200
_UNIQUE = re.compile(r"\bterminal-\d+-")
"""What Rich makes unique for each picture: part of every name in it."""


def themes() -> dict[str, Theme]:
    """The themes that come with the program."""
    found: dict[str, Theme] = {}
    for path in sorted(THEMES.glob("*.toml")):
        made = theme_of(path.stem, tomllib.loads(path.read_text()))
        assert isinstance(made, Theme), made
        found[path.stem] = made
    return found


async def take(scene: Scene) -> str:
    """The scene's picture as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        services = FakeServices(Path(folder))
        try:
            services.folder = FOLDER
            services.clock.seconds = NOW
            services.memory["theme"] = scene.theme
            session = scene.fill(services)
            with _environ(scene):
                app = _dashboard(services, session)
            return await _shown(app, scene)
        finally:
            services.close()


@contextmanager
def _environ(scene: Scene) -> Iterator[None]:
    """The scene's environment, which an app looks at when it is made; not that of who tests."""
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with mock.patch.dict(os.environ, {**plain, **scene.environ}, clear=True):
        yield


def _dashboard(services: FakeServices, session: str | None) -> Dashboard:
    app = Dashboard(
        services,
        session=session,
        looks=Looks(themes=themes()),
        whereabouts=Whereabouts(home="/home/ada", zone=UTC),
    )
    app.animation_level = "none"
    return app


async def _shown(app: Dashboard, scene: Scene) -> str:
    async with app.run_test(size=scene.size) as pilot:
        await _settled(app, pilot)
        for key in scene.keys:
            await pilot.press(key)
            # Letters go where the others did; another key may have opened something.
            if len(key) > 1:
                await _settled(app, pilot)
        return await _settled(app, pilot, scene)


async def _settled(app: Dashboard, pilot: Pilot[None], scene: Scene | None = None) -> str:
    """The picture once nothing moves any more and what it needs is there."""
    last, alike = "", 0
    for _ in range(MOST):
        await app.workers.wait_for_complete()
        await pilot.pause()
        picture = _UNIQUE.sub("terminal-", app.export_screenshot(simplify=True))
        alike = alike + 1 if picture == last else 1
        last = picture
        if alike >= ALIKE and (scene is None or scene.ready(app)):
            return picture
    raise AssertionError(f"the screen did not settle: {scene.name if scene else app.screen}")
