"""Themes: what ships can be read by everyone, and a file with an error is told and left out."""

from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from longwatch.adapters.settings.appearance import Appearance, read_appearance
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.shipped import find_shipped
from longwatch.adapters.settings.toml import parse_toml
from longwatch.ui.complaint import Complaint
from longwatch.ui.themes import DEFAULT, theme_of, themes_of

SHIPPED = find_shipped()
NAMES = sorted(path.stem for path in SHIPPED.themes.glob("*.toml"))
EXPECTED = {
    "longwatch",
    "longwatch-light",
    "high-contrast",
    "colour-blind",
    "solarized-dark",
    "solarized-light",
    "nord",
    "mono",
}
GOOD = {"primary": "#6fb3c8", "foreground": "#ffffff", "background": "black"}
BACKGROUNDS = ("background", "surface", "panel")
STATES = ("success", "warning", "error", "primary", "accent")


def read(config: Path) -> Appearance:
    return read_appearance(Places(config, config), SHIPPED)


def shipped(name: str) -> Theme:
    document = parse_toml((SHIPPED.themes / f"{name}.toml").read_text(), f"{name}.toml")
    theme = theme_of(name, document.values)
    assert isinstance(theme, Theme), theme
    return theme


def colours_of(name: str) -> dict[str, str]:
    """Every variable as the app gives it to the styles."""
    theme = shipped(name)
    return {**theme.to_color_system().generate(), **theme.variables}


def luminance(colour: Color) -> float:
    """As WCAG defines it."""
    parts = [part / 255 for part in colour.rgb]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(Color.parse(c)) for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_measured_as_wcag_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_themes_that_ship() -> None:
    assert set(NAMES) >= EXPECTED
    assert DEFAULT in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_text_of_a_theme_can_be_read(name: str) -> None:
    colours = colours_of(name)
    for background in BACKGROUNDS:
        assert contrast(colours["foreground"], colours[background]) >= 4.5, background


@pytest.mark.parametrize("name", NAMES)
def test_how_things_stand_can_be_seen(name: str) -> None:
    colours = colours_of(name)
    for background in BACKGROUNDS:
        for state in STATES:
            assert contrast(colours[state], colours[background]) >= 3, (state, background)
            text = colours[f"text-{state}"]
            assert contrast(text, colours[background]) >= 4.5, (f"text-{state}", background)


@pytest.mark.parametrize("name", NAMES)
def test_muted_text_can_be_read(name: str) -> None:
    colours = colours_of(name)
    for background in BACKGROUNDS:
        ground = Color.parse(colours[background])
        muted = (ground + Color.parse(colours["foreground-muted"])).hex
        assert contrast(muted, ground.hex) >= 3, background


@pytest.mark.parametrize("name", NAMES)
def test_the_marked_line_can_be_read(name: str) -> None:
    variables = shipped(name).variables
    marked, text = variables["block-cursor-background"], variables["block-cursor-foreground"]
    assert contrast(marked, text) >= 4.5


def test_mono_is_grey() -> None:
    theme = shipped("mono")
    for key in ("primary", "foreground", "background", "success", "warning", "error"):
        assert len(set(Color.parse(str(getattr(theme, key))).rgb)) == 1, key


@pytest.mark.parametrize("name", NAMES)
async def test_a_theme_can_be_put_on(name: str) -> None:
    app: App[None] = App()
    async with app.run_test():
        app.register_theme(shipped(name))
        app.theme = name
        assert app.current_theme.name == name


def test_light_and_dark_say_so() -> None:
    assert not shipped("longwatch-light").dark
    assert not shipped("solarized-light").dark
    assert shipped("longwatch").dark


# --- what a person may get wrong ------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"primary": "blurple"}, Complaint("primary", "'blurple'", "a colour such as '#6fb3c8'")),
        ({"primary": 7}, Complaint("primary", "7", "a colour")),
        ({"background": "#ffffff80"}, Complaint("background", "'#ffffff80'", "a colour")),
        ({"primary": "ansi_blue"}, Complaint("primary", "'ansi_blue'", "a colour")),
        ({"dark": "yes"}, Complaint("dark", "'yes'", "true or false")),
        ({"text_alpha": 2}, Complaint("text_alpha", "2", "a number from 0 to 1")),
        ({"text_alpha": True}, Complaint("text_alpha", "true", "a number from 0 to 1")),
        ({"primry": "red"}, Complaint("primry", "an unknown key", "primary", "primary")),
        ({"variables": "red"}, Complaint("variables", "'red'", "a table")),
        (
            {"variables": {"bordr": "red"}},
            Complaint("variables.bordr", "an unknown variable", "one of", "border"),
        ),
        (
            {"variables": {"border": "red; } A { color: blue"}},
            Complaint("variables.border", "'red; } A { color: blue'", "a colour such as"),
        ),
        (
            {"variables": {"link-style": "curly"}},
            Complaint("variables.link-style", "'curly'", "styles such as"),
        ),
        (
            {"variables": {"link-style": ""}},
            Complaint("variables.link-style", "''", "styles such as"),
        ),
    ],
)
def test_what_is_wrong_is_told(wrong: dict[str, Any], told: Complaint) -> None:
    found = theme_of("mine", {**GOOD, **wrong})
    assert not isinstance(found, Theme)
    [one] = found
    assert (one.key, one.found, one.nearest) == (told.key, told.found, told.nearest)
    assert one.accepted.startswith(told.accepted)


def test_all_that_is_missing_is_told_together() -> None:
    found = theme_of("mine", {"dark": 1})
    assert not isinstance(found, Theme)
    assert [one.key for one in found] == ["primary", "foreground", "background", "dark"]


@pytest.mark.parametrize("value", ["auto 60%", "transparent", "#81a1c1 35%", "red", "#fff"])
def test_variables_may_be_mixed_colours(value: str) -> None:
    assert isinstance(theme_of("mine", {**GOOD, "variables": {"border": value}}), Theme)


# --- files ----------------------------------------------------------------------------------


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / "themes" / f"{name}.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_persons_own_theme_comes_before_the_one_that_ships(tmp_path: Path) -> None:
    write(tmp_path, "nord", 'primary = "red"\nforeground = "white"\nbackground = "black"\n')
    themes, complaints = themes_of(read(tmp_path).themes)
    assert complaints == []
    assert themes["nord"].primary == "red"
    assert set(themes) == set(NAMES)


def test_a_theme_with_an_error_is_told_and_the_one_that_ships_stays(tmp_path: Path) -> None:
    path = write(tmp_path, "nord", 'foreground = "white"\nbackground = "black"\nprimary = "rd"\n')
    themes, complaints = themes_of(read(tmp_path).themes)
    assert themes["nord"].primary == "#88c0d0"
    accepted = "a colour such as '#6fb3c8' or 'teal'"
    assert complaints == [f"{path}:3: primary: found 'rd', accepted {accepted}"]


def test_a_file_that_is_no_toml_is_a_problem_and_is_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, "mine", "primary = \n")
    appearance = read(tmp_path)
    [problem] = appearance.problems
    assert (problem.file, problem.line) == (str(path), 1)
    assert len(appearance.themes) == len(NAMES)


def test_without_files_of_ones_own_there_is_what_ships(tmp_path: Path) -> None:
    appearance = read(tmp_path / "nowhere")
    assert (appearance.keymap, appearance.problems) == (None, ())
    assert len(appearance.themes) == len(NAMES)
