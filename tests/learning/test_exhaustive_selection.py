import numpy as np
import pytest

import thresher as th
from thresher.learning import exhaustive_selection as module
from thresher.learning.exhaustive_selection import exhaustive_selection


def summed(weights):
    return lambda subsets: weights[subsets].sum(axis=1)


def test_every_subset_is_looked_at_once(monkeypatch):
    monkeypatch.setattr(module, "_AT_ONCE", 3)
    seen: list[tuple[int, ...]] = []

    def remembered(subsets):
        seen.extend(map(tuple, subsets.tolist()))
        return np.zeros(len(subsets))

    best, _ = exhaustive_selection(remembered, np.zeros(5), 3)
    assert len(seen) == len(set(seen)) == 10
    assert best.tolist() == [0, 1, 2]


def test_infinite_values_are_told_apart_across_blocks(monkeypatch):
    monkeypatch.setattr(module, "_AT_ONCE", 2)
    between = np.array([1.0, 2.0, 3.0, 4.0])
    best, value = exhaustive_selection(lambda subsets: np.full(len(subsets), np.inf), between, 2)
    assert best.tolist() == [2, 3]
    assert value == np.inf


def test_too_many_are_refused_with_their_number():
    with pytest.raises(th.ArgumentError, match="20 of 40 features make 137,846,528,820 subsets"):
        exhaustive_selection(summed(np.ones(40)), np.ones(40), 20)
    with pytest.raises(th.ArgumentError, match=r"50 of 10,000 features make about 10\^135 subsets"):
        exhaustive_selection(summed(np.ones(10_000)), np.ones(10_000), 50)
