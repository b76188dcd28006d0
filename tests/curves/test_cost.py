import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import strategies

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")


def as_probabilities(ranking):
    return th.Ranking(np.linspace(1, 0, len(ranking)), ranking.pos, ranking.neg)


@given(strategies.two_class_rankings, st.floats(0.001, 0.999))
def test_the_envelope_is_the_cheapest_of_all_splits(ranking, x):
    tables = th.coverage(ranking)
    lines = tables.fnr * x + tables.fpr * (1 - x)
    assert float(th.cost_curve(ranking).at(x)) == pytest.approx(lines.min(), abs=1e-12)


@given(strategies.two_class_rankings, st.integers(1, 9), st.integers(1, 9))
def test_the_envelope_is_what_choose_pays(ranking, a, b):
    condition = th.OperatingCondition(class_ratio=a / b, cost_ratio=3)
    share = a / (a + b)
    scale = share * 3 + (1 - share)
    x = share * 3 / scale
    assert th.choose(ranking, condition).expected_cost == pytest.approx(scale * float(th.cost_curve(ranking).at(x)))


def test_ends_and_area_of_the_cost_curve():
    curve = th.cost_curve(TREE)
    assert curve.cost[0] == 0
    assert curve.cost[-1] == 0
    grid = np.linspace(0, 1, 200_001)
    assert curve.area == pytest.approx(np.trapezoid(curve.at(grid), grid), abs=1e-9)
    assert th.cost_curve(th.Ranking.parse("[5+][5-]")).area == 0
    assert th.cost_curve(th.Ranking.parse("[5-][5+]")).area == pytest.approx(0.25)


@given(strategies.two_class_rankings)
def test_the_area_of_the_brier_curve_is_the_brier_score(ranking):
    probabilities = as_probabilities(ranking)
    score = probabilities.score
    brier = ((1 - score) ** 2 @ ranking.pos + score**2 @ ranking.neg) / ranking.total
    assert th.brier_curve(probabilities).area == pytest.approx(brier, abs=1e-12)


def test_brier_curve_jumps_at_scores_and_its_end_belongs_to_the_piece():
    curve = th.brier_curve(th.Ranking([0.9, 0.2], pos=[1, 0], neg=[0, 1]))
    assert curve.start.tolist() == [0, 0.2, 0.9]
    assert curve.end.tolist() == [0.2, 0.9, 1]
    # At c = 0.2 the negative scored 0.2 is still called positive: loss 2 · 0.2 · 1/2.
    assert curve.loss_at_end[0] == pytest.approx(0.2)
    assert curve.loss_at_start[1] == curve.loss_at_end[1] == 0


@given(strategies.two_class_rankings, st.floats(0.01, 0.99))
def test_net_benefit_against_its_definition(ranking, at):
    probabilities = as_probabilities(ranking)
    table = th.tables.contingency_at(probabilities, at)
    odds = at / (1 - at)
    curve = th.net_benefit(probabilities, threshold=at)
    assert curve.model[0] == pytest.approx((table.tp - table.fp * odds) / ranking.total)
    assert curve.everyone[0] == pytest.approx(ranking.prevalence - (1 - ranking.prevalence) * odds)
    assert curve.no_one[0] == 0


def test_net_benefit_at_another_prevalence():
    ranking = th.Ranking([0.9, 0.6, 0.2], pos=[2, 1, 0], neg=[0, 1, 2])
    curve = th.net_benefit(th.adjust_prevalence(ranking, 0.2), threshold=0.5)
    table = th.tables.contingency_at(
        ranking, 0.8
    )  # a probability of 0.8 where half are positive is 0.5 where a fifth are
    assert curve.model[0] == pytest.approx(0.2 * table.tpr - 0.8 * table.fpr)
    assert curve.everyone[0] == pytest.approx(0.2 - 0.8)


def test_default_thresholds_are_hundredths():
    assert th.net_benefit(as_probabilities(TREE)).threshold[[0, -1]].tolist() == [0.01, 0.99]


@pytest.mark.parametrize("curve", [th.brier_curve, th.net_benefit])
def test_scores_outside_the_unit_interval_are_never_squashed(curve):
    with pytest.raises(th.errors.ProbabilityError, match="2 of 3 distinct scores"):
        curve(th.Ranking([3, 0.5, -1], pos=[1, 1, 0], neg=[0, 1, 1]))
    with pytest.raises(th.errors.ProbabilityError, match="inf"):
        curve(th.Ranking([math.inf, 0.5], pos=[1, 0], neg=[0, 1]))


def test_bad_arguments():
    with pytest.raises(th.errors.ArgumentError, match="exchange rate"):
        th.net_benefit(as_probabilities(TREE), threshold=1)
    with pytest.raises(th.errors.ArgumentError, match="in \\[0, 1\\]"):
        th.net_benefit(as_probabilities(TREE), threshold=[0.2, -0.1])
    with pytest.raises(th.errors.ArgumentError, match="in \\[0, 1\\]"):
        th.cost_curve(TREE).at(math.nan)
