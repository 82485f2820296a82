"""A little of each kind of harm that `make torture` does at length."""

from itertools import islice
from pathlib import Path

import pytest

from torture.__main__ import COLUMNS, KINDS, table, try_mounting
from torture.oracle import Finding
from torture.trials import Case, Kind, Tried, attempt

FEW = 2
PLAIN = [kind for kind in KINDS.values() if not kind.mounting]


def some(kind: Kind) -> list[Case]:
    """From all over a kind."""
    cases = list(kind.cases())
    return list(islice(cases, 0, None, len(cases) // FEW))[:FEW]


@pytest.mark.parametrize(
    ("kind", "case"),
    [
        pytest.param(kind, case, id=f"{kind.name}, {case.name}")
        for kind in PLAIN
        for case in some(kind)
    ],
)
def test_it_survives(kind: Kind, case: Case, tmp_path: Path) -> None:
    assert attempt(case, tmp_path / "harmed") == [], kind.name


@pytest.mark.parametrize("name", ["full", "read-only"])
def test_it_survives_a_disk_that_takes_nothing(name: str) -> None:
    tried = try_mounting(name, FEW, 1)
    assert tried.reports == []
    assert (tried.survived, tried.tried) == (FEW, FEW) or tried.note == "needs mounts"


def test_a_finding_of_each_fate_is_counted_once() -> None:
    tried = Tried("harm")
    tried.count("one", [])
    tried.count("two", [Finding("lost", "a"), Finding("lost", "b"), Finding("doubled", "c")])
    assert [getattr(tried, column) for column in COLUMNS] == [2, 1, 1, 1, 0]
    assert tried.reports[0] == "harm, two: lost: a"
    assert table([tried])[-1].split() == ["all", "2", "1", "1", "1", "0"]


def test_what_goes_wrong_in_the_doing_is_a_finding(tmp_path: Path) -> None:
    def harm(folder: Path) -> list[Finding]:
        raise ValueError(folder.name)

    [finding] = attempt(Case("bad", harm), tmp_path / "here")
    assert finding == Finding("broken", "ValueError: here")
