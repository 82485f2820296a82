"""Every example in the documentation runs as it stands."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> list[str]:
    return FENCE.findall(page.read_text())


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name
)
def test_the_python_of_a_page_runs_from_top_to_bottom(page: Path) -> None:
    printed = io.StringIO()
    namespace = {"__name__": "example"}
    with contextlib.redirect_stdout(printed):
        for block in blocks(page):
            exec(compile(block, page.name, "exec"), namespace)  # the page is the program
    if page.name == "embedding.md":
        assert printed.getvalue().splitlines() == [
            "dormant done",
            "['Auto-continuing (1/25): 1 incomplete todo(s) remain']",
        ]


def test_the_embedding_example_is_short() -> None:
    first = blocks(ROOT / "docs" / "embedding.md")[0]
    assert len([line for line in first.splitlines() if line.strip()]) < 40
