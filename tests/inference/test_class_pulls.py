import math

import numpy as np
import pytest

import thresher as th
from tests import reference
from tests.inference import class_examples, oracles
from thresher.inference.class_comparison import CLASS_MEASURES
from thresher.inference.class_pulls import NOT_SUMMING, class_pulls, spread
from thresher.inference.classified_rows import classified_rows


def pulls(labels, matrix, **more):
    rows = classified_rows(labels, matrix, **more)
    return rows, class_pulls(rows, "model")


@pytest.mark.parametrize(("classes", "ties"), [(3, True), (3, False), (4, True), (2, True)])
def test_they_are_what_a_little_more_of_a_row_adds(classes, ties):
    labels, models = class_examples.rows(16, 3, classes=classes, ties=ties)
    matrix, weights = models["poor"], np.random.default_rng(1).exponential(size=16) + 0.2
    # A cluster per row: nothing is corrected for in the pulls themselves.
    _, found = pulls(labels, matrix, weights=weights, clusters=range(16))
    given = labels.tolist(), matrix.argmax(axis=1).tolist(), matrix.tolist(), weights.tolist()
    measures, added = reference.class_measures(*given), reference.class_pulls(*given)
    assert set(found) == set(measures) == set(CLASS_MEASURES)
    for name, each in found.items():
        assert each.estimate == pytest.approx(measures[name], abs=1e-12), name
        assert each.pull == pytest.approx(np.array(added[name]), abs=1e-8), name
        assert each.pull.sum() == pytest.approx(0, abs=1e-12), name


def test_squares_of_plain_rows_are_the_textbook_variances():
    labels, models = class_examples.rows(40, 5)
    matrix = models["poor"]
    _, found = pulls(labels, matrix)
    right = matrix.argmax(axis=1) == labels
    squares = ((matrix - np.eye(3)[labels]) ** 2).sum(axis=1) / 2
    assert found["overall_accuracy"].spread(None) == pytest.approx(right.var(ddof=1) / 40)
    assert found["brier"].spread(None) == pytest.approx(squares.var(ddof=1) / 40)
    of_classes = [right[labels == c].var(ddof=1) / (labels == c).sum() for c in range(3)]
    assert found["macro_recall"].spread(None) == pytest.approx(sum(of_classes) / 9)


def test_two_classes_are_delongs():
    labels, models = class_examples.rows(30, 6, classes=2, ties=True)
    scores = [matrix[:, 1] for matrix in models.values()]
    a, b = (pulls(labels, matrix)[1] for matrix in models.values())
    covariance = oracles.delong_covariance(labels == 1, scores)
    for name in ("one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted"):
        assert a[name].pull @ b[name].pull == pytest.approx(covariance[0, 1], abs=1e-12)
        assert a[name].spread(None) == pytest.approx(covariance[0, 0], abs=1e-12)


def test_rows_of_a_cluster_pull_together():
    labels, models = class_examples.rows(24, 7)
    single, one = pulls(labels, models["good"], clusters=range(24))
    tenfold, many = pulls(
        np.repeat(labels, 10), np.repeat(models["good"], 10, axis=0), clusters=np.repeat(np.arange(24), 10)
    )
    for name, each in one.items():
        assert many[name].spread(tenfold.cluster) == pytest.approx(each.spread(single.cluster)), name


def test_the_unit_of_weights_does_not_matter():
    labels, models = class_examples.rows(24, 8)
    weights = np.random.default_rng(0).exponential(size=24)
    (_, one), (_, million) = (pulls(labels, models["good"], weights=weights * unit) for unit in (1, 1e6))
    for name, each in one.items():
        assert million[name].estimate == pytest.approx(each.estimate)
        assert million[name].pull == pytest.approx(each.pull)


def test_variances_of_differences_are_what_simulation_finds():
    said: dict[str, list[float]] = {name: [] for name in CLASS_MEASURES}
    found: dict[str, list[float]] = {name: [] for name in CLASS_MEASURES}
    for seed in range(300):
        labels, models = class_examples.rows(120, 100 + seed)
        a, b = (pulls(labels, matrix)[1] for matrix in models.values())
        for name in CLASS_MEASURES:
            found[name].append(a[name].estimate - b[name].estimate)
            said[name].append(spread(a[name].pull - b[name].pull, None))
    for name in CLASS_MEASURES:
        assert np.mean(said[name]) == pytest.approx(np.var(found[name]), rel=0.2), name


def test_losses_that_cannot_be_told():
    labels, models = class_examples.rows(12, 1)
    _, found = pulls(labels, models["good"] * 0.9)
    assert math.isnan(found["brier"].estimate)
    assert found["log_loss"].note == NOT_SUMMING
    assert found["one_vs_rest_macro"].estimate == th.multiclass_auc(labels, models["good"] * 0.9).one_vs_rest_macro
    certain = np.eye(3)[(labels + 1) % 3]
    _, wrong = pulls(labels, certain)
    assert wrong["log_loss"].estimate == math.inf
    assert np.isnan(wrong["log_loss"].pull).all()


def test_one_case_of_a_class_shows_no_spread():
    _, found = pulls([0, 0, 1, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1]] * 2 + [[0.1, 0.1, 0.8]])
    assert math.isnan(found["macro_recall"].spread(None))
    assert math.isnan(found["one_vs_one_macro"].spread(None))
    assert found["overall_accuracy"].spread(None) > 0
