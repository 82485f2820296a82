"""Which checkpoints stay."""

from hypothesis import given, settings
from hypothesis import strategies as st

from longwatch.adapters.store.checkpoints import superfluous


def thinned(seqs: list[int]) -> list[int]:
    """What is left when they came one after another; newest first."""
    kept: list[int] = []
    for seq in seqs:
        kept.insert(0, seq)
        dropped = set(superfluous(kept))
        kept = [one for one in kept if one not in dropped]
    return kept


def test_few_are_all_kept() -> None:
    assert list(superfluous([])) == []
    assert list(superfluous([5])) == []
    assert list(superfluous([9, 8, 5])) == []


@settings(database=None, deadline=None)
@given(st.lists(st.integers(1, 600), min_size=1, max_size=300))
def test_the_newest_and_the_oldest_stay_and_gaps_grow_with_the_distance(steps: list[int]) -> None:
    seqs = [sum(steps[: end + 1]) for end in range(len(steps))]
    kept = thinned(seqs)
    assert kept[:3] == seqs[::-1][:3]
    assert kept[-1] == seqs[0]
    for seq in seqs:
        near = max(one for one in kept if one <= seq)
        assert seq - near <= seqs[-1] - seq + max(steps)


def test_their_number_grows_with_the_logarithm() -> None:
    assert len(thinned(list(range(500, 100_001, 500)))) <= 20
    assert len(thinned(list(range(500, 1_000_001, 500)))) <= 30
