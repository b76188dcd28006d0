"""Counts behind a drawn sample: goldens, brute force, coverage while drawing on."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom, hypergeom

from thresher.errors import ThresherError
from thresher.inference import drawn_count_interval, stream_count_interval

STRATA = st.lists(
    st.integers(1, 12).flatmap(
        lambda rows: st.integers(0, rows).flatmap(
            lambda n: st.tuples(st.integers(0, n), st.just(n), st.just(rows)),
        )
    ),
    min_size=1,
    max_size=3,
)


def log_ratio(k, n, rows, prior=(0.5, 50)):
    """The prior-posterior ratio of every count, from SciPy's distributions."""
    return betabinom.logpmf(k, n, *prior) - hypergeom.logpmf(k, rows, np.arange(rows + 1), n)


def test_golden_limits():
    interval = drawn_count_interval(2, 500, 20_000)
    assert (interval.lower, interval.upper) == (5, 357)
    one_look = drawn_count_interval(2, 500, 20_000, method="exact")
    assert (one_look.lower, one_look.upper) == (11, 284)
    stream = stream_count_interval(2, 20_000, propensity=0.025)
    assert (stream.lower, math.floor(stream.upper)) == (2, 391)


@given(STRATA, st.sampled_from([0.5, 0.8, 0.95]))
def test_limits_are_those_of_brute_force(strata, level):
    ratios = [log_ratio(*one) for one in strata]
    least = np.full(sum(one[2] for one in strata) + 1, np.inf)
    for counts in itertools.product(*(range(len(ratio)) for ratio in ratios)):
        total = sum(ratio[count] for ratio, count in zip(ratios, counts, strict=True))
        least[sum(counts)] = min(least[sum(counts)], total)
    inside = np.flatnonzero(least < math.log(1 / (1 - level)))
    interval = drawn_count_interval(*zip(*strata, strict=True), level=level)
    ends = inside[0], inside[-1]
    if not math.isnan(interval.estimate):  # which limits are made to hold
        ends = min(ends[0], interval.estimate), max(ends[1], interval.estimate)
    assert (interval.lower, interval.upper) == pytest.approx(ends)


def test_everything_labelled_is_a_point():
    assert drawn_count_interval(3, 10, 10).width == 0
    assert drawn_count_interval(0, 0, 10).width == 10


def test_drawing_on_leaves_the_truth_inside():
    rng = np.random.default_rng(5)
    rows, positives, runs = 2000, 20, 200
    outside = {"anytime": 0, "exact": 0}
    for _ in range(runs):
        order = rng.permutation(rows) < positives
        k = np.cumsum(order)[19:800:40]
        n = np.arange(20, 801, 40)
        for method in outside:
            if method == "anytime":
                log = betabinom.logpmf(k, n, 0.5, 50) - hypergeom.logpmf(k, rows, positives, n)
                outside[method] += bool((log >= math.log(20)).any())
            else:
                tail = np.minimum(hypergeom.sf(k - 1, rows, positives, n), hypergeom.cdf(k, rows, positives, n))
                outside[method] += bool((tail <= 0.025).any())
    assert outside["anytime"] <= 0.05 * runs + 3 * math.sqrt(runs * 0.05 * 0.95)
    assert outside["exact"] > outside["anytime"]


def test_stream_limits_hold_while_misses_become_more_frequent():
    rng = np.random.default_rng(6)
    runs, outside = 100, 0
    for _ in range(runs):
        missed = rng.binomial(500, np.where(np.arange(60) < 30, 0.002, 0.01))
        drawn = np.cumsum(rng.binomial(missed, 0.05))
        for day in range(4, 60, 5):
            truth = missed[: day + 1].sum()
            outside_now = truth not in stream_count_interval(drawn[day], 500 * (day + 1), propensity=0.05)
            if outside_now:
                outside += 1
                break
    assert outside <= 0.05 * runs + 3 * math.sqrt(runs * 0.05 * 0.95)


@given(st.floats(0.01, 1), st.integers(0, 5), st.integers(0, 5))
def test_rows_due_a_label_count_as_either(propensity, drawn, unlabelled):
    both = stream_count_interval(drawn, 1000, propensity=propensity, unlabelled=unlabelled)
    for positive in range(unlabelled + 1):
        one = stream_count_interval(drawn + positive, 1000, propensity=propensity)
        assert both.lower <= one.lower + 1e-9
        assert one.upper <= both.upper + 1e-9


@pytest.mark.parametrize("counts", [(3, 2, 10), (1, 20, 10), (-1, 2, 10), (0.5, 2, 10), ([1, 2], [3], [10])])
def test_counts_that_do_not_fit_are_refused(counts):
    with pytest.raises(ThresherError):
        drawn_count_interval(*counts)


@pytest.mark.parametrize("propensity", [0, 1.5, float("nan")])
def test_a_propensity_that_is_none_is_refused(propensity):
    with pytest.raises(ThresherError, match="propensity must"):
        stream_count_interval(1, 100, propensity=propensity)
