import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import strategies
from thresher.ranking import reaches

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])


def expected_table(ranking, rule):
    """Play the rule on every segment, the coin by its expectation."""
    sure, perhaps = (reaches(ranking.score, end) for end in (rule.upper, rule.lower))
    share = np.where(sure, 1.0, np.where(perhaps, rule.probability, 0.0))
    return float(share @ ranking.pos), float(share @ ranking.neg)


@given(
    strategies.two_class_rankings,
    st.floats(0, 1),
    st.sampled_from(["fpr", "tpr", "predicted_positive_rate"]),
    st.sampled_from(["curve", "hull"]),
)
def test_the_rule_reaches_the_rate_and_its_table_is_what_it_does(ranking, rate, name, on):
    rule = th.curves.point_at(ranking, on=on, **{name: rate})
    assert getattr(rule.table, name) == pytest.approx(rate, abs=1e-9)
    tp, fp = expected_table(ranking, rule)
    assert (rule.table.tp, rule.table.fp) == (pytest.approx(tp, abs=1e-9), pytest.approx(fp, abs=1e-9))


@given(strategies.two_class_rankings, st.floats(0, 1))
def test_mixing_on_the_hull_is_never_worse(ranking, rate):
    on_curve, on_hull = (th.curves.point_at(ranking, fpr=rate, on=on).table.tpr for on in ("curve", "hull"))
    assert on_hull >= on_curve - 1e-9


@given(strategies.two_class_rankings, st.floats(0, 1))
def test_of_several_points_at_one_fpr_the_highest_is_meant(ranking, rate):
    tables = th.coverage(ranking)
    highest = (
        np.interp(rate, tables.fpr, tables.tpr) if rate not in tables.fpr else tables.tpr[tables.fpr == rate].max()
    )
    assert th.curves.point_at(ranking, fpr=rate).table.tpr == pytest.approx(highest, abs=1e-9)


def test_the_coin_breaks_the_tie_of_one_score():
    coin = th.curves.randomized_rule(TREE, threshold=1)
    assert (coin.table.fp, coin.table.tp) == (7.5, 25)
    biased = th.curves.randomized_rule(TREE, threshold=-1, probability=0.25)
    assert (biased.table.fp, biased.table.tp) == (20, 35)
    assert (biased.upper, biased.lower) == (0, -math.inf)


def test_bad_arguments():
    with pytest.raises(th.errors.ArgumentError, match="nearest is 1"):
        th.curves.randomized_rule(TREE, threshold=0.9)
    with pytest.raises(th.errors.ArgumentError, match="probability"):
        th.curves.randomized_rule(TREE, threshold=1, probability=2)
    with pytest.raises(th.errors.ArgumentError, match="exactly one"):
        th.curves.point_at(TREE)
    with pytest.raises(th.errors.ArgumentError, match="exactly one"):
        th.curves.point_at(TREE, fpr=0.1, tpr=0.2)
    with pytest.raises(th.errors.ArgumentError, match="fpr"):
        th.curves.point_at(TREE, fpr=1.1)
    with pytest.raises(th.errors.ArgumentError, match="hull"):
        th.curves.point_at(TREE, fpr=0.1, on="line")  # type: ignore[arg-type]


@given(strategies.two_class_rankings)
def test_rates_of_the_curve_itself_are_met_exactly(ranking):
    tables = th.coverage(ranking)
    for split in range(len(tables)):
        fpr, tpr = float(tables.fpr[split]), float(tables.tpr[split])
        assert th.curves.point_at(ranking, fpr=fpr).table.tpr == pytest.approx(tables.tpr[tables.fpr == fpr].max())
        assert th.curves.point_at(ranking, tpr=tpr).table.fpr == pytest.approx(tables.fpr[tables.tpr == tpr].min())


def test_a_coin_may_refuse_a_score_of_inf():
    ranking = th.Ranking([np.inf, 2, 1], [3, 1, 1], [1, 2, 2])
    assert th.curves.point_at(ranking, fpr=0.1).table.fp == 0.5
    assert th.curves.randomized_rule(ranking, np.inf).table.tp == 1.5
    assert th.curves.point_at(ranking, fpr=0.2).table.fp == 1
    assert th.curves.point_at(ranking, tpr=0.9).table.tp == 4.5
