import math

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import ks_2samp

import thresher as th
from tests import strategies

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])


def test_gain_and_lift_share_their_axis():
    rate, recall, threshold = th.gain(TREE)
    again, lifted, _ = th.lift(TREE)
    assert rate.tolist() == again.tolist() == [0, 0.25, 0.4, 1]
    assert recall.tolist() == [0, 0.4, 0.6, 1]
    assert math.isnan(lifted[0])
    assert lifted[1:].tolist() == pytest.approx([1.6, 1.5, 1.0])
    assert threshold.tolist() == [math.inf, 1.5, 0, -math.inf]


def test_both_are_known_by_their_names():
    gained, lifted = th.gain(TREE), th.lift(TREE)
    assert gained._fields == ("predicted_positive_rate", "recall", "threshold")
    assert lifted._fields == ("predicted_positive_rate", "lift", "threshold")
    assert gained.recall.tolist() == [0, 0.4, 0.6, 1]
    assert lifted.lift[1:].tolist() == pytest.approx([1.6, 1.5, 1.0])
    for array in (*gained, *lifted):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@given(strategies.two_class_rankings)
def test_lift_is_precision_over_prevalence(ranking):
    tables = th.coverage(ranking)
    np.testing.assert_allclose(th.lift(ranking)[1], tables.lift)


@given(strategies.two_class_rankings)
def test_ks_agrees_with_scipy(ranking):
    positives, negatives = np.repeat(ranking.score, ranking.pos), np.repeat(ranking.score, ranking.neg)
    distance = th.ks(ranking)
    with np.errstate(divide="ignore"):  # the p-value, which is not asked for, divides by a statistic of 0
        assert distance.statistic == pytest.approx(ks_2samp(positives, negatives, method="asymp").statistic)
    table = th.coverage(ranking).at(distance.split)
    assert distance.difference == pytest.approx(table.youden_j)


def test_ks_keeps_the_sign_when_positives_score_lower():
    distance = th.ks(th.Ranking.parse("[5-][5+]"))
    assert (distance.statistic, distance.difference) == (1, -1)
