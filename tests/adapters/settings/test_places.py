"""The two folders: named by the environment, else the platform's own."""

from pathlib import Path

import platformdirs
import pytest

from longwatch.adapters.settings.places import Places, find_places


def test_the_environment_names_them(tmp_path: Path) -> None:
    named = {
        "LONGWATCH_CONFIG_DIR": str(tmp_path / "c"),
        "LONGWATCH_DATA_DIR": str(tmp_path / "d"),
    }
    assert find_places(named) == Places(tmp_path / "c", tmp_path / "d")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("environ", [{}, {"LONGWATCH_CONFIG_DIR": "", "LONGWATCH_DATA_DIR": ""}])
def test_the_platforms_own_otherwise(environ: dict[str, str]) -> None:
    places = find_places(environ)
    assert places.config == platformdirs.user_config_path("longwatch", appauthor=False)
    assert places.data == platformdirs.user_data_path("longwatch", appauthor=False)


def test_each_on_its_own(tmp_path: Path) -> None:
    places = find_places({"LONGWATCH_DATA_DIR": str(tmp_path)})
    assert places.data == tmp_path
    assert places.config == platformdirs.user_config_path("longwatch", appauthor=False)


def test_a_relative_one_is_fixed_to_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_places({"LONGWATCH_CONFIG_DIR": "here"}).config == tmp_path / "here"


@pytest.mark.parametrize(("value", "place"), [("~", "/home/x"), ("~/c/d", "/home/x/c/d")])
def test_the_home_folder_is_the_environments(value: str, place: str) -> None:
    named = {"LONGWATCH_CONFIG_DIR": value, "HOME": "/home/x"}
    assert find_places(named).config == Path(place)


def test_what_lies_in_them(tmp_path: Path) -> None:
    places = Places(tmp_path / "c", tmp_path / "d")
    assert places.config_file == tmp_path / "c" / "config.yaml"
    assert places.trust_file.parent == tmp_path / "d"
