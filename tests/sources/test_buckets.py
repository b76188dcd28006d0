import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
