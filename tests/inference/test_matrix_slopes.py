import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.inference.interval import FISHER
from thresher.inference.matrix_slopes import WHOLE_MEASURES, kappa_slopes, mcc_slopes

full = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(1, 40), min_size=k, max_size=k), min_size=k, max_size=k)
)


def value(name, counts):
    return WHOLE_MEASURES[name].value(th.ConfusionMatrix(counts, classes=range(len(counts))))


@pytest.mark.parametrize("name", WHOLE_MEASURES)
@given(full)
def test_slopes_are_what_a_little_more_of_a_cell_adds(name, counts):
    counts = np.array(counts, dtype=np.float64)
    slopes = WHOLE_MEASURES[name].slopes(counts)
    for cell in np.ndindex(counts.shape):
        step = np.zeros_like(counts)
        step[cell] = 1e-5 * counts[cell]
        numeric = (value(name, counts + step) - value(name, counts - step)) / (2 * step[cell])
        assert slopes[cell] == pytest.approx(numeric, rel=1e-4, abs=1e-9)
    assert float((slopes * counts).sum()) == pytest.approx(0, abs=1e-12)  # the unit of counts does not matter


def test_a_class_without_cases_weighs_nothing():
    """It may still be called, and have no recall; what is weighted by cases knows nothing of it."""
    counts = np.array([[8.0, 2.0, 1.0], [1.0, 9.0, 2.0], [0.0, 0.0, 0.0]])
    for name in ("weighted_precision", "weighted_f1"):
        slopes = WHOLE_MEASURES[name].slopes(counts)
        assert np.isfinite(slopes).all()
        for cell in ((0, 0), (0, 2), (1, 1), (1, 2)):
            step = np.zeros_like(counts)
            step[cell] = 1e-5
            numeric = (value(name, counts + step) - value(name, counts - step)) / 2e-5
            assert slopes[cell] == pytest.approx(numeric, rel=1e-5), (name, cell)


def test_kappa_has_the_variance_of_fleiss_cohen_and_everitt():
    """Their large-sample standard error (1969), written out term by term."""
    counts = np.array([[53.0, 5.0, 2.0], [11.0, 14.0, 5.0], [1.0, 6.0, 3.0]])
    share = counts / counts.sum()
    row, column = share.sum(axis=1), share.sum(axis=0)
    seen, chance = float(np.trace(share)), float(row @ column)
    kappa = (seen - chance) / (1 - chance)
    first = sum(share[i, i] * (1 - (row[i] + column[i]) * (1 - kappa)) ** 2 for i in range(3))
    second = sum(share[i, j] * (column[i] + row[j]) ** 2 for i in range(3) for j in range(3) if i != j)
    third = (kappa - chance * (1 - kappa)) ** 2
    expected = (first + (1 - kappa) ** 2 * second - third) / (1 - chance) ** 2 / counts.sum()
    assert float((kappa_slopes(counts) ** 2 * counts).sum()) == pytest.approx(expected)


def test_two_classes_are_one_table():
    counts = np.array([[30.0, 20.0], [10.0, 40.0]])
    table = th.Contingency(tp=30, fn=20, fp=10, tn=40)
    for name, slopes in (("mcc", mcc_slopes), ("kappa", kappa_slopes)):
        expected = th.measure_interval(table, name).variance
        assert float((slopes(counts) ** 2 * counts).sum()) == pytest.approx(expected, rel=1e-6)


def test_correlations_may_be_below_0_and_averages_may_not():
    assert [name for name, known in WHOLE_MEASURES.items() if known.ends == (-1.0, 1.0)] == ["mcc", "kappa"]
    assert all(known.ends == (0.0, 1.0) for known in WHOLE_MEASURES.values() if known.scale is not FISHER)
