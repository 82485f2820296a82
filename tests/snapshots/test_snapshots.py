"""Every scene looks as it did when a person last looked at it."""

import re
from xml.etree import ElementTree as ET

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from snapshots import picture
from snapshots.all_scenes import ALL, PICTURE
from snapshots.gallery import KEPT, kept_at
from snapshots.guard import forbidden
from snapshots.legible import contrast, faint
from snapshots.taking import take, themes

MACHINE = re.compile(r"/(?:root|tmp|work|Users|private)/|/home/(?!ada\b)")

WELL_READ = 4.5
"""The contrast that accessibility guidelines ask of text."""


class Svg(SingleFileSnapshotExtension):
    """One file for each picture."""

    _file_extension = "svg"
    _write_mode = WriteMode.TEXT


@pytest.mark.parametrize("name", ALL)
async def test_scene(name: str, snapshot: SnapshotAssertion) -> None:
    drawn = await take(ALL[name])
    as_text(drawn)
    same = drawn == snapshot(extension_class=Svg)
    assert same, f"{name} looks different: make gallery shows how, make snapshots UPDATE=1 keeps it"


async def test_picture_of_the_readme(request: pytest.FixtureRequest) -> None:
    drawn = await take(PICTURE)
    as_text(drawn)
    if request.config.option.update_snapshots:
        picture.PLACE.write_text(drawn)
    same = drawn == picture.PLACE.read_text()
    assert same, "docs/dashboard.svg looks different: make snapshots UPDATE=1 takes it anew"


def as_text(svg: str) -> str:
    """The words of a picture: it can be read, and tells nothing of this machine."""
    words = " ".join(ET.fromstring(svg).itertext())
    assert not MACHINE.search(words)
    return words


def test_no_picture_is_left_over() -> None:
    assert set(KEPT.glob("*.svg")) <= {kept_at(name) for name in ALL}


def test_every_theme_has_a_picture() -> None:
    assert {scene.theme for scene in ALL.values()} == set(themes())


@pytest.mark.parametrize("theme", themes())
def test_every_word_can_be_read_in_every_theme(theme: str) -> None:
    kept = kept_at(f"theme_{theme.replace('-', '_')}").read_text()
    assert faint(kept, least=WELL_READ) == set()


def test_faint_words_are_found() -> None:
    kept = kept_at("theme_longwatch").read_text()
    assert faint(kept, least=21.1) > {"Checklist"}
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize(
    ("environ", "allowed"),
    [
        ({"MAKELEVEL": "1"}, True),
        ({"MAKELEVEL": "1", "CI": "false"}, True),
        ({}, False),
        ({"CI": "true"}, False),
        ({"CI": "true", "MAKELEVEL": "1"}, False),
    ],
)
def test_pictures_are_taken_anew_only_by_make_and_never_by_ci(
    environ: dict[str, str], allowed: bool
) -> None:
    assert (forbidden(environ) == "") is allowed
