import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests.strategies import rankings, two_class_rankings

SPAM_TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])


def test_splits_run_from_nothing_to_everything_with_a_threshold_each():
    curve = th.coverage(SPAM_TREE)
    assert len(curve) == 4
    assert list(zip(curve.fp.tolist(), curve.tp.tolist(), strict=True)) == [(0, 0), (5, 20), (10, 30), (50, 50)]
    assert curve.threshold.tolist() == [math.inf, 1.5, 0, -math.inf]


@given(rankings)
def test_every_split_is_the_table_at_its_threshold(r):
    curve = th.coverage(r)
    at = th.tables.contingency_at(r, curve.threshold)
    for k in range(len(curve)):
        one = curve.at(k)
        assert (one.tp, one.fn, one.fp, one.tn) == (at.tp[k], at.fn[k], at.fp[k], at.tn[k])
        assert type(one.tp) is int


def test_measures_of_a_curve_are_curves():
    curve = th.coverage(SPAM_TREE)
    assert curve.tpr.tolist() == [0, 0.4, 0.6, 1]
    assert curve.accuracy.tolist() == [0.5, 0.65, 0.7, 0.5]
    assert math.isnan(curve.precision[0])
    assert curve.precision[1:].tolist() == [0.8, 0.75, 0.5]


def test_one_class_still_has_a_coverage_curve():
    curve = th.coverage(th.Ranking.parse("[2+][1+]"))
    assert curve.tp.tolist() == [0, 2, 3]
    assert np.isnan(curve.fpr).all()


def test_a_curve_cannot_be_written():
    curve = th.coverage(SPAM_TREE)
    for array in (curve.tp, curve.fn, curve.fp, curve.tn, curve.threshold):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("twin", [lambda c: pickle.loads(pickle.dumps(c)), copy.copy, copy.deepcopy])  # noqa: S301
def test_nor_can_its_copies(twin):
    curve = twin(th.coverage(SPAM_TREE))
    assert curve.threshold.tolist() == th.coverage(SPAM_TREE).threshold.tolist()
    for array in (curve.tp, curve.threshold):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_curves_with_other_thresholds_are_other_curves():
    assert th.coverage(SPAM_TREE) == th.coverage(SPAM_TREE)
    assert th.coverage(SPAM_TREE) != th.coverage(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[9, 8, 7]))


@given(two_class_rankings)
def test_roc_is_coverage_in_rates(r):
    fpr, tpr, threshold = th.roc(r)
    curve = th.coverage(r)
    assert fpr.tolist() == curve.fpr.tolist()
    assert tpr.tolist() == curve.tpr.tolist()
    assert threshold.tolist() == curve.threshold.tolist()
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)


def test_roc_keeps_every_split_on_a_straight_line():
    assert len(th.roc(th.Ranking.parse("[1+,1-][2+,2-][3+,3-]"))[0]) == 4


def test_roc_is_known_by_its_names():
    curve = th.roc(SPAM_TREE)
    assert curve._fields == ("fpr", "tpr", "threshold")
    assert curve.fpr.tolist() == [0, 0.1, 0.2, 1]
    assert curve.tpr.tolist() == [0, 0.4, 0.6, 1]
    assert curve.threshold.tolist() == [math.inf, 1.5, 0, -math.inf]
    for array in curve:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_rates_of_long_curves_are_those_of_plain_division():
    rng = np.random.default_rng(3)
    pos, neg = rng.integers(0, 3, 300_000), rng.integers(0, 3, 300_000) + 1
    curve = th.coverage(th.Ranking(np.arange(pos.size, 0, -1), pos, neg))
    tp, fn, fp, tn = (cell.astype(float) for cell in (curve.tp, curve.fn, curve.fp, curve.tn))
    with np.errstate(invalid="ignore"):
        expected = {
            "precision": tp / (tp + fp),
            "npv": tn / (fn + tn),
            "f1": 2 * tp / (2 * tp + fp + fn),
            "accuracy": (tp + tn) / (tp + fn + fp + tn),
            "lift": tp * (tp + fn + fp + tn) / ((tp + fp) * (tp + fn)),
        }
    for name, values in expected.items():
        np.testing.assert_array_equal(getattr(curve, name), values, err_msg=name)
    assert np.isnan(curve.precision[0])
