"""All pictures on one page, for a person to look through."""

import asyncio
import html
import re
import sys
from pathlib import Path

from snapshots.all_scenes import ALL, PICTURE
from snapshots.scene import Scene
from snapshots.taking import take

KEPT = Path(__file__).parent / "__snapshots__" / "test_snapshots"
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Longwatch: every screen</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; }}
body {{ margin: 2rem auto; max-width: 1700px; padding: 0 1rem; }}
nav {{ columns: 14rem; }}
figure {{ margin: 3rem 0; }}
figcaption {{ margin-bottom: .5rem; }}
svg {{ max-width: 100%; height: auto; }}
</style>
<h1>Longwatch: every screen</h1>
<p>Of each: can it be read in one second? Is anything cut off, misaligned, or hard to see?</p>
<nav>{links}</nav>
{figures}
</html>
"""
FIGURE = """<figure id="{name}">
<figcaption><b>{name}</b> · {width}×{height} · {theme} · {caption}</figcaption>
{svg}
</figure>"""


def main(path: Path) -> None:
    """Draw every scene into one page; one that looks different is shown as it was, too."""
    figures: list[str] = []
    scenes = [PICTURE, *ALL.values()]
    for scene in scenes:
        drawn, kept = asyncio.run(take(scene)), kept_at(scene.name)
        before = kept.read_text() if kept.exists() else drawn
        if before != drawn:
            figures.append(figure(scene, before, f"{scene.name}-before"))
        figures.append(figure(scene, drawn, scene.name))
    links = "<br>".join(f'<a href="#{scene.name}">{scene.name}</a>' for scene in scenes)
    path.write_text(PAGE.format(links=links, figures="\n".join(figures)))


def kept_at(name: str) -> Path:
    """Where the tests keep a scene's picture."""
    return KEPT / f"test_scene[{name}].svg"


def figure(scene: Scene, svg: str, name: str) -> str:
    return FIGURE.format(
        name=name,
        width=scene.size[0],
        height=scene.size[1],
        theme=scene.theme,
        caption=html.escape(scene.caption),
        svg=_apart(svg, name),
    )


def _apart(svg: str, name: str) -> str:
    """Styles of one picture must not reach another on the same page."""
    return re.sub(r"\bterminal-([\w-]+)", rf"{name}-\1", svg)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
