"""`config init`, `path` and `schema`."""

import json
import stat
from pathlib import Path

import pytest
from command_line import Home

from longwatch.adapters.settings.shipped import find_shipped


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_templates_are_copied_and_change_nothing(home: Home) -> None:
    before = home.ok("config", "show", "--json")
    home.config.rmdir()
    home.ok("config", "init")
    shipped = find_shipped().config
    names = ("config.yaml", "keymap.toml")
    assert tree(home.config) == {name: (shipped / name).read_bytes() for name in names}
    assert home.ok("config", "show", "--json") == before
    assert home.ok("config", "check").startswith("All is well: 2 files checked")


def test_everything_that_ships_can_be_copied_and_is_right(home: Home) -> None:
    home.inside("config", "init", "--all")
    copied = tree(home.config)
    assert {"config.yaml", "roles/coder.md", "agents/coder/config.yaml"} <= set(copied)
    assert {"themes/nord.toml", "rehearsals/tour.yaml"} <= set(copied)
    ran = home.inside("config", "check")
    assert (ran.code, ran.err) == (0, "")
    assert f"{len(copied)} files checked" in ran.out


def test_files_are_for_their_owner_only(home: Home) -> None:
    home.config.rmdir()
    home.inside("config", "init", "--all")
    for path in (home.config, *home.config.rglob("*")):
        expected = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == expected


def test_what_is_there_is_never_overwritten(home: Home, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    (home.config / "config.yaml").write_text("temperature: 1\n")
    (home.config / "keymap.toml").symlink_to(target)
    ran = home.inside("config", "init")
    assert ran.code == 0
    assert ran.out.count("Left alone, it is there") == 2
    assert (home.config / "config.yaml").read_text() == "temperature: 1\n"
    assert not target.exists()
    assert [path.name for path in sorted(home.config.iterdir())] == ["config.yaml", "keymap.toml"]


def test_a_place_where_nothing_can_be_written_is_told(home: Home) -> None:
    home.config.rmdir()
    home.config.write_text("no folder")
    ran = home.inside("config", "init")
    assert ran.code == 1
    assert "cannot be written" in ran.err


def test_the_folders_are_told_for_people_and_scripts(home: Home) -> None:
    told = json.loads(home.ok("config", "path", "--json"))
    assert told == {
        "config": str(home.config),
        "data": str(home.data),
        "project": str(home.work / ".longwatch"),
    }
    lines = home.inside("config", "path").out.splitlines()
    assert [line.split()[:2] for line in lines] == [list(pair) for pair in told.items()]
    assert "not there yet" in lines[1]
    assert "not trusted" in lines[2]
    assert not home.data.exists()


@pytest.mark.parametrize("sort", ["config", "role", "agent", "session", "project"])
def test_editors_get_a_schema(home: Home, sort: str) -> None:
    schema = json.loads(home.inside("config", "schema", sort).out)
    assert schema["properties"]["temperature"]["description"]
    assert ("approval" in schema["properties"]) == (sort != "project")
    assert ("providers" in schema["properties"]) == (sort == "config")
