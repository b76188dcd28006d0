import numpy as np
import pytest
from scipy.stats import poisson

from thresher.inference import multiplicity
from thresher.inference.multiplicity import FEWEST_ITEMS, _mixture, multiplicities


@pytest.mark.parametrize("items", [1, 5, FEWEST_ITEMS - 1, FEWEST_ITEMS, FEWEST_ITEMS + 3, 50_001])
def test_as_many_are_drawn_as_there_are(items):
    drawn = multiplicities(items, 3, np.random.default_rng(items))
    assert drawn.shape == (3, items)
    assert drawn.sum(axis=1).tolist() == [items] * 3
    assert drawn.dtype.kind == "i"


def test_counts_are_multinomial():
    """Marginals are binomial, items vary alike and against each other, whatever their place."""
    items, times = FEWEST_ITEMS, 3000
    rng = np.random.default_rng(1)
    drawn = multiplicities(items, times, rng)
    by_number = np.array([np.bincount(rng.integers(0, items, items), minlength=items) for _ in range(times)])
    assert drawn.var() == pytest.approx(1 - 1 / items, abs=0.003)
    for count in range(7):
        share, same = (drawn == count).mean(), (by_number == count).mean()
        assert share == pytest.approx(same, rel=0.05, abs=2e-5)
    halves = drawn[:, : items // 2].sum(axis=1)  # Binomial(n, 1/2)
    assert halves.mean() == pytest.approx(items / 2, abs=4 * np.sqrt(items / 4 / times))
    assert halves.var() == pytest.approx(items / 4, rel=0.12)


def test_the_mixture_is_the_poisson_distribution():
    items = 10_000
    limits, rest = _mixture(items)
    by_byte = np.diff(limits.astype(int), prepend=0) / 256
    left = 1 - limits[-1] / 256
    assert 0 < left < 1 / 50
    found = left * np.diff(rest, prepend=0)
    found[: by_byte.size] += by_byte
    assert found == pytest.approx(poisson.pmf(np.arange(rest.size), 1 - 4 / np.sqrt(items)), abs=1e-15)
    assert rest[-1] == 1


def test_replicates_that_draw_too_many_are_drawn_again(monkeypatch):
    """At a rate of 1 half of them do."""
    monkeypatch.setattr(multiplicity, "_rate", lambda _: 1.0)
    _mixture.cache_clear()
    drawn = multiplicities(FEWEST_ITEMS, 40, np.random.default_rng(2))
    _mixture.cache_clear()
    assert drawn.sum(axis=1).tolist() == [FEWEST_ITEMS] * 40
