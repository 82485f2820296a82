"""Scenario files: what is accepted, and what is said about one that is not."""

from pathlib import Path

import pytest

from longwatch.adapters.models.rehearsal import (
    ScenarioProblem,
    find_scenario,
    load_scenario,
    shipped_rehearsals,
)
from longwatch.adapters.models.rehearsal.files import parse_scenario
from longwatch.dialects import DIALECTS

SHIPPED = sorted(path.stem for path in shipped_rehearsals().iterdir())


def test_a_scenario_for_the_demos_three_sessions_for_a_team_and_for_every_dialect() -> None:
    assert set(SHIPPED) == {"tour", "release", "notes", "team", *DIALECTS}


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scenarios_can_be_read(name: str) -> None:
    scenario = load_scenario(find_scenario(name, [shipped_rehearsals()]))
    assert scenario.title
    assert scenario.about
    assert scenario.task
    assert scenario.dialect in DIALECTS
    assert name not in DIALECTS or scenario.dialect == name


def test_everything_that_a_scenario_can_say() -> None:
    scenario = parse_scenario(
        b"""
turns:
  - text: Hello.
    reasoning: Hm.
    pause: 0
    pace: 5
    calls:
      - {name: shell, arguments: {command: ls}}
      - {name: shell, arguments: '{"broken": '}
      - name: todo_list
    usage: {input: 5, output: 6, cached: 1, cost: 0.1}
    finish: length
  - fault: {kind: rate_limited, retry_after: 2.5, times: 2, message: slow down}
  - empty: true
  - when: {injected: nag, said: please, result: ok, failed: true, denied: shell}
    text: x
reactions:
  - {when: {said: ""}, times: 3, text: y}
closing: Bye.
""",
        "all.yaml",
    )
    assert len(scenario.turns) == 4
    assert scenario.turns[0].calls[1].arguments == '{"broken": '
    assert scenario.turns[0].usage is not None
    assert scenario.turns[0].usage.cost == 0.1
    assert scenario.reactions[0].times == 3


@pytest.mark.parametrize(
    ("content", "line", "told"),
    [
        (
            "turns:\n  - text: x\n    txet: y\n",
            3,
            "unknown key 'txet'. Did you mean text? Accepted:",
        ),
        ("turn:\n  - text: x\n", 1, "Did you mean turns?"),
        ("turns:\n  - text: 5\n", 2, "expected `str`, got `int`"),
        ("turns:\n  - text: x\n    calls:\n      - {nam: y}\n", 4, "Accepted: arguments, name"),
        ("turns:\n  - text: x\n    calls:\n      - arguments: {}\n", 4, "missing required field"),
        ("turns:\n  - when: {injected: nagg}\n    text: x\n", 2, "invalid enum value 'nagg'"),
        ("turns:\n  - text: x\n  - pause: 1\n", 3, "a turn needs text, calls or a fault"),
        ("turns:\n  - text: x\n    empty: true\n", 2, "an empty turn has neither"),
        ("turns:\n  - text: x\n    pause: -1\n", 2, "pause must not be negative"),
        ("turns:\n  - text: x\nreactions:\n  - text: y\n", 4, "a reaction needs a when"),
        ("turns: []\n", 1, "at least one turn"),
        ("pace: 0\nturns:\n  - text: x\n", 1, "pace must be more than 0"),
        ("title: x\n", 1, "missing required field `turns`"),
        ("- x\n", 1, "expected `object`, got `array`"),
        ("", 1, "expected `object`, got `null`"),
        ("turns:\n  - text: x\n    text: y\n", 3, "the key 'text' stands here twice"),
        ("turns:\n  - text: [x\n", 3, "expected"),
        ("turns: &a\n  - text: x\n", 1, "anchors and aliases are not accepted"),
        ("turns:\n  - text: !!python/name:os.system x\n", 2, "tags are not accepted"),
        ("turns: " + "[" * 60 + "]" * 60, 1, "nested more than 50 levels"),
        ("turns: " + "[" * 20_000, 1, "nested more than 50 levels"),
        ("turns:\n\t- text: x\n", 2, "cannot start any token"),
    ],
    ids=range(22),
)
def test_what_is_wrong_is_told_with_its_line(content: str, line: int, told: str) -> None:
    with pytest.raises(ScenarioProblem) as problem:
        parse_scenario(content.encode(), "my.yaml")
    assert str(problem.value).startswith(f"my.yaml:{line}: ")
    assert told in str(problem.value)


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe", b"turns: \x00", b"turns:\n  - text: 2026-99-99\n", b"a: b\n---\nc: d\n"],
)
def test_what_is_no_scenario_at_all(content: bytes) -> None:
    with pytest.raises(ScenarioProblem, match=r"my\.yaml"):
        parse_scenario(content, "my.yaml")


def test_half_a_character_is_replaced() -> None:
    scenario = parse_scenario(b'turns:\n  - text: "a\\ud800b"\n', "x")
    assert scenario.turns[0].text == "a\ufffdb"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ScenarioProblem, match="cannot be read"):
        load_scenario(tmp_path / "none.yaml")
    with pytest.raises(ScenarioProblem, match="cannot be read"):
        load_scenario(tmp_path)
    big = tmp_path / "big.yaml"
    big.write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(ScenarioProblem, match="larger than"):
        load_scenario(big)


def test_scenarios_are_found_by_name_and_by_path(tmp_path: Path) -> None:
    own = tmp_path / "tour.yaml"
    own.write_text("turns:\n  - text: mine\n")
    assert find_scenario("tour", [tmp_path, shipped_rehearsals()]) == own
    assert find_scenario("loki", [tmp_path, shipped_rehearsals()]).parent == shipped_rehearsals()
    assert find_scenario(str(own), []) == own
    assert find_scenario("sub/x", []) == Path("sub/x")
    with pytest.raises(ScenarioProblem, match=r"no rehearsal 'tuor'. Did you mean tour\?"):
        find_scenario("tuor", [tmp_path])
    with pytest.raises(ScenarioProblem, match="There are: tour"):
        find_scenario("zzz", [tmp_path])
    with pytest.raises(ScenarioProblem, match="There are: none"):
        find_scenario("zzz", [tmp_path / "missing"])
