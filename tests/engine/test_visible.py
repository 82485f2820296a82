"""Nothing hides in a question."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longwatch.engine.visible import BLANKS, printable, visible, visible_line

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
ANY = st.text(st.characters(codec=None, categories=None))
NASTY = st.text(
    st.one_of(
        st.characters(codec=None, categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Zs"]),
        st.sampled_from([chr(code) for code in sorted(BLANKS)]),
        st.characters(max_codepoint=127),
    )
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text\n\twith a tab", "plain text\n\twith a tab"),
        ("\x1b[31mred", "␛[31mred"),
        ("\x00\x07\x08\r", "␀␇␈␍"),
        ("\x7f", "␡"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("soft\u00adhyphen", "soft⟨U+00AD⟩hyphen"),
        ("no\u00a0break", "no⟨U+00A0⟩break"),
        ("line\u2028break", "line⟨U+2028⟩break"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("filler\u3164", "filler⟨U+3164⟩"),
        ("blank\u2800", "blank⟨U+2800⟩"),
        ("lone\ud800", "lone⟨U+D800⟩"),
        ("\ufeffmark", "⟨U+FEFF⟩mark"),
        ("Größe 你好 🎉 é", "Größe 你好 🎉 é"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANY | NASTY)
def test_no_hidden_character_survives(text: str) -> None:
    shown = visible(text)
    assert not any(
        unicodedata.category(one) in HIDDEN or ord(one) in BLANKS
        for one in shown
        if one not in "\n\t"
    )
    assert not any(unicodedata.bidirectional(one) in BIDI for one in shown)
    assert shown.count("\n") == text.count("\n")
    shown.encode()


BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@given(ANY | NASTY)
def test_one_line_is_printable(text: str) -> None:
    assert visible_line(text).isprintable()


@given(ANY | NASTY)
def test_showing_twice_changes_nothing(text: str) -> None:
    assert visible(visible(text)) == visible(text)


def test_a_long_line_is_cut() -> None:
    assert visible_line("a\nb" + "c" * 100, 5) == "a␊bc…"
    assert visible_line("abc", 3) == "abc"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;AAAA\x07", "␛]52;c;AAAA␇"),
        ("\x9b2J", "⟨U+009B⟩2J"),
        ("a\r\nb", "a␍\nb"),
        ("\u202egpj.exe", "⟨U+202E⟩gpj.exe"),
        ("שלום", "שלום"),
        ("⚠️ 👩‍💻", "⚠️ 👩‍💻"),
        ("[red]markup[/red]", "[red]markup[/red]"),
    ],
)
def test_what_a_screen_shows(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(ANY | NASTY)
def test_nothing_that_steers_a_terminal_reaches_a_screen(text: str) -> None:
    for one in printable(text):
        assert one in "\n\t" or unicodedata.category(one) not in ("Cc", "Cs", "Zl", "Zp")
