import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.metrics import average_precision_score

import thresher as th
from tests import reference, strategies

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")


def test_precision_is_undefined_before_anything_is_called_positive():
    recall, precision, threshold = th.precision_recall(TREE)
    assert recall[0] == 0
    assert math.isnan(precision[0])
    assert threshold[0] == math.inf
    assert len(recall) == len(precision) == len(threshold) == 4


def test_the_curve_is_known_by_its_names():
    curve = th.precision_recall(TREE)
    assert curve._fields == ("recall", "precision", "threshold")
    assert curve.recall.tolist() == [0, 0.4, 0.6, 1]
    assert curve.precision[1:].tolist() == [0.8, 0.75, 0.5]
    assert curve.threshold.tolist() == [math.inf, 2.5, 1.5, -math.inf]
    for array in curve:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_interpolation_between_two_points_is_hyperbolic():
    ranking = th.Ranking.parse("[5+,5-][5+,25-][10+,70-]")
    precision = th.curves.precision_at(ranking, [0.25, 0.30, 0.35, 0.40, 0.45, 0.50])
    np.testing.assert_allclose(precision, [0.5, 0.375, 0.3182, 0.2857, 0.2647, 0.25], atol=5e-5)


def test_where_splits_share_a_recall_the_most_precise_counts():
    assert th.curves.precision_at(th.Ranking.parse("[1+][3-][1+]"), [0.5, 1.0]).tolist() == [1.0, 0.4]
    assert math.isnan(th.curves.precision_at(TREE, 0.0))


@given(strategies.two_class_rankings)
def test_area_is_the_integral_of_the_interpolated_curve(ranking):
    tp, _ = ranking.covered()
    numeric, _ = quad(
        lambda recall: float(th.curves.precision_at(ranking, recall)),
        0,
        1,
        points=np.unique(tp / ranking.Pos)[:90],
        limit=400,
    )
    assert th.pr_area(ranking) == pytest.approx(numeric, abs=1e-6)


@given(strategies.labelled_scores(both_classes=True))
def test_average_precision_agrees_with_scikit_learn(rows):
    labels, scores = rows
    scores = np.clip(np.asarray(scores, dtype=np.float64), -1e300, 1e300)
    expected = average_precision_score(labels, scores)
    assert th.average_precision(th.rank(labels, scores)) == pytest.approx(expected, abs=1e-12)


@given(st.one_of(strategies.rare_positives, strategies.rare_positives.map(lambda counts: [(n, p) for p, n in counts])))
def test_small_areas_keep_their_digits(counts):
    exact = reference.pr_area_in_decimals(counts)
    assert th.pr_area(strategies.ranking(counts)) == pytest.approx(float(exact), rel=1e-14, abs=0)


def test_limits_of_the_area():
    assert th.pr_area(th.Ranking.parse("[7+][3-]")) == 1
    assert th.pr_area(th.Ranking.parse("[3+,9-]")) == pytest.approx(0.25)
    worst = th.Ranking.parse("[100000-][100000+]")
    assert th.pr_area(worst) == pytest.approx(1 - math.log(2), abs=1e-9)


def test_area_stays_accurate_over_millions_of_single_cases():
    n = 1_000_000
    mixed = th.Ranking(np.arange(2 * n, 0, -1.0), np.tile([1, 0], n), np.tile([0, 1], n))
    assert th.pr_area(mixed) == pytest.approx(0.5, abs=1e-5)


def test_gain_curve_runs_from_zero_to_one():
    curve = th.curves.pr_gain(TREE)
    assert curve.recall_gain[0] == 0
    assert curve.recall_gain[-1] == 1
    assert curve.precision_gain[-1] == pytest.approx(0)


@given(strategies.two_class_rankings)
def test_gains_follow_their_definition(ranking):
    curve = th.curves.pr_gain(ranking)
    share = ranking.prevalence
    tables = th.coverage(ranking)
    with np.errstate(divide="ignore", invalid="ignore"):
        recall_gain = (tables.recall - share) / ((1 - share) * tables.recall)
        precision_gain = (tables.precision - share) / ((1 - share) * tables.precision)
    shown = recall_gain > 1e-9
    np.testing.assert_allclose(curve.recall_gain[curve.recall_gain > 1e-9], recall_gain[shown], atol=1e-9)
    np.testing.assert_allclose(
        curve.precision_gain[curve.recall_gain > 1e-9], precision_gain[shown], rtol=1e-9, atol=1e-9
    )


def test_gain_area_of_perfect_and_of_constant_scores():
    assert th.curves.pr_gain(th.Ranking.parse("[7+][3-]")).area == pytest.approx(1)
    assert th.curves.pr_gain(th.Ranking.parse("[7+,3-]")).area == pytest.approx(0)


def test_recall_outside_the_unit_interval_is_refused():
    with pytest.raises(th.errors.ArgumentError, match="recall"):
        th.curves.precision_at(TREE, 1.2)


def test_trap_11_the_area_is_not_the_trapezoid():
    labels = [1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0]
    scores = [20, 19, 18, 17, 16, 15, 14, 14, 14, 14, 14, 14, 8, 7, 6, 5, 5, 5, 5, 5]
    ranking = th.rank(labels, scores)
    recall, precision, _ = th.precision_recall(ranking)
    trapezoid = np.trapezoid(np.r_[1.0, precision[1:]], recall)
    assert trapezoid == pytest.approx(0.7452, abs=5e-4)
    assert th.pr_area(ranking) == pytest.approx(0.7397714386319413, abs=1e-14)
    assert th.average_precision(ranking) == pytest.approx(0.7265384615384616, abs=1e-14)


@given(strategies.two_class_rankings)
def test_precision_at_recalls_of_the_curve_is_the_best_there(ranking):
    tables = th.coverage(ranking)
    for recall in set(tables.recall.tolist()) - {0.0}:
        best = np.nanmax(tables.precision[tables.recall == recall])
        assert float(th.curves.precision_at(ranking, recall)) == pytest.approx(best)
