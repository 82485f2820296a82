"""What ships is found in the source tree and in an installed package."""

from pathlib import Path

from longwatch.adapters.settings.shipped import find_shipped

ROOT = Path(__file__).parents[3]


def test_in_the_source_tree() -> None:
    shipped = find_shipped()
    assert shipped.config == ROOT / "config"
    assert shipped.themes == ROOT / "themes"
    assert (shipped.config / "config.yaml").is_file()


def test_in_an_installed_package(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "longwatch"
    (package / "config").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    shipped = find_shipped(package)
    assert shipped.config == package / "config"
    assert shipped.themes == package / "themes"


def test_beside_the_source_of_a_checkout(tmp_path: Path) -> None:
    package = tmp_path / "src" / "longwatch"
    package.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    assert find_shipped(package).config == tmp_path / "config"


def test_a_stranger_beside_an_installed_package_is_not_taken(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "longwatch"
    package.mkdir(parents=True)
    (tmp_path / "config").mkdir()
    assert find_shipped(package).config == package / "config"
