"""Whose editor it is."""

import pytest

from longwatch.commands.editing import editor_of
from longwatch.ui.services import Refused


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        ({}, ["vi"]),
        ({"EDITOR": "nano"}, ["nano"]),
        ({"EDITOR": "nano", "VISUAL": "code --wait"}, ["code", "--wait"]),
        ({"VISUAL": " ", "EDITOR": "'my editor' -x"}, ["my editor", "-x"]),
    ],
)
def test_visual_comes_before_editor(environ: dict[str, str], command: list[str]) -> None:
    assert list(editor_of(environ)) == command


def test_what_is_no_command_line_is_told() -> None:
    with pytest.raises(Refused, match=r"\$EDITOR is no command line"):
        editor_of({"EDITOR": "'vi"})
