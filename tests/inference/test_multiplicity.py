import numpy as np
import pytest

from thresher.inference.multiplicity import _OPEN, FEWEST_ITEMS, _poisson, multiplicities


@pytest.mark.parametrize("items", [1, 5, FEWEST_ITEMS - 1, FEWEST_ITEMS, FEWEST_ITEMS + 3, 50_001])
def test_as_many_are_drawn_as_there_are(items):
    drawn = multiplicities(items, np.random.default_rng(items))
    assert (drawn.size, drawn.sum()) == (items, items)
    assert drawn.dtype == np.int64


def test_counts_are_multinomial():
    """Marginals are binomial, items vary alike and against each other, whatever their place."""
    items, times = FEWEST_ITEMS, 3000
    rng = np.random.default_rng(1)
    drawn = np.array([multiplicities(items, rng) for _ in range(times)])
    by_number = np.array([np.bincount(rng.integers(0, items, items), minlength=items) for _ in range(times)])
    assert drawn.var() == pytest.approx(1 - 1 / items, abs=0.003)
    for count in range(7):
        share, same = (drawn == count).mean(), (by_number == count).mean()
        assert share == pytest.approx(same, rel=0.05, abs=2e-5)
    halves = drawn[:, : items // 2].sum(axis=1)  # Binomial(n, 1/2)
    assert halves.mean() == pytest.approx(items / 2, abs=4 * np.sqrt(items / 4 / times))
    assert halves.var() == pytest.approx(items / 4, rel=0.12)


def test_the_table_is_the_distribution_function():
    steps, table = _poisson(10_000)
    assert steps[-1] == pytest.approx(1, abs=1e-12)
    decided = np.flatnonzero(table != _OPEN)
    assert decided.size > 2**16 - 20
    for place in (decided, decided + 0.999999):
        assert np.array_equal(np.searchsorted(steps, place / 2**16, side="right"), table[decided])
