"""Laws of the hull: concave, on or above the curve, idempotent, and its edges are PAV's pools."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import reference
from tests.strategies import ranking, two_class_counts, two_class_rankings


def counts_of(r):
    return list(zip(r.pos.tolist(), r.neg.tolist(), strict=True))


@given(two_class_rankings, st.sampled_from(["strict", "ties"]))
def test_it_is_concave(r, pool):
    rates = [Fraction(pos, pos + neg) for pos, neg in counts_of(th.hull(r, pool=pool))]
    if pool == "strict":
        assert all(a >= b for a, b in pairwise(rates))
    else:
        assert all(a > b for a, b in pairwise(rates))


@given(two_class_counts)
def test_it_lies_on_or_above_the_curve(segments):
    pooled = reference.points(counts_of(th.hull(ranking(segments))))
    for x, y in reference.points(segments):
        for (xa, ya), (xb, yb) in pairwise(pooled):
            if xa <= x <= xb and xa < xb:
                assert (y - ya) * (xb - xa) <= (yb - ya) * (x - xa)


@given(two_class_rankings, st.sampled_from(["strict", "ties"]))
def test_it_is_idempotent(r, pool):
    once = th.hull(r, pool=pool)
    assert th.hull(once, pool=pool) == once


@given(two_class_counts)
def test_its_edges_are_the_pools_of_isotonic_regression(segments):
    assert counts_of(th.hull(ranking(segments))) == reference.pav(segments)
    assert counts_of(th.hull(ranking(segments), pool="ties")) == reference.pav(segments, pool_ties=True)


@given(two_class_rankings)
def test_it_never_ranks_worse(r):
    assert th.auc(th.hull(r)) >= th.auc(r)
    assert th.auc(th.hull(r)) >= 0.5
    assert th.auc(th.hull(r, pool="ties")) == th.auc(th.hull(r))


@given(two_class_counts, st.integers(0, 9), st.integers(0, 9))
def test_a_cheapest_split_is_always_on_it(segments, cost_fp, cost_fn):
    """Only splits on the hull can be cheapest, when both mistakes cost something."""
    _, cheapest = reference.cheapest_splits(segments, cost_fp + 1, cost_fn + 1)
    assert set(cheapest) <= set(reference.hull_splits(segments))
    pooled = counts_of(th.hull(ranking(segments), pool="ties"))
    lowest, _ = reference.cheapest_splits(pooled, cost_fp, cost_fn)
    assert lowest == reference.cheapest_splits(segments, cost_fp, cost_fn)[0]
