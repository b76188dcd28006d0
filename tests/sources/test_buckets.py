import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.strategies import float64_scores
from thresher.sources.buckets import bucket_of


@given(st.lists(float64_scores, min_size=2), st.sampled_from([16, 256, 2**17]))
def test_the_map_never_falls(scores, buckets):
    rising = np.sort(np.array(scores))
    assert (np.diff(bucket_of(rising, buckets=buckets)) >= 0).all()


@given(float64_scores)
@pytest.mark.filterwarnings("ignore:overflow encountered in nextafter")
def test_neighbours_stay_in_order(score):
    pair = np.array([score, np.nextafter(score, np.inf)])
    one, other = bucket_of(pair)
    assert one <= other


def test_there_are_not_many_more_than_asked_for():
    scores = np.concatenate([np.linspace(-1e6, 1e6, 10**5), np.linspace(0, 1, 10**5), [np.inf, -np.inf, 1e308]])
    actual = bucket_of(scores, buckets=1024)
    assert actual.max() - actual.min() < 1024 * 1.5 + 8


def test_zero_is_one_score():
    assert len(set(bucket_of(np.array([0.0, -0.0])).tolist())) == 1


def test_probabilities_are_spread_over_all_buckets():
    actual = bucket_of(np.linspace(0, 1, 10**6), buckets=1024)
    assert np.unique(actual).size > 980


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([16, 64, 300]), st.booleans())
def test_condensed_parts_add_up_to_what_holds_all(seed, most, unbounded):
    """Each part is condensed by itself, as workers do; bounds of the sum hold the exact numbers, and stay narrow."""
    rng = np.random.default_rng(seed)
    labels = rng.random(600) < 0.4
    scores = rng.normal(size=600) * 3 + labels
    scores = scores if unbounded else 1 / (1 + np.exp(-scores))
    exact = th.rank(labels, scores)
    parts = [th.sources.condense(th.rank(labels[i::3], scores[i::3]), most) for i in range(3)]
    total = th.sources.condense(parts[0] + parts[1] + parts[2], most)
    assert max(map(len, (*parts, total))) <= most
    assert (total.Pos, total.Neg) == (exact.Pos, exact.Neg)
    for name, known in th.bounds(total).items():
        assert known.lower <= th.bounds(exact, name).lower <= known.upper
    assert th.bounds(total, "auc").width <= 8 / most
    assert th.auc(th.sources.condense(exact, most)) == th.auc(exact)


def test_few_segments_stay_as_they_are():
    ranking = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    assert th.sources.condense(ranking) is ranking
    with pytest.raises(th.errors.ArgumentError, match="most"):
        th.sources.condense(ranking, 2)
