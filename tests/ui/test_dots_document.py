"""docs/dot-commands.md is what the table says."""

from pathlib import Path

from longwatch.ui.dots.document import page
from longwatch.ui.dots.table import COMMANDS

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date() -> None:
    """If this fails: python -m longwatch.ui.dots.document"""
    assert (ROOT / "docs" / "dot-commands.md").read_text(encoding="utf-8") == page()


def test_every_command_has_one_row() -> None:
    rows = [line for line in page().splitlines() if line.startswith("| `.")]
    assert len(rows) == len(COMMANDS)
