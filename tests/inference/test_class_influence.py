""""""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import reference
from tests.inference import class_examples, oracles
from thresher.inference.class_rows import classified_rows
from thresher.inference.comparison.classes import CLASS_MEASURES
from thresher.inference.influence import (
    MATRIX_MEASURES,
    NOT_SUMMING,
    class_influence,
    influence_variance,
    kappa_gradient,
    mcc_gradient,
)
from thresher.inference.interval import FISHER

full = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(1, 40), min_size=k, max_size=k), min_size=k, max_size=k)
)


def value(name, counts):
    return MATRIX_MEASURES[name].value(th.ConfusionMatrix(counts, classes=range(len(counts))))


@pytest.mark.parametrize("name", MATRIX_MEASURES)
@given(full)
def test_slopes_are_what_a_little_more_of_a_cell_adds(name, counts):
    counts = np.array(counts, dtype=np.float64)
    slopes = MATRIX_MEASURES[name].gradient(counts)
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
        slopes = MATRIX_MEASURES[name].gradient(counts)
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
    assert float((kappa_gradient(counts) ** 2 * counts).sum()) == pytest.approx(expected)


def test_two_classes_are_one_table():
    counts = np.array([[30.0, 20.0], [10.0, 40.0]])
    table = th.Contingency(tp=30, fn=20, fp=10, tn=40)
    for name, slopes in (("mcc", mcc_gradient), ("kappa", kappa_gradient)):
        expected = th.interval(table, name).variance
        assert float((slopes(counts) ** 2 * counts).sum()) == pytest.approx(expected, rel=1e-6)


def test_correlations_may_be_below_0_and_averages_may_not():
    assert [name for name, known in MATRIX_MEASURES.items() if known.ends == (-1.0, 1.0)] == ["mcc", "kappa"]
    assert all(known.ends == (0.0, 1.0) for known in MATRIX_MEASURES.values() if known.scale is not FISHER)


def pulls(labels, matrix, **more):
    rows = classified_rows(labels, matrix, **more)
    return rows, class_influence(rows, "model")


@pytest.mark.parametrize(("classes", "ties"), [(3, True), (3, False), (4, True), (2, True)])
def test_they_are_what_a_little_more_of_a_row_adds(classes, ties):
    labels, models = class_examples.rows(16, 3, classes=classes, ties=ties)
    matrix, weights = models["poor"], np.random.default_rng(1).exponential(size=16) + 0.2
    # A cluster per row: nothing is corrected for in the pulls themselves.
    _, found = pulls(labels, matrix, weights=weights, clusters=range(16))
    given = labels.tolist(), matrix.argmax(axis=1).tolist(), matrix.tolist(), weights.tolist()
    measures, added = reference.class_measures(*given), reference.class_influence(*given)
    assert set(found) == set(measures) == set(CLASS_MEASURES)
    for name, each in found.items():
        assert each.estimate == pytest.approx(measures[name], abs=1e-12), name
        assert each.values == pytest.approx(np.array(added[name]), abs=1e-8), name
        assert each.values.sum() == pytest.approx(0, abs=1e-12), name


def test_squares_of_plain_rows_are_the_textbook_variances():
    labels, models = class_examples.rows(40, 5)
    matrix = models["poor"]
    _, found = pulls(labels, matrix)
    right = matrix.argmax(axis=1) == labels
    squares = ((matrix - np.eye(3)[labels]) ** 2).sum(axis=1) / 2
    assert found["overall_accuracy"].variance(None) == pytest.approx(right.var(ddof=1) / 40)
    assert found["brier"].variance(None) == pytest.approx(squares.var(ddof=1) / 40)
    of_classes = [right[labels == c].var(ddof=1) / (labels == c).sum() for c in range(3)]
    assert found["macro_recall"].variance(None) == pytest.approx(sum(of_classes) / 9)


def test_two_classes_are_delongs():
    labels, models = class_examples.rows(30, 6, classes=2, ties=True)
    scores = [matrix[:, 1] for matrix in models.values()]
    a, b = (pulls(labels, matrix)[1] for matrix in models.values())
    covariance = oracles.delong_covariance(labels == 1, scores)
    for name in ("one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted"):
        assert a[name].values @ b[name].values == pytest.approx(covariance[0, 1], abs=1e-12)
        assert a[name].variance(None) == pytest.approx(covariance[0, 0], abs=1e-12)


def test_rows_of_a_cluster_pull_together():
    labels, models = class_examples.rows(24, 7)
    single, one = pulls(labels, models["good"], clusters=range(24))
    tenfold, many = pulls(
        np.repeat(labels, 10), np.repeat(models["good"], 10, axis=0), clusters=np.repeat(np.arange(24), 10)
    )
    for name, each in one.items():
        assert many[name].variance(tenfold.cluster) == pytest.approx(each.variance(single.cluster)), name


def test_the_unit_of_weights_does_not_matter():
    labels, models = class_examples.rows(24, 8)
    weights = np.random.default_rng(0).exponential(size=24)
    (_, one), (_, million) = (pulls(labels, models["good"], weights=weights * unit) for unit in (1, 1e6))
    for name, each in one.items():
        assert million[name].estimate == pytest.approx(each.estimate)
        assert million[name].values == pytest.approx(each.values)


def test_variances_of_differences_are_what_simulation_finds():
    said: dict[str, list[float]] = {name: [] for name in CLASS_MEASURES}
    found: dict[str, list[float]] = {name: [] for name in CLASS_MEASURES}
    for seed in range(300):
        labels, models = class_examples.rows(120, 100 + seed)
        a, b = (pulls(labels, matrix)[1] for matrix in models.values())
        for name in CLASS_MEASURES:
            found[name].append(a[name].estimate - b[name].estimate)
            said[name].append(influence_variance(a[name].values - b[name].values, None))
    for name in CLASS_MEASURES:
        assert np.mean(said[name]) == pytest.approx(np.var(found[name]), rel=0.2), name


def test_losses_that_cannot_be_told():
    labels, models = class_examples.rows(12, 1)
    _, found = pulls(labels, models["good"] * 0.9)
    assert math.isnan(found["brier"].estimate)
    assert found["log_loss"].note == NOT_SUMMING
    assert (
        found["one_vs_rest_macro"].estimate == th.curves.multiclass_auc(labels, models["good"] * 0.9).one_vs_rest_macro
    )
    certain = np.eye(3)[(labels + 1) % 3]
    _, wrong = pulls(labels, certain)
    assert wrong["log_loss"].estimate == math.inf
    assert np.isnan(wrong["log_loss"].values).all()


def test_one_case_of_a_class_shows_no_spread():
    _, found = pulls([0, 0, 1, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1]] * 2 + [[0.1, 0.1, 0.8]])
    assert math.isnan(found["macro_recall"].variance(None))
    assert math.isnan(found["one_vs_one_macro"].variance(None))
    assert found["overall_accuracy"].variance(None) > 0
