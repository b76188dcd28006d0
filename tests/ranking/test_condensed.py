from importlib import import_module

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import thresher as th
from tests.reachable import CONDITIONS, require_same_choices, rows_with_infinities
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


@given(rows_with_infinities(), st.integers(1, 6))
def test_choices_are_those_of_the_rows_where_some_scores_are_infinite(rows, segments):
    exact = th.rank(*rows)
    require_same_choices(condensed(exact, segments=segments), exact)


@given(rows_with_infinities(), rows_with_infinities(), st.integers(1, 3))
def test_bounds_hold_for_condensed_rankings_added_up(one, other, segments):
    exact = th.rank(*one) + th.rank(*other)
    found = condensed(th.rank(*one), segments=segments) + condensed(th.rank(*other), segments=segments)
    for condition in CONDITIONS:
        assert th.choose(exact, condition).expected_cost in th.best_cost_bounds(found, condition=condition)


@given(labelled_scores(both_classes=True, max_size=12), labelled_scores(both_classes=True, max_size=12))
def test_pairs_inside_pools_that_meet_are_not_known(one, other):
    exact = th.rank(*one) + th.rank(*other)
    found = condensed(th.rank(*one), segments=2) + condensed(th.rank(*other), segments=2)
    assert th.auc(exact) in th.auc_bounds(found)
    assert th.average_precision(exact) in th.average_precision_bounds(found)


def test_halves_of_two_pools_that_won_as_many_pairs_are_no_pool():
    one = th.Ranking([8, 5, 3], pos=[0, 1, 1], neg=[1, 0, 0])
    other = th.Ranking([4, 1], pos=[0, 1], neg=[1, 0])
    found = condensed(one, segments=1) + condensed(other, segments=1)
    assert th.auc(one + other) == 1 / 6
    assert th.auc(one + other) in th.auc_bounds(found)


def test_a_pool_that_reaches_up_to_infinity_can_be_refused():
    exact = th.Ranking([np.inf, 4, 3, 2], pos=[0, 2, 1, 3], neg=[5, 0, 1, 9])
    few = condensed(exact, segments=1)
    condition = th.OperatingCondition(cost_ratio=0.1)
    assert th.choose(few, condition).threshold == th.choose(exact, condition).threshold == np.inf
    assert th.best_cost_bounds(few, condition=condition) == th.best_cost_bounds(exact, condition=condition)


def test_splits_that_tie_stay():
    exact = th.Ranking.parse("[1+][1-]" * 20)
    few = condensed(exact, segments=1)
    assert few.spans is not None
    assert few.spans.ties
    assert repr(th.choose(few)) == repr(th.choose(exact))
    assert "20 tied" in repr(th.choose(few))


def test_of_very_many_ties_some_stay_and_their_number_is_not_told(monkeypatch):
    monkeypatch.setattr(import_module("thresher.ranking.condensed"), "MOST_TIES", 5)
    exact = th.Ranking.parse("[1+][1-]" * 200)
    few = condensed(exact, segments=1)
    assert len(few) < 20
    assert few.spans is not None
    assert not few.spans.ties
    choice = th.choose(few)
    assert choice.expected_cost == th.choose(exact).expected_cost
    assert "or more tied" in repr(choice)
    assert "cost the same" in " ".join(caution.text for caution in choice.cautions)
    assert choice.expected_cost in th.best_cost_bounds(few)
    # Elsewhere on the hull nothing is open.
    assert th.best_cost_bounds(few, condition=th.OperatingCondition(cost_ratio=3)).width == 0


def test_counts_whose_pairs_no_number_holds_stay_as_they_are():
    exact = th.Ranking(range(9, 0, -1), pos=[2**40] * 9, neg=[2**40] * 9)
    assert condensed(exact, segments=1) is exact


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


@given(
    st.lists(st.tuples(st.booleans(), st.integers(-9, 9), st.integers(-50, 50)), min_size=2, max_size=40),
    st.integers(1, 6),
)
@example([(True, 6, 57), (True, 5, 0), (False, 4, 53), (True, 3, 53), (False, 2, 0), (False, 1, 57)], 2)
def test_weights_that_vanish_beside_others_hide_no_corner(rows, segments):
    labels, scores, powers = zip(*[(True, 9.5, 0), (False, -9.5, 0), *rows], strict=True)
    exact = th.rank(labels, scores, weights=[2.0**power for power in powers])
    few = condensed(exact, segments=segments)
    for cost_ratio in (0.01, 0.3, 1, 4, 100):
        condition = th.OperatingCondition(cost_ratio=cost_ratio)
        bounds = th.best_cost_bounds(few, condition=condition)
        assert th.choose(exact, condition).expected_cost in bounds
        assert bounds.width <= 1e-9


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 9)), min_size=2, max_size=30), st.integers(1, 4))
def test_weights_are_read_back(rows, segments):
    labels, parts = zip(*[(True, 1), (False, 1), *rows], strict=True)
    exact = th.rank(labels, range(len(labels)), weights=[part / 3 for part in parts])
    few = condensed(exact, segments=segments)
    assert th.Ranking.from_json(few.to_json()) == few


def test_weights():
    exact = th.rank([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], weights=[0.25, 1, 2, 1, 1, 1])
    assert th.auc(condensed(exact, segments=1)) == pytest.approx(th.auc(exact))


def test_weights_on_one_line_become_short():
    rng = np.random.default_rng(0)
    weights = np.repeat(rng.random(20_000), 2)
    exact = th.rank(np.tile([1, 0], 20_000), np.repeat(np.arange(20_000), 2), weights=weights)
    assert len(condensed(exact, segments=100)) < 20_000
