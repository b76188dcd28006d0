import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.reachable import require_same_choices
from thresher.ranking import Ranking, shorten
from thresher.sources.untied import condensed_untied, untied


def ranked(flags):
    """The exact ranking of cases whose scores fall by one."""
    flags = np.asarray(flags, dtype=bool)
    return np.arange(flags.size, 0.0, -1.0), flags


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 12))
def test_pools_keep_pairs_and_corners(flags, segments):
    score, flags = ranked(flags)
    exact = Ranking(score, flags.astype(int), 1 - flags.astype(int))
    *columns, spans = condensed_untied(untied(score, flags), segments=segments)
    bounded = Ranking.of_segments(*columns, ranges=spans)
    assert (bounded.Pos, bounded.Neg) == (exact.Pos, exact.Neg)
    if exact.Pos and exact.Neg:
        one, other = th.hull(bounded, pool="ties"), th.hull(exact, pool="ties")
        assert (one.pos.tolist(), one.neg.tolist()) == (other.pos.tolist(), other.neg.tolist())
        assert th.auc(bounded) == th.auc(exact)
        assert th.auc_bounds(bounded).width == 0
    assert spans is not None
    low, high = spans.low, spans.high
    assert np.array_equal(low, bounded.score)
    assert (low[:-1] > high[1:]).all()


@given(st.lists(st.booleans(), min_size=2, max_size=60), st.integers(1, 12), st.booleans(), st.booleans())
def test_choices_are_those_of_the_cases(flags, segments, highest, lowest):
    score, flags = ranked(flags)
    flags[:2] = [False, True]
    score[0], score[-1] = np.inf if highest else score[0], -np.inf if lowest else score[-1]
    *columns, spans = condensed_untied(untied(score, flags), segments=segments)
    exact = Ranking(score, flags.astype(int), 1 - flags.astype(int))
    require_same_choices(Ranking.of_segments(*columns, ranges=spans), exact)


def test_of_very_many_ties_some_stay(monkeypatch):
    monkeypatch.setattr("thresher.sources.untied.MOST_TIES", 5)
    score, flags = ranked([True, False] * 200)
    *columns, spans = condensed_untied(untied(score, flags), segments=1)
    assert spans is not None
    assert not spans.ties
    few, exact = Ranking.of_segments(*columns, ranges=spans), th.rank(flags, score)
    assert len(few) < 20
    assert th.choose(exact).expected_cost in th.best_cost_bounds(few)
    assert "or more tied" in repr(th.choose(few))


@pytest.mark.parametrize("segments", [2, 50, 400])
def test_pools_of_many_cases_say_what_condensing_says(segments):
    rng = np.random.default_rng(2)
    score = np.sort(rng.random(5000))[::-1]
    flags = rng.random(5000) < score
    exact = Ranking(score, flags.astype(int), 1 - flags.astype(int))
    *columns, spans = condensed_untied(untied(score, flags), segments=segments)
    found, other = Ranking.of_segments(*columns, ranges=spans), shorten(exact, segments, keep="hull")
    assert spans is not None
    assert spans.corners
    assert len(found) < 3 * segments + 60
    for of in (th.auc_bounds, th.ks_bounds, th.best_cost_bounds):
        assert of(found) == of(other)
    for threshold in (0.1, 0.5, 0.9):
        between, cells = th.table_bounds(found, threshold), th.contingency_at(exact, threshold)
        assert between.least.tp <= cells.tp <= between.most.tp
    at = np.searchsorted(-exact.score, -spans.pos_low)
    assert exact.pos[at[found.pos > 0]].all()
