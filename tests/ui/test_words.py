"""Small things in words: each form that the dashboard uses."""

import pytest
from rich.cells import cell_len

from longwatch.session.events import Arguments, State
from longwatch.ui import words


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0s"), (59.9, "59s"), (60, "1m"), (840, "14m"), (3_600, "1h"), (86_400, "1d")],
)
def test_an_age_is_said_in_one_unit(seconds: float, said: str) -> None:
    assert words.age(seconds) == said


def test_an_age_counts_days_up_to_two_weeks() -> None:
    assert words.age(9 * 86_400) == "9d"
    assert words.age(14 * 86_400) == "2w"


@pytest.mark.parametrize(
    ("seconds", "said"), [(3, "0:03"), (62, "1:02"), (3_599, "59:59"), (4_442, "1:14:02")]
)
def test_a_duration_is_a_clock(seconds: float, said: str) -> None:
    assert words.duration(seconds) == said


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0"),
        (950, "950"),
        (1_234, "1.2k"),
        (9_960, "10k"),
        (312_400, "312k"),
        (999_600, "1.0M"),
        (12_300_000, "12M"),
    ],
)
def test_tokens_take_at_most_four_characters(count: int, said: str) -> None:
    assert words.tokens(count) == said
    assert len(said) <= 4


@pytest.mark.parametrize(
    ("amount", "unpriced", "said"),
    [
        (0.41, 0, "$0.41"),
        (0.0, 0, "$0.00"),
        (0.001, 0, "<$0.01"),
        (1_234.5, 0, "$1,234.50"),
        (0.0, 3, "?"),
        (0.41, 1, "$0.41+?"),
    ],
)
def test_an_unknown_cost_is_not_zero(amount: float, unpriced: int, said: str) -> None:
    assert words.cost(amount, unpriced) == said


def test_a_share_never_exceeds_the_whole() -> None:
    assert words.share(48_000, 200_000) == "24%"
    assert words.share(300, 200) == "100%"


@pytest.mark.parametrize(
    ("state", "reason", "said"),
    [
        ("awaiting_approval", "approve: git push", "approve: git push"),
        ("awaiting_human", "Which region?", "asks: Which region?"),
        ("failed", "no key", "failed: no key"),
        ("failed", "", "failed"),
        ("paused", "paused: resume or write to go on", "paused: resume or write to go on"),
        ("paused", "interrupted by a restart", "paused: interrupted by a restart"),
        ("idle", "no progress in 3 continuations", "no progress in 3 continuations"),
        ("dormant", "", "at rest"),
    ],
)
def test_a_standing_has_the_word_of_its_state(state: State, reason: str, said: str) -> None:
    assert words.standing(state, reason) == said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"command": "\n  pytest -q\nls"}, "pytest -q"),
        ({"path": "src/a.py", "content": "x"}, "src/a.py"),
        ({"count": 3}, ""),
        ("not json", "not json"),
        ({"command": "printf '\x1b[31m'"}, "printf '␛[31m'"),
    ],
)
def test_a_subject_is_one_safe_line(arguments: Arguments, said: str) -> None:
    assert words.subject(arguments) == said


def test_a_line_is_cut_at_four_kilobytes() -> None:
    assert len(words.one_line("x" * 100_000)) == words.LONGEST_LINE + 1


@pytest.mark.parametrize(
    "text", ["", "plain", "日本語テキスト", "a👨‍👩‍👧b🚀c", "שלום עולם", "e\u0301te\u0301"]
)
@pytest.mark.parametrize("width", range(10))
def test_cutting_and_filling_count_cells(text: str, width: int) -> None:
    assert cell_len(words.cut(text, width)) <= width
    assert cell_len(words.cut_start(text, width)) <= width
    assert cell_len(words.fill(text, width)) == width


def test_a_folder_is_said_from_home() -> None:
    assert words.homely("/home/ann/code/shop", "/home/ann") == "~/code/shop"
    assert words.homely("/home/ann", "/home/ann") == "~"
    assert words.homely("/home/anna", "/home/ann") == "/home/anna"
    assert words.homely("/srv", "") == "/srv"


def test_times_that_are_missing_or_run_backwards_are_no_time() -> None:
    early, late = "2026-11-18T08:00:00.000Z", "2026-11-18T08:00:03.500Z"
    assert words.seconds_between(early, late) == 3.5
    assert words.seconds_between(late, early) == 0
    assert words.seconds_between("", late) == 0
    assert words.later(early, 3.5) == late
