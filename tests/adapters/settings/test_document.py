"""docs/settings.md is what the declaration says."""

import json
import re
from pathlib import Path

import pytest

from longwatch.adapters.settings.declared import SETTINGS
from longwatch.adapters.settings.document import main, settings_page
from longwatch.adapters.settings.files import load_global
from longwatch.adapters.settings.places import Places

ROOT = Path(__file__).parents[3]


def test_the_page_is_up_to_date() -> None:
    """If this fails: python -m longwatch.adapters.settings.document"""
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == settings_page()


def test_every_setting_has_one_row() -> None:
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \| [^|]+ \|$", settings_page(), re.MULTILINE)
    assert sorted(rows) == sorted(SETTINGS)


def test_its_example_is_accepted(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", settings_page(), re.DOTALL)
    (tmp_path / "config.yaml").write_text(example)
    assert load_global(Places(tmp_path, tmp_path)).providers["nearby"].context == 32768


def test_a_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--schema", "role"])
    assert json.loads(capsys.readouterr().out)["title"] == "Longwatch: role"


def test_anything_else_is_a_usage_line() -> None:
    with pytest.raises(SystemExit, match="usage"):
        main(["--what"])
