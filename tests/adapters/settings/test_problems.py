"""How problems are printed."""

import pytest

from longwatch.adapters.settings.problems import BadSetting, Problem, Problems, UnknownKey


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (
            Problem("config.yaml", 3, "stream", "text 'x'", "true or false"),
            "config.yaml:3: stream: found text 'x', accepted true or false",
        ),
        (
            Problem("config.yaml", 3, "approval", "text 'ato'", "ask or auto", "auto"),
            "config.yaml:3: approval: found text 'ato', accepted ask or auto; did you mean 'auto'?",
        ),
        (
            Problem("config.yaml", 7, "providers.a.typ", nearest="type", unknown="typ"),
            "config.yaml:7: providers.a.typ: Unknown key 'typ'; did you mean 'type'?",
        ),
        (Problem("f", None, "", "a folder", "a file"), "f: found a folder, accepted a file"),
        (Problem("", None, "role", "'x'", "one of a"), "role: found 'x', accepted one of a"),
        (Problem("f", 1, "", "too much"), "f:1: found too much"),
        (Problem("a\nb", 1, "", "x", "y"), r"'a\nb':1: found x, accepted y"),
        (Problem("f", 1, "a\x1bb", "x", "y"), r"f:1: 'a\x1bb': found x, accepted y"),
    ],
)
def test_a_problem_is_one_line(problem: Problem, said: str) -> None:
    assert str(problem) == said


def test_problems_are_printed_one_per_line() -> None:
    problems = Problems([Problem("a", 1, "", "x", "y"), Problem("b", 2, "", "x", "y")])
    assert str(problems) == "a:1: found x, accepted y\nb:2: found x, accepted y"
    assert len(problems.problems) == 2


def test_a_bad_setting_gets_its_place() -> None:
    bad = BadSetting("stream", found="text 'x'", accepted="true or false")
    assert str(Problem.of(bad, "f", 2)) == "f:2: stream: found text 'x', accepted true or false"
    assert str(Problem.of(bad, "f", 2, "other")).startswith("f:2: other: ")
    unknown = UnknownKey("steam", "'steam'", "stream")
    said = "LONGWATCH_X: steam: Unknown key 'steam'; did you mean 'stream'?"
    assert str(Problem.of(unknown, "LONGWATCH_X")) == said
