import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.strategies import labelled_scores, two_class_rankings
from thresher.ranking import condensed


@given(two_class_rankings, st.integers(1, 6))
def test_pairs_hull_and_choices_stay_exact(exact, segments):
    few = condensed(exact, segments=segments)
    assert th.auc(few) == th.auc(exact)
    assert th.auc_bounds(few) == th.auc_bounds(exact)
    assert (few.Pos, few.Neg) == (exact.Pos, exact.Neg)
    for cost_ratio in (0.3, 1, 4):
        condition = th.OperatingCondition(cost_ratio=cost_ratio)
        assert th.choose(few, condition).expected_cost == pytest.approx(th.choose(exact, condition).expected_cost)
        assert th.best_cost_bounds(few, condition=condition).width == 0
    assert str(th.hull(few, pool="ties")) == str(th.hull(exact, pool="ties"))


@given(labelled_scores(both_classes=True, max_size=60), st.integers(1, 6))
def test_bounds_hold_for_the_rest(rows, segments):
    exact = th.rank(*rows)
    few = condensed(exact, segments=segments)
    assert th.average_precision(exact) in th.average_precision_bounds(few)
    assert th.pr_area(exact) in th.pr_area_bounds(few)
    assert th.ks(exact).statistic in th.ks_bounds(few)
    assert th.Ranking.from_json(few.to_json()) == few


def test_a_long_ranking_becomes_short():
    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.4
    exact = th.rank(labels, rng.normal(size=20_000) + labels)
    few = condensed(exact, segments=100)
    assert len(few) < 400
    assert th.auc(few) == th.auc(exact)
    assert th.average_precision_bounds(few).width < 0.02


def test_weights():
    exact = th.rank([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], weights=[0.25, 1, 2, 1, 1, 1])
    assert th.auc(condensed(exact, segments=1)) == pytest.approx(th.auc(exact))
